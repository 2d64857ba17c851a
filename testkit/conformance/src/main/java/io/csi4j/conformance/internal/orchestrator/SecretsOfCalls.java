package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.Map;
import java.util.Set;

/** Which secrets came with which calls. */
final class SecretsOfCalls {

  private static final Set<CsiOperation> TAKING =
      Set.of(
          CsiOperation.CONTROLLER_PUBLISH_VOLUME,
          CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
          CsiOperation.NODE_STAGE_VOLUME,
          CsiOperation.NODE_PUBLISH_VOLUME);

  private SecretsOfCalls() {}

  static void check(Play play) throws StuckException, InterruptedException {
    play.mount(play.order());
    play.unmount(play.order());
    for (RecordedCall call : play.plugin().journal().calls()) {
      String name = call.operation().rpcName();
      if (TAKING.contains(call.operation())) {
        play.expect(
            call.request().map("secrets").equals(ScenarioRun.secretsFor(call.operation()).reveal()),
            name + " came with other secrets than its own, or without them.");
      }
      play.expect(!tellsSecrets(call.request()), name + " has a secret in one of its contexts.");
    }
  }

  private static boolean tellsSecrets(WireMessage request) {
    return Set.of("volume_context", "publish_context").stream()
        .filter(request.fields()::contains)
        .map(request::map)
        .map(Map::values)
        .anyMatch(values -> values.stream().anyMatch(value -> value.contains("csi4j-hidden")));
  }
}
