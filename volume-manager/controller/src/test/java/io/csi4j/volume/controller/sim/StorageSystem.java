package io.csi4j.volume.controller.sim;

import io.csi4j.client.controller.ControllerExpandVolumeRequest;
import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.controller.ControllerService;
import io.csi4j.client.controller.ControllerUnpublishVolumeRequest;
import io.csi4j.client.controller.CreateSnapshotRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.DeleteSnapshotRequest;
import io.csi4j.client.controller.DeleteVolumeRequest;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiConditionException;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import java.lang.reflect.InvocationHandler;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A storage system behind a plugin: as the spec wants it, with late, lost and repeated calls. */
final class StorageSystem {

  private static final CsiEndpoint ENDPOINT = CsiEndpoint.of(Path.of("/simulated.sock"));

  /** Attempts of one call that a client makes at most. */
  private static final int ATTEMPTS = 3;

  /** A volume that was made. */
  static final class Made {
    /** The name on record, which is another one where names are not kept. */
    final String asked;

    final String name;
    final String id;
    final Set<String> attached = new TreeSet<>();
    long size;

    /** Set if its creation came after its name was no longer on record. */
    boolean isLate;

    Made(String asked, String name, String id, long size) {
      this.asked = asked;
      this.name = name;
      this.id = id;
      this.size = size;
    }
  }

  private record Known(Made made) implements Volume {
    @Override
    public VolumeId id() {
      return VolumeId.of(made.id);
    }

    @Override
    public OptionalLong capacityBytes() {
      return OptionalLong.of(made.size);
    }

    @Override
    public VolumeContext context() {
      return VolumeContext.empty();
    }

    @Override
    public Optional<VolumeContentSource> contentSource() {
      return Optional.empty();
    }

    @Override
    public List<Topology> accessibleTopology() {
      return List.of();
    }
  }

  /** A snapshot that was cut. */
  static final class Cut {
    /** The name on record, which is another one where names are not kept. */
    final String asked;

    final String name;
    final String id;
    final String volume;

    /** Set if it was cut after its drop had begun, by a call of a former owner. */
    boolean isLate;

    Cut(String asked, String name, String id, String volume) {
      this.asked = asked;
      this.name = name;
      this.id = id;
      this.volume = volume;
    }
  }

  private record KnownCut(Cut cut) implements Snapshot {
    @Override
    public SnapshotId id() {
      return SnapshotId.of(cut.id);
    }

    @Override
    public VolumeId sourceVolumeId() {
      return VolumeId.of(cut.volume);
    }

    @Override
    public OptionalLong sizeBytes() {
      return OptionalLong.empty();
    }

    @Override
    public Optional<Instant> creationTime() {
      return Optional.empty();
    }

    @Override
    public boolean readyToUse() {
      return true;
    }

    @Override
    public Optional<GroupSnapshotId> groupSnapshotId() {
      return Optional.empty();
    }

    @Override
    public List<Topology> accessibleTopology() {
      return List.of();
    }
  }

  private record Grown(OptionalLong capacityBytes, boolean nodeExpansionRequired)
      implements ControllerService.ExpandVolumeResult {}

  private record Attached(PublishContext publishContext)
      implements ControllerService.PublishVolumeResult {}

  private final PlaneWorld world;
  private final Timeline timeline;
  private final Map<String, Made> byName = new TreeMap<>();
  private final Map<String, Made> byId = new TreeMap<>();

  /** The names and ids with a call that has not ended. */
  private final Set<String> busy = new TreeSet<>();

  private final Map<String, Cut> cutsByName = new TreeMap<>();
  private final Map<String, Cut> cutsById = new TreeMap<>();

  private long ids;

  StorageSystem(PlaneWorld world) {
    this.world = world;
    this.timeline = world.timeline;
  }

  Iterable<Made> all() {
    return List.copyOf(byId.values());
  }

  Optional<Made> find(VolumeId id) {
    return Optional.ofNullable(byId.get(id.value()));
  }

  Iterable<Cut> cuts() {
    return List.copyOf(cutsById.values());
  }

  Optional<Cut> find(SnapshotId id) {
    return Optional.ofNullable(cutsById.get(id.value()));
  }

  /** The plugin as one control plane calls it. */
  InvocationHandler plugin(ControlPlane plane) {
    return (proxy, method, arguments) -> {
      try {
        return CompletableFuture.completedFuture(call(plane, arguments[0]));
      } catch (CsiException failed) {
        return CompletableFuture.failedFuture(failed);
      }
    };
  }

  private Object call(ControlPlane plane, Object request) {
    if (request instanceof CreateVolumeRequest create) {
      world.judge.sent(plane.name, create.name(), Optional.empty());
      String name =
          world.lost(LostRule.NAME_IS_NOT_KEPT) ? create.name() + "-" + plane.name : create.name();
      return sent(
          plane,
          CsiOperation.CREATE_VOLUME,
          name,
          () -> create(plane.name, create.name(), name, create.capacityRange()));
    }
    if (request instanceof DeleteVolumeRequest delete) {
      VolumeId id = delete.volumeId();
      world.judge.sent(plane.name, "", Optional.of(id));
      return sent(plane, CsiOperation.DELETE_VOLUME, id.value(), () -> delete(id));
    }
    if (request instanceof ControllerExpandVolumeRequest expand) {
      VolumeId id = expand.volumeId();
      world.judge.sent(plane.name, "", Optional.of(id));
      return sent(
          plane,
          CsiOperation.CONTROLLER_EXPAND_VOLUME,
          id.value(),
          () -> expand(id, expand.capacityRange().requiredBytes().orElse(0)));
    }
    if (request instanceof ControllerPublishVolumeRequest publish) {
      return sent(
          plane,
          CsiOperation.CONTROLLER_PUBLISH_VOLUME,
          publish.volumeId().value(),
          () -> attach(publish.volumeId(), publish.nodeId()));
    }
    if (request instanceof ControllerUnpublishVolumeRequest unpublish) {
      return sent(
          plane,
          CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
          unpublish.volumeId().value(),
          () -> detach(unpublish.volumeId(), unpublish.nodeId().orElseThrow()));
    }
    if (request instanceof CreateSnapshotRequest cut) {
      world.judge.sentCut(plane.name, cut.name());
      String name =
          world.lost(LostRule.SNAPSHOT_NAME_IS_NOT_KEPT)
              ? cut.name() + "-" + plane.name
              : cut.name();
      return sent(
          plane,
          CsiOperation.CREATE_SNAPSHOT,
          name,
          () -> cut(plane.name, cut.name(), name, cut.sourceVolumeId()));
    }
    if (request instanceof DeleteSnapshotRequest delete) {
      SnapshotId id = delete.snapshotId();
      world.judge.sentDeletion(plane.name, id);
      return sent(plane, CsiOperation.DELETE_SNAPSHOT, id.value(), () -> deleteCut(id));
    }
    throw new UnsupportedOperationException(request.getClass().getName());
  }

  /** A call with its repeats: only the first comes right after the look at the session. */
  private Object sent(ControlPlane plane, CsiOperation operation, String on, Supplier<?> effect) {
    boolean isUncertain = false;
    for (int attempt = 1; ; attempt++) {
      timeline.sleep(world.latency());
      if (world.happens(0.08)) {
        world.tell(plane.name + " stands still before " + operation + " of " + on);
        timeline.sleep(Duration.ofMillis(timeline.pick(90_000)).toNanos());
      }
      try {
        Object answer = attempt(plane, operation, on, effect);
        timeline.sleep(world.latency());
        return answer;
      } catch (CsiException failed) {
        timeline.sleep(world.latency());
        isUncertain |= failed.outcome() == Outcome.UNCERTAIN;
        boolean isBusy = failed.code() == StatusCode.ABORTED;
        if ((!isUncertain && !isBusy) || attempt == ATTEMPTS || timeline.pick(2) == 0) {
          boolean isSaid =
              (world.lost(LostRule.UNKNOWN_IS_REFUSED) && operation == CsiOperation.CREATE_VOLUME)
                  || (world.lost(LostRule.UNKNOWN_SNAPSHOT_IS_REFUSED)
                      && operation == CsiOperation.CREATE_SNAPSHOT);
          throw isUncertain
              ? failed(
                  operation,
                  StatusCode.DEADLINE_EXCEEDED,
                  isSaid ? Outcome.SETTLED : Outcome.UNCERTAIN,
                  attempt)
              : failed;
        }
        timeline.sleep(Duration.ofMillis(1000L + timeline.pick(40_000)).toNanos());
      }
    }
  }

  private Object attempt(
      ControlPlane plane, CsiOperation operation, String on, Supplier<?> effect) {
    int fate = world.happens(0.3) ? 1 + timeline.pick(6) : 0;
    if (busy.contains(on)) {
      throw failed(operation, StatusCode.ABORTED, Outcome.UNCERTAIN, 1);
    }
    switch (fate) {
      case 1 -> throw failed(operation, StatusCode.DEADLINE_EXCEEDED, Outcome.UNCERTAIN, 1);
      case 2, 6 -> {
        // Also what is gone: a plugin may refuse for a reason that is not the volume's.
        if (operation == CsiOperation.DELETE_VOLUME
            && world.lost(LostRule.REFUSED_DELETION_IS_LATE)) {
          later(on, effect);
        }
        throw failed(operation, StatusCode.FAILED_PRECONDITION, Outcome.SETTLED, 1);
      }
      case 3 -> {
        busy.add(on);
        later(on, effect);
        throw failed(operation, StatusCode.DEADLINE_EXCEEDED, Outcome.UNCERTAIN, 1);
      }
      default -> {
        Object answer = done(plane.name, operation, on, effect);
        if (fate == 4) {
          // It arrives twice.
          answer = done(plane.name, operation, on, effect);
        }
        if (fate == 5) {
          throw failed(operation, StatusCode.UNAVAILABLE, Outcome.UNCERTAIN, 1);
        }
        return answer;
      }
    }
  }

  private Object done(String by, CsiOperation operation, String on, Supplier<?> effect) {
    try {
      Object answer = effect.get();
      world.tell(by + ": " + operation + " of " + on + " is done");
      return answer;
    } catch (CsiException failed) {
      world.tell(by + ": " + operation + " of " + on + " is refused: " + failed.code());
      throw failed;
    }
  }

  private void later(String on, Supplier<?> effect) {
    timeline.after(
        world.network,
        Duration.ofMillis(timeline.pick(60_000)).toNanos(),
        () -> {
          busy.remove(on);
          try {
            var unused = effect.get();
            world.tell("late: the call for " + on + " is done");
          } catch (CsiException refused) {
            world.tell("late: the call for " + on + " is refused: " + refused.code());
          }
        });
  }

  private static CsiException failed(
      CsiOperation operation, StatusCode code, Outcome outcome, int attempts) {
    CsiFailure failure =
        CsiFailure.builder(ENDPOINT, code, outcome)
            .operation(operation)
            .attempts(attempts)
            .answered(outcome == Outcome.SETTLED)
            .build();
    return outcome == Outcome.SETTLED
        ? new CsiConditionException(failure, null)
        : new CsiTransientException(failure, null);
  }

  // ---- what it does

  private Volume create(String by, String asked, String name, Optional<CapacityRange> range) {
    Made there = byName.get(name);
    if (there == null) {
      long size = range.flatMap(it -> box(it.requiredBytes())).orElse(1L << 20);
      there = new Made(asked, name, "id-" + ++ids, size);
      world.judge.made(there, by);
      byName.put(name, there);
      byId.put(there.id, there);
    }
    return new Known(there);
  }

  private static Optional<Long> box(OptionalLong value) {
    return value.isPresent() ? Optional.of(value.getAsLong()) : Optional.empty();
  }

  private Object delete(VolumeId id) {
    Made there = byId.get(id.value());
    if (there != null) {
      if (!there.attached.isEmpty()) {
        throw failed(
            CsiOperation.DELETE_VOLUME, StatusCode.FAILED_PRECONDITION, Outcome.SETTLED, 1);
      }
      world.judge.deleted(there);
      byId.remove(there.id);
      byName.remove(there.name);
    }
    return null;
  }

  private Object expand(VolumeId id, long size) {
    Made there = byId.get(id.value());
    if (there == null) {
      throw failed(CsiOperation.CONTROLLER_EXPAND_VOLUME, StatusCode.NOT_FOUND, Outcome.SETTLED, 1);
    }
    there.size = Math.max(there.size, size);
    return new Grown(OptionalLong.of(there.size), false);
  }

  private Object attach(VolumeId id, NodeId node) {
    Made there = byId.get(id.value());
    if (there == null) {
      throw failed(
          CsiOperation.CONTROLLER_PUBLISH_VOLUME, StatusCode.NOT_FOUND, Outcome.SETTLED, 1);
    }
    if (!there.attached.isEmpty() && !there.attached.contains(node.value())) {
      throw failed(
          CsiOperation.CONTROLLER_PUBLISH_VOLUME,
          StatusCode.FAILED_PRECONDITION,
          Outcome.SETTLED,
          1);
    }
    there.attached.add(node.value());
    return new Attached(PublishContext.empty());
  }

  private Object detach(VolumeId id, NodeId node) {
    Made there = byId.get(id.value());
    if (there != null) {
      there.attached.remove(node.value());
    }
    return null;
  }

  private Snapshot cut(String by, String asked, String name, VolumeId volume) {
    Cut there = cutsByName.get(name);
    if (there != null && !there.volume.equals(volume.value())) {
      throw failed(CsiOperation.CREATE_SNAPSHOT, StatusCode.ALREADY_EXISTS, Outcome.SETTLED, 1);
    }
    if (there == null) {
      if (!byId.containsKey(volume.value())) {
        throw failed(CsiOperation.CREATE_SNAPSHOT, StatusCode.NOT_FOUND, Outcome.SETTLED, 1);
      }
      there = new Cut(asked, name, "snap-" + ++ids, volume.value());
      world.judge.cut(there, by);
      cutsByName.put(name, there);
      cutsById.put(there.id, there);
    }
    return new KnownCut(there);
  }

  private Object deleteCut(SnapshotId id) {
    Cut there = cutsById.remove(id.value());
    if (there != null) {
      world.judge.cutDeleted(there);
      cutsByName.remove(there.name);
    }
    return null;
  }
}
