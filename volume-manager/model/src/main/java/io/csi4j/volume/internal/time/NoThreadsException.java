package io.csi4j.volume.internal.time;

import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.OperatorMessage;
import org.jspecify.annotations.Nullable;

/** Thrown when not all required threads could be created. None of them is left running. */
public final class NoThreadsException extends OperatorException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception that shows how many threads could be started. */
  NoThreadsException(String seen, @Nullable Throwable cause) {
    super(
        Messages.of(
            OperatorCode.NO_THREADS,
            Subject.of("starting threads"),
            seen,
            new OperatorMessage.Part(
                "Raise the limit of processes of this user or container (ulimit -u, pids.max), or"
                    + " ask for fewer threads")),
        cause);
  }
}
