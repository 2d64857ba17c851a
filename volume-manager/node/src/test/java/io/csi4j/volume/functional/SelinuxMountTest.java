package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.usage;
import static io.csi4j.volume.model.VolumeException.Outcome.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.SelinuxLabel;
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

/** Volumes that are mounted with a label of SELinux. */
class SelinuxMountTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final SelinuxLabel RED = SelinuxLabel.of("system_u:object_r:file_t:s0:c1,c2");
  private static final SelinuxLabel BLUE = SelinuxLabel.of("system_u:object_r:file_t:s0:c3,c4");
  private static final List<String> RED_FLAG = List.of("context=\"" + RED + "\"");
  private static final List<String> BLUE_FLAG = List.of("context=\"" + BLUE + "\"");
  private static final List<String> NONE = List.of();
  private static final MountPolicy TAKES = Node.QUICK.toBuilder().takesSelinuxLabel(true).build();

  private static Node node(MountPolicy policy) {
    Node node = Node.builder().policy(policy).open();
    node.volume("vol-1");
    return node;
  }

  private static MountRequest wanted(String workload, SelinuxLabel label) {
    return shared("vol-1", workload).toBuilder().selinuxLabel(label).build();
  }

  private static Optional<SelinuxLabel> label(MountedVolume volume) {
    return ((MountedVolume.Filesystem) volume).selinuxLabel();
  }

  /** The mount flags of each call of this kind, in its order. */
  private static List<List<String>> flags(Node node, CsiOperation operation) {
    return node.plugin().journal().calls(operation).stream()
        .map(call -> call.request().message("volume_capability").message("mount"))
        .map(mount -> mount.texts("mount_flags"))
        .toList();
  }

  private static void isRefused(Node node, MountRequest request) {
    VolumeException failure = node.mountFails(request);
    assertThat(failure.code()).isEqualTo(OperatorCode.OPTIONS_DIFFER);
    assertThat(failure.outcome()).isEqualTo(REFUSED);
    assertThat(failure)
        .hasMessageContaining(
            "these differ: SELinux label (it has '" + RED + "', this request '" + BLUE + "')");
  }

  @Test
  void theLabelGoesToStageAndPublishAndTheHostIsToldThatNothingIsToBeRelabelled() {
    try (Node node = node(TAKES)) {
      assertThat(label(node.mount(wanted("web", RED)))).contains(RED);
      assertThat(label(node.mount(wanted("job", RED)))).contains(RED);

      assertThat(flags(node, NODE_STAGE_VOLUME)).containsExactly(RED_FLAG);
      assertThat(flags(node, NODE_PUBLISH_VOLUME)).containsExactly(RED_FLAG, RED_FLAG);
      node.unmount(usage("vol-1", "job"));
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void otherFlagsStayAndTheLabelComesAfterThem() {
    try (Node node = node(TAKES)) {
      MountOptions options = MountOptions.none().withFlags(MountFlags.of("noatime"));
      node.mount(wanted("web", RED).toBuilder().requestOptions(options).build());

      assertThat(flags(node, NODE_STAGE_VOLUME))
          .containsExactly(List.of("noatime", RED_FLAG.get(0)));
      assertThat(flags(node, NODE_PUBLISH_VOLUME)).isEqualTo(flags(node, NODE_STAGE_VOLUME));
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void aPluginThatIsNotKnownToTakeLabelsIsGivenNone() {
    try (Node node = node(Node.QUICK)) {
      assertThat(label(node.mount(wanted("web", RED)))).isEmpty();
      assertThat(label(node.mount(wanted("job", BLUE)))).isEmpty();

      assertThat(flags(node, NODE_STAGE_VOLUME)).containsExactly(NONE);
      assertThat(flags(node, NODE_PUBLISH_VOLUME)).containsExactly(NONE, NONE);
      node.unmount(usage("vol-1", "job"));
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void anotherLabelIsRefusedByNameAlsoAfterARestartUntilTheVolumeIsReleased() {
    try (Node node = node(TAKES)) {
      node.mount(wanted("web", RED));
      isRefused(node, wanted("job", BLUE));
      isRefused(node, wanted("web", BLUE));
      node.restart();

      isRefused(node, wanted("job", BLUE));
      assertThat(node.engine().refusal(wanted("job", BLUE)).orElseThrow().code())
          .isEqualTo(OperatorCode.OPTIONS_DIFFER);
      assertThat(label(node.mount(wanted("web", RED)))).contains(RED);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);

      assertThat(label(node.mount(wanted("job", BLUE)))).contains(BLUE);
      assertThat(flags(node, NODE_STAGE_VOLUME)).containsExactly(RED_FLAG, BLUE_FLAG);
      node.unmount(usage("vol-1", "job"));
    }
  }

  @Test
  void aWorkloadWithoutALabelJoinsAndIsPublishedWithTheSameFlags() {
    try (Node node = node(TAKES)) {
      node.mount(wanted("web", RED));

      assertThat(label(node.mount(shared("vol-1", "job")))).contains(RED);

      assertThat(flags(node, NODE_PUBLISH_VOLUME)).containsExactly(RED_FLAG, RED_FLAG);
      node.unmount(usage("vol-1", "job"));
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void whatIsMountedWithoutALabelStaysSoUntilItIsReleased() {
    try (Node node = node(Node.QUICK)) {
      node.mount(wanted("web", RED));
      node.registerAgain(TAKES);

      assertThat(label(node.mount(wanted("web", RED)))).isEmpty();
      assertThat(label(node.mount(wanted("job", BLUE)))).isEmpty();
      node.unmount(usage("vol-1", "job"));
      node.unmount(usage("vol-1", "web"));

      assertThat(label(node.mount(wanted("web", RED)))).contains(RED);
      node.registerAgain(Node.QUICK);
      assertThat(label(node.mount(wanted("job", RED)))).contains(RED);
      assertThat(flags(node, NODE_STAGE_VOLUME)).containsExactly(NONE, RED_FLAG);
      assertThat(flags(node, NODE_PUBLISH_VOLUME)).containsExactly(NONE, NONE, RED_FLAG, RED_FLAG);
      node.unmount(usage("vol-1", "job"));
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void aRefreshKeepsTheLabel() {
    try (Node node = node(TAKES)) {
      node.mount(wanted("web", RED));

      node.get(node.engine().refresh(shared("vol-1", "web")));

      assertThat(flags(node, NODE_PUBLISH_VOLUME)).containsExactly(RED_FLAG, RED_FLAG);
      assertThat(node.fails(node.engine().refresh(wanted("web", BLUE))).code())
          .isEqualTo(OperatorCode.OPTIONS_DIFFER);
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void aBlockDeviceHasNoLabel() {
    try (Node node = node(TAKES)) {
      node.mount(
          Node.request("vol-1", "web", AccessMode.SINGLE_NODE_WRITER)
              .block(true)
              .selinuxLabel(RED)
              .build());

      assertThat(node.calls()).containsExactly("Stage:OK", "Publish:OK");
      assertThat(
              node.plugin().journal().calls(NODE_STAGE_VOLUME).stream()
                  .map(call -> call.request().message("volume_capability").has("mount")))
          .containsExactly(false);
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void aLabelThatTheHostHasPutAmongTheFlagsIsOneToo() {
    try (Node node = node(Node.QUICK)) {
      MountOptions options = RED.addedTo(MountOptions.none());
      MountRequest stated = shared("vol-1", "web").toBuilder().requestOptions(options).build();

      assertThat(label(node.mount(stated))).contains(RED);
      isRefused(
          node,
          shared("vol-1", "job").toBuilder()
              .requestOptions(BLUE.addedTo(MountOptions.none()))
              .build());

      assertThat(flags(node, NODE_STAGE_VOLUME)).containsExactly(RED_FLAG);
      node.unmount(usage("vol-1", "web"));
    }
  }

  /** What is staged with one label is never published with another, wherever the process ends. */
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
  void theLabelIsOnRecordBeforeThePluginIsGivenIt(CrashPoint point) {
    try (Node node = node(TAKES)) {
      node.dieAt(point);
      var unused = node.engine().mount(wanted("web", RED));
      node.awaitDeath();
      node.start();

      isRefused(node, wanted("job", BLUE));
      node.reconcile(new WantedUse.Requested(wanted("web", RED)));
      assertThat(label(node.mount(wanted("web", RED)))).contains(RED);

      assertThat(flags(node, NODE_STAGE_VOLUME)).isNotEmpty().containsOnly(RED_FLAG);
      assertThat(flags(node, NODE_PUBLISH_VOLUME)).isNotEmpty().containsOnly(RED_FLAG);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.mount(wanted("job", BLUE))).isNotNull();
      assertThat(node.unmount(usage("vol-1", "job"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.verbs(VOLUME)).contains("Unstage");
    }
  }
}
