package io.csi4j.volume.state.journal;

import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.journal.Journal;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStore.Stored;
import io.csi4j.volume.state.StateValue;
import java.nio.file.Path;

/**
 * A store in its own directory: a log of complete records in preallocated files, synced before each
 * write returns. {@code docs/state.md} describes each file.
 *
 * <p>It also opens on a full, read-only or failing disk and with damaged files: readable values are
 * loaded, the others are uncertain, and releases work.
 *
 * <pre>{@code
 * try (StateStore state = JournalStateStore.open(directory, JournalSettings.defaults())) {
 *   log.accept(state.load()); // what is remembered, and what of it is in doubt
 * }
 * }</pre>
 *
 * @since 1.0
 */
public final class JournalStateStore implements StateStore {

  private final Journal journal;

  private JournalStateStore(Journal journal) {
    this.journal = journal;
  }

  /**
   * Opens the state in this directory, which is created with mode 0700 if it is missing. Its parent
   * must exist.
   *
   * @throws io.csi4j.volume.state.StateException when another process owns it ({@link
   *     io.csi4j.volume.state.StateException.Reason#STATE_IN_USE}), a newer version ({@link
   *     io.csi4j.volume.state.StateException.Reason#STATE_FROM_NEWER_VERSION}) or another host
   *     ({@link io.csi4j.volume.state.StateException.Reason#STATE_FROM_OTHER_HOST}) wrote it, or
   *     the place cannot be used ({@link
   *     io.csi4j.volume.state.StateException.Reason#STATE_NOT_USABLE}, {@link
   *     io.csi4j.volume.state.StateException.Reason#STATE_FS_UNSUITED}, {@link
   *     io.csi4j.volume.state.StateException.Reason#TOO_MANY_FILES})
   */
  public static JournalStateStore open(Path directory, JournalSettings settings) {
    return new JournalStateStore(Journal.open(new RealDisk(), directory, settings));
  }

  @Override
  public LoadedState load() {
    return journal.load();
  }

  @Override
  public Stored put(StateKey key, StateValue value, Durability durability) {
    return journal.put(key, value, durability);
  }

  @Override
  public Stored remove(StateKey key) {
    return journal.remove(key);
  }

  @Override
  public Stored bury(StateKey volume, StateValue tombstone) {
    return journal.bury(volume, tombstone);
  }

  @Override
  public Stored settle() {
    return journal.settle();
  }

  @Override
  public StateStore.Capacity capacity() {
    return journal.capacity();
  }

  @Override
  public StateStore.Owner owner() {
    return journal.owner();
  }

  @Override
  public void close() {
    journal.close();
  }
}
