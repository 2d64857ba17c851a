package io.csi4j.volume.functional;

import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.UnmountOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** P-136: the device of a raw block volume is held open from its publication to its release. */
class HeldDeviceTest {

  private static final MountPolicy HOLDING = Node.QUICK.toBuilder().holdDevices(true).build();

  private static Node node() {
    Node node = Node.builder().policy(HOLDING).open();
    node.volume("vol-1");
    return node;
  }

  private static MountRequest block(String volume, String workload) {
    return Node.request(volume, workload, AccessMode.MULTI_NODE_MULTI_WRITER).block(true).build();
  }

  private static void holds(Node node, MountPath... devices) {
    Node.eventually(
        "held are " + List.of(devices), () -> node.openDevices().open().equals(Set.of(devices)));
  }

  @Test
  void itIsHeldForEachUseUntilThePluginIsAskedToUnpublishThat() {
    try (Node node = node()) {
      MountPath web = node.targetPath("vol-1", "web");
      MountPath job = node.targetPath("vol-1", "job");
      List<Set<MountPath>> whenUnpublished = new CopyOnWriteArrayList<>();
      NodeEffects honest = node.effects().honest();
      node.effects()
          .whenUnpublishing(
              (volume, target) -> {
                whenUnpublished.add(node.openDevices().open());
                honest.unpublish(volume, target);
              });
      node.mount(block("vol-1", "web"));
      holds(node, web);
      node.mount(block("vol-1", "job"));
      holds(node, web, job);

      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(usage("vol-1", "job"))).isEqualTo(UnmountOutcome.LAST);

      assertThat(whenUnpublished).containsExactly(Set.of(job), Set.of());
    }
  }

  @Test
  void itIsHeldAgainOnceItsPluginIsThereAfterARestart() {
    try (Node node = node()) {
      node.mount(block("vol-1", "web"));
      holds(node, node.targetPath("vol-1", "web"));
      node.crash();
      node.startWithoutPlugins();
      assertThat(node.openDevices().open()).isEmpty();

      node.registerAll();
      node.engine().pluginChanged(Node.PLUGIN);

      holds(node, node.targetPath("vol-1", "web"));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.openDevices().open()).isEmpty();
    }
  }

  @Test
  void itIsHeldAgainWhenTheManagerOpensWithItsPlugin() {
    try (Node node = node()) {
      node.mount(block("vol-1", "web"));
      node.restart();

      holds(node, node.targetPath("vol-1", "web"));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void nothingIsHeldUnlessThePolicySaysSoAndNoFilesystem() {
    try (Node node = node()) {
      node.volume("vol-2");
      node.mount(single("vol-2", "web"));
      node.mount(block("vol-1", "web"));
      holds(node, node.targetPath("vol-1", "web"));

      node.registerAgain(Node.QUICK);
      holds(node);
      node.mount(block("vol-1", "job"));
      assertThat(node.openDevices().asked()).hasSize(1);
      assertThat(node.noticed(OperatorCode.DEVICE_NOT_HELD)).isFalse();
      node.registerAgain(HOLDING);
      holds(node, node.targetPath("vol-1", "web"), node.targetPath("vol-1", "job"));

      node.unmount(usage("vol-1", "web"));
      node.unmount(usage("vol-1", "job"));
      node.unmount(usage("vol-2", "web"));
      assertThat(node.openDevices().open()).isEmpty();
    }
  }

  @Test
  void aDeviceThatDoesNotOpenIsPublishedAndToldOnceUntilItDoes() {
    try (Node node = node()) {
      node.openDevices().refuse(new IOException("No medium found"));

      node.mount(block("vol-1", "web"));

      Node.eventually("it is told", () -> node.noticed(OperatorCode.DEVICE_NOT_HELD));
      assertThat(notHeld(node))
          .singleElement()
          .satisfies(
              it ->
                  assertThat(it.line())
                      .contains("vol-1", "web", "device 7:")
                      .contains("could not be opened: No medium found"));
      node.mount(block("vol-1", "web"));
      Node.eventually("it is tried again", () -> node.openDevices().asked().size() == 2);
      node.openDevices().relent();
      Node.eventually(
          "it is held",
          () -> {
            node.mount(block("vol-1", "web"));
            return node.openDevices().open().size() == 1;
          });
      assertThat(notHeld(node)).hasSize(1);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  private static List<OperatorMessage> notHeld(Node node) {
    return node.notices().stream().filter(it -> it.code() == OperatorCode.DEVICE_NOT_HELD).toList();
  }

  @Test
  void anotherDeviceIsHeldOnceAMountThatWasLostIsMadeAnew() {
    try (Node node = node()) {
      MountPath web = node.targetPath("vol-1", "web");
      node.mount(block("vol-1", "web"));
      holds(node, web);
      node.kernel().host().detach(web);
      holds(node);
      node.kernel().host().detach(node.stagingPath(VolumeId.of("vol-1")));

      node.mount(block("vol-1", "web"));

      holds(node, web);
      assertThat(node.openDevices().asked()).hasSize(2);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aReleaseDoesNotWaitForADeviceThatTakesForeverToClose() {
    try (Node node = node()) {
      node.mount(block("vol-1", "web"));
      holds(node, node.targetPath("vol-1", "web"));
      node.openDevices().stick();

      assertThat(node.unmountInTheEnd(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);

      assertThat(node.openDevices().open()).containsExactly(node.targetPath("vol-1", "web"));
    }
  }

  @Test
  void aDeviceThatTakesVeryLongToOpenIsToldAndIsNotOpenedAfterItsRelease() {
    try (Node node = node()) {
      node.openDevices().stick();

      node.mount(block("vol-1", "web"));
      node.inTheEnd("it is told", () -> node.noticed(OperatorCode.DEVICE_NOT_HELD));
      assertThat(notHeld(node))
          .singleElement()
          .satisfies(it -> assertThat(it.line()).contains("it takes very long to open"));
      assertThat(node.unmountInTheEnd(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      node.openDevices().loosen();

      assertThat(node.openDevices().asked()).isEmpty();
    }
  }

  @Test
  void whatIsSaidOfAnOpeningIsNotSaidOfTheNext() {
    try (Node node = node()) {
      MountPath web = node.targetPath("vol-1", "web");
      MountPath job = node.targetPath("vol-1", "job");
      node.mount(block("vol-1", "job"));
      holds(node, job);
      node.openDevices().stick();
      node.mount(block("vol-1", "web"));
      CompletableFuture<UnmountOutcome> released = node.engine().unmount(usage("vol-1", "web"));
      Duration patience = Duration.ofSeconds(2);
      Node.eventually("the device is waited for", () -> node.time().pauses().contains(patience));
      node.skip(patience);
      assertThat(node.get(released)).isEqualTo(UnmountOutcome.NOT_LAST);
      node.openDevices().unstick();
      node.mount(block("vol-1", "web"));
      holds(node, web, job);

      AtomicBoolean isLater = new AtomicBoolean();
      var unused = node.time().after(Duration.ofSeconds(15), () -> isLater.set(true));
      node.skip(Duration.ofSeconds(20));
      Node.eventually("what was due is done", isLater::get);

      assertThat(node.unmountInTheEnd(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(usage("vol-1", "job"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(notHeld(node)).isEmpty();
    }
  }
}
