package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Index of the volumes, of their uses, and of the operations that have not ended. Safe for use by
 * many threads.
 */
final class VolumeIndex {

  private final Function<VolumeIdentity, VolumeQueue> making;
  private final Consumer<VolumeIdentity> gone;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<VolumeIdentity, VolumeQueue> actors = new TreeMap<>();

  /** The volumes by the names of their directories. */
  private final Map<String, VolumeQueue> names = new HashMap<>();

  private final Map<VolumeUse, VolumeIdentity> uses = new HashMap<>();
  private final Map<VolumeUse, Long> asked = new HashMap<>();
  private final Map<OperationId, CompletableFuture<Object>> open = new HashMap<>();

  /** The number of drains of each plugin. */
  private final ConcurrentMap<PluginId, Integer> drained = new ConcurrentHashMap<>();

  private volatile boolean closing;

  /**
   * Creates an empty index.
   *
   * @param making creates a volume that is not in the index yet
   * @param gone receives a volume that was removed because nothing of it is left; called under the
   *     lock
   */
  VolumeIndex(Function<VolumeIdentity, VolumeQueue> making, Consumer<VolumeIdentity> gone) {
    this.making = making;
    this.gone = gone;
  }

  /** Returns whether the engine is being closed, so no new operations start. */
  boolean isClosing() {
    return closing;
  }

  // ---- volumes

  /** Returns all volumes, in the order of their identities. */
  List<VolumeQueue> volumes() {
    lock.lock();
    try {
      return List.copyOf(actors.values());
    } finally {
      lock.unlock();
    }
  }

  /** Returns the records of all volumes with a record, in the order of the volumes' identities. */
  List<VolumeRecord> records() {
    return volumes().stream().flatMap(actor -> actor.view().record().stream()).toList();
  }

  /** Returns the volumes of a plugin. */
  List<VolumeQueue> of(PluginId plugin) {
    return volumes().stream().filter(actor -> actor.identity().plugin().equals(plugin)).toList();
  }

  /** Returns whether a volume is on record or requested. */
  boolean isKnown(VolumeIdentity identity) {
    return volume(identity).isPresent();
  }

  /** Returns the volume, if it is on record or requested. */
  Optional<VolumeQueue> volume(VolumeIdentity identity) {
    lock.lock();
    try {
      return Optional.ofNullable(actors.get(identity));
    } finally {
      lock.unlock();
    }
  }

  /** Returns the volume whose directory has this name. */
  Optional<VolumeQueue> withName(String directory) {
    lock.lock();
    try {
      return Optional.ofNullable(names.get(directory));
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether the mount of a use is known to be dead. */
  boolean isDead(VolumeIdentity identity, VolumeUse usage) {
    return volume(identity).filter(actor -> actor.view().dead().contains(usage)).isPresent();
  }

  /** Returns the record of a volume. */
  Optional<VolumeRecord> record(VolumeIdentity identity) {
    return volume(identity).flatMap(actor -> actor.view().record());
  }

  /** Adds a volume that was found at the start, with its uses. */
  VolumeQueue found(VolumeRecord volume) {
    lock.lock();
    try {
      VolumeQueue actor = actor(volume.identity());
      for (VolumeUse usage : volume.targets().keySet()) {
        VolumeIdentity before = uses.put(usage, volume.identity());
        if (before != null) {
          // The use was the last use of another volume, and the cleanup of that volume is pending.
          actor(before).indexed.remove(usage);
        }
        actor.indexed.add(usage);
      }
      volume
          .leaving()
          .filter(usage -> uses.putIfAbsent(usage, volume.identity()) == null)
          .ifPresent(actor.indexed::add);
      return actor;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds a volume that has reappeared. Does nothing if the volume has been requested or recorded in
   * the meantime.
   */
  void appeared(VolumeRecord late) {
    VolumeQueue actor;
    lock.lock();
    try {
      if (closing) {
        return;
      }
      actor = actor(late.identity());
      if (actor.view().record().isPresent() || actor.pending > 0) {
        return;
      }
      found(late);
    } finally {
      lock.unlock();
    }
    actor.appear(late);
  }

  private VolumeQueue actor(VolumeIdentity identity) {
    return actors.computeIfAbsent(
        identity,
        volume -> {
          VolumeQueue made = making.apply(volume);
          names.put(VolumeLayout.id(volume), made);
          return made;
        });
  }

  // ---- uses

  /** Returns the volume that a use belongs to. */
  Optional<VolumeIdentity> owner(VolumeUse usage) {
    lock.lock();
    try {
      return Optional.ofNullable(uses.get(usage));
    } finally {
      lock.unlock();
    }
  }

  /** Returns the queue of the volume that a use belongs to. */
  Optional<VolumeQueue> volume(VolumeUse usage) {
    lock.lock();
    try {
      return Optional.ofNullable(uses.get(usage)).map(actors::get);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Notes that a mount of a use is requested.
   *
   * @param number the number of the operation
   * @return the volume that the use belongs to, which may differ from the requested volume; empty
   *     if the use is new and its plugin is drained
   */
  Optional<VolumeIdentity> ask(VolumeUse usage, VolumeIdentity identity, long number) {
    lock.lock();
    try {
      VolumeIdentity owner = uses.get(usage);
      if (owner != null && !owner.equals(identity) && isLeaving(owner, usage)) {
        // The use of the other volume has ended, and only the cleanup of that volume is pending.
        actor(owner).indexed.remove(usage);
        owner = null;
      }
      if (owner == null) {
        if (isDrained(identity.plugin())) {
          return Optional.empty();
        }
        uses.put(usage, identity);
      } else if (!owner.equals(identity)) {
        return Optional.of(owner);
      }
      asked.put(usage, number);
      return Optional.of(identity);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether a use has ended and stays in the index only until the cleanup of its volume
   * ends.
   */
  private boolean isLeaving(VolumeIdentity owner, VolumeUse usage) {
    VolumeQueue actor = actors.get(owner);
    return actor != null
        && actor.pending == 0
        && actor.view().record().filter(known -> known.target(usage).isEmpty()).isPresent();
  }

  /**
   * Returns whether a use is unknown, or has ended while the cleanup of its volume is still
   * pending.
   */
  boolean isOver(VolumeUse usage) {
    lock.lock();
    try {
      VolumeIdentity owner = uses.get(usage);
      return owner == null || isLeaving(owner, usage);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the ended uses of a volume whose cleanup is pending. */
  List<VolumeUse> leaving(VolumeQueue actor) {
    lock.lock();
    try {
      boolean isLeaving =
          actor.view().record().filter(known -> known.targets().isEmpty()).isPresent();
      return isLeaving ? actor.indexed.stream().sorted().toList() : List.of();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of the last operation that requested a use; 0 for none. */
  long askedFor(VolumeUse usage) {
    lock.lock();
    try {
      return asked.getOrDefault(usage, 0L);
    } finally {
      lock.unlock();
    }
  }

  /** Maps a use to a volume. Returns false if the use is already mapped to a volume. */
  boolean lead(VolumeUse usage, VolumeQueue actor) {
    lock.lock();
    try {
      return uses.putIfAbsent(usage, actor.identity()) == null;
    } finally {
      lock.unlock();
    }
  }

  /** Adds the restored name of a use that was known only by its directory. */
  void named(VolumeQueue actor, VolumeUse usage) {
    lock.lock();
    try {
      uses.putIfAbsent(usage, actor.identity());
      actor.indexed.add(usage);
    } finally {
      lock.unlock();
    }
  }

  // ---- drained plugins

  /**
   * Refuses new uses with a plugin until {@link #undrain} has been called as often as this method.
   */
  void drain(PluginId plugin) {
    drained.merge(plugin, 1, Integer::sum);
  }

  /** Reverts one call of {@link #drain}. */
  void undrain(PluginId plugin) {
    drained.computeIfPresent(plugin, (key, times) -> times == 1 ? null : times - 1);
  }

  /** Returns whether a plugin is drained, so new uses with it are refused. */
  boolean isDrained(PluginId plugin) {
    return drained.containsKey(plugin);
  }

  // ---- operations

  /** Passes an operation to a volume. Returns false if the engine is being closed. */
  boolean begin(VolumeIdentity identity, Operation operation) {
    VolumeQueue actor;
    lock.lock();
    try {
      if (closing) {
        return false;
      }
      actor = actor(identity);
      open.put(operation.id(), operation.end());
      actor.pending++;
      operation.usage().ifPresent(actor.indexed::add);
    } finally {
      lock.unlock();
    }
    operation.end().whenComplete((value, failure) -> over(actor, operation.id()));
    // The lock is not held here, because this thread runs the operation if no worker thread takes
    // it.
    actor.submit(operation);
    return true;
  }

  private void over(VolumeQueue actor, OperationId id) {
    lock.lock();
    try {
      open.remove(id);
      actor.pending--;
      forgetUnused(actor);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Handles a volume whose last operation has ended; the index may already have dropped the volume.
   */
  void idle(VolumeQueue actor) {
    lock.lock();
    try {
      forgetUnused(actor);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Drops the ended uses of a volume, and drops the volume itself if it has no record. The caller
   * holds the lock.
   */
  private void forgetUnused(VolumeQueue actor) {
    if (actor.pending > 0) {
      return;
    }
    Optional<VolumeRecord> record = actor.view().record();
    // The last use stays mapped to the volume until the cleanup of the volume has ended.
    boolean isLeaving = record.filter(known -> known.targets().isEmpty()).isPresent();
    Set<VolumeUse> left =
        isLeaving
            ? Set.copyOf(actor.indexed)
            : record.map(known -> known.targets().keySet()).orElse(Set.of());
    for (VolumeUse usage : List.copyOf(actor.indexed)) {
      if (!left.contains(usage)) {
        actor.indexed.remove(usage);
        uses.remove(usage, actor.identity());
        asked.remove(usage);
      }
    }
    if (record.isEmpty() && actors.remove(actor.identity(), actor)) {
      names.remove(VolumeLayout.id(actor.identity()), actor);
      gone.accept(actor.identity());
    }
  }

  /** Returns the volumes of a plugin that are on record or requested, with their uses. */
  SortedMap<VolumeIdentity, List<VolumeUse>> left(PluginId plugin) {
    SortedMap<VolumeIdentity, List<VolumeUse>> left = new TreeMap<>();
    lock.lock();
    try {
      for (VolumeQueue actor : actors.values()) {
        if (actor.identity().plugin().equals(plugin)) {
          left.put(actor.identity(), uses(actor));
        }
      }
    } finally {
      lock.unlock();
    }
    return left;
  }

  private static List<VolumeUse> uses(VolumeQueue actor) {
    Stream<VolumeUse> recorded =
        actor.view().record().stream().flatMap(record -> record.targets().keySet().stream());
    Stream<VolumeUse> wanted = actor.pending > 0 ? actor.indexed.stream() : Stream.empty();
    return Stream.concat(recorded, wanted).distinct().sorted().toList();
  }

  // ---- closing

  /** Starts no new operations. */
  void close() {
    lock.lock();
    try {
      closing = true;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the operations that have not ended, oldest first. */
  SortedMap<OperationId, CompletableFuture<Object>> open() {
    SortedMap<OperationId, CompletableFuture<Object>> left =
        new TreeMap<>(Comparator.comparingLong(OperationId::value));
    lock.lock();
    try {
      left.putAll(open);
    } finally {
      lock.unlock();
    }
    return left;
  }
}
