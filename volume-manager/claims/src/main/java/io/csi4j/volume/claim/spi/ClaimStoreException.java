package io.csi4j.volume.claim.spi;

import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorException;
import java.io.Serial;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A store that refuses, or cannot be asked now. Nothing was written by the call that threw it. Its
 * text is the store's: what failed, why, and what to do next. The reason gives the operator code.
 *
 * @since 1.0
 */
public final class ClaimStoreException extends OperatorException {

  @Serial private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** Why a store refuses. */
  public enum Reason {
    /** The store cannot be asked, or cannot write, now; later it may. */
    UNAVAILABLE(OperatorCode.CLAIM_STORE_DOWN),
    /** The store was closed here. */
    CLOSED(OperatorCode.CLAIM_STORE_DOWN),
    /** The claim has more than 64 KiB. */
    TOO_LARGE(OperatorCode.CLAIM_TOO_LARGE),
    /** The contents cannot be read: a newer version wrote them, or they are damaged. */
    UNREADABLE(OperatorCode.CLAIM_UNREADABLE),
    /** The store may have lost claims: none is taken from it before a person has looked. */
    IN_DOUBT(OperatorCode.CLAIM_STORE_WENT_BACK);

    private final OperatorCode code;

    Reason(OperatorCode code) {
      this.code = code;
    }

    /** Returns the code for operators. */
    public OperatorCode code() {
      return code;
    }
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
    super(
        message,
        Messages.of(reason.code(), Subject.of("asking the store of claims"), message),
        cause);
    this.reason = Objects.requireNonNull(reason, "reason");
  }

  /** Why. */
  public Reason reason() {
    return reason;
  }
}
