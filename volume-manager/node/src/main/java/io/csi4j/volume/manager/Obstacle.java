package io.csi4j.volume.manager;

import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.state.StateException;

/** The message for a host when the state or the kernel's mounts cannot be used. */
final class Obstacle {

  private Obstacle() {}

  /** The failure of a call, by what stood in its way. */
  static VolumeException of(Subject subject, RuntimeException problem) {
    boolean isState = problem instanceof StateException;
    OperatorCode code =
        isState
            ? OperatorCode.valueOf(((StateException) problem).reason().name())
            : OperatorCode.MOUNT_TABLE_UNREADABLE;
    boolean mayAskAgain =
        code == OperatorCode.STATE_IN_USE || code == OperatorCode.MOUNT_TABLE_UNREADABLE;
    return new VolumeException(
        mayAskAgain ? Outcome.REFUSED : Outcome.HELD,
        Messages.of(code, subject, String.valueOf(problem.getMessage())),
        null,
        problem);
  }
}
