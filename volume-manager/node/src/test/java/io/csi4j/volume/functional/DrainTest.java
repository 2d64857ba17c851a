package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNPUBLISH_VOLUME;
import static io.csi4j.volume.functional.Node.PLUGIN;
import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.plugin.PluginDrain;
import io.csi4j.volume.plugin.PluginDrain.Outcome.Cancelled;
import io.csi4j.volume.plugin.PluginDrain.Outcome.Free;
import io.csi4j.volume.plugin.PluginDrain.Outcome.InUse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A plugin that is about to be stopped. */
class DrainTest {

  private static final Duration HOUR = Duration.ofHours(1);

  private static PluginDrain.Outcome outcome(Node node, PluginDrain drain) {
    return node.get(drain.outcome().toCompletableFuture());
  }

  private static boolean isOver(PluginDrain drain) {
    return drain.outcome().toCompletableFuture().isDone();
  }

  @Test
  void whatIsMountedStaysAndNothingNewIsMountedUntilTheLastIsGivenBack() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      MountedVolume mounted = node.mount(shared("vol-1", "a"));
      PluginDrain drain = node.engine().drain(PLUGIN, HOUR);

      for (String volume : List.of("vol-1", "vol-2")) {
        VolumeException refused = node.mountFails(shared(volume, "b"));
        assertThat(refused.code()).isEqualTo(OperatorCode.PLUGIN_DRAINING);
        assertThat(refused.outcome()).isEqualTo(Outcome.REFUSED);
      }
      assertThat(node.mount(shared("vol-1", "a"))).isEqualTo(mounted);
      assertThat(drain.holders()).containsExactly(usage("vol-1", "a"));
      assertThat(isOver(drain)).isFalse();
      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.LAST);

      assertThat(outcome(node, drain)).isEqualTo(new Free());
      assertThat(drain.holders()).isEmpty();
      assertThat(node.mountFails(shared("vol-1", "a")).code())
          .isEqualTo(OperatorCode.PLUGIN_DRAINING);
      drain.close();
      assertThat(node.mount(shared("vol-1", "a"))).isEqualTo(mounted);
      assertThat(node.calls())
          .containsExactly(
              "Stage:OK", "Publish:OK", "Unpublish:OK", "Unstage:OK", "Stage:OK", "Publish:OK");
      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void theRefusalSaysWhatIsWhyAndWhatToDo() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      PluginDrain drain = node.engine().drain(PLUGIN, HOUR);

      assertThat(node.mountFails(single("vol-1", "a")))
          .hasMessage(
              "CSI-322 PLUGIN_DRAINING: mounting volume 'vol-1' (default/vol-1 for workload 'a')"
                  + " of plugin 'fake.csi4j.example': the plugin is being stopped, and takes no"
                  + " new volumes; nothing was begun. Use another node, or cancel the stop and"
                  + " retry.");

      drain.close();
    }
  }

  @Test
  void whoStillHoldsVolumesIsNamedWhenTheLimitIsOver() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      node.mount(shared("vol-1", "b"));
      node.mount(shared("vol-1", "a"));
      node.mount(shared("vol-2", "c"));
      PluginDrain drain = node.engine().drain(PLUGIN, HOUR);
      node.unmount(usage("vol-1", "b"));
      node.skip(HOUR.minusSeconds(60));
      assertThat(isOver(drain)).isFalse();

      node.skip(Duration.ofSeconds(61));

      InUse left = (InUse) outcome(node, drain);
      List<VolumeUse> holders = List.of(usage("vol-1", "a"), usage("vol-2", "c"));
      assertThat(left.holders()).isEqualTo(holders).isEqualTo(drain.holders());
      assertThat(left.message().code()).isEqualTo(OperatorCode.PLUGIN_IN_USE);
      assertThat(left.message().doing()).hasToString("stopping plugin 'fake.csi4j.example'");
      assertThat(left.message().seen())
          .hasToString(
              "2 volumes are left: 'vol-1' for workload 'a' (default/vol-1), 'vol-2' for workload"
                  + " 'c' (default/vol-2)");
      assertThat(node.mountFails(shared("vol-2", "d")).code())
          .as("until somebody decides")
          .isEqualTo(OperatorCode.PLUGIN_DRAINING);
      drain.close();
      holders.forEach(node::unmount);
    }
  }

  @Test
  void aMountThatHadBegunIsWaitedFor() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME).once());
      CompletableFuture<MountedVolume> mounting = node.engine().mount(single("vol-1", "a"));
      node.awaitOpen(NODE_STAGE_VOLUME);
      PluginDrain drain = node.engine().drain(PLUGIN, HOUR);
      assertThat(drain.holders()).containsExactly(usage("vol-1", "a"));

      node.plugin().release();

      assertThat(node.get(mounting).usage()).isEqualTo(usage("vol-1", "a"));
      assertThat(isOver(drain)).isFalse();
      node.unmount(usage("vol-1", "a"));
      assertThat(outcome(node, drain)).isEqualTo(new Free());
      drain.close();
    }
  }

  @Test
  void aMountThatWaitsForItsTurnIsRefusedAndNotWaitedFor() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME).once());
      CompletableFuture<MountedVolume> first = node.engine().mount(shared("vol-1", "a"));
      node.awaitOpen(NODE_STAGE_VOLUME);
      CompletableFuture<MountedVolume> second = node.engine().mount(shared("vol-1", "b"));
      PluginDrain drain = node.engine().drain(PLUGIN, HOUR);
      assertThat(drain.holders()).containsExactly(usage("vol-1", "a"), usage("vol-1", "b"));

      node.plugin().release();

      assertThat(node.fails(second).code()).isEqualTo(OperatorCode.PLUGIN_DRAINING);
      assertThat(node.get(first).usage()).isEqualTo(usage("vol-1", "a"));
      assertThat(drain.holders()).containsExactly(usage("vol-1", "a"));
      node.unmount(usage("vol-1", "a"));
      assertThat(outcome(node, drain)).isEqualTo(new Free());
      drain.close();
    }
  }

  @Test
  void aReleaseThatFailedGoesOnAndIsWaitedFor() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "a"));
      node.plugin()
          .inject(Fault.fail(StatusCode.INTERNAL, "busy"), When.calling(NODE_UNPUBLISH_VOLUME));
      PluginDrain drain = node.engine().drain(PLUGIN, HOUR);

      assertThat(node.unmountFails(usage("vol-1", "a")).outcome()).isEqualTo(Outcome.IN_PROGRESS);
      assertThat(isOver(drain)).isFalse();
      assertThat(drain.holders()).containsExactly(usage("vol-1", "a"));
      node.plugin().clearFaults();

      node.inTheEnd("it is released in the background", () -> isOver(drain));
      assertThat(outcome(node, drain)).isEqualTo(new Free());
      drain.close();
    }
  }

  @Test
  void aPluginWithoutVolumesIsFreeAtOnce() {
    try (Node node = Node.open()) {
      PluginDrain drain = node.engine().drain(PLUGIN, HOUR);

      assertThat(outcome(node, drain)).isEqualTo(new Free());
      assertThat(drain.plugin()).isEqualTo(PLUGIN);
      drain.close();
    }
  }

  @Test
  void itIsDrainedUntilNobodyDrainsItAnyMore() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      PluginDrain one = node.engine().drain(PLUGIN, HOUR);
      PluginDrain other = node.engine().drain(PLUGIN, HOUR);

      one.close();
      one.close();

      assertThat(outcome(node, one)).isEqualTo(new Cancelled());
      assertThat(isOver(other)).isFalse();
      assertThat(node.mountFails(shared("vol-1", "b")).code())
          .isEqualTo(OperatorCode.PLUGIN_DRAINING);
      other.close();
      node.mount(shared("vol-1", "b"));
      node.unmount(usage("vol-1", "a"));
      node.unmount(usage("vol-1", "b"));
      assertThat(outcome(node, other)).as("what it ended with").isEqualTo(new Cancelled());
    }
  }

  @Test
  void otherPluginsAreNotConcerned() {
    PluginId other = PluginId.of("other.csi4j.example");
    try (Node node = Node.open()) {
      FakeCsiPlugin plugin = node.plug(other, PluginShape.nodeOnly(), Node.QUICK);
      plugin.addVolume(VolumeId.of("vol-9"), CapacityRange.exactly(1L << 30), Node.context());
      PluginDrain drain = node.engine().drain(PLUGIN, HOUR);

      node.mount(
          Node.request(
                  other, usage("vol-9", "a"), VolumeId.of("vol-9"), AccessMode.SINGLE_NODE_WRITER)
              .build());

      assertThat(outcome(node, drain)).isEqualTo(new Free());
      assertThat(drain.holders()).isEmpty();
      node.unmount(usage("vol-9", "a"));
      drain.close();
    }
  }

  @Test
  void whatARestartFindsIsHeldToo() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "a"));
      node.restart();

      PluginDrain drain = node.engine().drain(PLUGIN, HOUR);

      assertThat(drain.holders()).containsExactly(usage("vol-1", "a"));
      node.unmount(usage("vol-1", "a"));
      assertThat(outcome(node, drain)).isEqualTo(new Free());
      drain.close();
    }
  }

  @Test
  void closingTheManagerEndsTheWaiting() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "a"));
      PluginDrain drain = node.engine().drain(PLUGIN, HOUR);

      assertThat(node.get(node.engine().close())).isZero();

      assertThat(outcome(node, drain)).isEqualTo(new Cancelled());
      node.restart();
      node.unmount(usage("vol-1", "a"));
    }
  }

  @Test
  void anOperationGoesOnWithWhoeverServesWhenItsNextCallIsDue() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME).once());
      CompletableFuture<MountedVolume> mounting = node.engine().mount(single("vol-1", "a"));
      node.awaitOpen(NODE_STAGE_VOLUME);

      node.registerAll();
      node.plugin().release();

      assertThat(node.get(mounting).usage()).isEqualTo(usage("vol-1", "a"));
      assertThat(node.calls()).containsExactly("Stage:OK", "Publish:OK");
      node.unmount(usage("vol-1", "a"));
    }
  }
}
