package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.model.VolumeId;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.conformance.model.ScenarioWorkload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Scenarios with long or unusual ids. */
final class NameScenarios {

  private NameScenarios() {}

  static void addTo(Scenarios all) {
    all.add(
        "names/long",
        play -> mountAll(play, longIds(), List.of(ScenarioWorkload.of("w".repeat(300)))));
    all.add("names/odd", play -> mountAll(play, oddIds(), oddWorkloads()));
  }

  private static List<VolumeId> longIds() {
    String most = "v".repeat(127);
    return List.of(VolumeId.of(most + "a"), VolumeId.of(most + "b"));
  }

  private static List<VolumeId> oddIds() {
    return List.of(
        VolumeId.of("../../outside"),
        VolumeId.of("/absolute/path"),
        VolumeId.of(".."),
        VolumeId.of("Case"),
        VolumeId.of("case"),
        VolumeId.of(" with blanks "),
        VolumeId.of("a%2Fb"),
        VolumeId.of("a/b"),
        VolumeId.of("gr\u00fc\u00df-\ud83d\ude00"));
  }

  private static List<ScenarioWorkload> oddWorkloads() {
    return List.of(
        ScenarioWorkload.of("../w"), ScenarioWorkload.of("w"), ScenarioWorkload.of("a/b\n"));
  }

  private static void mountAll(Play play, List<VolumeId> ids, List<ScenarioWorkload> workloads) {
    Set<Path> paths = new HashSet<>();
    List<MountOrder> orders = new ArrayList<>();
    for (VolumeId id : ids) {
      for (ScenarioWorkload workload : workloads) {
        orders.add(play.order(id, workload));
      }
    }
    for (MountOrder order : orders) {
      Path path = play.mount(order);
      play.expect(paths.add(path), Play.mounting(order) + " gave a path that is in use.");
      play.expect(
          path.normalize().startsWith(play.directory()),
          Play.mounting(order) + " gave a path outside the directory of the orchestrator.");
    }
    play.expect(
        play.contents().staged().size() == ids.size(),
        play.contents().staged().size() + " volumes are staged, not " + ids.size() + ".");
    for (MountOrder order : orders) {
      play.unmount(order);
    }
  }
}
