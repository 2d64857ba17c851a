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
 * Which volumes there are, which uses lead to them, and which operations have not ended. Safe for
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

  /** How many drains each plugin has. */
  private final ConcurrentMap<PluginId, Integer> drained = new ConcurrentHashMap<>();

  private volatile boolean closing;

  /**
   * An empty one.
   *
   * @param making makes a volume that is not there yet
   * @param gone is told of a volume of which nothing is left; called under the lock
   */
  VolumeIndex(Function<VolumeIdentity, VolumeQueue> making, Consumer<VolumeIdentity> gone) {
    this.making = making;
    this.gone = gone;
  }

  /** Whether no new operations are begun. */
  boolean isClosing() {
    return closing;
  }

  // ---- volumes

  /** All volumes, in the order of their identities. */
  List<VolumeQueue> volumes() {
    lock.lock();
    try {
      return List.copyOf(actors.values());
    } finally {
      lock.unlock();
    }
  }

  /** The records of all volumes that have one, in the order of their identities. */
  List<VolumeRecord> records() {
    return volumes().stream().flatMap(actor -> actor.view().record().stream()).toList();
  }

  /** The volumes of a plugin. */
  List<VolumeQueue> of(PluginId plugin) {
    return volumes().stream().filter(actor -> actor.identity().plugin().equals(plugin)).toList();
  }

  /** Whether a volume is on record, or asked for. */
  boolean isKnown(VolumeIdentity identity) {
    return volume(identity).isPresent();
  }

  /** The volume, if it is on record or asked for. */
  Optional<VolumeQueue> volume(VolumeIdentity identity) {
    lock.lock();
    try {
      return Optional.ofNullable(actors.get(identity));
    } finally {
      lock.unlock();
    }
  }

  /** The volume whose directory has this name. */
  Optional<VolumeQueue> withName(String directory) {
    lock.lock();
    try {
      return Optional.ofNullable(names.get(directory));
    } finally {
      lock.unlock();
    }
  }

  /** Whether the mount of a use is known to be dead. */
  boolean isDead(VolumeIdentity identity, VolumeUse usage) {
    return volume(identity).filter(actor -> actor.view().dead().contains(usage)).isPresent();
  }

  /** Returns the record of a volume. */
  Optional<VolumeRecord> record(VolumeIdentity identity) {
    return volume(identity).flatMap(actor -> actor.view().record());
  }

  /** Adds a volume that was found, with its uses. */
  VolumeQueue found(VolumeRecord volume) {
    lock.lock();
    try {
      VolumeQueue actor = actor(volume.identity());
      for (VolumeUse usage : volume.targets().keySet()) {
        VolumeIdentity before = uses.put(usage, volume.identity());
        if (before != null) {
          // It was the last of another volume, which is being given back.
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

  /** Something has appeared of a volume; nothing happens if it is there by now. */
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

  /** The volume that a use leads to. */
  Optional<VolumeIdentity> owner(VolumeUse usage) {
    lock.lock();
    try {
      return Optional.ofNullable(uses.get(usage));
    } finally {
      lock.unlock();
    }
  }

  /** The volume that a use leads to, with all that is known of it. */
  Optional<VolumeQueue> volume(VolumeUse usage) {
    lock.lock();
    try {
      return Optional.ofNullable(uses.get(usage)).map(actors::get);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Notes that a use of a volume is asked for.
   *
   * @param number the number of the operation
   * @return the volume whose use it is, which may be another; nothing if the use is new and its
   *     plugin is drained
   */
  Optional<VolumeIdentity> ask(VolumeUse usage, VolumeIdentity identity, long number) {
    lock.lock();
    try {
      VolumeIdentity owner = uses.get(usage);
      if (owner != null && !owner.equals(identity) && isLeaving(owner, usage)) {
        // It is over there, but for what the volume still owes.
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

  /** Whether a use is over, and leads to a volume only as long as that is being given back. */
  private boolean isLeaving(VolumeIdentity owner, VolumeUse usage) {
    VolumeQueue actor = actors.get(owner);
    return actor != null
        && actor.pending == 0
        && actor.view().record().filter(known -> known.target(usage).isEmpty()).isPresent();
  }

  /** Whether a use leads nowhere, or is over and its volume not given back yet. */
  boolean isOver(VolumeUse usage) {
    lock.lock();
    try {
      VolumeIdentity owner = uses.get(usage);
      return owner == null || isLeaving(owner, usage);
    } finally {
      lock.unlock();
    }
  }

  /** The uses of a volume that are over, while it is being given back. */
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

  /** The number of the last operation that asked for a use; 0 for none. */
  long askedFor(VolumeUse usage) {
    lock.lock();
    try {
      return asked.getOrDefault(usage, 0L);
    } finally {
      lock.unlock();
    }
  }

  /** A use leads to a volume from now on; false if it leads to one already. */
  boolean lead(VolumeUse usage, VolumeQueue actor) {
    lock.lock();
    try {
      return uses.putIfAbsent(usage, actor.identity()) == null;
    } finally {
      lock.unlock();
    }
  }

  /** A use of which only the directory was left has its name again. */
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

  /** Begins no new use with a plugin, until {@link #undrain} is called as often as this. */
  void drain(PluginId plugin) {
    drained.merge(plugin, 1, Integer::sum);
  }

  /** Takes one {@link #drain} back. */
  void undrain(PluginId plugin) {
    drained.computeIfPresent(plugin, (key, times) -> times == 1 ? null : times - 1);
  }

  /** Whether no new use begins with a plugin. */
  boolean isDrained(PluginId plugin) {
    return drained.containsKey(plugin);
  }

  // ---- operations

  /** Hands an operation to a volume; false if no new ones are begun. */
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
    // Without the lock: where no worker takes it, the volume works on it here and now.
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

  /** Nothing is being done with a volume; perhaps nothing is known of it any more. */
  void idle(VolumeQueue actor) {
    lock.lock();
    try {
      forgetUnused(actor);
    } finally {
      lock.unlock();
    }
  }

  /** Forgets the uses of a volume that are over, and the volume with the last. Under the lock. */
  private void forgetUnused(VolumeQueue actor) {
    if (actor.pending > 0) {
      return;
    }
    Optional<VolumeRecord> record = actor.view().record();
    // The last uses lead here until all of the volume is gone.
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

  /** The volumes of a plugin that are on record or asked for, and who uses them. */
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

  // ---- the end

  /** Begins no new operations. */
  void close() {
    lock.lock();
    try {
      closing = true;
    } finally {
      lock.unlock();
    }
  }

  /** The operations that have not ended, oldest first. */
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
