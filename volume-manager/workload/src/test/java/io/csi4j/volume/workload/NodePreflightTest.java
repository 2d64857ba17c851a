package io.csi4j.volume.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeService.NodeInfo;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.PluginHandle;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.state.MemoryMedium;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is found on a node with a manager, and a plugin that said what it is over its socket. */
class NodePreflightTest {

  private static final PluginId PLUGIN = PluginId.of("fake");
  private static final Topology ZONE_A = Topology.of(Map.of("zone", "a"));
  private static final Topology ZONE_B = Topology.of(Map.of("zone", "b"));

  @TempDir private Path temp;
  private FakeCsiPlugin fake;
  private VolumeManager manager;
  private PluginHandle handle;

  @BeforeEach
  void open() {
    fake =
        FakeCsiPlugin.open(PluginShape.noAttach().maxVolumesPerNode(2).topologies(ZONE_A, ZONE_B));
    manager =
        VolumeManager.builder(temp.resolve("root")).state(MemoryMedium.create().open()).open();
    handle =
        manager
            .plugins()
            .register(
                PluginRegistration.node(
                    PluginBinding.builder(PLUGIN, fake.endpoint())
                        // The plugin makes directories only, so that everybody may run this.
                        .policy(MountPolicy.builder().requireMount(false).build())
                        .build()));
    try (CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      handle.report(fingerprint(plugin));
    }
    handle.report(Wishes.ready());
    for (int i = 0; i < 4; i++) {
      fake.addVolume(VolumeId.of("vol-" + i));
    }
  }

  @AfterEach
  void close() {
    handle.close();
    manager.close();
    fake.close();
  }

  private static PluginFingerprint fingerprint(CsiPlugin plugin) {
    NodeInfo node = plugin.node().getInfo();
    return new PluginFingerprint(
        plugin.identity().getPluginInfo().name(),
        new PluginFingerprint.Version(plugin.identity().getPluginInfo().vendorVersion()),
        plugin.identity().getPluginCapabilities(),
        Optional.of(plugin.controller().getCapabilities()),
        Optional.of(
            new NodeFacts(
                Optional.of(node.nodeId()),
                node.maxVolumesPerNode(),
                node.accessibleTopology(),
                plugin.node().getCapabilities())),
        Wishes.NOON);
  }

  private static ResolvedVolume.Csi volume(int number) {
    return Wishes.csi(Wishes.volume("db-" + number, PLUGIN, "vol-" + number));
  }

  private static ResolvedVolume.Csi reachableFrom(Topology... places) {
    return Wishes.csi(volume(1).volume().toBuilder().topologies(List.of(places)));
  }

  private static WorkloadVolumes wanted(
      String workload, ResolvedVolume.Csi volume, UnaryOperator<VolumeRequest.Builder> change) {
    return WorkloadVolumes.builder(
            WorkloadId.of(workload), (request, source) -> Optional.of(volume))
        .volume(
            change
                .apply(
                    VolumeRequest.builder("data", VolumeRequest.Type.CSI, volume.key().id())
                        .accessMode(AccessMode.MULTI_NODE_MULTI_WRITER)
                        .attachment(AttachmentMode.FILESYSTEM))
                .build())
        .build();
  }

  private static WorkloadVolumes wanted(String workload, ResolvedVolume.Csi volume) {
    return wanted(workload, volume, request -> request);
  }

  private List<String> told(WorkloadVolumes wanted) {
    int before = fake.journal().calls().size();
    List<OperatorMessage> obstacles = Preflight.of(manager).check(wanted).obstacles();
    assertThat(fake.journal().calls()).as("nothing was asked of the plugin").hasSize(before);
    return obstacles.stream().map(each -> each.code() + " " + each.seen()).toList();
  }

  @Test
  void aVolumeInUseIsFoundAsTheManagerWouldRefuseIt() {
    UnaryOperator<VolumeRequest.Builder> single =
        request -> request.accessMode(AccessMode.SINGLE_NODE_WRITER);
    WorkloadVolumes first = wanted("web-1", volume(1), single);
    assertThat(told(first)).isEmpty();
    assertThat(first.mountRequests().stream().map(manager::mount)).hasSize(1);

    assertThat(told(first)).as("again, for who has it").isEmpty();
    WorkloadVolumes second = wanted("web-2", volume(1), single);
    assertThat(told(second))
        .containsExactly(
            "VOLUME_IN_USE access mode SINGLE_NODE_WRITER admits one workload"
                + " (SINGLE_NODE_MULTI_WRITER and MULTI_NODE_MULTI_WRITER admit several), and the"
                + " volume is held by workload 'web-1'");
    MountRequest request = second.mountRequests().get(0);
    assertThat(manager.refusal(request).map(OperatorMessage::line))
        .contains(
            catchThrowableOfType(VolumeException.class, () -> manager.mount(request)).getMessage());
    assertThat(told(wanted("web-1", volume(1))))
        .containsExactly(
            "OPTIONS_DIFFER it is used in another way by this workload; these differ: access mode"
                + " (it has SINGLE_NODE_WRITER, this request MULTI_NODE_MULTI_WRITER)");
    assertThat(told(wanted("web-1", Wishes.csi(Wishes.volume("db-1", PLUGIN, "vol-3")), single)))
        .containsExactly(
            "OPTIONS_DIFFER the use is recorded for volume 'vol-1' of plugin"
                + " 'fake', which is another volume");
  }

  @Test
  @Tag("J6")
  void thePlacesAndTheLimitAreThoseThatThePluginSaid() {
    assertThat(told(wanted("web-1", reachableFrom(ZONE_B, ZONE_A)))).isEmpty();
    assertThat(told(wanted("web-1", reachableFrom(ZONE_B))))
        .containsExactly(
            "TOPOLOGY_MISMATCH it can be reached from {zone=b}, and this node is in {zone=a}");
    for (int i = 0; i < 2; i++) {
      assertThat(
              wanted("web-" + i, volume(i)).mountRequests().stream().map(manager::mount).toList())
          .hasSize(1);
    }
    assertThat(told(wanted("web-9", volume(0)))).isEmpty();
    assertThat(told(wanted("web-9", volume(3))))
        .as("J6: the limit refuses with numbers")
        .containsExactly(
            "NODE_VOLUME_LIMIT the plugin takes 2 volumes on this node and has 2,"
                + " including uncertain ones; the workload needs 1 more");
    assertThat(manager.unmount(wanted("web-0", volume(0)).mountRequests().get(0).usage()))
        .isEqualTo(io.csi4j.volume.node.UnmountOutcome.LAST);
    assertThat(told(wanted("web-9", volume(3)))).isEmpty();
  }

  @Test
  void aPluginThatLeavesIsMissed() {
    handle.close();

    assertThat(told(wanted("web-1", volume(1))))
        .containsExactly(
            "PLUGIN_NOT_REGISTERED no plugin is registered with the role NODE on this node");
    List<OperatorMessage> remarks = manager.register(PluginBinding.of(PLUGIN, fake.endpoint()));
    assertThat(told(wanted("web-1", volume(1)))).as("nobody looks after it").isEmpty();
    assertThat(remarks).hasSizeLessThan(2);
  }
}
