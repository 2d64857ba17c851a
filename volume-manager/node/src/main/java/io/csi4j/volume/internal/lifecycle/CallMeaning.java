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
 * The meaning of the result of a call for its operation: a row of {@code call-meanings.tsv} beside
 * this class. Only a refresh decides by the status, not by this table, whether to repeat a call.
 *
 * @param reportedAs the status that is reported, if it differs from the actual one
 * @param goesOn whether the plugin may still be working on the call
 * @param repeat when it makes sense to repeat the call
 * @param remedy the step that must come before the call is repeated
 * @param belief when the mount table is proof enough that a refused release is over
 * @param codes the code that reports the failure, for each call
 */
public record CallMeaning(
    Optional<StatusCode> reportedAs,
    boolean goesOn,
    Repeat repeat,
    Remedy remedy,
    Belief belief,
    Map<Verb, OperatorCode> codes) {

  /** Stands for every status without its own row. */
  private static final String ANY = "any";

  /** Stands for UNAVAILABLE or UNKNOWN that the plugin did not return. */
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
   * The results that a row covers.
   *
   * @param sending whether the call was sent
   * @param status the name of the status, or a placeholder for several
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
    /** The last attempt was not sent, but the same operation had sent the call before. */
    UNSENT_AGAIN
  }

  /** When it makes sense to repeat the call. */
  public enum Repeat {
    /** After a short pause, because the call may have had an effect or was never sent. */
    SOON(1),
    /** After a long pause: another call is running, or a resource is exhausted or not ready yet. */
    LATER(10),
    /** Never, because the result would be the same. */
    NEVER(0);

    private final int pauses;

    Repeat(int pauses) {
      this.pauses = pauses;
    }

    /** Returns the pause before the next attempt, drawn evenly up to a limit that doubles. */
    Duration pause(MountPolicy policy, int tries, double random) {
      return Backoff.fullJitter(policy.backoff().multipliedBy(pauses), policy.backoffCap())
          .pause(tries, random);
    }
  }

  /** The step that must come before another call. */
  public enum Remedy {
    /** None. */
    NONE,
    /** Stage once more a volume that could not be published. */
    STAGE_AGAIN,
    /** Ask the control plane, once, whether a volume that the plugin did not find exists. */
    LOOK_UP,
    /** Query the plugin's capabilities again before the next release. */
    ASK_AGAIN
  }

  /** When a failing release counts as over because nothing is mounted. */
  public enum Belief {
    /** Only when the plugin answers OK. */
    NEVER,
    /** At the first check, because the plugin no longer knows the volume. */
    AT_ONCE,
    /**
     * When the plugin has refused the release often and for a long time while nothing was mounted.
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

  /** Returns the reported status of a call. */
  public static StatusCode status(Answer answer) {
    return of(answer).reportedAs().or(() -> answer.failure().map(CsiFailure::code)).orElseThrow();
  }

  /** Returns the status of a failed call with its reason, as a clause. */
  public static String clause(Answer answer) {
    return status(answer) + ": " + Answer.text(answer.failure().orElseThrow());
  }

  /**
   * Returns the failure of a call. If an earlier attempt of the same operation was sent, the plugin
   * may have carried it out, although the last attempt was not sent.
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

  /** Returns the failure of a call whose opposite may still be running. */
  static Failure quarantined(Verb pending) {
    return Failure.of(
        row(Sending.SENT, StatusCode.DEADLINE_EXCEEDED.name()).code(pending),
        "the plugin may still be working on an earlier "
            + pending.operation().rpcName()
            + ", which the opposite call must not overtake");
  }
}
