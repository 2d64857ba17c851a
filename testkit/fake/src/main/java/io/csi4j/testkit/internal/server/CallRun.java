package io.csi4j.testkit.internal.server;

import com.google.protobuf.Message;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.Fault.WrongAnswer;
import io.csi4j.testkit.internal.backend.Backend;
import io.csi4j.testkit.internal.backend.Backend.Asked;
import io.csi4j.testkit.internal.backend.Refusal;
import io.csi4j.testkit.internal.journal.MessageFields;
import io.csi4j.testkit.internal.journal.PluginJournal;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import io.csi4j.testkit.model.PluginClock;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One call on its way through the steps of its fault, if it has one, to the backend and back.
 *
 * <p>It holds no thread while it waits. It ends once, for the journal and for its caller, by the
 * first of these: its answer, its caller that leaves, or the plugin that stops. The work goes on
 * after that, as it does in a real plugin, unless the plugin was stopped.
 */
final class CallRun {

  private static final int UNKNOWN = 2;
  private static final int INTERNAL = 13;
  private static final String OWN_FAILURE = "The test plugin failed itself: ";

  private final CallSurroundings plant;
  private final RecordedCall call;
  private final Asked asked;
  private final List<Fault> steps;
  private final Caller caller;
  private final Runnable whenDone;
  private final ReentrantLock workLock = new ReentrantLock();
  private @Nullable Outcome outcome;
  private volatile boolean dead;

  /** The result of the work: messages, or a refusal. */
  private record Outcome(List<Message> messages, int refusal, String text) {
    boolean refused() {
      return refusal != 0;
    }

    CallEnd.Failed failure(PluginShape shape) {
      return shape.has(Quirk.FAILURES_UNKNOWN_AND_SILENT)
          ? new CallEnd.Failed(UNKNOWN, "")
          : new CallEnd.Failed(refusal, text);
    }
  }

  CallRun(
      CallSurroundings plant,
      RecordedCall call,
      Asked asked,
      List<Fault> steps,
      Caller caller,
      Runnable whenDone) {
    this.plant = plant;
    this.call = call;
    this.asked = asked;
    this.steps = steps;
    this.caller = caller;
    this.whenDone = whenDone;
  }

  /** Goes its way, on threads of the plugin. */
  void start() {
    plant.workers().execute(() -> travel(() -> go(0)));
  }

  /** Goes no further, as its plugin was killed. */
  void die() {
    dead = true;
    endAs(new CallEnd.Broken());
  }

  /** Ends for its caller in this way, unless it has ended; the work goes on. */
  void endAs(CallEnd end) {
    boolean unused = plant.journal().ended(call, end);
  }

  /** Ends below gRPC. */
  void refuse() {
    endAs(new CallEnd.Broken());
    caller.reset();
    done();
  }

  /** Goes on from a resting place to the next. */
  private void travel(Runnable way) {
    plant
        .workers()
        .travel(
            () -> {
              try {
                way.run();
              } catch (RuntimeException | Error e) {
                end(new CallEnd.Failed(INTERNAL, OWN_FAILURE + e));
              }
            });
  }

  private void go(int index) {
    pass(plant.gate(), () -> step(index));
  }

  private void pass(HoldingGate gate, Runnable way) {
    gate.pass(() -> travel(way));
  }

  private void step(int index) {
    if (dead) {
      return;
    }
    if (index == steps.size()) {
      answer(null);
      return;
    }
    Fault step = steps.get(index);
    int next = index + 1;
    if (step instanceof Fault.Fail fail) {
      end(new CallEnd.Failed(fail.code(), fail.text()));
    } else if (step instanceof Fault.Apply) {
      work(false, asked.request());
      go(next);
    } else if (step instanceof Fault.Duplicate) {
      workAgain();
      go(next);
    } else if (step instanceof Fault.ApplyLater later) {
      plant.clock().after(later.after(), () -> pass(plant.gate(), this::workLate));
      go(next);
    } else if (step instanceof Fault.Delay delay) {
      plant.clock().after(delay.time(), () -> travel(() -> go(next)));
    } else if (step instanceof Fault.Hang) {
      pass(plant.pen(), () -> go(next));
    } else if (step instanceof Fault.Drop) {
      endAs(new CallEnd.Broken());
      caller.drop();
      done();
    } else if (step instanceof Fault.Answer answer) {
      answer(answer.wrong());
    } else if (step instanceof Fault.Give give) {
      pass(plant.gate(), () -> give(give));
    } else if (step instanceof Fault.Change change) {
      Outcome came = work(false, asked.request());
      if (came != null) {
        pass(plant.gate(), () -> tell(came, messages -> changed(change, messages)));
      }
    } else {
      throw new IllegalStateException("A sequence is no single step.");
    }
  }

  private void workLate() {
    if (!plant.workers().isClosed()) {
      work(true, asked.request());
    }
  }

  /** Does the work, and once more. */
  private void workAgain() {
    if (work(false, asked.request()) == null) {
      return;
    }
    workLock.lock();
    try {
      outcome = null;
    } finally {
      workLock.unlock();
    }
    var unused = work(false, asked.request());
  }

  private void answer(@Nullable WrongAnswer wrong) {
    Message request =
        wrong == null ? asked.request() : WrongAnswers.request(wrong, asked.request());
    Outcome came = work(false, request);
    if (came != null) {
      pass(plant.gate(), () -> tell(came, wrong));
    }
  }

  private void give(Fault.Give give) {
    try {
      Map<String, ?> fields = give.made().apply(new ProtoMessage(asked.request()));
      tell(List.of(MessageFields.with(MessageFields.emptyAnswer(asked.operation()), fields)));
    } catch (RuntimeException e) {
      noAnswer(e);
    }
  }

  private List<Message> changed(Fault.Change change, List<Message> messages) {
    WireMessage request = new ProtoMessage(asked.request());
    return messages.stream()
        .map(
            message ->
                MessageFields.with(
                    message, change.made().apply(request, new ProtoMessage(message))))
        .toList();
  }

  /** The code of a test made an answer that the operation does not have, or failed. */
  private void noAnswer(RuntimeException e) {
    end(
        new CallEnd.Failed(
            INTERNAL,
            "The answer that the test made for "
                + asked.operation().rpcName()
                + " is none: "
                + (e instanceof IllegalArgumentException ? e.getMessage() : e)));
  }

  private void tell(Outcome came, UnaryOperator<List<Message>> change) {
    if (came.refused()) {
      end(came.failure(plant.shape().get()));
      return;
    }
    try {
      tell(change.apply(came.messages()));
    } catch (RuntimeException e) {
      noAnswer(e);
    }
  }

  private void tell(List<Message> messages) {
    tell(messages, messages.stream().map(Message::toByteArray).toList());
  }

  private void tell(Outcome came, @Nullable WrongAnswer wrong) {
    if (came.refused()) {
      end(came.failure(plant.shape().get()));
      return;
    }
    if (wrong == null) {
      tell(came.messages());
      return;
    }
    List<Message> told = WrongAnswers.messages(wrong, asked.request(), came.messages());
    tell(told, WrongAnswers.bytes(wrong, told));
  }

  private void tell(List<Message> told, List<byte[]> bytes) {
    List<WireMessage> shown = told.stream().<WireMessage>map(ProtoMessage::new).toList();
    // The journal first: who got the answer may call again at once, and is not to be found with two
    // calls in flight.
    if (plant.journal().ended(call, new CallEnd.Answered(shown))) {
      String text = plant.shape().get().has(Quirk.MESSAGE_ON_OK) ? "all is well" : "";
      caller.answer(bytes, text);
    }
    done();
  }

  private void end(CallEnd.Failed failed) {
    if (plant.journal().ended(call, failed)) {
      caller.fail(failed.code(), failed.text());
    }
    done();
  }

  private void done() {
    whenDone.run();
  }

  /** Does the work if that was not done; nothing if it may not be done any more. */
  private @Nullable Outcome work(boolean late, Message request) {
    workLock.lock();
    try {
      if (outcome == null) {
        plant.workers().work(() -> outcome = late || !dead ? backendAnswer(request) : null);
        if (outcome != null && !outcome.refused()) {
          plant.journal().worked(call);
        }
      }
      return outcome;
    } finally {
      workLock.unlock();
    }
  }

  private Outcome backendAnswer(Message request) {
    try {
      List<Message> messages =
          plant.backend().answer(new Asked(asked.operation(), asked.node(), request));
      return new Outcome(List.copyOf(messages), 0, "");
    } catch (Refusal e) {
      return new Outcome(List.of(), e.code().value(), e.text());
    } catch (RuntimeException | Error e) {
      return new Outcome(List.of(), INTERNAL, OWN_FAILURE + e);
    }
  }

  /**
   * The parts of a plugin that every call needs.
   *
   * @param backend does the work
   * @param journal is told
   * @param clock says the time
   * @param workers lend their threads
   * @param gate is shut while the plugin is frozen
   * @param pen holds the calls that hang
   * @param shape what the plugin is at the moment
   */
  record CallSurroundings(
      Backend backend,
      PluginJournal journal,
      PluginClock clock,
      PluginWorkers workers,
      HoldingGate gate,
      HoldingGate pen,
      Supplier<PluginShape> shape) {}
}
