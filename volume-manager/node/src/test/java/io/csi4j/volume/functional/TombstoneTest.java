package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_UNSTAGE_VOLUME;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.state.StateKey;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is remembered of a volume that was given back, and for how long. */
class TombstoneTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final VolumeUse WEB = usage("vol-1", "web");
  private static final Duration ITS_TIME = Duration.ofMinutes(10);

  private static long tombstones(Node node) {
    return node.state().load().values().keySet().stream()
        .filter(key -> key.kind() == StateKey.Kind.TOMBSTONE)
        .count();
  }

  private static long remembered(Node node) {
    return node.state().load().values().keySet().stream()
        .filter(key -> key.kind() == StateKey.Kind.TOMBSTONE || key.kind() == StateKey.Kind.VOLUME)
        .count();
  }

  @Test
  void isForgottenInItsTimeThoughTheVolumeIsUsedAgain() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.unmount(WEB);
      node.mount(single("vol-1", "web"));
      assertThat(tombstones(node)).isEqualTo(1);

      node.skip(ITS_TIME);

      node.inTheEnd("it is forgotten", () -> tombstones(node) == 0);
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.PRESENT);
      assertThat(node.unmount(WEB)).isEqualTo(UnmountOutcome.LAST);
      assertThat(tombstones(node)).as("one of this life").isEqualTo(1);
      node.skip(ITS_TIME);
      node.inTheEnd("it is forgotten, too", () -> tombstones(node) == 0);
    }
  }

  @Test
  void isNotForgottenWhileSomethingThatAppearedLateIsNotTakenAway() {
    try (Node node = Node.open()) {
      node.reconcile();
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.unmount(WEB);
      MountPath staging = node.stagingPath(VOLUME);
      node.kernel().host().directory(staging);
      node.kernel().host().tmpfs(staging);
      node.plugin()
          .inject(Fault.fail(StatusCode.INTERNAL, "busy"), When.calling(NODE_UNSTAGE_VOLUME));

      for (int i = 0; i < 3; i++) {
        node.skip(ITS_TIME);
        assertThat(remembered(node)).as("by a tombstone, or a record of its own").isPositive();
      }
      node.kernel().host().detach(staging);
      node.plugin().clearFaults();

      node.becomesClean();
      node.skip(ITS_TIME);
      node.inTheEnd("it is forgotten", () -> tombstones(node) == 0);
    }
  }

  @Test
  void isNotForgottenBeforeWhatAppearedLateIsOnRecord() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.unmount(WEB);
      node.crash();
      node.startWithoutPlugins();
      MountPath staging = node.stagingPath(VOLUME);
      node.kernel().host().directory(staging);
      node.kernel().host().tmpfs(staging);
      node.inTheEnd("it is seen", () -> node.status(VOLUME).isPresent());

      for (int i = 0; i < 3; i++) {
        node.skip(ITS_TIME);
        assertThat(tombstones(node)).as("nothing else tells what it is").isEqualTo(1);
      }

      node.registerAll();
      node.reconcile();
      node.becomesClean();
    }
  }
}
