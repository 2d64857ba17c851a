package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.RecordedCall;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Future;

/** Calls that take longer than any caller waits. */
final class SlowCallScenarios {

  private SlowCallScenarios() {}

  static void addTo(Scenarios all) {
    for (CsiOperation step : StepNames.DOING) {
      all.add("slow/" + StepNames.of(step), play -> slowMount(play, step));
    }
    all.add("slow/unpublish", SlowCallScenarios::slowUnpublish);
    all.add("slow/hung-call-blocks-nobody", SlowCallScenarios::blocksNobody);
  }

  private static void slowMount(Play play, CsiOperation step) {
    MountOrder order = play.order();
    play.plugin().inject(Fault.hang(), When.calling(step).once());
    Future<Path> mounting = play.beginMount(order);
    RecordedCall call = play.awaitCall(step);
    play.awaitEnd(call);
    play.plugin().release();
    play.outcome(Play.mounting(order), mounting)
        .value()
        .ifPresent(path -> play.expectPublished(order, path));
    play.mount(order);
    play.expectReady(order);
  }

  private static void slowUnpublish(Play play) {
    MountOrder order = play.order();
    play.mount(order);
    CsiOperation step = CsiOperation.NODE_UNPUBLISH_VOLUME;
    play.plugin().inject(Fault.hang(), When.calling(step).once());
    Future<Boolean> unmounting = play.beginUnmount(order);
    RecordedCall call = play.awaitCall(step);
    play.awaitEnd(call);
    play.plugin().release();
    OrchestratorReply<Boolean> done = play.outcome(Play.unmounting(order), unmounting);
    if (done.value().isPresent()) {
      play.expectPublications(order, 0);
    }
    play.unmount(order);
  }

  private static void blocksNobody(Play play) {
    MountOrder hung = play.order(1);
    MountOrder other = play.order(2);
    CsiOperation step = CsiOperation.NODE_STAGE_VOLUME;
    play.plugin().inject(Fault.hang(), When.calling(step).ofVolume(hung.volume()));
    Future<Path> mounting = play.beginMount(hung);
    play.awaitCall(step);
    play.mount(other);
    // Its own mount is done: was the other still waiting, at its end or on its way?
    boolean waiting = !mounting.isDone();
    List<Long> hanging =
        play.plugin().journal().calls(hung.volume()).stream().map(RecordedCall::number).toList();
    boolean beside =
        play.plugin().journal().calls(other.volume()).stream()
            .anyMatch(call -> call.beside().stream().anyMatch(hanging::contains));
    play.expect(
        waiting || beside,
        "Volume '"
            + other.volume()
            + "' was mounted only after the call for '"
            + hung.volume()
            + "' had been given up.");
    play.plugin().clearFaults();
    play.plugin().release();
    OrchestratorReply<Path> last = play.outcome(Play.mounting(hung), mounting);
    last.value().ifPresent(path -> play.expectPublished(hung, path));
  }
}
