package io.csi4j.volume.store;

import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorException;
import java.io.Serial;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a store refuses a request, or cannot answer now. A {@link RecordStore#write write}
 * that throws it was not made, and never will be. Opening or settling a store may have marked the
 * store before it failed; a repeated call continues there. The message contains the failed
 * operation, the reason and the next step. The reason determines the operator code.
 *
 * @since 1.0
 */
public final class RecordStoreException extends OperatorException {

  @Serial private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** The reasons for which a store fails. */
  public enum Reason {
    /** The store cannot answer, or cannot write, now; it may do so later. */
    UNAVAILABLE(OperatorCode.CLAIM_STORE_DOWN),
    /** The store was closed in this process. */
    CLOSED(OperatorCode.CLAIM_STORE_DOWN),
    /** The record has more than 64 KiB. */
    TOO_LARGE(OperatorCode.CLAIM_TOO_LARGE),
    /** The record cannot be read: a newer version wrote it, or it is damaged. */
    UNREADABLE(OperatorCode.CLAIM_UNREADABLE),
    /**
     * The store may have lost records: nothing is acquired by it before an operator has settled it.
     */
    IN_DOUBT(OperatorCode.CLAIM_STORE_WENT_BACK),
    /** The records were moved to another store, or a move from or to this one is not complete. */
    MOVED(OperatorCode.STORE_MOVED);

    private final OperatorCode code;

    Reason(OperatorCode code) {
      this.code = code;
    }

    /** Returns the code for operators. */
    public OperatorCode code() {
      return code;
    }
  }

  /** A store that cannot answer. */
  public RecordStoreException(String message, Throwable cause) {
    this(Reason.UNAVAILABLE, message, cause);
  }

  /** A refusal for this reason. */
  public RecordStoreException(Reason reason, String message) {
    this(reason, message, null);
  }

  /** A refusal for this reason, with its cause. */
  public RecordStoreException(Reason reason, String message, @Nullable Throwable cause) {
    this(reason, message, message, cause);
  }

  private RecordStoreException(
      Reason reason, String message, String seen, @Nullable Throwable cause) {
    super(
        message, Messages.of(reason.code(), Subject.of("asking the store of claims"), seen), cause);
    this.reason = Objects.requireNonNull(reason, "reason");
  }

  /**
   * A record that this version cannot read. The next step is the one of the operator code.
   *
   * @param failed the failed operation and the reason, as a sentence
   */
  public static RecordStoreException unreadable(String failed, Throwable cause) {
    Reason reason = Reason.UNREADABLE;
    return new RecordStoreException(
        reason, failed + " " + reason.code().next() + ".", failed, cause);
  }

  /** Returns the reason. */
  public Reason reason() {
    return reason;
  }
}
