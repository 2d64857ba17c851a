package io.csi4j.testkit.internal.referee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.client.node.NodeUnpublishVolumeRequest;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Volumes that are published without having been created, at the fake and before the referee. */
class InlineVolumeRuleTest {

  private static final VolumeCapability MOUNT =
      VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER);
  private static final VolumeId ID = VolumeId.of("inline-1");
  private static final PluginPath TARGET = PluginPath.of("/target");
  private static final Map<String, String> INLINE =
      Map.of("csi.storage.k8s.io/ephemeral", "true", "size", "1Gi");

  /** It attaches and stages its other volumes. */
  private static FakeCsiPlugin open(PluginShape shape) {
    return FakeCsiPlugin.builder().shape(shape).effects(NodeEffects.none()).open();
  }

  private static FakeCsiPlugin taking() {
    return open(PluginShape.full().with(Quirk.INLINE_VOLUMES_TAKEN));
  }

  private static NodePublishVolumeRequest.Builder publish(Map<String, String> context) {
    return NodePublishVolumeRequest.builder(ID, TARGET, MOUNT)
        .volumeContext(VolumeContext.of(context));
  }

  private static StatusCode refused(CsiPlugin plugin, NodePublishVolumeRequest request) {
    return catchThrowableOfType(CsiException.class, () -> plugin.node().publishVolume(request))
        .code();
  }

  @Test
  void aPluginThatTakesThemMakesOneWhenItIsPublishedAndDeletesItWhenItIsUnpublished() {
    try (FakeCsiPlugin fake = taking();
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      plugin.node().publishVolume(publish(INLINE).build());
      plugin.node().publishVolume(publish(INLINE).build());
      assertThat(fake.contents().volumes()).containsExactly(ID);
      plugin.node().unpublishVolume(NodeUnpublishVolumeRequest.builder(ID, TARGET).build());
      assertThat(fake.contents().empty()).isTrue();
      fake.assertLawful();
    }
  }

  @Test
  void oneStaysWhileItIsPublishedAndIsUnpublishedWhereItIsNot() {
    try (FakeCsiPlugin fake = taking();
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      plugin.node().publishVolume(publish(INLINE).build());
      plugin
          .node()
          .unpublishVolume(
              NodeUnpublishVolumeRequest.builder(ID, PluginPath.of("/elsewhere")).build());
      assertThat(fake.contents().volumes()).containsExactly(ID);
      plugin.node().unpublishVolume(NodeUnpublishVolumeRequest.builder(ID, TARGET).build());
      assertThat(fake.contents().empty()).isTrue();
    }
  }

  @Test
  void oneOfTwoTargetsGoesWithTheSecond() {
    PluginPath second = PluginPath.of("/second");
    VolumeCapability several = VolumeCapability.mount(AccessMode.SINGLE_NODE_MULTI_WRITER);
    try (FakeCsiPlugin fake = taking();
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      for (PluginPath target : List.of(TARGET, second)) {
        plugin
            .node()
            .publishVolume(
                NodePublishVolumeRequest.builder(ID, target, several)
                    .volumeContext(VolumeContext.of(INLINE))
                    .build());
      }
      plugin.node().unpublishVolume(NodeUnpublishVolumeRequest.builder(ID, TARGET).build());
      assertThat(fake.contents().volumes()).containsExactly(ID);
      assertThat(fake.contents().published())
          .extracting(each -> each.path().value())
          .containsExactly("/second");
      plugin.node().unpublishVolume(NodeUnpublishVolumeRequest.builder(ID, second).build());
      assertThat(fake.contents().empty()).isTrue();
    }
  }

  @Test
  void oneThatIsGoneIsUnpublishedAgainAlsoAfterARestart() {
    NodeUnpublishVolumeRequest unpublish = NodeUnpublishVolumeRequest.builder(ID, TARGET).build();
    try (FakeCsiPlugin fake = taking();
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      plugin.node().publishVolume(publish(INLINE).build());
      plugin.node().unpublishVolume(unpublish);
      plugin.node().unpublishVolume(unpublish);
      fake.restart();
      plugin.node().unpublishVolume(unpublish);
      assertThat(fake.contents().empty()).isTrue();
      fake.assertLawful();
    }
  }

  @Test
  void aPluginThatHasNoneDoesNotFindWhatItDoesNotKnow() {
    try (FakeCsiPlugin fake = open(PluginShape.full());
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      CsiException refused =
          catchThrowableOfType(
              CsiException.class,
              () ->
                  plugin
                      .node()
                      .unpublishVolume(NodeUnpublishVolumeRequest.builder(ID, TARGET).build()));
      assertThat(refused.code()).isEqualTo(StatusCode.NOT_FOUND);
    }
  }

  @Test
  void withoutTheWordInItsContextAVolumeThatWasNotCreatedIsNotFound() {
    try (FakeCsiPlugin fake = open(PluginShape.plain().with(Quirk.INLINE_VOLUMES_TAKEN));
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      assertThat(refused(plugin, publish(Map.of("size", "1Gi")).build()))
          .isEqualTo(StatusCode.NOT_FOUND);
      assertThat(fake.verdict().breaches()).isNotEmpty();
    }
  }

  @Test
  void oneIsNeitherStagedNorNamedLikeAVolumeThatWasCreated() {
    try (FakeCsiPlugin fake = taking();
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      assertThat(
              refused(plugin, publish(INLINE).stagingTargetPath(PluginPath.of("/staged")).build()))
          .isEqualTo(StatusCode.INVALID_ARGUMENT);
      assertThat(fake.contents().volumes()).isEmpty();
      VolumeId created =
          plugin
              .controller()
              .createVolume(CreateVolumeRequest.builder("db", List.of(MOUNT)).build())
              .id();
      assertThat(
              refused(
                  plugin,
                  NodePublishVolumeRequest.builder(created, TARGET, MOUNT)
                      .volumeContext(VolumeContext.of(INLINE))
                      .build()))
          .isEqualTo(StatusCode.INVALID_ARGUMENT);
      assertThat(fake.contents().volumes()).containsExactly(created);
    }
  }

  @Test
  void oneWhosePublishingFailsIsNotLeft() {
    Path nowhere = Path.of("/dev/null/nowhere");
    try (FakeCsiPlugin fake =
            FakeCsiPlugin.builder()
                .shape(PluginShape.full().with(Quirk.INLINE_VOLUMES_TAKEN))
                .effects(NodeEffects.files())
                .open();
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      assertThat(
              refused(
                  plugin,
                  NodePublishVolumeRequest.builder(ID, PluginPath.of(nowhere.toString()), MOUNT)
                      .volumeContext(VolumeContext.of(INLINE))
                      .build()))
          .isEqualTo(StatusCode.INTERNAL);
      assertThat(fake.contents().volumes()).isEmpty();
    }
  }

  @Test
  void aPluginOfTheLetterRefusesAndTheRefereeAccuses() {
    try (FakeCsiPlugin fake = open(PluginShape.full());
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      assertThat(refused(plugin, publish(INLINE).build())).isEqualTo(StatusCode.NOT_FOUND);
      assertThat(fake.verdict().breaches())
          .extracting(breach -> breach.duty().toString())
          .contains("D-139");
    }
  }
}
