package io.csi4j.testkit.internal.hostpath;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.controller.ControllerUnpublishVolumeRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.client.node.NodeUnstageVolumeRequest;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.testkit.model.PluginContents.Attached;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A host path plugin of two nodes, to which volumes are attached. */
@MountTest
class HostPathNodesTest {

  private static final NodeId N1 = NodeId.of("n1");
  private static final NodeId N2 = NodeId.of("n2");
  private static final VolumeCapability ONE_WRITER =
      VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER);
  private static final PluginShape ATTACHING =
      HostPathPlugin.defaultShape().with(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);

  private static HostPathPlugin open(Scratch scratch, PluginShape shape) {
    return HostPathPlugin.builder(scratch.file("data")).shape(shape).nodes(N1, N2).open();
  }

  private static Volume created(CsiPlugin controller) {
    return controller
        .controller()
        .createVolume(CreateVolumeRequest.builder("db", List.of(ONE_WRITER)).build());
  }

  private static PublishContext attach(CsiPlugin controller, Volume volume, NodeId node) {
    return controller
        .controller()
        .publishVolume(
            ControllerPublishVolumeRequest.builder(volume.id(), node, ONE_WRITER)
                .volumeContext(volume.context())
                .build())
        .publishContext();
  }

  private static void detach(CsiPlugin controller, Volume volume, NodeId node) {
    controller
        .controller()
        .unpublishVolume(ControllerUnpublishVolumeRequest.builder(volume.id(), node).build());
  }

  private static PluginPath stage(
      CsiPlugin node, Volume volume, PublishContext context, Scratch scratch, String name)
      throws Exception {
    PluginPath staging = PluginPath.of(scratch.directory(name).toString());
    node.node()
        .stageVolume(
            NodeStageVolumeRequest.builder(volume.id(), staging, ONE_WRITER)
                .volumeContext(volume.context())
                .publishContext(context)
                .build());
    return staging;
  }

  @Test
  void aNodeMountsOnlyWhatIsAttachedToIt(Scratch scratch) throws Exception {
    try (HostPathPlugin plugin = open(scratch, ATTACHING);
        CsiPlugin one = CsiPlugin.connect(plugin.nodeEndpoint(N1));
        CsiPlugin two = CsiPlugin.connect(plugin.nodeEndpoint(N2))) {
      Volume volume = created(one);
      PublishContext context = attach(one, volume, N1);
      PluginPath staging = stage(one, volume, context, scratch, "one");
      Files.writeString(scratch.file("one/f"), "kept");

      assertThat(HostPathLifeTest.refusal(() -> stage(two, volume, context, scratch, "two")))
          .isEqualTo(StatusCode.FAILED_PRECONDITION);
      assertThat(HostPathLifeTest.refusal(() -> attach(one, volume, N2)))
          .isEqualTo(StatusCode.FAILED_PRECONDITION);
      assertThat(HostPathLifeTest.refusal(() -> detach(one, volume, N1)))
          .as("it is staged there")
          .isEqualTo(StatusCode.FAILED_PRECONDITION);

      one.node().unstageVolume(NodeUnstageVolumeRequest.builder(volume.id(), staging).build());
      detach(one, volume, N1);
      PluginPath there = stage(two, volume, attach(one, volume, N2), scratch, "three");
      assertThat(scratch.file("three/f")).hasContent("kept");
      assertThat(plugin.contents().attached()).containsExactly(new Attached(volume.id(), N2));
      two.node().unstageVolume(NodeUnstageVolumeRequest.builder(volume.id(), there).build());
    }
  }

  @Test
  void aFencedNodeIsDetachedWhileItHasTheVolume(Scratch scratch) throws Exception {
    PluginShape shape = ATTACHING.with(Quirk.DETACHES_WHAT_IS_IN_USE);
    try (HostPathPlugin plugin = open(scratch, shape);
        CsiPlugin one = CsiPlugin.connect(plugin.nodeEndpoint(N1));
        CsiPlugin two = CsiPlugin.connect(plugin.nodeEndpoint(N2))) {
      Volume volume = created(one);
      PluginPath lost = stage(one, volume, attach(one, volume, N1), scratch, "one");

      detach(one, volume, N1);

      PluginPath there = stage(two, volume, attach(one, volume, N2), scratch, "two");
      assertThat(plugin.contents().staged()).hasSize(2);
      one.node().unstageVolume(NodeUnstageVolumeRequest.builder(volume.id(), lost).build());
      two.node().unstageVolume(NodeUnstageVolumeRequest.builder(volume.id(), there).build());
      assertThat(plugin.contents().staged()).isEmpty();
    }
  }
}
