package io.csi4j.volume.model;

import io.csi4j.client.internal.text.OwnFrames;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A failure with a message for operators. Everything that the volume manager throws about volumes,
 * plugins, claims and storage systems is of this type, so a host that only passes messages on needs
 * one catch clause. The failure of a plugin, a disk or the kernel is the cause. Exceptions about
 * invalid arguments and about calls in the wrong state are not of this type; {@code
 * docs/volumes.md} has the rule.
 *
 * <pre>{@code
 * try {
 *   manager.mount(request);
 * } catch (OperatorException failed) {
 *   log.error(failed.operatorMessage().line());
 * }
 * }</pre>
 *
 * <p>Subclasses classify what the caller does next.
 *
 * @since 1.0
 */
public abstract class OperatorException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient OperatorMessage operatorMessage;

  /** Creates a failure with this message. */
  protected OperatorException(OperatorMessage message, @Nullable Throwable cause) {
    this(message.line(), message, cause);
  }

  /** Creates a failure whose own text differs from the line of the message. */
  protected OperatorException(String text, OperatorMessage message, @Nullable Throwable cause) {
    super(text, cause);
    operatorMessage = Objects.requireNonNull(message, "message");
    OwnFrames.keep(this);
  }

  /** Returns the code of the failure. */
  public final OperatorCode code() {
    return operatorMessage.code();
  }

  /** Returns the message with its parts. */
  public final OperatorMessage operatorMessage() {
    return operatorMessage;
  }
}
