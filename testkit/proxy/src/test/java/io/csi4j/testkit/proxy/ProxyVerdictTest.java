package io.csi4j.testkit.proxy;

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
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.client.node.NodeUnpublishVolumeRequest;
import io.csi4j.client.node.NodeUnstageVolumeRequest;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The verdict of a proxy, which knows of its plugin only what it was told. */
class ProxyVerdictTest {

  private static final VolumeCapability MOUNT =
      VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER);
  private static final PluginPath STAGED = PluginPath.of("/staged");
  private static final PluginPath TARGET = PluginPath.of("/target");
  private static final Map<String, String> FACTS = Map.of("csi.storage.k8s.io/pod.name", "web");
  private static final Map<String, String> INLINE =
      Map.of("csi.storage.k8s.io/ephemeral", "true", "size", "1Gi");

  private static FakeCsiPlugin open(PluginShape shape) {
    return FakeCsiPlugin.builder().shape(shape).effects(NodeEffects.none()).open();
  }

  private static void mount(CsiEndpoint endpoint, Map<String, String> publishing) {
    try (CsiPlugin plugin = CsiPlugin.connect(endpoint)) {
      Volume volume =
          plugin
              .controller()
              .createVolume(CreateVolumeRequest.builder("db", List.of(MOUNT)).build());
      Map<String, String> context = new HashMap<>(volume.context().reveal());
      context.putAll(publishing);
      try {
        plugin
            .node()
            .stageVolume(
                NodeStageVolumeRequest.builder(volume.id(), STAGED, MOUNT)
                    .volumeContext(volume.context())
                    .build());
        plugin
            .node()
            .publishVolume(
                NodePublishVolumeRequest.builder(volume.id(), TARGET, MOUNT)
                    .stagingTargetPath(STAGED)
                    .volumeContext(VolumeContext.of(context))
                    .build());
        plugin
            .node()
            .unpublishVolume(NodeUnpublishVolumeRequest.builder(volume.id(), TARGET).build());
        plugin.node().unstageVolume(NodeUnstageVolumeRequest.builder(volume.id(), STAGED).build());
      } catch (CsiException refused) {
        assertThat(refused.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
      }
    }
  }

  /** The broken duties about the context of a volume. */
  private static List<String> broken(CsiProxy proxy) {
    return proxy.verdict().breaches().stream()
        .map(breach -> breach.duty().toString())
        .filter(duty -> duty.equals("D-384") || duty.equals("D-413"))
        .toList();
  }

  @Test
  void factsOfWorkloadsAreAllowedOnlyIfThePluginIsSaidToTakeThem() {
    Map<String, String> both = Map.of("csi.storage.k8s.io/pod.name", "web", "other", "key");
    try (FakeCsiPlugin fake = open(PluginShape.noAttach().with(Quirk.WORKLOAD_FACTS_TAKEN));
        CsiProxy untold = CsiProxy.builder(fake.endpoint()).newPlugin(true).open();
        CsiProxy told =
            CsiProxy.builder(fake.endpoint()).newPlugin(true).workloadFacts(true).open();
        CsiProxy strict =
            CsiProxy.builder(fake.endpoint()).newPlugin(true).workloadFacts(true).open()) {
      mount(untold.endpoint(), FACTS);
      mount(told.endpoint(), FACTS);
      mount(strict.endpoint(), both);

      assertThat(broken(untold)).containsExactly("D-413");
      assertThat(broken(told)).isEmpty();
      assertThat(broken(strict)).as("another key").containsExactly("D-413");
    }
  }

  @Test
  void inlineVolumesAreAllowedOnlyIfThePluginIsSaidToMakeThem() {
    try (FakeCsiPlugin fake = open(PluginShape.full().with(Quirk.INLINE_VOLUMES_TAKEN));
        CsiProxy untold = CsiProxy.builder(fake.endpoint()).newPlugin(true).open();
        CsiProxy told =
            CsiProxy.builder(fake.endpoint())
                .newPlugin(true)
                .workloadFacts(true)
                .inlineVolumes(true)
                .open()) {
      useInline(untold.endpoint());
      useInline(told.endpoint());

      assertThat(untold.verdict().breaches()).isNotEmpty();
      assertThat(told.verdict().breaches()).isEmpty();
    }
  }

  private static void useInline(CsiEndpoint endpoint) {
    VolumeId id = VolumeId.of("inline-1");
    try (CsiPlugin plugin = CsiPlugin.connect(endpoint)) {
      assertThat(plugin.node().getInfo().nodeId().value()).isNotEmpty();
      plugin
          .node()
          .publishVolume(
              NodePublishVolumeRequest.builder(id, TARGET, MOUNT)
                  .volumeContext(VolumeContext.of(INLINE))
                  .build());
      plugin.node().unpublishVolume(NodeUnpublishVolumeRequest.builder(id, TARGET).build());
    }
  }
}
