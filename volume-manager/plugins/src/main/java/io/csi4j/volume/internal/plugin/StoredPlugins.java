package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateValue;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stores the instances of plugins in the state store of a manager, one value for each plugin. A
 * state store that accepts no writes is tolerated, because the host registers its plugins again at
 * each start.
 */
public final class StoredPlugins implements PluginMemory {

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  /** Maximum number of stored instances of one plugin. Only the newest instances are stored. */
  static final int INSTANCES = 16;

  private record Wish(PluginId plugin, Supplier<List<Member>> instances) {}

  private final StateStore state;
  private final Consumer<OperatorMessage> told;
  private final Map<PluginId, UnknownFields> newer = new ConcurrentHashMap<>();

  /** Guards the queue of writes and the thread that makes the writes. Never held during a write. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Queue<Wish> wishes = new ArrayDeque<>();
  private boolean writing;

  /**
   * Creates an object that stores plugins in this state store.
   *
   * @param told receives messages for an operator about the stored plugins
   */
  public StoredPlugins(StateStore state, Consumer<OperatorMessage> told) {
    this.state = state;
    this.told = told;
  }

  @Override
  public Roster load(Instant now) {
    Roster roster = Roster.EMPTY;
    for (Map.Entry<StateKey, StateValue> entry : state.load().values().entrySet()) {
      if (entry.getKey().kind() == StateKey.Kind.PLUGIN) {
        PluginRecord read = read(entry.getKey(), entry.getValue());
        if (read != null) {
          newer.put(read.id(), read.unknown());
          roster =
              roster.with(
                  read.id(),
                  read.instances().stream().map(instance -> remembered(instance, now)).toList());
        }
      }
    }
    return roster;
  }

  /**
   * Returns the instances in a loaded state, by plugin, the newest first. A record that cannot be
   * read is left out.
   *
   * @param now the current time, from which all instances count as not asked
   */
  public static List<RegisteredPlugin> known(LoadedState state, Instant now) {
    SortedMap<PluginId, List<RegisteredPlugin>> known = new TreeMap<>();
    for (Map.Entry<StateKey, StateValue> entry : state.values().entrySet()) {
      if (entry.getKey().kind() == StateKey.Kind.PLUGIN) {
        try {
          PluginRecord read = PluginCodec.decode(entry.getValue());
          known.put(
              read.id(),
              read.instances().stream()
                  .map(instance -> remembered(instance, now).known())
                  .toList());
        } catch (MalformedRecordException unreadable) {
          LOG.log(Level.DEBUG, "The record " + entry.getKey() + " cannot be read.", unreadable);
        }
      }
    }
    return known.values().stream().flatMap(List::stream).toList();
  }

  private @Nullable PluginRecord read(StateKey key, StateValue value) {
    try {
      return PluginCodec.decode(value);
    } catch (MalformedRecordException e) {
      told.accept(
          Messages.of(
              OperatorCode.RECORD_UNREADABLE,
              Subject.of("reading the stored plugins"),
              key + ": " + e.getMessage()));
      return null;
    }
  }

  private static Member remembered(PluginRecord.Instance instance, Instant now) {
    return new Member(
        new RegisteredPlugin(
            instance.registration(), PluginMessages.notAsked(now), instance.fingerprint(), true),
        Member.REMEMBERED,
        false);
  }

  @Override
  public void save(PluginId plugin, Supplier<List<Member>> instances) {
    lock.lock();
    try {
      wishes.add(new Wish(plugin, instances));
      if (writing) {
        return;
      }
      writing = true;
    } finally {
      lock.unlock();
    }
    for (Wish wish = next(); wish != null; wish = next()) {
      try {
        write(wish.plugin(), wish.instances().get());
      } catch (RuntimeException | Error unexpected) {
        // The state store of the host failed, but the caller must continue and report the change.
        LOG.log(Level.WARNING, forgotten(wish.plugin()), unexpected);
      }
    }
  }

  private @Nullable Wish next() {
    lock.lock();
    try {
      Wish wish = wishes.poll();
      writing = wish != null;
      return wish;
    } finally {
      lock.unlock();
    }
  }

  private void write(PluginId plugin, List<Member> instances) {
    StateKey key = key(plugin);
    List<PluginRecord.Instance> kept =
        instances.stream()
            .limit(INSTANCES)
            .map(it -> new PluginRecord.Instance(it.registration(), it.fingerprint()))
            .toList();
    try {
      if (kept.isEmpty()) {
        state.remove(key);
        newer.remove(plugin);
      } else {
        UnknownFields unknown = newer.getOrDefault(plugin, UnknownFields.NONE);
        state.put(
            key,
            PluginCodec.encode(new PluginRecord(plugin, kept, unknown)),
            Durability.BEST_EFFORT);
      }
    } catch (StateException e) {
      LOG.log(Level.WARNING, forgotten(plugin) + " " + e.getMessage());
    }
  }

  private static String forgotten(PluginId plugin) {
    return "The registration of plugin '"
        + plugin
        + "' was not stored; register it again after the next start.";
  }

  /** Returns the key of a plugin in the state store. */
  static StateKey key(PluginId plugin) {
    return StateKey.plugin(HashedName.of(plugin.value()));
  }
}
