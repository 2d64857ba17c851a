package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_GET_VOLUME_STATS;
import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNPUBLISH_VOLUME;
import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static io.csi4j.volume.model.VolumeException.Outcome.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.VolumeStats;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Several who want something of one volume at once. */
class CrowdTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");

  @Test
  @Tag("E1")
  void twoWorkloadsThatComeAtOnceShareOneStaging() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME).once());

      CompletableFuture<MountedVolume> first = node.engine().mount(shared("vol-1", "a"));
      node.awaitOpen(NODE_STAGE_VOLUME);
      CompletableFuture<MountedVolume> second = node.engine().mount(shared("vol-1", "b"));
      node.plugin().release();

      assertThat(node.get(first).path()).isNotEqualTo(node.get(second).path());
      assertThat(node.calls())
          .as("E1: staged once for both")
          .containsExactly("Stage:OK", "Publish:OK", "Publish:OK");
      assertThat(node.users(VOLUME)).containsExactlyInAnyOrder(id("a"), id("b"));
      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.staging(VOLUME)).isEqualTo(PathStatus.PRESENT);
      assertThat(node.unmount(usage("vol-1", "b"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  private static WorkloadId id(String name) {
    return WorkloadId.of(name);
  }

  @Test
  void oneWriterMeansOneWorkload() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "a"));

      VolumeException failure = node.mountFails(single("vol-1", "b"));

      assertThat(failure.code()).isEqualTo(OperatorCode.VOLUME_IN_USE);
      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertThat(failure.getMessage()).contains("workload 'a'");
      assertThat(node.calls()).containsExactly("Stage:OK", "Publish:OK");
      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("E2")
  @Test
  void twoWhoAskForTheSameShareOneOperation() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.hang(), When.calling(NODE_PUBLISH_VOLUME).once());

      CompletableFuture<MountedVolume> first = node.engine().mount(single("vol-1", "web"));
      node.awaitOpen(NODE_PUBLISH_VOLUME);
      CompletableFuture<MountedVolume> second = node.engine().mount(single("vol-1", "web"));
      node.plugin().release();

      assertThat(node.get(first)).as("E2: one answer for both").isEqualTo(node.get(second));
      assertThat(node.calls())
          .as("E2: one call for both")
          .containsExactly("Stage:OK", "Publish:OK");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.UNKNOWN);
    }
  }

  @Tag("E3")
  @Test
  void nomad20550_aVolumeIsNotUnstagedUnderAWorkloadThatCameMeanwhile() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      node.plugin().inject(Fault.hang(), When.calling(NODE_UNPUBLISH_VOLUME).once());

      CompletableFuture<UnmountOutcome> leaving = node.engine().unmount(usage("vol-1", "a"));
      node.awaitOpen(NODE_UNPUBLISH_VOLUME);
      CompletableFuture<MountedVolume> coming = node.engine().mount(shared("vol-1", "b"));
      node.plugin().release();

      node.get(leaving);
      node.get(coming);
      assertThat(node.mounted(node.stagingPath(VOLUME)))
          .as("E3: the volume is staged under the use that came")
          .isTrue();
      assertThat(node.mounted(node.targetPath("vol-1", "b")))
          .as("E3: the use that came is mounted")
          .isTrue();
      assertThat(node.users(VOLUME)).containsExactly(id("b"));
      assertThat(node.unmount(usage("vol-1", "b"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aReleaseThatComesDuringTheMountLeavesNothing() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.hang(), When.calling(NODE_PUBLISH_VOLUME).once());

      CompletableFuture<MountedVolume> mounting = node.engine().mount(single("vol-1", "web"));
      node.awaitOpen(NODE_PUBLISH_VOLUME);
      CompletableFuture<UnmountOutcome> releasing = node.engine().unmount(usage("vol-1", "web"));
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish");
      node.plugin().release();

      try {
        node.get(mounting);
      } catch (VolumeException e) {
        assertThat(e.code()).isEqualTo(OperatorCode.SUPERSEDED);
      }
      assertThat(node.get(releasing)).isIn(UnmountOutcome.LAST, UnmountOutcome.UNKNOWN);
      assertThat(node.isClean()).as(node.story()).isTrue();
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish", "Unpublish", "Unstage");
    }
  }

  @Tag("E6")
  @Test
  void cancellingAStageEndsTheWaitingAndNothingElse() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME).once());

      CompletableFuture<MountedVolume> first = node.engine().mount(single("vol-1", "web"));
      node.awaitOpen(NODE_STAGE_VOLUME);
      CompletableFuture<MountedVolume> second = node.engine().mount(single("vol-1", "web"));
      assertThat(first.cancel(true)).isTrue();
      node.plugin().release();

      assertThat(node.get(second).usage()).isEqualTo(usage("vol-1", "web"));
      assertThat(node.calls())
          .as("E6: the operation goes on")
          .containsExactly("Stage:OK", "Publish:OK");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("E11")
  @Test
  void statsDuringAReleaseSayThatItIsNotMounted() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().inject(Fault.hang(), When.calling(NODE_UNPUBLISH_VOLUME).once());

      CompletableFuture<UnmountOutcome> releasing = node.engine().unmount(usage("vol-1", "web"));
      node.awaitOpen(NODE_UNPUBLISH_VOLUME);
      CompletableFuture<VolumeStats> asking = node.engine().stats(usage("vol-1", "web"));
      node.plugin().release();

      assertThat(node.get(releasing)).isEqualTo(UnmountOutcome.LAST);
      VolumeException failure = node.fails(asking);
      assertThat(failure.code())
          .as("E11: reading what goes says that it is not mounted")
          .isEqualTo(OperatorCode.NOT_MOUNTED);
      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertThat(node.plugin().journal().calls(NODE_GET_VOLUME_STATS)).isEmpty();
    }
  }

  @Tag("E12")
  @Test
  void theOneOperationThatWaitsIsCountedAsOne() {
    ManagerSettings settings = ManagerSettings.builder().threads(4).waiters(1).build();
    try (Node node = Node.builder().settings(settings).open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME).once());
      CompletableFuture<MountedVolume> first = node.engine().mount(shared("vol-1", "first"));
      node.awaitOpen(NODE_STAGE_VOLUME);
      CompletableFuture<MountedVolume> second = node.engine().mount(shared("vol-1", "second"));

      VolumeException failure = node.mountFails(shared("vol-1", "third"));

      assertThat(failure.code())
          .as("E12: who comes when the queue is full is refused")
          .isEqualTo(OperatorCode.TOO_MANY_WAITERS);
      assertThat(failure).hasMessageContaining(": 1 operation waits already; ");
      node.plugin().release();
      node.get(first);
      node.get(second);
      assertThat(node.unmount(usage("vol-1", "first"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(usage("vol-1", "second"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  @Tag("E12")
  void aThousandWhoWaitForAHungVolumeAreNotAllLetIn() {
    ManagerSettings settings = ManagerSettings.builder().threads(4).waiters(16).build();
    try (Node node = Node.builder().settings(settings).open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME).once());
      CompletableFuture<MountedVolume> first = node.engine().mount(shared("vol-1", "first"));
      node.awaitOpen(NODE_STAGE_VOLUME);

      List<CompletableFuture<MountedVolume>> crowd = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        crowd.add(node.engine().mount(shared("vol-1", "w" + i)));
      }

      Node.eventually(
          "most are turned away",
          () -> crowd.stream().filter(CompletableFuture::isDone).count() >= 1_000 - 16);
      List<CompletableFuture<MountedVolume>> turnedAway =
          crowd.stream().filter(CompletableFuture::isDone).toList();
      assertThat(turnedAway)
          .as("E12: the callers of a hung volume are bounded")
          .hasSize(1_000 - 16);
      for (CompletableFuture<MountedVolume> one : turnedAway) {
        VolumeException failure = node.fails(one);
        assertThat(failure.code()).isEqualTo(OperatorCode.TOO_MANY_WAITERS);
        assertThat(failure.outcome()).isEqualTo(REFUSED);
      }
      node.plugin().release();
      node.get(first);
      crowd.stream().filter(one -> !one.isCompletedExceptionally()).forEach(node::get);
      node.get(node.engine().unmount(usage("vol-1", "first")));
      for (int i = 0; i < 1_000; i++) {
        if (node.target(VOLUME, "w" + i) == PathStatus.PRESENT) {
          node.unmount(usage("vol-1", "w" + i));
        }
      }
      assertThat(node.isClean()).isTrue();
    }
  }
}
