package io.csi4j.volume.workload;

import io.csi4j.volume.internal.time.Turns;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.VolumeMounter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets only one workload at a time change the files of a volume. Also tracks the workloads that
 * wait for their turn: the host has not passed the volume to them yet, so they do not use its
 * files.
 */
final class OwnershipTurns {

  private final ReentrantLock lock = new ReentrantLock();
  private final Turns<Place> turns = new Turns<>();
  private final Map<Place, Set<WorkloadId>> waiting = new HashMap<>();

  /** A volume of a mounter. The turns of the same volume are independent for different mounters. */
  record Place(VolumeMounter mounter, VolumeIdentity volume) {}

  /** Adds a workload that will wait for its turn. */
  void announce(Place place, WorkloadId workload) {
    lock.lock();
    try {
      waiting.computeIfAbsent(place, none -> new HashSet<>()).add(workload);
    } finally {
      lock.unlock();
    }
  }

  /** Removes a workload from the waiting workloads. Repeating this has no effect. */
  void withdraw(Place place, WorkloadId workload) {
    lock.lock();
    try {
      waiting.computeIfPresent(
          place, (same, all) -> all.remove(workload) && all.isEmpty() ? null : all);
    } finally {
      lock.unlock();
    }
  }

  /** Whether a workload waits for its turn or has its turn now. */
  boolean isWaiting(Place place, WorkloadId workload) {
    lock.lock();
    try {
      return waiting.getOrDefault(place, Set.of()).contains(workload);
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the turn of a volume, and takes it. */
  Turns.Turn take(Place place) throws InterruptedException {
    CompletableFuture<Turns.Turn> turn = turns.take(place);
    try {
      return turn.get();
    } catch (InterruptedException interrupted) {
      if (!turn.cancel(false)) {
        turn.join().end();
      }
      throw interrupted;
    } catch (ExecutionException never) {
      throw new IllegalStateException("A turn came to nothing.", never);
    }
  }
}
