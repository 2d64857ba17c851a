package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.usage;
import static io.csi4j.volume.model.VolumeException.Outcome.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.WantedUse;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Volumes that a plugin mounts for a group where it offers to. */
class GroupMountTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final PluginShape TAKES = PluginShape.nodeOnly();
  private static final PluginShape TAKES_NONE = TAKES.without(NodeCapability.VOLUME_MOUNT_GROUP);

  private static Node node(PluginShape shape) {
    Node node = Node.builder().shape(shape).open();
    node.volume("vol-1");
    return node;
  }

  private static MountRequest wanted(String workload, String group) {
    return shared("vol-1", workload).toBuilder().groupIfOffered(group).build();
  }

  private static Optional<String> group(MountedVolume volume) {
    return ((MountedVolume.Filesystem) volume).volumeMountGroup();
  }

  /** The group in each call of this kind, in its order; empty without one. */
  private static List<String> groups(Node node, CsiOperation operation) {
    return node.plugin().journal().calls(operation).stream()
        .map(call -> call.request().message("volume_capability").message("mount"))
        .map(mount -> mount.text("volume_mount_group"))
        .toList();
  }

  private static void isRefused(Node node, MountRequest request) {
    VolumeException failure = node.mountFails(request);
    assertThat(failure.code()).isEqualTo(OperatorCode.OPTIONS_DIFFER);
    assertThat(failure.outcome()).isEqualTo(REFUSED);
    assertThat(failure).hasMessageContaining("these differ: volume mount group");
  }

  @Test
  void theGroupGoesToStageAndPublishOfAPluginThatTakesOne() {
    try (Node node = node(TAKES)) {
      assertThat(group(node.mount(wanted("web", "2000")))).contains("2000");
      assertThat(group(node.mount(wanted("job", "2000")))).contains("2000");

      assertThat(groups(node, NODE_STAGE_VOLUME)).containsExactly("2000");
      assertThat(groups(node, NODE_PUBLISH_VOLUME)).containsExactly("2000", "2000");
      node.unmount(usage("vol-1", "job"));
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void aPluginThatTakesNoneIsGivenNone() {
    try (Node node = node(TAKES_NONE)) {
      assertThat(group(node.mount(wanted("web", "2000")))).isEmpty();
      assertThat(group(node.mount(wanted("job", "3000")))).isEmpty();

      assertThat(groups(node, NODE_STAGE_VOLUME)).containsExactly("");
      assertThat(groups(node, NODE_PUBLISH_VOLUME)).containsExactly("", "");
      node.unmount(usage("vol-1", "job"));
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void aGroupOfTheMountOptionsIsTheOneThatCounts() {
    try (Node node = node(TAKES)) {
      MountOptions options = MountOptions.none().withVolumeMountGroup("1000");
      assertThat(
              group(node.mount(wanted("web", "2000").toBuilder().requestOptions(options).build())))
          .contains("1000");

      assertThat(groups(node, NODE_STAGE_VOLUME)).containsExactly("1000");
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void anotherGroupIsRefusedAlsoAfterARestartUntilTheVolumeIsReleased() {
    try (Node node = node(TAKES)) {
      node.mount(wanted("web", "2000"));
      isRefused(node, wanted("job", "3000"));
      isRefused(node, wanted("web", "3000"));
      node.restart();

      isRefused(node, wanted("job", "3000"));
      assertThat(node.engine().refusal(wanted("job", "3000")).orElseThrow().code())
          .isEqualTo(OperatorCode.OPTIONS_DIFFER);
      assertThat(node.engine().refusal(wanted("web", "2000"))).isEmpty();
      assertThat(group(node.mount(wanted("web", "2000")))).contains("2000");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);

      assertThat(group(node.mount(wanted("job", "3000")))).contains("3000");
      assertThat(groups(node, NODE_STAGE_VOLUME)).containsExactly("2000", "3000");
      node.unmount(usage("vol-1", "job"));
    }
  }

  @Test
  void aWorkloadThatNamesNoGroupJoinsAndIsPublishedForTheSame() {
    try (Node node = node(TAKES)) {
      node.mount(wanted("web", "2000"));

      assertThat(group(node.mount(shared("vol-1", "job")))).contains("2000");

      assertThat(groups(node, NODE_PUBLISH_VOLUME)).containsExactly("2000", "2000");
      node.unmount(usage("vol-1", "job"));
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void whatIsMountedStaysAsItIsWhenThePluginGainsTheCapability() {
    try (Node node = node(TAKES_NONE)) {
      node.mount(wanted("web", "2000"));
      node.plugin().upgrade(TAKES.named(node.plugin().shape().name()));

      assertThat(group(node.mount(wanted("web", "2000")))).isEmpty();
      node.restart();
      node.reconcile(new WantedUse.Requested(wanted("web", "2000")));
      assertThat(group(node.mount(wanted("web", "2000")))).isEmpty();
      assertThat(group(node.mount(wanted("job", "2000")))).isEmpty();
      node.unmount(usage("vol-1", "job"));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);

      assertThat(group(node.mount(wanted("web", "2000")))).contains("2000");
      assertThat(groups(node, NODE_STAGE_VOLUME)).containsExactly("", "2000");
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void whatIsMountedStaysAsItIsWhenThePluginLosesTheCapability() {
    try (Node node = node(TAKES)) {
      node.mount(wanted("web", "2000"));
      node.plugin().upgrade(TAKES_NONE.named(node.plugin().shape().name()));
      node.restart();

      node.reconcile(new WantedUse.Requested(wanted("web", "2000")));
      assertThat(group(node.mount(wanted("web", "2000")))).contains("2000");
      VolumeException other = node.mountFails(wanted("job", "2000"));
      assertThat(other.code()).isEqualTo(OperatorCode.NOT_OFFERED);
      assertThat(other).hasMessageContaining("VOLUME_MOUNT_GROUP");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);

      assertThat(group(node.mount(wanted("web", "2000")))).isEmpty();
      assertThat(groups(node, NODE_STAGE_VOLUME)).containsExactly("2000", "");
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void aRefreshKeepsTheGroup() {
    try (Node node = node(TAKES)) {
      node.mount(wanted("web", "2000"));
      node.get(node.engine().refresh(wanted("web", "2000")));

      assertThat(groups(node, NODE_PUBLISH_VOLUME)).containsExactly("2000", "2000");
      node.unmount(usage("vol-1", "web"));
    }
  }

  /** The controller was told how the volume is used: the node says the same. */
  @Test
  void aClaimThatSaysHowTheVolumeIsMountedSaysItsGroupToo() {
    MountRequest.Builder request =
        Node.request("vol-1", "web", AccessMode.SINGLE_NODE_WRITER).groupIfOffered("2000");
    assertThat(Goal.Publish.group(request.build(), Optional.empty(), true)).isEqualTo("2000");
    for (MountOptions options :
        List.of(MountOptions.none(), MountOptions.none().withVolumeMountGroup("1000"))) {
      MountRequest claimed =
          request
              .claim(
                  new ClaimGrant(
                      usage("vol-1", "web"),
                      NodeName.of("n1"),
                      1,
                      ClaimMode.WRITE,
                      PublishContext.empty(),
                      Optional.of(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER, options)),
                      false))
              .build();
      assertThat(Goal.Publish.group(claimed, Optional.empty(), true))
          .isEqualTo(options.volumeMountGroup().orElse(""));
    }
  }

  @Test
  void aBlockDeviceHasNoGroup() {
    try (Node node = node(TAKES)) {
      node.mount(
          Node.request("vol-1", "web", AccessMode.SINGLE_NODE_WRITER)
              .block(true)
              .groupIfOffered("2000")
              .build());

      assertThat(node.calls()).containsExactly("Stage:OK", "Publish:OK");
      node.unmount(usage("vol-1", "web"));
    }
  }

  /** What is staged for one group is never published for another, wherever the process ends. */
  @ParameterizedTest
  @EnumSource(
      names = {
        "INTENT_SAVED",
        "BEFORE_STAGE",
        "STAGE_ANSWERED",
        "STAGED_SAVED",
        "BEFORE_PUBLISH",
        "PUBLISH_ANSWERED",
        "PUBLISHED_SAVED"
      })
  void theGroupIsOnRecordBeforeThePluginIsGivenIt(CrashPoint point) {
    try (Node node = node(TAKES)) {
      node.dieAt(point);
      var unused = node.engine().mount(wanted("web", "2000"));
      node.awaitDeath();
      node.start();

      isRefused(node, wanted("job", "3000"));
      node.reconcile(new WantedUse.Requested(wanted("web", "2000")));
      assertThat(group(node.mount(wanted("web", "2000")))).contains("2000");

      assertThat(groups(node, NODE_STAGE_VOLUME)).isNotEmpty().containsOnly("2000");
      assertThat(groups(node, NODE_PUBLISH_VOLUME)).isNotEmpty().containsOnly("2000");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.mount(wanted("job", "3000"))).isNotNull();
      assertThat(node.unmount(usage("vol-1", "job"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.verbs(VOLUME)).contains("Unstage");
    }
  }
}
