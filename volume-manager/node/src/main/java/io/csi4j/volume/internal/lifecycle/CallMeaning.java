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
 * The meaning of the end of a call for the operation that made it: a row of {@code
 * call-meanings.tsv} beside this class. Only the rounds of refreshes decide by a status themselves
 * whether such a call is made again.
 *
 * @param reportedAs the status that the end is reported as, where that is not its own
 * @param goesOn whether the plugin may still be working on the call
 * @param repeat when the same call makes sense again
 * @param remedy what has to be done before the call is made again
 * @param belief when the mount table is believed that a refused release is over
 * @param codes the code that reports the failure, for each call
 */
public record CallMeaning(
    Optional<StatusCode> reportedAs,
    boolean goesOn,
    Repeat repeat,
    Remedy remedy,
    Belief belief,
    Map<Verb, OperatorCode> codes) {

  /** Stands for every status that has no row of its own. */
  private static final String ANY = "any";

  /** Stands for UNAVAILABLE, or UNKNOWN, that the plugin did not give. */
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
   * The ends that a row is about.
   *
   * @param sending how far the call came
   * @param status the name of the status, or what stands for several
   */
  public record Case(Sending sending, String status) {}

  /** How far a call came. */
  public enum Sending {
    /** The plugin may have got it. */
    SENT,
    /** The plugin certainly did not get it. */
    UNSENT,
    /** It was not sent, as the plugin does not offer it. */
    UNOFFERED,
    /** It was not sent, and the same operation had sent it before. */
    UNSENT_AGAIN
  }

  /** When the same call makes sense again. */
  public enum Repeat {
    /** After a short pause: it may have had an effect, or never left. */
    SOON(1),
    /** After a long pause: another call is going on, or something is used up or not there yet. */
    LATER(10),
    /** Not at all: it would end the same way. */
    NEVER(0);

    private final int pauses;

    Repeat(int pauses) {
      this.pauses = pauses;
    }

    /** Returns the pause before the next try, drawn evenly up to a limit that doubles. */
    Duration pause(MountPolicy policy, int tries, double random) {
      return Backoff.fullJitter(policy.backoff().multipliedBy(pauses), policy.backoffCap())
          .pause(tries, random);
    }
  }

  /** The step that has to come before another call. */
  public enum Remedy {
    /** None. */
    NONE,
    /** A volume that could not be published is staged again, once. */
    STAGE_AGAIN,
    /** The control plane is asked whether a volume exists that was not found, once. */
    LOOK_UP,
    /** The plugin is asked again what it offers, before the next release. */
    ASK_AGAIN
  }

  /** When a release that fails is taken to be over, as nothing is mounted. */
  public enum Belief {
    /** Not before the plugin says OK. */
    NEVER,
    /** At the first look: the plugin does not know the volume any more. */
    AT_ONCE,
    /** When it was refused often and for long, while nothing was mounted. */
    IN_THE_END
  }

  /** Returns what the end of a call means. */
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

  // ---- how an end is reported

  /** Returns the status of a call, as it is reported. */
  public static StatusCode status(Answer answer) {
    return of(answer).reportedAs().or(() -> answer.failure().map(CsiFailure::code)).orElseThrow();
  }

  /** Returns the status of a call that failed, and why, as a clause. */
  public static String clause(Answer answer) {
    return status(answer) + ": " + Answer.text(answer.failure().orElseThrow());
  }

  /**
   * Returns the failure of a call. Where an earlier attempt of the same operation was sent, the
   * plugin may have done it, though the last attempt was not sent.
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

  /** Returns the failure of a call whose opposite may still be going on. */
  static Failure quarantined(Verb pending) {
    return Failure.of(
        row(Sending.SENT, StatusCode.DEADLINE_EXCEEDED.name()).code(pending),
        "the plugin may still be working on an earlier "
            + pending.operation().rpcName()
            + ", which the opposite call must not overtake");
  }
}
