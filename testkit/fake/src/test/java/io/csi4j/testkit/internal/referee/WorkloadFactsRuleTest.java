package io.csi4j.testkit.internal.referee;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.client.node.NodeService;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.client.node.NodeUnpublishVolumeRequest;
import io.csi4j.client.node.NodeUnstageVolumeRequest;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.testkit.referee.Verdict;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Facts of a workload beside the context of a volume, as the referee sees them. */
class WorkloadFactsRuleTest {

  private static final VolumeCapability MOUNT =
      VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER);
  private static final PluginPath STAGED = PluginPath.of("/staged");
  private static final PluginPath TARGET = PluginPath.of("/target");

  /** The duties about the context of a volume, where it is staged and where it is published. */
  private static final Set<String> CONTEXTS = Set.of("D-384", "D-413");

  private static final Map<String, String> FACTS = Map.of("csi.storage.k8s.io/pod.name", "web");

  private static VolumeContext with(Volume volume, Map<String, String> more) {
    Map<String, String> all = new HashMap<>(volume.context().reveal());
    all.putAll(more);
    return VolumeContext.of(all);
  }

  /**
   * The duties about contexts that are broken by a mount with more in its contexts than the plugin
   * gave.
   */
  private static List<String> broken(
      PluginShape shape, Map<String, String> staging, Map<String, String> publishing) {
    try (FakeCsiPlugin fake = open(shape)) {
      mount(fake.endpoint(), staging, publishing);
      return broken(fake.verdict());
    }
  }

  private static FakeCsiPlugin open(PluginShape shape) {
    return FakeCsiPlugin.builder().shape(shape).effects(NodeEffects.none()).open();
  }

  private static void mount(
      CsiEndpoint endpoint, Map<String, String> staging, Map<String, String> publishing) {
    try (CsiPlugin plugin = CsiPlugin.connect(endpoint)) {
      Volume volume =
          plugin
              .controller()
              .createVolume(CreateVolumeRequest.builder("db", List.of(MOUNT)).build());
      try {
        use(plugin.node(), volume, with(volume, staging), with(volume, publishing));
      } catch (CsiException refused) {
        assertThat(refused.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
      }
    }
  }

  private static List<String> broken(Verdict verdict) {
    return verdict.breaches().stream()
        .map(breach -> breach.duty().toString())
        .filter(CONTEXTS::contains)
        .toList();
  }

  private static void use(
      NodeService node, Volume volume, VolumeContext staging, VolumeContext publishing) {
    node.stageVolume(
        NodeStageVolumeRequest.builder(volume.id(), STAGED, MOUNT).volumeContext(staging).build());
    node.publishVolume(
        NodePublishVolumeRequest.builder(volume.id(), TARGET, MOUNT)
            .stagingTargetPath(STAGED)
            .volumeContext(publishing)
            .build());
    node.unpublishVolume(NodeUnpublishVolumeRequest.builder(volume.id(), TARGET).build());
    node.unstageVolume(NodeUnstageVolumeRequest.builder(volume.id(), STAGED).build());
  }

  @Test
  void onlyAPluginThatTakesThemMayBeGivenThemAndOnlyWhenItPublishes() {
    PluginShape plain = PluginShape.noAttach();
    PluginShape taking = plain.with(Quirk.WORKLOAD_FACTS_TAKEN);

    assertThat(broken(taking, Map.of(), FACTS)).isEmpty();
    assertThat(broken(taking, Map.of(), Map.of())).isEmpty();
    assertThat(broken(taking, FACTS, Map.of())).as("staging").containsExactly("D-384");
    assertThat(broken(taking, Map.of(), Map.of("other", "key")))
        .as("another key")
        .containsExactly("D-413");
    assertThat(broken(plain, Map.of(), FACTS))
        .as("a plugin of the letter")
        .containsExactly("D-413");
  }
}
