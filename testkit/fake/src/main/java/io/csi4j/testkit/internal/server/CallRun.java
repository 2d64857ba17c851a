package io.csi4j.testkit.internal.server;

import com.google.protobuf.Message;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.internal.backend.Backend;
import io.csi4j.testkit.internal.backend.Backend.Asked;
import io.csi4j.testkit.internal.backend.Refusal;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.Quirk;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A call to a plugin. The backend does the work on threads that it may block. */
final class CallRun extends FaultedCall {

  private static final int UNKNOWN = 2;

  private final PluginCore plugin;
  private final Backend backend;
  private final RecordedCall call;
  private final Asked asked;
  private final ReentrantLock workLock = new ReentrantLock();
  private volatile @Nullable Outcome outcome;

  /** The result of a call's work: messages, or a refusal. */
  private record Outcome(List<Message> messages, int refusal, String text) {
    boolean refused() {
      return refusal != 0;
    }
  }

  CallRun(
      PluginCore plugin,
      Backend backend,
      RecordedCall call,
      Asked asked,
      List<Fault> steps,
      CallStream caller) {
    super(
        plugin,
        asked.operation().rpcName(),
        asked.request(),
        WireOperation.of(asked.operation()).answer(),
        steps,
        caller);
    this.plugin = plugin;
    this.backend = backend;
    this.call = call;
    this.asked = asked;
  }

  void start() {
    plugin.workers().execute(this::begin);
  }

  /** Ends the call by resetting its HTTP/2 stream, without a gRPC status. */
  void refuse() {
    boolean unused = ended(new CallEnd.Broken());
    caller().reset();
  }

  @Override
  protected boolean ended(CallEnd end) {
    return plugin.journal().ended(call, end);
  }

  @Override
  protected void work(Doing how, Message request, Runnable then) {
    workLock.lock();
    try {
      if (outcome == null || how == Doing.AGAIN) {
        plugin
            .workers()
            .work(() -> outcome = how == Doing.LATE || !isDead() ? backendAnswer(request) : null);
        if (outcome != null && !outcome.refused()) {
          plugin.journal().worked(call);
        }
      }
      if (outcome == null) {
        return;
      }
    } finally {
      workLock.unlock();
    }
    then.run();
  }

  private Outcome backendAnswer(Message request) {
    try {
      List<Message> messages = backend.answer(new Asked(asked.operation(), asked.node(), request));
      return new Outcome(List.copyOf(messages), 0, "");
    } catch (Refusal e) {
      return new Outcome(List.of(), e.code().value(), e.text());
    } catch (RuntimeException | Error e) {
      return new Outcome(List.of(), INTERNAL, plugin.ownFailure(e));
    }
  }

  @Override
  protected Optional<List<Message>> messages() {
    Outcome came = Objects.requireNonNull(outcome);
    return came.refused() ? Optional.empty() : Optional.of(came.messages());
  }

  @Override
  protected void tell() {
    Outcome came = Objects.requireNonNull(outcome);
    if (!came.refused()) {
      answer(came.messages());
    } else if (plugin.shape().has(Quirk.FAILURES_UNKNOWN_AND_SILENT)) {
      fail(UNKNOWN, "");
    } else {
      fail(came.refusal(), came.text());
    }
  }

  @Override
  String textOfOk() {
    return plugin.shape().has(Quirk.MESSAGE_ON_OK) ? "all is well" : "";
  }
}
