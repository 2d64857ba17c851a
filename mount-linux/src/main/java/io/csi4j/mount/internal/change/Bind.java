package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountResult;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** One bind, from the walk to its paths up to its undoing if it is not waited for any more. */
final class Bind implements MountCallPool.Work<MountResult> {

  private final Kernel kernel;
  private final Walk walk;
  private final MountOf mounts;
  private final BindRequest request;
  private final String doing;
  private boolean made;

  Bind(Kernel kernel, Walk walk, BindRequest request) {
    this.kernel = kernel;
    this.walk = walk;
    this.mounts = new MountOf(kernel);
    this.request = request;
    this.doing = doing(request);
    FlagBits.check(doing, request.flags());
  }

  /** Returns the work, for messages. */
  static String doing(BindRequest request) {
    return "Binding " + request.source() + " to " + request.target();
  }

  @Override
  public MountResult run(BooleanSupplier abandoned) {
    try (Descriptor source = openSource();
        TargetPlace place = walk.place(doing, request.target());
        Spot spot =
            Spot.open(doing, kernel, mounts, place, request.createTarget(), source.isDirectory())) {
      boolean done = false;
      try {
        MountRecord from = mounts.record(source).orElseThrow(this::detachedSource);
        Optional<MountRecord> occupant = spot.occupant();
        MountResult result =
            occupant.isPresent()
                ? new MountResult(sameOrRefuse(source, from, occupant.get()), false)
                : new MountResult(attach(source, from, place, spot), true);
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

  private Descriptor openSource() {
    return request.followSource()
        ? walk.linkedSource(doing, request.source())
        : walk.source(doing, request.source());
  }

  private MountRef sameOrRefuse(Descriptor source, MountRecord from, MountRecord occupant) {
    MountAtTarget there = new MountAtTarget(occupant);
    there.expect("device", occupant.device(), from.device());
    there.expect("root", occupant.root(), SourceRoot.of(kernel, source, from));
    there.expectFlags(FlagBits.sum(from.flags(), request.flags()));
    request.propagation().ifPresent(wanted -> there.expectPropagation(from, wanted));
    return there.sameOrRefuse(doing, request.target());
  }

  private MountRef attach(Descriptor source, MountRecord from, TargetPlace place, Spot spot) {
    if (source.isDirectory() != spot.node().isDirectory()) {
      throw BindFailure.wrongKind(doing, request, source.isDirectory());
    }
    Remount remount = new Remount(kernel, walk, mounts);
    return new TreeBind(kernel, mounts, remount, request, doing)
        .attach(source, place, spot)
        .orElseGet(
            () ->
                new PlainBind(kernel, mounts, remount, request, doing)
                    .attach(source, from, place, spot));
  }

  private MountException detachedSource() {
    return MountException.builder(
            Reason.BAD_SOURCE,
            doing
                + " failed: the mount that the source is in was taken away meanwhile. Mount it"
                + " again.")
        .target(request.target())
        .build();
  }
}
