package io.csi4j.volume.controlplanes;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.NodeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.SnapshotBackups;
import io.csi4j.volume.controller.SnapshotName;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Asks a control plane for operations on volumes by chance, as a host does: it uses what it was
 * granted, leaves before it gives back, and gives back what it finds after a kill or after a
 * failure.
 */
final class ControlPlaneWork {

  /** What a control plane is asked for. */
  enum Deed {
    CREATE,
    DELETE,
    EXPAND,
    FIND,
    SNAPSHOT,
    KEEP,
    DROP,
    DELETE_SNAPSHOT,
    ACQUIRE,
    RELEASE
  }

  private enum Knowledge {
    FREE,
    USED,
    UNSURE
  }

  private static final long MEGABYTE = 1L << 20;
  private static final long PATIENCE = TimeUnit.MINUTES.toNanos(3);
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

  /** How often each is asked for. */
  private static final Map<Deed, Integer> CHANCES =
      new EnumMap<>(
          Map.of(
              Deed.CREATE, 30,
              Deed.DELETE, 14,
              Deed.EXPAND, 8,
              Deed.FIND, 8,
              Deed.SNAPSHOT, 5,
              Deed.DELETE_SNAPSHOT, 5,
              Deed.ACQUIRE, 30));

  /**
   * A snapshot that was asked for.
   *
   * @param snapshot what was answered
   * @param isKept whether it is known to be off the record
   */
  private record Cut(
      VolumeKey volume, SnapshotName name, Optional<Snapshot> snapshot, boolean isKept) {}

  /** An operation that returns an id, or an empty text. */
  private interface Operation {
    String run();
  }

  private final VolumeController controller;
  private final ClaimCoordinator claims;
  private final WorkLog log;
  private final Random random;
  private final NodeName node;
  private final NodeId nodeId;
  private final String names;
  private final WorkloadId workload;
  private final int keys;
  private final Map<VolumeKey, Knowledge> known = new HashMap<>();
  private final Deque<Cut> cuts = new ArrayDeque<>();
  private int snapshots;

  ControlPlaneWork(
      VolumeController controller,
      ClaimCoordinator claims,
      WorkLog log,
      String name,
      int life,
      int thread,
      int keys,
      long seed) {
    this.controller = controller;
    this.claims = claims;
    this.log = log;
    // The first numbers of neighbouring seeds are nearly the same.
    this.random = new Random(new SplittableRandom(seed).nextLong());
    this.node = NodeName.of(name);
    this.nodeId = NodeId.of(name);
    this.names = name + "-" + life + "-" + thread;
    this.workload = WorkloadId.of(name + "-t" + thread);
    this.keys = keys;
    for (int k = 0; k < keys; k++) {
      known.put(key(k), Knowledge.UNSURE);
    }
  }

  static VolumeKey key(int number) {
    return VolumeKey.of("v" + number);
  }

  static VolumeSpec spec(VolumeKey key) {
    return VolumeSpec.builder(ControlPlaneMain.PLUGIN)
        .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
        .capacity(CapacityRange.atLeast(MEGABYTE))
        .parameters(Map.of("key", key.id()))
        .build();
  }

  /** Does one thing. False if it was not answered. */
  boolean act() {
    VolumeKey key = key(random.nextInt(keys));
    Knowledge now = known.get(key);
    if (now == Knowledge.UNSURE || (now == Knowledge.USED && random.nextInt(3) == 0)) {
      return release(key);
    }
    return run(drawn(), key);
  }

  private Deed drawn() {
    int dice = random.nextInt(CHANCES.values().stream().mapToInt(Integer::intValue).sum());
    for (Map.Entry<Deed, Integer> each : CHANCES.entrySet()) {
      dice -= each.getValue();
      if (dice < 0) {
        return each.getKey();
      }
    }
    throw new AssertionError();
  }

  private boolean run(Deed deed, VolumeKey key) {
    return switch (deed) {
      case CREATE -> run(deed, key, () -> controller.create(key, spec(key)).id().value());
      case DELETE ->
          run(
              deed,
              key,
              () -> {
                controller.delete(key);
                return "";
              });
      case EXPAND -> {
        CapacityRange size = CapacityRange.atLeast(MEGABYTE * (2 + random.nextInt(6)));
        yield run(deed, key, () -> controller.expand(key, size).id().value());
      }
      case FIND ->
          run(
              deed,
              key,
              () -> controller.find(key).map(CatalogVolume::id).map(Object::toString).orElse(""));
      case SNAPSHOT, KEEP -> cut(key);
      case DELETE_SNAPSHOT, DROP -> deleteSnapshot();
      case ACQUIRE -> known.get(key) == Knowledge.USED || acquire(key);
      case RELEASE -> release(key);
    };
  }

  /** Runs an operation, and returns whether it was answered. */
  private boolean run(Deed deed, VolumeKey key, Operation operation) {
    String number = log.begins(deed, key.id());
    try {
      log.done(number, operation.run());
      return true;
    } catch (ControllerException e) {
      log.failed(number, e.outcome(), e.getMessage());
      return e.outcome() == ChangeOutcome.REFUSED;
    } catch (ClaimException e) {
      log.failed(number, e.outcome(), e.getMessage());
      return e.outcome() == ChangeOutcome.REFUSED;
    } catch (RuntimeException e) {
      log.failed(number, "UNEXPECTED", e.toString());
      log.wrong(deed + " of " + key + " failed with " + e + " at " + List.of(e.getStackTrace()));
      return false;
    }
  }

  // ---- snapshots

  /** The log has a snapshot before the control plane forgets it: no kill comes between. */
  private boolean cut(VolumeKey key) {
    SnapshotName name = SnapshotName.of(names + "-" + snapshots++);
    SnapshotBackups backups = controller.backups();
    List<Snapshot> ready = new ArrayList<>();
    boolean isAnswered =
        run(
            Deed.SNAPSHOT,
            key,
            () -> {
              var unused = backups.cut(key, name, Map.of());
              ready.add(backups.ready(key, name));
              return ready.get(0).id().value();
            });
    Cut cut = new Cut(key, name, ready.stream().findFirst(), false);
    if (!ready.isEmpty()) {
      return keep(cut, true);
    }
    cuts.add(cut);
    return isAnswered;
  }

  private boolean keep(Cut cut, boolean isFirst) {
    boolean[] isKept = new boolean[1];
    boolean isAnswered =
        run(
            Deed.KEEP,
            cut.volume(),
            () -> {
              boolean wasThere = controller.backups().keep(cut.volume(), cut.name());
              if (isFirst && !wasThere) {
                log.wrong("snapshot " + cut.name() + " was on no record when it was to be kept");
              }
              isKept[0] = true;
              return "";
            });
    cuts.add(new Cut(cut.volume(), cut.name(), cut.snapshot(), isKept[0]));
    return isAnswered;
  }

  private boolean deleteSnapshot() {
    if (cuts.isEmpty()) {
      return true;
    }
    Cut cut = cuts.remove();
    if (cut.snapshot().isPresent() && !cut.isKept()) {
      return keep(cut, false);
    }
    boolean[] isGone = new boolean[1];
    boolean isAnswered =
        run(
            cut.snapshot().isPresent() ? Deed.DELETE_SNAPSHOT : Deed.DROP,
            cut.volume(),
            () -> {
              if (cut.snapshot().isPresent()) {
                controller.deleteSnapshot(
                    ControlPlaneMain.PLUGIN, cut.snapshot().get(), Optional.empty());
              } else {
                drop(cut);
              }
              isGone[0] = true;
              return cut.snapshot().map(each -> each.id().value()).orElse("");
            });
    if (!isGone[0]) {
      cuts.add(cut);
    }
    return isAnswered;
  }

  /** A volume with a pending snapshot is not deleted: without a volume there is no snapshot. */
  private void drop(Cut cut) {
    try {
      var unused = controller.dropSnapshot(cut.volume(), cut.name());
    } catch (ControllerException e) {
      if (e.code() != OperatorCode.VOLUME_UNKNOWN) {
        throw e;
      }
    }
  }

  // ---- claims

  private boolean acquire(VolumeKey key) {
    known.put(key, Knowledge.UNSURE);
    return run(
        Deed.ACQUIRE,
        key,
        () -> {
          grant(key);
          log.uses(key.id(), workload.value());
          known.put(key, Knowledge.USED);
          return "";
        });
  }

  /** After a refusal there is no claim, unless the storage system was asked to attach. */
  private void grant(VolumeKey key) {
    try {
      var unused =
          claims.acquire(
              ClaimRequest.builder(
                      VolumeUse.of(key, workload),
                      node,
                      new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
                      ClaimMode.WRITE)
                  .nodeId(nodeId)
                  .build());
    } catch (ClaimException e) {
      if (e.outcome() == ChangeOutcome.REFUSED
          && e.code() != OperatorCode.ATTACH_REFUSED
          && e.code() != OperatorCode.ATTACHED_OTHERWISE) {
        known.put(key, Knowledge.FREE);
      }
      throw e;
    }
  }

  private boolean release(VolumeKey key) {
    if (known.get(key) == Knowledge.USED) {
      log.leaves(key.id(), workload.value());
    }
    known.put(key, Knowledge.UNSURE);
    return run(
        Deed.RELEASE,
        key,
        () -> {
          VolumeUse usage = VolumeUse.of(key, workload);
          ClaimProgress progress = claims.release(usage);
          if (progress instanceof ClaimProgress.WaitsForNode waits) {
            progress = claims.confirmRelease(receipt(usage, waits.holder().epoch()));
          }
          if (progress instanceof ClaimProgress.Gone) {
            known.put(key, Knowledge.FREE);
          }
          return progress.getClass().getSimpleName();
        });
  }

  private NodeReceipt receipt(VolumeUse usage, long epoch) {
    return new NodeReceipt(
        usage, epoch, node, "boot", List.of(Path.of("/target")), NodeReceipt.Staging.GONE);
  }

  /** Gives back all that it has, and deletes its snapshots. */
  void end() {
    long end = System.nanoTime() + PATIENCE;
    while (known.containsValue(Knowledge.USED)
        || known.containsValue(Knowledge.UNSURE)
        || !cuts.isEmpty()) {
      boolean isServed = deleteSnapshot();
      for (VolumeKey key : List.copyOf(known.keySet())) {
        isServed &= known.get(key) == Knowledge.FREE || release(key);
      }
      if (System.nanoTime() - end > 0) {
        log.wrong("at its end it could not give back " + known + " and " + cuts);
        return;
      }
      if (!isServed) {
        LockSupport.parkNanos(PAUSE);
      }
    }
  }
}
