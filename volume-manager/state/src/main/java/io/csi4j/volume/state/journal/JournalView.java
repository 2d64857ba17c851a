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
 * The content of a journal at one moment, read without opening it: nothing is written, locked or
 * repaired, whether its owner runs or not, and whether it is whole or damaged.
 *
 * <pre>{@code
 * JournalView view = JournalView.read(directory);
 * view.state().uncertainties().forEach(log);
 * view.refusal().ifPresent(log); // such as STATE_IN_USE
 * }</pre>
 *
 * @param directory where it is
 * @param state the state that an opening would load, doubts included
 * @param owner the last owner, as it wrote down itself; nothing if it cannot be read
 * @param isHeld true if a process holds the lock; one in another PID namespace may not be seen
 * @param keptAside the names of damaged files that were kept for a person to look at
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
   * @throws io.csi4j.volume.state.StateException if there is none ({@link
   *     StateException.Reason#STATE_MISSING}), a newer version wrote it ({@link
   *     StateException.Reason#STATE_FROM_NEWER_VERSION}), or it cannot be read ({@link
   *     StateException.Reason#STATE_NOT_USABLE})
   */
  public static JournalView read(Path directory) {
    JournalLook look = JournalLook.at(new RealDisk(), directory);
    return new JournalView(directory, look.state(), look.owner(), look.isHeld(), look.keptAside());
  }

  /** The reason for which an opening by this process would be refused now, if it would be. */
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
