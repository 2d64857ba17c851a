package io.csi4j.volume.model;

import java.util.Objects;

/**
 * A message for operators, in five parts. No part contains a secret.
 *
 * @param code the code of the event
 * @param doing the operation and its subject, such as a volume, a workload, a plugin or a path
 * @param seen the observed event or fault
 * @param safe what is safe now
 * @param next the next step, either of the operator or of csi4j
 * @since 1.0
 */
public record OperatorMessage(OperatorCode code, Part doing, Part seen, Part safe, Part next) {

  /**
   * One part of a message: a clause without a full stop.
   *
   * @param text the clause
   */
  public record Part(String text) {
    @Override
    public String toString() {
      return text;
    }
  }

  /** Checks that all parts are set. */
  public OperatorMessage {
    Objects.requireNonNull(code, "code");
    Objects.requireNonNull(doing, "doing");
    Objects.requireNonNull(seen, "seen");
    Objects.requireNonNull(safe, "safe");
    Objects.requireNonNull(next, "next");
  }

  /**
   * Returns the message with an additional observation.
   *
   * @param more a clause without a full stop
   */
  public OperatorMessage withSeen(String more) {
    return new OperatorMessage(code, doing, new Part(seen + "; " + more), safe, next);
  }

  /** Returns all parts in one line, beginning with the code. */
  public String line() {
    return code.label() + ": " + doing + ": " + seen + "; " + safe + ". " + next + ".";
  }

  @Override
  public String toString() {
    return line();
  }
}
