package io.csi4j.testkit.internal.server;

import com.google.protobuf.Message;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.Fault.WrongAnswer;
import io.csi4j.testkit.internal.journal.MessageFields;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.WireMessage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A call, from the steps of its fault, if a fault acts on it, to its work and its answer.
 *
 * <p>A waiting call occupies no thread. A call ends exactly once for its caller. As in a real
 * plugin, its work may continue after that end, unless the server stops. Subclasses implement the
 * work.
 */
public abstract class FaultedCall {

  /** Status code for a failure of the server itself. */
  static final int INTERNAL = 13;

  private final TestServer server;
  private final int life;
  private final String name;
  private final Message request;
  private final Message emptyAnswer;
  private final List<Fault> steps;
  private final CallStream caller;

  /** Creates a call of the running server. {@code name} is the name of the called method. */
  protected FaultedCall(
      TestServer server,
      String name,
      Message request,
      Message emptyAnswer,
      List<Fault> steps,
      CallStream caller) {
    this.server = server;
    this.life = server.life();
    this.name = name;
    this.request = request;
    this.emptyAnswer = emptyAnswer;
    this.steps = steps;
    this.caller = caller;
  }

  /** The reason why the work is done. */
  protected enum Doing {
    /**
     * A step needs the outcome. The work is done, unless it was done before or the server has
     * stopped.
     */
    ONCE,
    /** A fault simulates a repeated call. The work is done again, unless the server has stopped. */
    AGAIN,
    /** The work was postponed. The work is done once, even after the server has stopped. */
    LATE
  }

  // Methods that subclasses implement.

  /**
   * Does the work, keeps the outcome, and then runs {@code then}. If there is no outcome, {@code
   * then} does not run.
   */
  protected abstract void work(Doing how, Message asked, Runnable then);

  /**
   * Returns the messages of the outcome; empty if the outcome is not an answer that a fault can
   * change.
   */
  protected abstract Optional<List<Message>> messages();

  /** Ends the call with its outcome, unchanged. */
  protected abstract void tell();

  /** Records how the call ended. Returns false if the call had already ended. */
  protected abstract boolean ended(CallEnd end);

  String textOfOk() {
    return "";
  }

  /**
   * Finishes a call after its last step. Does the work, unless it was already done, and answers.
   */
  protected void finish() {
    workThen(Doing.ONCE, request, this::tell);
  }

  // Methods that run the steps.

  public final void begin() {
    guarded(() -> go(0));
  }

  private void go(int index) {
    pass(server.gate(), () -> step(index));
  }

  private void step(int index) {
    if (isDead()) {
      return;
    }
    if (index == steps.size()) {
      finish();
      return;
    }
    Fault step = steps.get(index);
    Runnable next = () -> go(index + 1);
    if (step instanceof Fault.Fail fail) {
      fail(fail.code(), fail.text());
    } else if (step instanceof Fault.Apply) {
      workThen(Doing.ONCE, request, next);
    } else if (step instanceof Fault.ApplyLater later) {
      after(later.after(), () -> workThen(Doing.LATE, request, () -> {}));
      next.run();
    } else if (step instanceof Fault.Duplicate) {
      workThen(Doing.ONCE, request, () -> workThen(Doing.AGAIN, request, next));
    } else if (step instanceof Fault.Delay delay) {
      after(delay.time(), next);
    } else if (step instanceof Fault.Hang) {
      pass(server.pen(), next);
    } else if (step instanceof Fault.Drop) {
      boolean unused = ended(new CallEnd.Broken());
      caller.drop();
    } else if (step instanceof Fault.Answer answer) {
      WrongAnswer wrong = answer.wrong();
      workThen(
          Doing.ONCE,
          WrongAnswers.request(wrong, request),
          () -> tellInstead(right -> answerWrongly(wrong, right)));
    } else if (step instanceof Fault.TestAnswer with && with.changes()) {
      workThen(Doing.ONCE, request, () -> tellInstead(right -> make(with, right)));
    } else if (step instanceof Fault.TestAnswer with) {
      make(with, List.of(emptyAnswer));
    } else {
      throw new IllegalStateException("A sequence is not a single step.");
    }
  }

  private void workThen(Doing how, Message asked, Runnable then) {
    work(how, asked, () -> pass(server.gate(), then));
  }

  private void tellInstead(Consumer<List<Message>> answering) {
    messages().ifPresentOrElse(answering, this::tell);
  }

  private void answerWrongly(WrongAnswer wrong, List<Message> right) {
    List<Message> told = WrongAnswers.messages(wrong, request, right);
    answer(told, WrongAnswers.bytes(wrong, told));
  }

  /** Answers with messages whose fields the test's code computes. */
  private void make(Fault.TestAnswer with, List<Message> answers) {
    server.runTestCode(
        () -> {
          try {
            List<Message> messages =
                answers.stream()
                    .map(
                        answer ->
                            MessageFields.with(
                                answer, with.made().apply(shown(request), shown(answer))))
                    .toList();
            return () -> guarded(() -> answer(messages));
          } catch (RuntimeException | Error e) {
            String why =
                e instanceof IllegalArgumentException
                    ? String.valueOf(e.getMessage())
                    : e.toString();
            return () ->
                fail(INTERNAL, "The answer that the test gave for " + name + " is invalid: " + why);
          }
        });
  }

  private void after(Duration time, Runnable way) {
    server.after(time, () -> guarded(() -> pass(server.gate(), way)));
  }

  private void pass(HoldingGate gate, Runnable way) {
    gate.pass(() -> guarded(way));
  }

  /**
   * Runs the call up to the next point where it waits. An exception ends the call with INTERNAL.
   */
  protected final void guarded(Runnable way) {
    server.travel(
        () -> {
          try {
            way.run();
          } catch (RuntimeException | Error e) {
            fail(INTERNAL, server.ownFailure(e));
          }
        });
  }

  /** Returns whether the server has stopped since the call arrived. */
  final boolean isDead() {
    return life != server.life();
  }

  /** Stops the server, unless it has stopped since the call arrived. */
  final void stopServer() {
    server.stop(life);
  }

  // Methods that end the call.

  final CallStream caller() {
    return caller;
  }

  /** Answers with these messages, unless the call has ended. */
  final void answer(List<Message> messages) {
    answer(messages, messages.stream().map(Message::toByteArray).toList());
  }

  /**
   * Answers as {@link #answer(List)} does, but sends {@code bytes} instead of the encoded messages.
   *
   * <p>The journal records the end before the answer is sent. Otherwise a caller that repeats the
   * call immediately could appear with two calls in flight.
   */
  private void answer(List<Message> messages, List<byte[]> bytes) {
    if (ended(ProtoMessage.answered(messages))) {
      caller.answer(bytes, textOfOk());
    }
  }

  /** Ends the call with a status, unless the call has ended. */
  protected final void fail(int code, String text) {
    if (ended(new CallEnd.Failed(code, text))) {
      caller.fail(code, text);
    }
  }

  private static WireMessage shown(Message message) {
    return new ProtoMessage(message);
  }
}
