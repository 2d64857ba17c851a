package io.csi4j.volume.model;

import io.csi4j.client.internal.text.OwnFrames;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A failure with a message for operators. All failures of the volume manager that concern volumes,
 * plugins, claims and storage systems have this type, so a host that only passes messages on needs
 * one catch clause. If a plugin, a disk or the kernel failed, that failure is the cause. Exceptions
 * for invalid arguments and for calls in the wrong state do not have this type. The page {@code
 * docs/volumes.md} describes the rule.
 *
 * <pre>{@code
 * try {
 *   manager.mount(request);
 * } catch (OperatorException failed) {
 *   log.error(failed.operatorMessage().line());
 * }
 * }</pre>
 *
 * <p>The subclasses also classify what the caller should do next.
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
