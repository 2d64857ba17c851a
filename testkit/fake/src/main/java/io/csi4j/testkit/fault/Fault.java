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
 * A fault of one call: a list of steps that the plugin performs instead of doing the work and
 * answering.
 *
 * <p>Faults compose: {@code Fault.delay(oneSecond).then(Fault.fail(ABORTED, "busy"))}. If no step
 * ends the call, the plugin does the work, unless a step has already done it, and then answers.
 * Delays run on the plugin's {@link io.csi4j.testkit.model.PluginClock}.
 *
 * @since 1.0
 */
public sealed interface Fault {

  /** Ends the call with a status, without doing the work. */
  static Fault fail(StatusCode code, String text) {
    return fail(code.value(), text);
  }

  /** Ends the call with any number as its status, such as 17 or -1, without doing the work. */
  static Fault fail(int code, String text) {
    return new Fail(code, text);
  }

  /** Does the work, then ends the call with a status as if the work had failed. */
  static Fault applyThenFail(StatusCode code, String text) {
    return apply().then(fail(code, text));
  }

  /** Does the work, then never answers, as if the answer were lost. */
  static Fault applyThenHang() {
    return apply().then(hang());
  }

  /** Does the work, then breaks the connection. */
  static Fault applyThenDrop() {
    return apply().then(drop());
  }

  /** Does the work immediately. The next step decides the answer. */
  static Fault apply() {
    return new Apply();
  }

  /**
   * Does the work {@code after} this time, even if the call ends earlier. The next step should be a
   * failure or a hang.
   */
  static Fault applyLater(Duration after) {
    return new ApplyLater(after);
  }

  /** Waits, then continues with the next step. */
  static Fault delay(Duration time) {
    return new Delay(time);
  }

  /**
   * Holds the call, without an answer and without further work, until {@link
   * io.csi4j.testkit.TestPlugin#release}.
   */
  static Fault hang() {
    return new Hang();
  }

  /** Breaks the connection of the call, and does no further work. */
  static Fault drop() {
    return new Drop();
  }

  /**
   * Does the work twice, as if the caller had repeated the call. The second run starts when the
   * first has ended. The plugin sends the second answer, unless the next step decides the answer.
   */
  static Fault duplicate() {
    return new Duplicate();
  }

  /** Does the work and sends a wrong answer. */
  static Fault answer(WrongAnswer wrong) {
    return new Answer(wrong);
  }

  /**
   * Answers with the fields that {@code made} returns, and does no work. Any fields of the answer's
   * message are allowed. To do the work as well, put {@link #apply} before this step.
   *
   * <p>Values are strings, numbers, booleans, lists, maps, {@link java.time.Instant}, {@link
   * io.csi4j.client.model.Topology}, {@link io.csi4j.client.model.VolumeContext}, {@link
   * io.csi4j.client.model.PublishContext}, and messages of the request. A map is the value of a map
   * field, or the fields of a nested message. If the message has no field of a given name, the call
   * ends with INTERNAL and a text that names the existing fields.
   *
   * @param made returns the fields for the request
   */
  static Fault answer(Function<WireMessage, ? extends Map<String, ?>> made) {
    return new TestAnswer((request, empty) -> made.apply(request), false);
  }

  /**
   * Answers as {@link #answer(Function)} does, with the fields of a JSON object. Every call gets
   * the same answer.
   *
   * @param operation the operation to answer
   * @throws IllegalArgumentException if the text is not a JSON object, or contains a field that the
   *     operation's answer cannot have
   */
  static Fault answer(CsiOperation operation, String json) {
    return new TestAnswer(FixedAnswer.parse(operation, json), false);
  }

  /**
   * Does the work, and replaces fields in the plugin's answer. All other fields keep their values,
   * including those of nested messages. A refusal is sent unchanged.
   *
   * @param made returns the fields for the request and the plugin's answer; null clears a field
   */
  static Fault change(BiFunction<WireMessage, WireMessage, ? extends Map<String, ?>> made) {
    return new TestAnswer(made, true);
  }

  /**
   * Changes the answer as {@link #change(BiFunction)} does, with the fields of a JSON object. Every
   * call uses the same fields.
   *
   * @param operation the operation whose answer changes
   * @throws IllegalArgumentException if the text is not a JSON object, or contains a field that the
   *     operation's answer cannot have
   */
  static Fault change(CsiOperation operation, String json) {
    return new TestAnswer(FixedAnswer.parse(operation, json), true);
  }

  /** Returns this fault followed by {@code next}. */
  default Fault then(Fault next) {
    return new Sequence(List.of(this, next));
  }

  /**
   * The kinds of wrong answers. Some exist only for the operations that their description names.
   */
  enum WrongAnswer {
    /** An empty message, without an id or any other field. */
    EMPTY,
    /** An id that differs from the correct one. For operations that answer with an id. */
    OTHER_ID,
    /** A message of more than 4 MiB, which is larger than clients accept. */
    OVERSIZED,
    /** Bytes that cannot be parsed as a message. */
    MALFORMED,
    /** The first page again, always with the same token for the next page. For listings. */
    LOOPING_PAGE,
    /** The status OK without a message. */
    NO_MESSAGE,
    /** Two answers to one call. */
    TWO_MESSAGES
  }

  /** A step that ends the call with a status. The code may be any number. */
  record Fail(int code, String text) implements Fault {}

  /** A step that does the work immediately. */
  record Apply() implements Fault {}

  /** A step that does the work when the time {@code after} has passed. */
  record ApplyLater(Duration after) implements Fault {}

  /** A step that waits. */
  record Delay(Duration time) implements Fault {}

  /** A step that holds the call without an answer. */
  record Hang() implements Fault {}

  /** A step that breaks the connection. */
  record Drop() implements Fault {}

  /** A step that does the work twice. */
  record Duplicate() implements Fault {}

  /** A step that does the work and sends a wrong answer. */
  record Answer(WrongAnswer wrong) implements Fault {}

  /**
   * A step that answers with fields which a test computes from the request and from the plugin's
   * answer.
   *
   * @param made computes the fields
   * @param changes whether the fields change the plugin's answer; if not, they fill an empty answer
   */
  record TestAnswer(
      BiFunction<WireMessage, WireMessage, ? extends Map<String, ?>> made, boolean changes)
      implements Fault {}

  /** Several steps in order. No step is itself a sequence. */
  record Sequence(List<Fault> steps) implements Fault {
    /** Copies the steps, and replaces each sequence among them by its steps. */
    public Sequence {
      steps = steps.stream().flatMap(step -> step.steps().stream()).toList();
    }
  }

  /** Returns the single steps of this fault, in order. */
  default List<Fault> steps() {
    return List.of(this);
  }
}
