package io.csi4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.controller.ControllerUnpublishVolumeRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.DeleteVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.client.node.NodeUnpublishVolumeRequest;
import io.csi4j.client.node.NodeUnstageVolumeRequest;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.referee.DutyId;
import io.csi4j.testkit.referee.UnlawfulCallerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The referee over what a real client does on a real socket. */
class RefereeOnSocketTest {

  private Path root;

  /** In a directory with a short name: paths of CSI are short. */
  @BeforeEach
  void makeRoot() throws IOException {
    root = Files.createTempDirectory("ref");
  }

  @AfterEach
  void removeRoot() throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      for (Path path : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  static Stream<PluginShape> shapes() {
    return Stream.of(
        PluginShape.full(),
        PluginShape.separateSockets(),
        PluginShape.noStaging(),
        PluginShape.noAttach(),
        PluginShape.attachRequired(),
        PluginShape.blockOnly(),
        PluginShape.plain());
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void aVolumesWholeLifeIsLawful(PluginShape shape) throws IOException {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(shape);
        Driver driver = new Driver(plugin)) {
      driver.start("v1");
      driver.publish("one");
      driver.unpublish("one");
      driver.finish();
      plugin.assertLawful();
      assertThat(plugin.verdict().broken()).as(plugin.verdict().describe()).isEmpty();
    }
  }

  @Test
  void anAnswerThatWasLostIsHeldAgainstNobody() throws IOException {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        Driver driver = new Driver(plugin)) {
      plugin.inject(Fault.applyThenDrop(), When.calling(CsiOperation.NODE_STAGE_VOLUME).once());
      plugin.inject(Fault.applyThenDrop(), When.calling(CsiOperation.NODE_PUBLISH_VOLUME).once());
      driver.start("v1");
      driver.publish("one");
      driver.unpublish("one");
      driver.finish();
      assertThat(plugin.verdict().broken()).as(plugin.verdict().describe()).isEmpty();
    }
  }

  @Test
  void anUnstagingUnderAWorkloadIsFound() throws IOException {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        Driver driver = new Driver(plugin)) {
      plugin.inject(Fault.apply(), When.calling(CsiOperation.NODE_UNSTAGE_VOLUME).once());
      driver.start("v1");
      driver.publish("one");
      assertThatThrownBy(driver::unstage).isInstanceOf(RuntimeException.class);
      driver.unpublish("one");
      driver.finish();
      assertThat(plugin.verdict().broken())
          .contains(DutyId.of(142), DutyId.of(143), DutyId.of(149));
      assertThatThrownBy(plugin::assertLawful)
          .isInstanceOf(UnlawfulCallerException.class)
          .hasMessageContaining("D-142 broken")
          .hasMessageContaining("Unpublish every target first.");
    }
  }

  @Test
  void aTargetMadeByTheCallerIsFound() throws IOException {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        Driver driver = new Driver(plugin)) {
      driver.start("v1");
      Files.createDirectory(driver.target("one"));
      driver.publish("one");
      assertThat(plugin.verdict().broken()).containsExactly(DutyId.of(409));
      driver.unpublish("one");
    }
  }

  /** A caller that keeps every duty, unless it is told otherwise. */
  private final class Driver implements AutoCloseable {
    private final PluginShape shape;
    private final CsiPlugin controller;
    private final CsiPlugin onNode;
    private final NodeId node;
    private final VolumeCapability capability;
    private Volume volume;
    private PublishContext context = PublishContext.empty();

    Driver(FakeCsiPlugin plugin) {
      shape = plugin.shape();
      controller = CsiPlugin.connect(plugin.endpoint());
      onNode =
          plugin.endpoint().equals(plugin.nodeEndpoint())
              ? controller
              : CsiPlugin.connect(plugin.nodeEndpoint());
      controller.identity().getPluginInfo();
      controller.identity().getPluginCapabilities();
      controller.controller().getCapabilities();
      onNode.identity().probe();
      onNode.node().getCapabilities();
      node = onNode.node().getInfo().nodeId();
      AccessMode mode =
          shape.offers(NodeCapability.SINGLE_NODE_MULTI_WRITER)
              ? AccessMode.SINGLE_NODE_SINGLE_WRITER
              : AccessMode.SINGLE_NODE_WRITER;
      capability =
          shape.filesystems() ? VolumeCapability.mount(mode) : VolumeCapability.block(mode);
    }

    Path target(String workload) {
      return root.resolve(workload);
    }

    private VolumeId id() {
      return volume.id();
    }

    private PluginPath staging() {
      return PluginPath.of(root.resolve("staging").toString());
    }

    void start(String name) throws IOException {
      volume =
          controller
              .controller()
              .createVolume(CreateVolumeRequest.builder(name, List.of(capability)).build());
      if (shape.offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)) {
        context =
            controller
                .controller()
                .publishVolume(
                    ControllerPublishVolumeRequest.builder(id(), node, capability)
                        .volumeContext(volume.context())
                        .build())
                .publishContext();
      }
      if (shape.offers(NodeCapability.STAGE_UNSTAGE_VOLUME)) {
        Files.createDirectory(root.resolve("staging"));
        onNode
            .node()
            .stageVolume(
                NodeStageVolumeRequest.builder(id(), staging(), capability)
                    .volumeContext(volume.context())
                    .publishContext(context)
                    .build());
      }
    }

    void publish(String workload) {
      NodePublishVolumeRequest.Builder request =
          NodePublishVolumeRequest.builder(
                  id(), PluginPath.of(target(workload).toString()), capability)
              .volumeContext(volume.context())
              .publishContext(context);
      if (shape.offers(NodeCapability.STAGE_UNSTAGE_VOLUME)) {
        request.stagingTargetPath(staging());
      }
      onNode.node().publishVolume(request.build());
    }

    void unpublish(String workload) {
      onNode
          .node()
          .unpublishVolume(
              NodeUnpublishVolumeRequest.builder(id(), PluginPath.of(target(workload).toString()))
                  .build());
    }

    void unstage() {
      onNode.node().unstageVolume(NodeUnstageVolumeRequest.builder(id(), staging()).build());
    }

    void finish() {
      if (shape.offers(NodeCapability.STAGE_UNSTAGE_VOLUME)) {
        unstage();
      }
      if (shape.offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)) {
        controller
            .controller()
            .unpublishVolume(ControllerUnpublishVolumeRequest.builder(id(), node).build());
      }
      controller.controller().deleteVolume(DeleteVolumeRequest.builder(id()).build());
    }

    @Override
    public void close() {
      onNode.close();
      controller.close();
    }
  }
}
