package io.csi4j.volume.state;

import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStore.Stored;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A medium in memory for tests, which outlives the stores that are opened on it, one at a time, as
 * a disk outlives a process.
 *
 * @since 1.0
 */
public final class MemoryMedium {

  private static final HostIdentity HERE =
      new HostIdentity(new HostIdentity.HostId("memory"), new HostIdentity.BootId("memory"), 0);

  private final ReentrantLock lock = new ReentrantLock();
  private SortedMap<StateKey, StateValue> media = new TreeMap<>();

  /** The contents of the medium after each deferred write. */
  private final List<SortedMap<StateKey, StateValue>> deferred = new ArrayList<>();

  private List<Uncertainty> doubts = new ArrayList<>();
  private @Nullable Store owner;
  private StateException.@Nullable Reason refusing;
  private long epoch;

  private MemoryMedium() {}

  /** Returns an empty medium. */
  public static MemoryMedium create() {
    return new MemoryMedium();
  }

  /**
   * Opens a store on the medium.
   *
   * @throws StateException {@link StateException.Reason#STATE_IN_USE} while another store is open
   */
  public StateStore open() {
    return locked(
        () -> {
          if (owner != null) {
            throw StateException.owned(
                StateException.Reason.STATE_IN_USE,
                "Opening the state in memory failed: another store has it. Close that one first.",
                owner.identity);
          }
          epoch++;
          owner = new Store(epoch);
          return owner;
        });
  }

  /**
   * Takes the medium from the open store, like a crash of the process: writes that were only
   * remembered are lost.
   */
  public void crash() {
    change(() -> cutPower(deferred.size()));
  }

  /** Returns the number of deferred writes. */
  public int deferred() {
    return locked(deferred::size);
  }

  /**
   * Takes the medium from the open store, like a power cut: writes that were only remembered are
   * lost, and so are all but the first deferred writes.
   *
   * @param kept the number of deferred writes that are kept
   */
  public void cutPower(int kept) {
    change(
        () -> {
          if (owner != null) {
            owner.closed = true;
            owner = null;
          }
          if (kept > 0) {
            media = deferred.get(kept - 1);
          }
          deferred.clear();
        });
  }

  /** Makes the medium refuse every write for this reason, as a full disk does. */
  public void refuse(StateException.Reason reason) {
    change(() -> refusing = Objects.requireNonNull(reason, "reason"));
  }

  /** Makes the medium accept writes again. */
  public void accept() {
    change(() -> refusing = null);
  }

  /** Adds an uncertainty, as damage to a disk would. */
  public void doubt(Uncertainty doubt) {
    change(() -> doubts.add(doubt));
  }

  private void change(Runnable change) {
    locked(
        () -> {
          change.run();
          return true;
        });
  }

  private <T> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  private final class Store implements StateStore {

    private final StateStore.Owner identity;
    private final SortedMap<StateKey, StateValue> values = new TreeMap<>(media);
    private final List<Uncertainty> known = new ArrayList<>(doubts);

    /** Whether memory contains changes that the medium does not have. */
    private boolean ahead;

    private boolean closed;

    Store(long epoch) {
      identity = new StateStore.Owner(ProcessHandle.current().pid(), Instant.EPOCH, epoch, HERE);
    }

    @Override
    public LoadedState load() {
      return locked(
          () -> {
            checkOpen();
            return new LoadedState(
                values, known, identity.epoch() > 1 ? Optional.of(HERE) : Optional.empty());
          });
    }

    @Override
    public Stored put(StateKey key, StateValue value, Durability durability) {
      Objects.requireNonNull(value, "value");
      return write(durability, map -> map.put(key, value));
    }

    @Override
    public Stored remove(StateKey key) {
      return write(Durability.BEST_EFFORT, map -> map.remove(key));
    }

    @Override
    public Stored bury(StateKey volume, StateValue tombstone) {
      if (volume.kind() != StateKey.Kind.VOLUME) {
        throw new IllegalArgumentException("Only a volume can be buried, not " + volume);
      }
      StateKey grave = StateKey.tombstone(volume.id());
      Objects.requireNonNull(tombstone, "tombstone");
      return write(
          Durability.BEST_EFFORT,
          map -> {
            map.remove(volume);
            map.put(grave, tombstone);
          });
    }

    @Override
    public Stored settle() {
      return write(Durability.BEST_EFFORT, map -> known.clear());
    }

    private Stored write(Durability durability, Consumer<SortedMap<StateKey, StateValue>> change) {
      Objects.requireNonNull(durability, "durability");
      return locked(
          () -> {
            checkOpen();
            if (refusing != null && durability == Durability.REQUIRED) {
              throw new StateException(refusing, refusal(refusing));
            }
            change.accept(values);
            if (refusing != null) {
              ahead = true;
              return Stored.REMEMBERED;
            }
            if (durability == Durability.DEFERRED && !ahead) {
              deferred.add(new TreeMap<>(values));
              return Stored.DEFERRED;
            }
            if (!ahead && deferred.isEmpty()) {
              change.accept(media);
            }
            flush();
            return Stored.DURABLE;
          });
    }

    private void flush() {
      if (ahead || !deferred.isEmpty()) {
        media = new TreeMap<>(values);
        deferred.clear();
        ahead = false;
      }
      if (doubts.size() != known.size()) {
        doubts = new ArrayList<>(known);
      }
    }

    @Override
    public StateStore.Capacity capacity() {
      return locked(
          () -> {
            checkOpen();
            return refusing == null
                ? new StateStore.Capacity.Free(Long.MAX_VALUE)
                : new StateStore.Capacity.ReleasesOnly(refusing, refusal(refusing));
          });
    }

    @Override
    public StateStore.Owner owner() {
      return identity;
    }

    @Override
    public void close() {
      change(
          () -> {
            if (!closed) {
              closed = true;
              owner = null;
              if (refusing == null) {
                flush();
              }
            }
          });
    }

    private void checkOpen() {
      if (closed) {
        throw new StateException(
            StateException.Reason.STATE_CLOSED,
            "Using the state in memory failed: the store is closed. Open it again.");
      }
    }
  }

  private static String refusal(StateException.Reason reason) {
    return "Recording an intent failed: the medium in memory is set to refuse writes ("
        + reason
        + "). Set it to accept.";
  }
}
