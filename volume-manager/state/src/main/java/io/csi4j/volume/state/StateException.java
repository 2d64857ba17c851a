package io.csi4j.volume.state;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A store that refused. Its message is one line for an operator: what failed, why, and what to do
 * next.
 *
 * <p>A write that was refused changed nothing that this store shows. On the medium, and so after a
 * restart, the key may have its old value or the refused one, never a mix, until it is written
 * again.
 *
 * @since 1.0
 */
public final class StateException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private static final String FAILED = " failed: ";

  private final StateReason reason;
  private final transient @Nullable StateOwner owner;

  /** A refusal for this reason. */
  public StateException(StateReason reason, String message) {
    this(reason, message, null, null);
  }

  /** A refusal for this reason, and what caused it. */
  public StateException(StateReason reason, String message, Throwable cause) {
    this(reason, message, null, cause);
  }

  private StateException(
      StateReason reason, String message, @Nullable StateOwner owner, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = Objects.requireNonNull(reason, "reason");
    this.owner = owner;
  }

  /** A refusal because another process owns the state. */
  public static StateException owned(StateReason reason, String message, StateOwner owner) {
    return new StateException(reason, message, owner, null);
  }

  /** Why. */
  public StateReason reason() {
    return reason;
  }

  /** Why, in words: a clause for a message that says itself what failed and what to do next. */
  public String why() {
    String text = String.valueOf(getMessage());
    int failed = text.indexOf(FAILED);
    int begin = failed < 0 ? 0 : failed + FAILED.length();
    int end = text.indexOf(". ", begin);
    if (end < 0) {
      end = text.endsWith(".") ? text.length() - 1 : text.length();
    }
    return text.substring(begin, end);
  }

  /** Returns the owner of the state, if that was the reason and it is known. */
  public Optional<StateOwner> owner() {
    return Optional.ofNullable(owner);
  }
}
