package io.csi4j.volume.store;

import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorException;
import java.io.Serial;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a store refuses a request, or cannot answer now. If {@link RecordStore#write write}
 * throws this exception, the write was not made and will not be made later. If opening or settling
 * a store fails, the store may already have been changed, and a repeated call continues the work.
 * The message contains the failed operation, the reason and the next step. The reason determines
 * the operator code.
 *
 * @since 1.0
 */
public final class RecordStoreException extends OperatorException {

  @Serial private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** The reasons for failures of a store. */
  public enum Reason {
    /** The store cannot answer or write now. A later request may succeed. */
    UNAVAILABLE(OperatorCode.CLAIM_STORE_DOWN),
    /** The store was closed in this process. */
    CLOSED(OperatorCode.CLAIM_STORE_DOWN),
    /** The record has more than 64 KiB. */
    TOO_LARGE(OperatorCode.CLAIM_TOO_LARGE),
    /** The record cannot be read, because it is damaged or a newer version wrote it. */
    UNREADABLE(OperatorCode.CLAIM_UNREADABLE),
    /**
     * The store may have lost records, so no new claims are acquired until an operator has settled
     * the store.
     */
    IN_DOUBT(OperatorCode.CLAIM_STORE_WENT_BACK),
    /** The records were moved to another store, or a move from or to this store is not complete. */
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

  /** Creates an exception for a store that cannot answer. */
  public RecordStoreException(String message, Throwable cause) {
    this(Reason.UNAVAILABLE, message, cause);
  }

  /** Creates an exception with this reason. */
  public RecordStoreException(Reason reason, String message) {
    this(reason, message, null);
  }

  /** Creates an exception with this reason and cause. */
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
   * Returns an exception for a record that this version cannot read. The operator code provides the
   * next step in the message.
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
