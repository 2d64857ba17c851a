package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;

/**
 * The bind of every kernel ({@code mount}), through descriptors so that no path is walked. Flags
 * are set after it, so a read-only bind is writable for a moment.
 */
final class PlainBind {

  private final Kernel kernel;
  private final MountOf mounts;
  private final Remount remount;
  private final BindRequest request;
  private final String doing;

  PlainBind(Kernel kernel, MountOf mounts, Remount remount, BindRequest request, String doing) {
    this.kernel = kernel;
    this.mounts = mounts;
    this.remount = remount;
    this.request = request;
    this.doing = doing;
  }

  MountRef attach(Descriptor source, MountRecord from, TargetPlace place, Spot spot) {
    long bits = Abi.MS_BIND | (request.recursive() ? Abi.MS_REC : 0);
    int bound = kernel.calls().mount(source.link(), spot.node().link(), null, bits, null);
    if (bound < 0) {
      throw BindFailure.of(doing, "mount", bound, request);
    }
    boolean found = false;
    try (Descriptor mounted = place.open(doing)) {
      MountRecord record =
          mounts
              .record(mounted)
              .filter(it -> mounts.id(mounted.number()) != mounts.id(spot.node().number()))
              .filter(it -> isFrom(it, from))
              .orElseThrow(this::exchanged);
      found = true;
      finish(mounted, record);
      return record.ref();
    } finally {
      if (!found) {
        new Detach(kernel, mounts).from(spot, doing, it -> isFrom(it, from));
      }
    }
  }

  private void finish(Descriptor mounted, MountRecord record) {
    boolean done = false;
    try {
      if (!request.flags().isEmpty()) {
        remount.add(doing, mounted, record, request.flags(), request.recursive());
      }
      request
          .propagation()
          .ifPresent(
              wanted ->
                  remount.propagation(
                      doing, mounted, request.target(), wanted, request.recursive()));
      done = true;
    } finally {
      if (!done) {
        new Detach(kernel, mounts).mount(mounted);
      }
    }
  }

  private static boolean isFrom(MountRecord mount, MountRecord source) {
    return mount.device().equals(source.device());
  }

  private MountException exchanged() {
    return BindFailure.exchanged(doing, request);
  }
}
