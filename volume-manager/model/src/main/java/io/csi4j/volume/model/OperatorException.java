package io.csi4j.volume.model;

import io.csi4j.client.internal.text.OwnFrames;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A failure that carries what an operator is told. Everything that the volume manager throws about
 * volumes, plugins, claims and storage systems is one, so a host that only passes messages on
 * catches once. What a plugin, a disk or the kernel said is the cause. Exceptions about arguments
 * and about calls in the wrong state are none; {@code docs/volumes.md} has the rule.
 *
 * <pre>{@code
 * try {
 *   manager.mount(request);
 * } catch (OperatorException failed) {
 *   log.error(failed.operatorMessage().line());
 * }
 * }</pre>
 *
 * <p>Its children say what the caller does next.
 *
 * @since 1.0
 */
public abstract class OperatorException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient OperatorMessage operatorMessage;

  /** A failure with this message. */
  protected OperatorException(OperatorMessage message, @Nullable Throwable cause) {
    this(message.line(), message, cause);
  }

  /** A failure whose own text is not the line of the message. */
  protected OperatorException(String text, OperatorMessage message, @Nullable Throwable cause) {
    super(text, cause);
    operatorMessage = Objects.requireNonNull(message, "message");
    OwnFrames.keep(this);
  }

  /** Returns what happened. */
  public final OperatorCode code() {
    return operatorMessage.code();
  }

  /** Returns the message in its parts. */
  public final OperatorMessage operatorMessage() {
    return operatorMessage;
  }
}
