package io.csi4j.volume.model;

import java.util.Objects;

/**
 * One thing that an operator is told, in five parts. No part holds a secret.
 *
 * @param code what happened
 * @param doing what was being done, and to what: volume, workload, plugin, path
 * @param seen what was seen
 * @param safe what is safe now
 * @param next what happens next, or what to do
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
   * Returns the message with one more thing that was seen.
   *
   * @param more a clause without a full stop
   */
  public OperatorMessage withSeen(String more) {
    return new OperatorMessage(code, doing, new Part(seen + "; " + more), safe, next);
  }

  /** All parts in one line, with the code first. */
  public String line() {
    return code.label() + ": " + doing + ": " + seen + "; " + safe + ". " + next + ".";
  }

  @Override
  public String toString() {
    return line();
  }
}
