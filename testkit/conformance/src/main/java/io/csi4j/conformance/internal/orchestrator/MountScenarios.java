package io.csi4j.conformance.internal.orchestrator;

import static io.csi4j.conformance.internal.orchestrator.Play.workload;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Scenarios that mount and unmount volumes without faults. */
final class MountScenarios {

  /** Operations whose requests contain secrets. */
  private static final Set<CsiOperation> WITH_SECRETS =
      Set.of(
          CsiOperation.CONTROLLER_PUBLISH_VOLUME,
          CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
          CsiOperation.NODE_STAGE_VOLUME,
          CsiOperation.NODE_PUBLISH_VOLUME);

  /** Operations whose requests state how a volume is used. */
  private static final Set<CsiOperation> TELLING_THE_USE =
      Set.of(
          CsiOperation.CONTROLLER_PUBLISH_VOLUME,
          CsiOperation.NODE_STAGE_VOLUME,
          CsiOperation.NODE_PUBLISH_VOLUME);

  private MountScenarios() {}

  static void addTo(Scenarios all) {
    all.add("mount/otherwise", MountScenarios::otherwise);
    all.add("mount/flags", MountScenarios::flags);
    all.add("mount/workload-facts", MountScenarios::workloadFacts);
    all.add("mount/block-device", MountScenarios::blockDevice);
    all.add("secrets/only-where-expected", MountScenarios::secrets);
  }

  private static void otherwise(Play play) {
    MountOrder writing = play.order();
    Path path = play.mount(writing);
    OrchestratorReply<Path> other = play.tryMount(writing.forReading());
    play.expectPublished(writing, path);
    other
        .value()
        .filter(given -> !given.equals(path))
        .ifPresent(given -> play.expectPublished(writing.forReading(), given));
  }

  private static void flags(Play play) {
    MountFlags flags = MountFlags.of("noatime", "context=\"system_u:object_r:file_t:s0:c1,c2\"");
    VolumeCapability labelled =
        VolumeCapability.mount(
            AccessMode.MULTI_NODE_MULTI_WRITER, MountOptions.none().withFlags(flags));
    MountOrder order = play.order().as(labelled);
    play.mount(order);
    play.mount(workload(2, order));
    for (CsiOperation operation : TELLING_THE_USE) {
      for (RecordedCall call : play.plugin().journal().calls(operation)) {
        play.expect(
            call.request()
                .message("volume_capability")
                .message("mount")
                .texts("mount_flags")
                .equals(flags.reveal()),
            operation.rpcName() + " came with other mount flags than those of the volume.");
      }
    }
  }

  private static void workloadFacts(Play play) {
    MountOrder one = play.order();
    play.mount(one);
    play.mount(workload(2, one));
    for (CsiOperation operation : TELLING_THE_USE) {
      if (operation != CsiOperation.NODE_PUBLISH_VOLUME) {
        play.expect(
            facts(play, operation).stream().allMatch(Map::isEmpty),
            operation.rpcName()
                + " is sent for all workloads of a volume, but had facts about one of them.");
      }
    }
    List<Map<String, String>> told = facts(play, CsiOperation.NODE_PUBLISH_VOLUME);
    for (String key : List.of("csi.storage.k8s.io/pod.name", "csi.storage.k8s.io/pod.uid")) {
      List<String> names =
          told.stream().filter(each -> each.containsKey(key)).map(each -> each.get(key)).toList();
      play.expect(
          names.isEmpty() || names.stream().distinct().count() == 2,
          "The NodePublishVolume calls for two workloads had these values of "
              + key
              + ": "
              + names
              + ".");
    }
  }

  /** For each call of an operation, returns the data about the workload in its volume context. */
  private static List<Map<String, String>> facts(Play play, CsiOperation operation) {
    return play.plugin().journal().calls(operation).stream()
        .map(
            call -> {
              Map<String, String> told = new TreeMap<>(call.request().map("volume_context"));
              told.keySet().removeIf(key -> !key.startsWith("csi.storage.k8s.io/"));
              return Map.copyOf(told);
            })
        .toList();
  }

  private static void blockDevice(Play play) {
    MountOrder order = play.order().as(VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER));
    play.mount(order);
    play.expectReady(order);
    play.expect(
        play.plugin()
            .journal()
            .lastCapability(CsiOperation.NODE_PUBLISH_VOLUME)
            .filter(VolumeCapability::isBlock)
            .isPresent(),
        "The volume was to be published as a block device, but the plugin got another request.");
  }

  private static void secrets(Play play) {
    play.mount(play.order());
    play.unmount(play.order());
    for (RecordedCall call : play.plugin().journal().calls()) {
      String name = call.operation().rpcName();
      if (WITH_SECRETS.contains(call.operation())) {
        play.expect(
            call.request().map("secrets").equals(ScenarioRun.secretsFor(call.operation()).reveal()),
            name + " got no secrets, or not its own.");
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
