package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.record.Tombstone;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tombstones of released volumes. When its time is over, a tombstone is removed, unless the
 * volume's directory exists again. Such a volume is passed on for cleanup, unless it was requested
 * again and has its own record.
 */
final class Tombstones {

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  private record Kept(Tombstone tombstone, long until) {}

  private final EngineParts parts;
  private final ForeignMounts foreign;
  private final Consumer<Tombstone> reappeared;
  private final Consumer<Tombstone> overdue;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<VolumeIdentity, Kept> kept = new LinkedHashMap<>();
  private Scheduler.@Nullable Timer timer;
  private boolean closed;

  /**
   * Creates the object without tombstones.
   *
   * @param reappeared receives a tombstone when something is mounted in the directory of its volume
   * @param overdue receives a tombstone whose time is over while the directory of its volume
   *     exists; the tombstone is kept for the same time again unless it is dropped
   */
  Tombstones(
      EngineParts parts,
      ForeignMounts foreign,
      Consumer<Tombstone> reappeared,
      Consumer<Tombstone> overdue) {
    this.parts = parts;
    this.foreign = foreign;
    this.reappeared = reappeared;
    this.overdue = overdue;
  }

  /** Keeps a tombstone for the configured time from now on. */
  void add(Tombstone tombstone) {
    lock.lock();
    try {
      // The old entry is removed first, so the map stays in the order of expiry.
      kept.remove(tombstone.identity());
      kept.put(
          tombstone.identity(),
          new Kept(tombstone, parts.clock().nanos() + parts.settings().tombstones().toNanos()));
      plan();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes a tombstone that is no longer needed, unless a newer tombstone has replaced it. Called
   * in the mailbox of the volume, so no newer tombstone can be added during this call.
   */
  @SuppressWarnings("ReferenceEquality") // an equal tombstone may be newer
  void drop(Tombstone tombstone) {
    lock.lock();
    try {
      Kept now = kept.get(tombstone.identity());
      if (now == null || now.tombstone() != tombstone) {
        return;
      }
      kept.remove(tombstone.identity());
    } finally {
      lock.unlock();
    }
    try {
      remove(tombstone);
    } catch (StateException e) {
      LOG.log(Level.DEBUG, "A tombstone stays, because the state is closed.", e);
    }
  }

  int size() {
    lock.lock();
    try {
      return kept.size();
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      if (timer != null) {
        timer.cancel();
        timer = null;
      }
    } finally {
      lock.unlock();
    }
  }

  private void plan() {
    if (timer != null || closed || kept.isEmpty()) {
      return;
    }
    long wait = kept.values().iterator().next().until() - parts.clock().nanos();
    timer = parts.scheduler().after(Duration.ofNanos(Math.max(wait, 0)), this::sweep);
  }

  private void sweep() {
    List<Tombstone> due = new ArrayList<>();
    lock.lock();
    try {
      timer = null;
      if (closed) {
        return;
      }
      long now = parts.clock().nanos();
      for (Kept grave : List.copyOf(kept.values())) {
        if (grave.until() - now <= 0) {
          kept.remove(grave.tombstone().identity());
          due.add(grave.tombstone());
        }
      }
      plan();
    } finally {
      lock.unlock();
    }
    if (!due.isEmpty()) {
      expire(due);
    }
  }

  private void expire(List<Tombstone> due) {
    try {
      // Without this sync, a power loss could restore a directory that neither a record nor a
      // tombstone lists.
      parts.directories().syncRemovals();
      due.forEach(this::expire);
    } catch (PathProblem e) {
      LOG.log(Level.DEBUG, "Tombstones stay, because the removal of directories is uncertain.", e);
      due.forEach(this::add);
    }
  }

  private void expire(Tombstone tombstone) {
    try {
      if (foreign.seen().isPresent()) {
        // A foreign mount hides the directories of the volumes, so they cannot be checked.
        add(tombstone);
        return;
      }
      // A call that ended late may have created the directories again. If they do not exist,
      // nothing is mounted in them.
      if (parts.directories().hasVolume(tombstone.identity())) {
        add(tombstone);
        overdue.accept(tombstone);
        return;
      }
      remove(tombstone);
    } catch (StateException e) {
      LOG.log(Level.DEBUG, "A tombstone stays, because the state is closed.", e);
    } catch (MountException | PathProblem e) {
      LOG.log(Level.DEBUG, "A tombstone stays, because the mounts there are unknown.", e);
      add(tombstone);
    }
  }

  private void remove(Tombstone tombstone) {
    parts.state().remove(StateKey.tombstone(parts.layout().key(tombstone.identity()).id()));
    parts.points().at(CrashPoint.TOMBSTONE_REMOVED);
  }

  /** Passes on the tombstones of volumes with mounts in their directories. */
  void reappear(Set<MountPath> directories) {
    List<Tombstone> late = new ArrayList<>();
    lock.lock();
    try {
      for (Kept grave : kept.values()) {
        if (directories.contains(parts.layout().volume(grave.tombstone().identity()))) {
          late.add(grave.tombstone());
        }
      }
    } finally {
      lock.unlock();
    }
    late.forEach(reappeared);
  }
}
