package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.ScenarioWorkload;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginContents.Published;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Scenarios with inline volumes. The plugin creates an inline volume when it is published, and
 * deletes it when it is unpublished. An orchestrator need not support inline volumes; without
 * support, these scenarios check nothing.
 */
final class InlineScenarios {

  private static final String CACHE = "cache";
  private static final ScenarioWorkload ONE = ScenarioWorkload.of("workload-1");
  private static final ScenarioWorkload TWO = ScenarioWorkload.of("workload-2");

  private InlineScenarios() {}

  static void addTo(Scenarios all) {
    all.add("inline/published-alone", InlineScenarios::publishedAlone);
    all.add("inline/one-for-each-workload", InlineScenarios::oneForEach);
    all.add("inline/answer-lost", InlineScenarios::answersLost);
    all.add("inline/then-a-crash", InlineScenarios::thenCrash);
  }

  private static void publishedAlone(Play play) {
    Optional<Path> path = play.mountInline(CACHE, ONE);
    if (path.isEmpty()) {
      return;
    }
    expectAt(play, path.get());
    for (RecordedCall call : play.plugin().journal().calls(CsiOperation.NODE_PUBLISH_VOLUME)) {
      play.expect(
          "1Gi".equals(call.request().map("volume_context").get("size")),
          "An inline volume was published without the attributes of its job.");
      play.expect(
          call.request().text("staging_target_path").isEmpty(),
          "An inline volume was published with a staging path, and is not staged.");
    }
    gone(play, CACHE, ONE);
    String why = "an inline volume is neither created, attached nor staged.";
    play.expectNone(CsiOperation.CREATE_VOLUME, why);
    play.expectNone(CsiOperation.CONTROLLER_PUBLISH_VOLUME, why);
    play.expectNone(CsiOperation.NODE_STAGE_VOLUME, why);
    play.expectNone(CsiOperation.NODE_UNSTAGE_VOLUME, why);
    play.expectNone(CsiOperation.DELETE_VOLUME, why);
  }

  private static void oneForEach(Play play) {
    Optional<Path> first = play.mountInline(CACHE, ONE);
    Optional<Path> second = play.mountInline(CACHE, TWO);
    if (first.isEmpty() || second.isEmpty()) {
      return;
    }
    play.expect(
        play.contents().volumes().size() == 2,
        "Two workloads have " + play.contents().volumes().size() + " volumes.");
    play.unmountInline(CACHE, ONE);
    expectAt(play, second.get());
    play.expect(
        play.contents().volumes().size() == 1,
        "One workload still has its volume, but "
            + play.contents().volumes().size()
            + " volumes exist.");
    gone(play, CACHE, TWO);
  }

  private static void answersLost(Play play) {
    play.breakOnce(CsiOperation.NODE_PUBLISH_VOLUME, Fault.applyThenDrop());
    Optional<Path> path = play.mountInline(CACHE, ONE);
    if (path.isEmpty()) {
      return;
    }
    expectAt(play, path.get());
    play.expect(
        play.contents().volumes().size() == 1,
        "After a lost answer there are " + play.contents().volumes().size() + " volumes.");
    play.breakOnce(
        CsiOperation.NODE_UNPUBLISH_VOLUME,
        Fault.applyThenFail(StatusCode.DEADLINE_EXCEEDED, "slow"));
    gone(play, CACHE, ONE);
  }

  private static void thenCrash(Play play) {
    Optional<Path> path = play.mountInline(CACHE, ONE);
    if (path.isEmpty()) {
      return;
    }
    List<?> before = List.copyOf(play.contents().volumes());
    play.restart();
    play.expect(play.mountInline(CACHE, ONE).equals(path), "Its path changed with the crash.");
    play.expect(
        List.copyOf(play.contents().volumes()).equals(before),
        "After the crash the workload has another volume.");
    play.expectNone(
        CsiOperation.NODE_UNPUBLISH_VOLUME, "the workload should keep its volume and its data.");
    gone(play, CACHE, ONE);
  }

  private static void expectAt(Play play, Path path) {
    List<Published> there =
        play.contents().published().stream()
            .filter(each -> each.path().value().equals(path.toString()))
            .toList();
    play.expect(there.size() == 1, "The plugin has not published the inline volume at its path.");
  }

  private static void gone(Play play, String volume, ScenarioWorkload workload) {
    play.unmountInline(volume, workload);
    play.expect(
        play.contents().volumes().isEmpty(),
        "The inline volume still exists after its workload " + "has ended.");
  }
}
