package io.csi4j.testkit.internal.server;

import com.google.protobuf.Message;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.internal.backend.Backend.Asked;
import io.csi4j.testkit.internal.journal.CallFacts;
import io.csi4j.testkit.internal.journal.PluginJournal.Arrival;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.Quirk;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Takes in the calls of a plugin, and knows those under way.
 *
 * <p>Calls come in and are written down on the event loop, so that the journal has them in the
 * order in which they came.
 */
final class Reception {

  private static final int UNIMPLEMENTED = 12;
  private static final int INTERNAL = 13;

  private final CallRun.CallSurroundings plant;
  private final FaultBook faults;
  private final boolean visiblePaths;

  /** The runs that still have something to do, waited for or not. */
  private final Set<CallRun> living = ConcurrentHashMap.newKeySet();

  /** Those whose stream is open. Belongs to the event loop. */
  private final Map<Caller, CallRun> waitedFor = new HashMap<>();

  Reception(CallRun.CallSurroundings plant, FaultBook faults, boolean visiblePaths) {
    this.plant = plant;
    this.faults = faults;
    this.visiblePaths = visiblePaths;
  }

  /** The door through which calls come in at {@code site}. */
  ServedStream.Door at(SocketSite site) {
    return new ServedStream.Door() {
      @Override
      public void enter(String path, SentHeaders sent, byte[] message, Caller caller) {
        plant.workers().travel(() -> take(path, sent, message, caller));
      }

      private void take(String path, SentHeaders sent, byte[] message, Caller caller) {
        WireOperation.at(path)
            .ifPresentOrElse(
                wire -> receive(site, wire, sent, message, caller),
                () -> caller.fail(UNIMPLEMENTED, "There is no method " + SafeText.quote(path)));
      }

      @Override
      public void abandoned(Caller caller) {
        CallRun run = waitedFor.remove(caller);
        if (run != null) {
          run.endAs(new CallEnd.Abandoned());
        }
      }

      @Override
      public void drop(Caller caller) {
        breakConnection(caller.connection());
      }
    };
  }

  /** Lets every call die with its plugin. On the event loop. */
  void kill() {
    living.forEach(CallRun::die);
    living.clear();
  }

  /** Ends every call that is waited for, as its connection breaks. On the event loop. */
  void breakAll() {
    waitedFor.values().forEach(run -> run.endAs(new CallEnd.Broken()));
  }

  private void breakConnection(Object connection) {
    waitedFor.forEach(
        (caller, run) -> {
          if (caller.connection() == connection) {
            run.endAs(new CallEnd.Broken());
          }
        });
    PluginSockets.breakOff((Channel) connection);
  }

  private void receive(
      SocketSite site, WireOperation wire, SentHeaders sent, byte[] message, Caller caller) {
    CsiOperation operation = wire.operation();
    Optional<Message> read = WireOperation.parsed(wire.request(), message);
    Message request = read.orElse(wire.request());
    Arrival arrival =
        new Arrival(
            operation,
            Optional.ofNullable(site.node()),
            request,
            sent.authority(),
            sent.metadata(),
            CallFacts.paths(request, visiblePaths));
    // The fault is chosen first, so that it is chosen once the call can be seen in the journal.
    List<Fault> steps =
        read.isEmpty()
            ? refusal(INTERNAL, "The request is no " + request.getClass().getSimpleName())
            : site.services().contains(operation.service())
                ? steps(arrival)
                : refusal(UNIMPLEMENTED, operation.service().fullName() + " is not served here");
    RecordedCall call = plant.journal().began(arrival);
    Asked asked = new Asked(operation, site.node(), request);
    CallRun[] self = new CallRun[1];
    CallRun run = new CallRun(plant, call, asked, steps, caller, () -> living.remove(self[0]));
    self[0] = run;
    living.add(run);
    waitedFor.put(caller, run);
    if (plant.shape().get().has(Quirk.STRICT_AUTHORITY) && !sent.authority().equals("localhost")) {
      run.refuse();
    } else {
      run.start();
    }
  }

  /** The condition of a fault is foreign code, and may fail. */
  private List<Fault> steps(Arrival arrival) {
    try {
      return faults.stepsFor(plant.journal().preview(arrival));
    } catch (RuntimeException | Error e) {
      return refusal(INTERNAL, "The condition of a fault failed itself: " + e);
    }
  }

  private static List<Fault> refusal(int code, String text) {
    return Fault.fail(code, text).steps();
  }
}
