package io.csi4j.volume.claim;

import java.io.Serial;

/** A store that cannot be asked now. Nothing was written by the call that threw it. */
public final class ClaimStoreException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  /** With what is wrong, and what to do. */
  public ClaimStoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
