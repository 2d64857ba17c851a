package io.csi4j.volume.internal.time;

import org.jspecify.annotations.Nullable;

/** The threads that were needed could not be made; none of them is left. */
public final class NoThreadsException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** A failure with what was asked for and why there is no more. */
  NoThreadsException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
