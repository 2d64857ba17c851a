package io.csi4j.volume.claim.spi;

import java.io.Serial;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A store that refuses, or cannot be asked now. Nothing was written by the call that threw it. The
 * message says what failed, why, and what to do next.
 *
 * @since 1.0
 */
public final class ClaimStoreException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** Why a store refuses. */
  public enum Reason {
    /** The store cannot be asked, or cannot write, now; later it may. */
    UNAVAILABLE,
    /** The store was closed here. */
    CLOSED,
    /** The claim has more than 64 KiB. */
    TOO_LARGE,
    /** The contents cannot be read: a newer version wrote them, or they are damaged. */
    UNREADABLE,
    /** The store may have lost claims: none is taken from it before a person has looked. */
    IN_DOUBT
  }

  /** Of a store that cannot be asked. */
  public ClaimStoreException(String message, Throwable cause) {
    this(Reason.UNAVAILABLE, message, cause);
  }

  /** With what is wrong, and what to do. */
  public ClaimStoreException(Reason reason, String message) {
    this(reason, message, null);
  }

  /** A refusal for this reason, with its cause. */
  public ClaimStoreException(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = Objects.requireNonNull(reason, "reason");
  }

  /** Why. */
  public Reason reason() {
    return reason;
  }
}
