package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.volume.functional.Node.usage;
import static io.csi4j.volume.model.VolumeException.Outcome.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.WantedUse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One volume for two workloads, of which one writes and one only reads. */
class SameVolumeTwiceTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");

  private static MountRequest writes(String workload, AccessMode mode) {
    return Node.request("vol-1", workload, mode).build();
  }

  private static MountRequest reads(String workload, AccessMode mode) {
    return Node.request("vol-1", workload, mode).readOnly(true).build();
  }

  /** How each publication was asked for, in its order. */
  private static List<Boolean> published(Node node) {
    return node.plugin().journal().calls(NODE_PUBLISH_VOLUME).stream()
        .map(call -> call.request().flag("readonly"))
        .toList();
  }

  /** Whether the kernel lets nothing be written through the mount of a workload. */
  private static boolean isReadOnly(Node node, String workload) {
    return node.sightings(node.targetPath("vol-1", workload)).get(0).evidence().readOnly();
  }

  private static void isRefused(Node node, MountRequest request, String why) {
    VolumeException failure = node.mountFails(request);
    assertThat(failure.code()).isEqualTo(OperatorCode.OPTIONS_DIFFER);
    assertThat(failure.outcome()).isEqualTo(REFUSED);
    assertThat(failure).hasMessageContaining(why);
  }

  @ParameterizedTest
  @EnumSource(
      names = {"SINGLE_NODE_MULTI_WRITER", "MULTI_NODE_SINGLE_WRITER", "MULTI_NODE_MULTI_WRITER"})
  void oneWritesAndOneReadsFromOneStaging(AccessMode mode) {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      assertThat(node.mount(writes("web", mode)).readOnly()).isFalse();
      assertThat(node.mount(reads("report", mode)).readOnly()).isTrue();

      assertThat(published(node)).containsExactly(false, true);
      assertThat(node.plugin().journal().calls(NODE_STAGE_VOLUME)).hasSize(1);
      assertThat(isReadOnly(node, "web")).isFalse();
      assertThat(isReadOnly(node, "report")).isTrue();
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(isReadOnly(node, "report")).isTrue();
      assertThat(node.unmount(usage("vol-1", "report"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aReaderOfAVolumeThatNobodyWritesIsNotBesideAWriterAndIsIfItKnowsOfOne() {
    AccessMode nobodyWrites = AccessMode.MULTI_NODE_READER_ONLY;
    AccessMode oneWrites = AccessMode.MULTI_NODE_SINGLE_WRITER;
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(writes("web", oneWrites));

      isRefused(node, reads("report", nobodyWrites), "access mode");
      node.mount(reads("report", oneWrites));
      node.unmount(usage("vol-1", "web"));
      node.unmount(usage("vol-1", "report"));
      node.mount(reads("report", nobodyWrites));
      isRefused(node, writes("web", oneWrites), "access mode");
      node.unmount(usage("vol-1", "report"));
    }
  }

  @Test
  void whoComesFirstDoesNotMatterAndEachComesBackAsItWas() {
    AccessMode mode = AccessMode.MULTI_NODE_MULTI_WRITER;
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(reads("report", mode));
      node.mount(writes("web", mode));
      node.restart();

      assertThat(node.mount(reads("report", mode)).readOnly()).isTrue();
      assertThat(node.mount(writes("web", mode)).readOnly()).isFalse();
      assertThat(published(node)).as("nothing is published again").containsExactly(true, false);
      node.unmount(usage("vol-1", "report"));
      assertThat(isReadOnly(node, "web")).isFalse();
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void oneWorkloadHasItInOneWayUntilItReleasesIt() {
    AccessMode mode = AccessMode.MULTI_NODE_MULTI_WRITER;
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(writes("web", mode));
      node.mount(reads("report", mode));

      isRefused(
          node, reads("web", mode), "these differ: read-only (it has false, this request true)");
      isRefused(
          node,
          writes("report", mode),
          "these differ: read-only (it has true, this request false)");
      node.unmount(usage("vol-1", "report"));
      assertThat(node.mount(writes("report", mode)).readOnly()).isFalse();

      assertThat(published(node)).containsExactly(false, true, false);
      node.unmount(usage("vol-1", "report"));
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void aReaderThatWantsOtherOptionsOfTheStagingIsRefused() {
    AccessMode mode = AccessMode.MULTI_NODE_MULTI_WRITER;
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(writes("web", mode));

      isRefused(
          node,
          reads("report", mode).toBuilder()
              .requestOptions(MountOptions.none().withFsType("xfs"))
              .build(),
          "it is used in another way by workload 'web'; these differ: filesystem (it has none, this"
              + " request 'xfs')");
      isRefused(
          node,
          reads("report", AccessMode.MULTI_NODE_READER_ONLY),
          "it is used in another way by workload 'web'; these differ: access mode (it has"
              + " MULTI_NODE_MULTI_WRITER, this request MULTI_NODE_READER_ONLY)");
      node.unmount(usage("vol-1", "web"));
    }
  }

  @Test
  void aVolumeWithRoomForOneHasNoRoomForAReader() {
    AccessMode mode = AccessMode.SINGLE_NODE_WRITER;
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(writes("web", mode));

      VolumeException failure = node.mountFails(reads("report", mode));

      assertThat(failure.code()).isEqualTo(OperatorCode.VOLUME_IN_USE);
      assertThat(failure).hasMessageContaining("held by workload 'web'");
      node.unmount(usage("vol-1", "web"));
    }
  }

  /** Wherever the process ends, a reader never comes back as a writer, nor a writer as a reader. */
  @ParameterizedTest
  @EnumSource(names = {"INTENT_SAVED", "BEFORE_PUBLISH", "PUBLISH_ANSWERED", "PUBLISHED_SAVED"})
  void afterACrashEachIsPublishedAsItWasWanted(CrashPoint point) {
    AccessMode mode = AccessMode.MULTI_NODE_MULTI_WRITER;
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(writes("web", mode));
      node.dieAt(point);
      var unused = node.engine().mount(reads("report", mode));
      node.awaitDeath();
      node.start();

      isRefused(
          node,
          writes("report", mode),
          "these differ: read-only (it has true, this request false)");
      node.reconcile(
          new WantedUse.Requested(writes("web", mode)),
          new WantedUse.Requested(reads("report", mode)));
      assertThat(node.mount(reads("report", mode)).readOnly()).isTrue();

      assertThat(isReadOnly(node, "web")).isFalse();
      assertThat(isReadOnly(node, "report")).isTrue();
      assertThat(published(node).get(0)).isFalse();
      assertThat(published(node).subList(1, published(node).size()))
          .isNotEmpty()
          .containsOnly(true);
      node.unmount(usage("vol-1", "report"));
      node.unmount(usage("vol-1", "web"));
      assertThat(node.verbs(VOLUME)).endsWith("Unstage");
    }
  }
}
