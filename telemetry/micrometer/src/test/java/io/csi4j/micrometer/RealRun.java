package io.csi4j.micrometer;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.supervision.PluginSupervisor;
import io.csi4j.volume.store.local.MemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;

/**
 * A node with a supervised plugin, and a control plane: real operations, so that all is counted.
 */
final class RealRun implements AutoCloseable {

  static final PluginId PLUGIN = PluginId.of("fake");
  static final VolumeUse KEPT = VolumeUse.of(VolumeKey.of("kept"), WorkloadId.of("web-1"));
  static final VolumeUse REFUSED = VolumeUse.of(VolumeKey.of("refused"), WorkloadId.of("web-2"));

  static final VolumeId FIRST = VolumeId.of("vol-1");

  static final VolumeId OTHER = VolumeId.of("vol-2");

  final FakeCsiPlugin fake;
  final VolumeManager manager;
  final PluginSupervisor supervisor;
  final ClaimCoordinator claims;

  private RealRun(Path directory, CsiMetrics metrics) throws IOException {
    Path sockets = Files.createDirectory(directory.resolve("s"));
    fake =
        FakeCsiPlugin.builder()
            .shape(PluginShape.nodeOnly().with(NodeCapability.GET_VOLUME_HEALTH))
            .socket(sockets.resolve("csi.sock"))
            .open();
    // Longer than CSI allows, which is let pass and told.
    var odd = fake.answer(CsiOperation.NODE_GET_INFO, asked -> Map.of("node_id", "n".repeat(300)));
    assert odd != null;
    fake.addVolume(FIRST);
    fake.addVolume(OTHER);
    manager = VolumeManager.builder(directory.resolve("v")).listener(metrics.volumes()).open();
    supervisor = PluginSupervisor.builder(manager.plugins()).listener(metrics.plugins()).open();
    // The plugin makes directories only, so that everybody may run this.
    MountPolicy policy =
        MountPolicy.builder().requireMount(false).healthInterval(Duration.ofMillis(50)).build();
    var unused =
        supervisor.supervise(
            PluginConfig.builder(PLUGIN.value(), sockets)
                .volumeRoot(directory.resolve("v"))
                .policy(policy)
                .connectOptions(
                    ConnectOptions.builder().listener(metrics.calls(PLUGIN.value())).build())
                .build());
    claims =
        new ClaimCoordinator(
            new ClaimBook(new MemoryStore(), Clock.systemUTC()),
            new Attaching(),
            Clock.systemUTC(),
            metrics.claims());
  }

  /** Attaches whatever it is asked to attach. */
  private static final class Attaching implements StorageController {
    @Override
    public boolean attaches(VolumeKey volume) {
      return true;
    }

    @Override
    public ControllerAnswer attach(AttachmentTask task, Guard guard) {
      return new ControllerAnswer.Attached(PublishContext.empty());
    }

    @Override
    public ControllerAnswer detach(AttachmentTask task, Guard guard) {
      return new ControllerAnswer.Detached();
    }
  }

  /**
   * Mounts a volume and keeps it, mounts and unmounts another, has a mount refused; claims a
   * volume, and is refused it for a second node.
   */
  static RealRun in(Path directory, CsiMetrics metrics) throws IOException {
    RealRun run = new RealRun(directory, metrics);
    var ready = run.manager.plugins().await(PLUGIN, PluginRole.NODE, Duration.ofSeconds(20)).join();
    assert ready != null;
    AutoCloseable watched = metrics.watch(run.manager);
    assert watched != null;
    var kept = run.manager.mount(request(KEPT, FIRST));
    assert kept != null;
    run.fake.inject(
        Fault.fail(StatusCode.INVALID_ARGUMENT, "no"),
        When.calling(CsiOperation.NODE_STAGE_VOLUME).once());
    try {
      var never = run.manager.mount(request(REFUSED, OTHER));
      throw new AssertionError("mounted: " + never);
    } catch (VolumeException refused) {
      // As it should be.
    }
    var mounted = run.manager.mount(request(REFUSED, OTHER));
    assert mounted != null;
    var gone = run.manager.unmount(REFUSED);
    assert gone != null;
    run.fake.health(
        FIRST,
        VolumeHealthEntry.of(
            VolumeHealthEntry.Status.DEGRADED, HealthReason.of("DiskSlow"), "one disk is slow"));
    var grant = run.claims.acquire(claim("web-1", "n1"));
    assert grant != null;
    try {
      var never = run.claims.acquire(claim("web-2", "n2"));
      throw new AssertionError("granted: " + never);
    } catch (ClaimException refused) {
      // As it should be.
    }
    return run;
  }

  private static MountRequest request(VolumeUse use, VolumeId volume) {
    return MountRequest.builder(PLUGIN, use, volume, AccessMode.SINGLE_NODE_WRITER).build();
  }

  private static ClaimRequest claim(String workload, String node) {
    return ClaimRequest.builder(
            VolumeUse.of(VolumeKey.of("db"), WorkloadId.of(workload)),
            NodeName.of(node),
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .nodeId(NodeId.of("id-" + node))
        .build();
  }

  @Override
  public void close() {
    supervisor.close();
    manager.close();
    fake.close();
  }
}
