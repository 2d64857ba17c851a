package io.csi4j.volume.internal.lifecycle;

import io.csi4j.client.internal.text.Rows;
import io.csi4j.client.internal.time.Backoff;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The meaning of a call's result for its operation. Each value is a row of the file {@code
 * call-meanings.tsv} beside this class. Only the schedule of refreshes decides by the status
 * instead of this table whether a call is repeated.
 *
 * @param reportedAs the status to report instead of the actual status, if they differ
 * @param goesOn whether the plugin may still be working on the call
 * @param repeat when the call may be repeated, if at all
 * @param remedy the step that must be performed before the call is repeated
 * @param belief when a failed release is treated as complete because the mount table shows no mount
 * @param codes the code that reports the failure, by call
 */
public record CallMeaning(
    Optional<StatusCode> reportedAs,
    boolean goesOn,
    Repeat repeat,
    Remedy remedy,
    Belief belief,
    Map<Verb, OperatorCode> codes) {

  /** Placeholder for every status that has no row of its own. */
  private static final String ANY = "any";

  /** Placeholder for UNAVAILABLE or UNKNOWN if the status does not come from the plugin. */
  private static final String NO_ANSWER = "no answer";

  private static final CallMeaning DONE =
      new CallMeaning(
          Optional.of(StatusCode.OK), false, Repeat.NEVER, Remedy.NONE, Belief.NEVER, Map.of());

  private static final Map<Case, CallMeaning> TABLE = new LinkedHashMap<>();

  static {
    Rows.of(CallMeaning.class.getResourceAsStream("call-meanings.tsv"), 11)
        .forEach(CallMeaning::add);
    for (StatusCode code : StatusCode.values()) {
      row(Sending.SENT, code.name());
      row(Sending.UNSENT, code.name());
    }
  }

  private static void add(List<String> row) {
    CallMeaning meaning =
        new CallMeaning(
            Optional.of(row.get(2)).filter(status -> !status.isEmpty()).map(StatusCode::valueOf),
            row.get(3).equals("yes"),
            Repeat.valueOf(row.get(4)),
            Remedy.valueOf(row.get(5)),
            Belief.valueOf(row.get(6)),
            Map.of(
                Verb.STAGE, OperatorCode.valueOf(row.get(7)),
                Verb.PUBLISH, OperatorCode.valueOf(row.get(8)),
                Verb.UNPUBLISH, OperatorCode.valueOf(row.get(9)),
                Verb.UNSTAGE, OperatorCode.valueOf(row.get(10))));
    if (TABLE.put(new Case(Sending.valueOf(row.get(0)), row.get(1)), meaning) != null) {
      throw new IllegalStateException("Two rows of one case: " + row);
    }
  }

  /** Copies the codes. */
  public CallMeaning {
    codes = Map.copyOf(codes);
  }

  /**
   * The results that a row of the table covers.
   *
   * @param sending whether the call was sent
   * @param status the name of the status, or a placeholder for several statuses
   */
  public record Case(Sending sending, String status) {}

  /** Whether a call was sent. */
  public enum Sending {
    /** The plugin may have received the call. */
    SENT,
    /** The plugin certainly did not receive the call. */
    UNSENT,
    /** The call was not sent because the plugin does not offer it. */
    UNOFFERED,
    /** The last attempt was not sent, but an earlier attempt of the same operation was sent. */
    UNSENT_AGAIN
  }

  /** The time when a call may be repeated. */
  public enum Repeat {
    /** After a short pause, because the call may have had an effect or was never sent. */
    SOON(1),
    /** After a long pause: another call is running, or a resource is exhausted or not ready yet. */
    LATER(10),
    /** Never, because another attempt would have the same result. */
    NEVER(0);

    private final int pauses;

    Repeat(int pauses) {
      this.pauses = pauses;
    }

    /**
     * Returns the pause before the next attempt: a random time up to a limit that doubles with each
     * attempt.
     */
    Duration pause(MountPolicy policy, int tries, double random) {
      return Backoff.fullJitter(policy.backoff().multipliedBy(pauses), policy.backoffCap())
          .pause(tries, random);
    }
  }

  /** The step that must be performed before the call is repeated. */
  public enum Remedy {
    /** No step is needed. */
    NONE,
    /** Stage the volume again, because it could not be published. */
    STAGE_AGAIN,
    /** Check with the control plane, once, whether a volume exists that the plugin did not find. */
    LOOK_UP,
    /** Query the plugin's capabilities again before the next release. */
    ASK_AGAIN
  }

  /** When a failed release is treated as complete because nothing is mounted. */
  public enum Belief {
    /** Never: the plugin must answer OK. */
    NEVER,
    /** At the first check of the mount table, because the plugin no longer knows the volume. */
    AT_ONCE,
    /**
     * After the plugin has refused the release often and for a long time while nothing was mounted.
     */
    IN_THE_END
  }

  /** Returns the meaning of the result of a call. */
  public static CallMeaning of(Answer answer) {
    if (answer.failure().isEmpty()) {
      return DONE;
    }
    CsiFailure failure = answer.failure().get();
    String status = Answer.isLost(failure) ? NO_ANSWER : failure.code().name();
    if (answer.isSent()) {
      return row(Sending.SENT, status);
    }
    return Optional.ofNullable(TABLE.get(new Case(Sending.UNOFFERED, status)))
        .filter(row -> answer.thrown().orElse(null) instanceof CsiUnsupportedException)
        .orElseGet(() -> row(Sending.UNSENT, status));
  }

  private static CallMeaning row(Sending sending, String status) {
    return Optional.ofNullable(TABLE.get(new Case(sending, status)))
        .or(() -> Optional.ofNullable(TABLE.get(new Case(sending, ANY))))
        .orElseThrow(() -> new IllegalStateException("No row for " + sending + " " + status));
  }

  /** Returns all rows, in the order of the table. */
  public static Map<Case, CallMeaning> table() {
    return Collections.unmodifiableMap(TABLE);
  }

  // ---- reporting a result

  /** Returns the status to report for a call. */
  public static StatusCode status(Answer answer) {
    return of(answer).reportedAs().or(() -> answer.failure().map(CsiFailure::code)).orElseThrow();
  }

  /** Returns the status of a failed call and its reason, as a clause. */
  public static String clause(Answer answer) {
    return status(answer) + ": " + Answer.text(answer.failure().orElseThrow());
  }

  /**
   * Returns the failure of a call. Even if the last attempt was not sent, the plugin may have
   * executed the call if an earlier attempt of the same operation was sent.
   */
  static Failure failure(Turn turn, Verb verb, Answer answer) {
    CallMeaning meaning = of(answer);
    String call = verb.operation().rpcName();
    if (!answer.isSent() && meaning.repeat() != Repeat.NEVER && turn.sent().contains(verb)) {
      return Failure.of(
          row(Sending.UNSENT_AGAIN, ANY).code(verb),
          call + " was sent before, and could not be sent again, " + clause(answer));
    }
    return new Failure(
        meaning.code(verb),
        call + (answer.isSent() ? " ended with " : " was not sent, ") + clause(answer),
        answer.thrown().map(Throwable.class::cast));
  }

  private OperatorCode code(Verb verb) {
    return Optional.ofNullable(codes.get(verb)).orElseThrow();
  }

  /**
   * Returns the failure of a call that cannot be sent because the opposite call may still be
   * running.
   */
  static Failure quarantined(Verb pending) {
    return Failure.of(
        row(Sending.SENT, StatusCode.DEADLINE_EXCEEDED.name()).code(pending),
        "the plugin may still be working on an earlier "
            + pending.operation().rpcName()
            + ", which the opposite call must not overtake");
  }
}
