package io.csi4j.volume.state.journal;

import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.journal.JournalLook;
import io.csi4j.volume.state.HostIdentity;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The contents of a journal at one moment, read without opening it: nothing is written, locked or
 * repaired. Its owner may be running, and the journal may be damaged.
 *
 * <pre>{@code
 * JournalView view = JournalView.read(directory);
 * view.state().uncertainties().forEach(log);
 * view.refusal().ifPresent(log); // such as STATE_IN_USE
 * }</pre>
 *
 * @param directory the directory of the journal
 * @param state the state that an opening store would load, including uncertainties
 * @param owner the last owner, as it recorded itself; empty if it cannot be read
 * @param isHeld true if a process holds the lock; a process in another PID namespace may not be
 *     detected
 * @param keptAside the names of damaged files that were kept for inspection
 * @since 1.0
 */
public record JournalView(
    Path directory,
    LoadedState state,
    Optional<StateStore.Owner> owner,
    boolean isHeld,
    List<String> keptAside) {

  /** Copies the list. */
  public JournalView {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(owner, "owner");
    keptAside = List.copyOf(keptAside);
  }

  /**
   * Reads the journal in this directory.
   *
   * @throws io.csi4j.volume.state.StateException if there is no journal ({@link
   *     StateException.Reason#STATE_MISSING}), a newer version wrote it ({@link
   *     StateException.Reason#STATE_FROM_NEWER_VERSION}), or it cannot be read ({@link
   *     StateException.Reason#STATE_NOT_USABLE})
   */
  public static JournalView read(Path directory) {
    JournalLook look = JournalLook.at(new RealDisk(), directory);
    return new JournalView(directory, look.state(), look.owner(), look.isHeld(), look.keptAside());
  }

  /** Returns why this process could not open the journal now; empty if it could. */
  public Optional<StateException.Reason> refusal() {
    if (isHeld) {
      return Optional.of(StateException.Reason.STATE_IN_USE);
    }
    return state
        .writtenOn()
        .filter(HostIdentity.current()::isOtherHostThan)
        .map(other -> StateException.Reason.STATE_FROM_OTHER_HOST);
  }
}
