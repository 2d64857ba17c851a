package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNPUBLISH_VOLUME;
import static io.csi4j.volume.functional.Node.usage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.WantedUse;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Inline volumes are published and unpublished, and nothing else, by a plugin that stages its other
 * volumes.
 */
class InlineVolumeTest {

  /** It stages, as {@code nodeOnly} does. */
  private static final PluginShape STAGING =
      PluginShape.nodeOnly().with(Quirk.INLINE_VOLUMES_TAKEN);

  private static final VolumeUse WEB = usage("cache", "web");

  private static Node node() {
    return Node.builder().shape(STAGING).open();
  }

  private static MountRequest inline(VolumeUse usage) {
    return MountRequest.inline(Node.PLUGIN, usage, AccessMode.SINGLE_NODE_WRITER)
        .volumeContext(VolumeContext.of(Map.of("size", "1Gi")))
        .build();
  }

  private static VolumeId handle(VolumeUse usage) {
    return inline(usage).handle();
  }

  private static RecordedCall published(Node node) {
    return node.plugin().journal().calls(NODE_PUBLISH_VOLUME).get(0);
  }

  @Test
  void itIsPublishedWithTheAttributesOfTheJobAndWithoutAStagingPath() {
    try (Node node = node()) {
      MountedVolume mounted = node.mount(inline(WEB));

      assertThat(node.calls()).containsExactly("Publish:OK");
      assertThat(published(node).request().text("staging_target_path")).isEmpty();
      assertThat(published(node).request().map("volume_context"))
          .isEqualTo(Map.of("size", "1Gi", "csi.storage.k8s.io/ephemeral", "true"));
      assertThat(node.plugin().contents().volumes()).containsExactly(handle(WEB));
      assertThat(node.staging(handle(WEB))).isEqualTo(PathStatus.NONE);
      assertThat(node.mount(inline(WEB))).isEqualTo(mounted);

      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.calls()).containsExactly("Publish:OK", "Unpublish:OK");
      assertThat(node.plugin().contents().volumes()).isEmpty();
    }
  }

  @Test
  void itsIdIsTheSameForOneUseAndAnotherForEachOther() {
    assertThat(handle(WEB)).isEqualTo(handle(usage("cache", "web")));
    assertThat(Set.of(handle(WEB), handle(usage("cache", "job")), handle(usage("logs", "web"))))
        .hasSize(3)
        .allMatch(id -> id.value().matches("inline-csi4j-[a-z2-7]{26}"));
    try (Node node = node()) {
      VolumeUse job = usage("cache", "job");
      node.mount(inline(WEB));
      node.mount(inline(job));
      assertThat(node.plugin().contents().volumes()).hasSize(2);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.plugin().contents().volumes()).containsExactly(handle(job));
      assertThat(node.unmount(job)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void theWorkloadIsToldBesideTheAttributes() {
    try (Node node = Node.builder().shape(STAGING.with(Quirk.WORKLOAD_FACTS_TAKEN)).open()) {
      node.mount(
          inline(WEB).toBuilder().workloadFacts(WorkloadFacts.of(WEB).withUid("u-1")).build());
      assertThat(published(node).request().map("volume_context"))
          .containsEntry("csi.storage.k8s.io/ephemeral", "true")
          .containsEntry("csi.storage.k8s.io/pod.uid", "u-1")
          .containsEntry("size", "1Gi");
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void besideItOtherVolumesOfThePluginAreStagedAsBefore() {
    try (Node node = node()) {
      node.volume("vol-1");
      node.mount(inline(WEB));
      node.mount(Node.single("vol-1", "web"));
      assertThat(node.calls(VolumeId.of("vol-1"))).containsExactly("Stage:OK", "Publish:OK");
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void itIsAdoptedAfterARestartAndNothingIsSaidOfAMissingStaging() {
    try (Node node = node()) {
      MountedVolume mounted = node.mount(inline(WEB));
      node.restart();
      node.reconcile(new WantedUse.Requested(inline(WEB)));
      node.restartPlugins();

      assertThat(node.mount(inline(WEB))).isEqualTo(mounted);
      assertThat(node.calls()).containsExactly("Publish:OK");
      assertThat(node.noticed(OperatorCode.CAPABILITY_GAINED)).isFalse();
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.calls()).containsExactly("Publish:OK", "Unpublish:OK");
    }
  }

  @Test
  void whenThePluginBeginsToStageNothingIsToldOfIt() {
    PluginShape plain = STAGING.without(NodeCapability.STAGE_UNSTAGE_VOLUME);
    try (Node node = Node.builder().shape(plain).open()) {
      node.mount(inline(WEB));
      node.plugin().upgrade(STAGING);
      node.registerAll(); // and so what it can do now is asked on a connection of its own
      node.volume("vol-1");
      node.mount(Node.single("vol-1", "job"));
      assertThat(node.verbs(VolumeId.of("vol-1"))).containsExactly("Stage", "Publish");
      assertThat(node.noticed(OperatorCode.CAPABILITY_GAINED)).isFalse();
      assertThat(node.unmount(usage("vol-1", "job"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void oneThatNobodyWantsAfterARestartIsUnpublishedAndNeverUnstaged() {
    try (Node node = node()) {
      node.mount(inline(WEB));
      node.restart();
      node.settleFound();
      node.becomesClean();
      assertThat(node.calls()).containsExactly("Publish:OK", "Unpublish:OK");
      assertThat(node.plugin().contents().volumes()).isEmpty();
    }
  }

  @Test
  void withItsStateLostItIsUnpublishedByWhatItsDirectorySaysAndNeverUnstaged() {
    try (Node node = node()) {
      node.mount(inline(WEB));
      node.crash();
      node.loseState();
      node.start();
      node.settleFound();
      node.becomesClean();
      assertThat(node.verbs(handle(WEB))).doesNotContain("Stage", "Unstage").contains("Unpublish");
      assertThat(node.plugin().contents().volumes()).isEmpty();
    }
  }

  @Test
  void afterARebootItIsMadeAgain() {
    try (Node node = node()) {
      node.mount(inline(WEB));
      node.reboot();
      node.reconcile(new WantedUse.Requested(inline(WEB)));
      assertThat(node.verbs(handle(WEB))).doesNotContain("Stage", "Unstage");
      assertThat(node.target(handle(WEB), "web")).isEqualTo(PathStatus.PRESENT);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void killedBeforeItsMountIsOnRecordItIsThereOrGoneAndNeverStaged() {
    killedAt(CrashPoint.PUBLISH_ANSWERED);
  }

  @Tag("campaign")
  @ParameterizedTest
  @EnumSource(
      value = CrashPoint.class,
      mode = Mode.INCLUDE,
      names = {
        "INTENT_SAVED",
        "VOLUME_PREPARED",
        "USE_PREPARED",
        "BEFORE_PUBLISH",
        "PUBLISH_ANSWERED",
        "TARGET_SEEN",
        "PUBLISHED_SAVED"
      })
  void killedAtAnyMomentOfItsMountItIsThereOrGoneAndNeverStaged(CrashPoint point) {
    killedAt(point);
  }

  private static void killedAt(CrashPoint point) {
    for (boolean wanted : new boolean[] {true, false}) {
      try (Node node = node()) {
        node.dieAt(point);
        var unused = node.engine().mount(inline(WEB));
        node.awaitDeath();
        node.start();
        if (wanted) {
          node.reconcile(new WantedUse.Requested(inline(WEB)));
          assertThat(node.plugin().contents().volumes()).containsExactly(handle(WEB));
          assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
        } else {
          node.settleFound();
        }
        node.becomesClean();
        assertThat(node.plugin().contents().volumes()).as("wanted: %s", wanted).isEmpty();
        assertThat(node.verbs(handle(WEB))).doesNotContain("Stage", "Unstage");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = CrashPoint.class,
      mode = Mode.INCLUDE,
      names = {"BEFORE_UNPUBLISH", "UNPUBLISH_ANSWERED"})
  void killedAtAnyMomentOfItsReleaseItIsGoneInTheEnd(CrashPoint point) {
    try (Node node = node()) {
      node.mount(inline(WEB));
      node.dieAt(point);
      var unused = node.engine().unmount(WEB);
      node.awaitDeath();
      node.start();
      node.settleFound();
      node.becomesClean();
      assertThat(node.plugin().contents().volumes()).isEmpty();
      assertThat(node.verbs(handle(WEB))).doesNotContain("Stage", "Unstage");
    }
  }

  @Test
  void killedAfterItsUseHasEndedItIsForgottenThoughItsReleaseIsAskedForAgain() {
    try (Node node = node()) {
      node.mount(inline(WEB));
      node.dieAt(CrashPoint.USE_END_SAVED);
      var unused = node.engine().unmount(WEB);
      node.awaitDeath();
      node.start();
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.UNKNOWN);
      node.settleFound();
      node.becomesClean();
      assertThat(node.verbs(handle(WEB))).containsExactly("Publish", "Unpublish");
    }
  }

  @Test
  void aLostAnswerToItsUnpublishingEndsThoughThePluginKnowsItNoMore() {
    try (Node node = node()) {
      node.mount(inline(WEB));
      node.plugin()
          .inject(
              Fault.applyThenFail(StatusCode.DEADLINE_EXCEEDED, "slow"),
              When.calling(NODE_UNPUBLISH_VOLUME).once());
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.plugin().contents().volumes()).isEmpty();
    }
  }

  @Test
  void aPluginThatKnowsNoInlineVolumesRefusesAndNothingIsLeft() {
    try (Node node = Node.builder().shape(PluginShape.nodeOnly()).open()) {
      assertThat(node.mountFails(inline(WEB)).code()).isEqualTo(OperatorCode.REFUSED_BY_PLUGIN);
      assertThat(node.verbs(handle(WEB))).doesNotContain("Stage", "Unstage");
      node.excuse(139);
    }
  }

  @Test
  void whatIsClaimedOrAttachedIsNotInline() {
    MountRequest.Builder request = inline(WEB).toBuilder();
    assertThatIllegalArgumentException()
        .isThrownBy(request.claim(Node.grant(WEB, 1))::build)
        .withMessageContaining("inline volume");
    assertThatIllegalArgumentException()
        .isThrownBy(
            inline(WEB).toBuilder().publishContext(PublishContext.of(Map.of("a", "b")))::build);
    assertThat(inline(WEB).isInline()).isTrue();
    assertThat(inline(WEB).toBuilder().build()).isEqualTo(inline(WEB));
    assertThat(inline(WEB)).asString().endsWith(", inline]").doesNotContain("1Gi");
  }
}
