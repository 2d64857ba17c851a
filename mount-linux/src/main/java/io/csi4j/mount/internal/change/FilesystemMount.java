package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.text.PrintableText;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountResult;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** One mount of a filesystem, from the walk to its target up to its undoing. */
final class FilesystemMount implements MountCallPool.Work<MountResult> {

  private final Kernel kernel;
  private final Walk walk;
  private final MountOf mounts;
  private final FilesystemRequest request;
  private final String doing;
  private final KernelMountOptions options;
  private boolean made;

  /** Refuses options and names that the kernel would cut or read as something else. */
  FilesystemMount(Kernel kernel, Walk walk, FilesystemRequest request) {
    this.kernel = kernel;
    this.walk = walk;
    this.mounts = new MountOf(kernel);
    this.request = request;
    this.doing = doing(request);
    this.options = KernelMountOptions.of(doing, request);
    if (request.type().isEmpty() || request.type().indexOf('\0') >= 0) {
      throw FilesystemFailure.refused(
          doing, request, Reason.UNKNOWN_FILESYSTEM, "its type is empty or holds a NUL");
    }
    for (byte each : request.source().bytes()) {
      if (each == 0) {
        throw FilesystemFailure.refused(
            doing, request, Reason.BAD_SOURCE, "its source holds a NUL");
      }
    }
  }

  /** Returns the work, for messages. */
  static String doing(FilesystemRequest request) {
    return "Mounting "
        + PrintableText.escape(request.type())
        + " '"
        + request.source()
        + "' at "
        + request.target();
  }

  @Override
  public MountResult run(BooleanSupplier abandoned) {
    try (TargetPlace place = walk.place(doing, request.target());
        Spot spot = Spot.open(doing, kernel, mounts, place, request.createTarget(), true)) {
      boolean done = false;
      try {
        Optional<MountRecord> occupant = spot.occupant();
        MountResult result =
            occupant.isPresent()
                ? new MountResult(sameOrRefuse(occupant.get()), false)
                : new MountResult(attach(place, spot), true);
        done = true;
        made = spot.made();
        return result;
      } finally {
        if (!done) {
          spot.removeIfMade();
        }
      }
    }
  }

  @Override
  public boolean canUndo() {
    return true;
  }

  @Override
  public void undo(MountResult result) {
    if (result.created()) {
      new Detach(kernel, mounts).undo(walk, doing, result.ref(), request.target(), made);
    }
  }

  private MountRef sameOrRefuse(MountRecord there) {
    MountAtTarget occupant = new MountAtTarget(there);
    if (!isOfType(there)) {
      occupant.expect("type", there.type(), KernelText.of(request.type()));
    }
    occupant.expect("source", there.source(), request.source());
    occupant.expectFlags(FlagBits.flags(options.bits()));
    return occupant.sameOrRefuse(doing, request.target());
  }

  private MountRef attach(TargetPlace place, Spot spot) {
    byte[] source = request.source().bytes();
    int mounted =
        kernel
            .calls()
            .mount(
                Arrays.copyOf(source, source.length + 1),
                spot.node().link(),
                Abi.path(request.type()),
                options.bits(),
                options.data());
    if (mounted < 0) {
      throw FilesystemFailure.of(doing, mounted, request);
    }
    boolean found = false;
    try (Descriptor root = place.open(doing)) {
      MountRef ref =
          mounts
              .record(root)
              .filter(it -> mounts.id(root.number()) != mounts.id(spot.node().number()))
              .filter(this::isOfType)
              .map(MountRecord::ref)
              .orElseThrow(() -> FilesystemFailure.exchanged(doing, request));
      found = true;
      return ref;
    } finally {
      if (!found) {
        new Detach(kernel, mounts).from(spot, doing, this::isOfType);
      }
    }
  }

  private boolean isOfType(MountRecord mount) {
    return isOfType(mount.type(), request.type());
  }

  /** Whether a type is the one that was asked for; the kernel may add a part, or a version. */
  static boolean isOfType(KernelText there, String asked) {
    return there.is(asked)
        || new String(there.bytes(), StandardCharsets.UTF_8).startsWith(asked + ".")
        || (asked.equals("nfs") && there.is("nfs4"));
  }
}
