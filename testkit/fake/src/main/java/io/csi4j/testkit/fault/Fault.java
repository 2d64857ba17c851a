package io.csi4j.testkit.fault;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.journal.WireMessage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A fault of one call: a list of steps that the plugin takes instead of simply doing the work and
 * answering.
 *
 * <p>Faults compose: {@code Fault.delay(oneSecond).then(Fault.fail(ABORTED, "busy"))}. A fault that
 * runs to its end without having answered does the work, if that was not done, and answers. Delays
 * pass on the plugin's own {@link io.csi4j.testkit.model.PluginClock}.
 *
 * @since 1.0
 */
public sealed interface Fault {

  /** Ends the call with a status, nothing done. */
  static Fault fail(StatusCode code, String text) {
    return fail(code.value(), text);
  }

  /** Ends the call with any number as its status, such as 17 or -1, nothing done. */
  static Fault fail(int code, String text) {
    return new Fail(code, text);
  }

  /** Does the work, then ends the call with a status as if it had not. */
  static Fault applyThenFail(StatusCode code, String text) {
    return apply().then(fail(code, text));
  }

  /** Does the work, then never answers: the answer is lost. */
  static Fault applyThenHang() {
    return apply().then(hang());
  }

  /** Does the work, then breaks the connection. */
  static Fault applyThenDrop() {
    return apply().then(drop());
  }

  /** Does the work now; what follows decides what is answered. */
  static Fault apply() {
    return new Apply();
  }

  /**
   * Does the work {@code after} this moment, even if the call ends meanwhile: follow it by a
   * failure or a hang.
   */
  static Fault applyLater(Duration after) {
    return new ApplyLater(after);
  }

  /** Waits, then goes on. */
  static Fault delay(Duration time) {
    return new Delay(time);
  }

  /** Never answers, nothing more done, until {@link io.csi4j.testkit.TestPlugin#release}. */
  static Fault hang() {
    return new Hang();
  }

  /** Breaks the connection that the call came on, nothing more done. */
  static Fault drop() {
    return new Drop();
  }

  /**
   * Does the work two times, as for a caller that repeats itself: the second time as soon as the
   * first has ended. The second answer is told, or what follows decides.
   */
  static Fault duplicate() {
    return new Duplicate();
  }

  /** Does the work and answers something else. */
  static Fault answer(WrongAnswer wrong) {
    return new Answer(wrong);
  }

  /**
   * Answers with these fields of the spec, whatever they are, and does nothing; after {@link
   * #apply} the work is done all the same.
   *
   * <p>Values are texts, numbers, booleans, lists, maps, {@link java.time.Instant}, {@link
   * io.csi4j.client.model.Topology}, {@link io.csi4j.client.model.VolumeContext}, {@link
   * io.csi4j.client.model.PublishContext}, and messages of the request. A map is a map of texts, or
   * the fields of a message. A field that does not exist ends the call with INTERNAL and a text
   * that names those that do.
   *
   * @param made makes the fields of the request
   */
  static Fault answer(Function<WireMessage, ? extends Map<String, ?>> made) {
    return new TestAnswer((request, empty) -> made.apply(request), false);
  }

  /**
   * {@link #answer(Function)} with the fields of a JSON object, the same for each call.
   *
   * @param operation whose answer it is
   * @throws IllegalArgumentException if the text is no JSON object, or no answer of the operation
   */
  static Fault answer(CsiOperation operation, String json) {
    return new TestAnswer(FixedAnswer.parse(operation, json), false);
  }

  /**
   * Does the work, and answers with these fields in place of the plugin's own; other fields stay,
   * also those within a message. A refusal is answered as it is.
   *
   * @param made makes the fields of the request and the plugin's own answer; null clears a field
   */
  static Fault change(BiFunction<WireMessage, WireMessage, ? extends Map<String, ?>> made) {
    return new TestAnswer(made, true);
  }

  /**
   * {@link #change(BiFunction)} with the fields of a JSON object, the same for each call.
   *
   * @param operation whose answer it is
   * @throws IllegalArgumentException if the text is no JSON object, or no answer of the operation
   */
  static Fault change(CsiOperation operation, String json) {
    return new TestAnswer(FixedAnswer.parse(operation, json), true);
  }

  /** This fault, then {@code next}. */
  default Fault then(Fault next) {
    return new Sequence(List.of(this, next));
  }

  /** The ways in which an answer is wrong. Each suits the operations that it names. */
  enum WrongAnswer {
    /** The message is empty: no id, no field. */
    EMPTY,
    /** The id is not the one asked for or given before. Operations that answer with an id. */
    OTHER_ID,
    /** The message is larger than clients take: more than 4 MiB. */
    OVERSIZED,
    /** The bytes are no message. */
    MALFORMED,
    /** Every page names the token of the first page as the next. Listings. */
    LOOPING_PAGE,
    /** The call ends OK without any message. */
    NO_MESSAGE,
    /** The call is answered twice. */
    TWO_MESSAGES
  }

  /** A status, with any number as its code. */
  record Fail(int code, String text) implements Fault {}

  /** The work, done now. */
  record Apply() implements Fault {}

  /** The work, done so long after this step. */
  record ApplyLater(Duration after) implements Fault {}

  /** A pause. */
  record Delay(Duration time) implements Fault {}

  /** Silence. */
  record Hang() implements Fault {}

  /** A broken connection. */
  record Drop() implements Fault {}

  /** The work, done two times. */
  record Duplicate() implements Fault {}

  /** An answer that is wrong. */
  record Answer(WrongAnswer wrong) implements Fault {}

  /**
   * An answer with fields that a test makes of the request and of the answer that they are set in.
   *
   * @param made makes the fields
   * @param changes whether that answer is the plugin's own, and not an empty one
   */
  record TestAnswer(
      BiFunction<WireMessage, WireMessage, ? extends Map<String, ?>> made, boolean changes)
      implements Fault {}

  /** Several steps in order, without nesting. */
  record Sequence(List<Fault> steps) implements Fault {
    /** Copies the list, with the steps of each in its place. */
    public Sequence {
      steps = steps.stream().flatMap(step -> step.steps().stream()).toList();
    }
  }

  /** The single steps of this fault, in order, without nesting. */
  default List<Fault> steps() {
    return List.of(this);
  }
}
