package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.journal.JournalStateStore;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.LocalStore;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A plugin in memory, a volume manager that has one of its volumes mounted, and a claim on disk: a
 * world to look at. The plugin makes directories only, so nothing is really mounted.
 */
final class ManagedDirectory implements AutoCloseable {

  static final VolumeId HANDLE = VolumeId.of("vol-1");
  static final VolumeUse WEB = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web-1"));
  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");

  private final Path root;
  private final Path claims;
  private final FakeCsiPlugin fake;
  private final VolumeManager manager;

  private ManagedDirectory(Path root, Path claims, FakeCsiPlugin fake, VolumeManager manager) {
    this.root = root;
    this.claims = claims;
    this.fake = fake;
    this.manager = manager;
  }

  static ManagedDirectory open(Path temp) {
    FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.noAttach());
    fake.addVolume(HANDLE);
    Path root = temp.resolve("volumes");
    JournalSettings journal = JournalSettings.builder().acceptAnyFilesystem(true).build();
    VolumeManager manager =
        VolumeManager.builder(root)
            .claims(NodeClaims.of(NodeName.of("n1"), (use, epoch) -> new ClaimStanding.Current()))
            .journal(journal)
            .settings(ManagerSettings.builder().closing(Duration.ofMillis(200)).build())
            .plugin(
                PluginBinding.builder(PLUGIN, fake.nodeEndpoint())
                    .policy(MountPolicy.builder().requireMount(false).build())
                    .build())
            .open();
    mount(manager, WEB, HANDLE, 1);
    Path claims = temp.resolve("claims");
    claimed(claims);
    try (LocalStore store = LocalStore.on(JournalStateStore.open(claims, journal))) {
      catalogued(store, fake);
    }
    return new ManagedDirectory(root, claims, fake, manager);
  }

  /** Claims the volume in the directory of a store. */
  static void claimed(Path directory) {
    JournalSettings journal = JournalSettings.builder().acceptAnyFilesystem(true).build();
    try (LocalStore store = LocalStore.on(JournalStateStore.open(directory, journal))) {
      assertThat(
              new ClaimBook(store, Clock.systemUTC())
                  .claim(
                      ClaimRequest.builder(
                              WEB,
                              NodeName.of("n1"),
                              new Claim.Use(
                                  AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
                              ClaimMode.WRITE)
                          .build()))
          .isNotNull();
    }
  }

  /** Ends the claim of the volume in the directory of the store. */
  void released() {
    JournalSettings journal = JournalSettings.builder().acceptAnyFilesystem(true).build();
    try (LocalStore store = LocalStore.on(JournalStateStore.open(claims, journal));
        VolumeController controller = controller(store, fake)) {
      ClaimCoordinator coordinator =
          new ClaimCoordinator(
              new ClaimBook(store, Clock.systemUTC()),
              controller.attachments(),
              Clock.systemUTC(),
              ClaimEvent.Listener.none());
      assertThat(coordinator.release(WEB)).isInstanceOf(ClaimProgress.WaitsForNode.class);
      NodeReceipt receipt =
          new NodeReceipt(
              WEB, 1, NodeName.of("n1"), "boot", List.of(Path.of("/v")), NodeReceipt.Staging.GONE);
      assertThat(coordinator.confirmRelease(receipt)).isInstanceOf(ClaimProgress.Gone.class);
    }
  }

  private static VolumeController controller(RecordStore store, FakeCsiPlugin fake) {
    PluginRegistry plugins = InMemoryPluginRegistry.open();
    plugins.register(PluginRegistration.controller(PluginBinding.of(PLUGIN, fake.endpoint())));
    return VolumeController.builder(plugins, store).claims(store).open();
  }

  /** Takes a volume on record, as a control plane does. */
  private static void catalogued(RecordStore store, FakeCsiPlugin fake) {
    try (VolumeController controller = controller(store, fake)) {
      VolumeSpec spec =
          VolumeSpec.builder(PLUGIN)
              .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
              .capacity(CapacityRange.atLeast(1 << 20))
              .parameters(Map.of("type", "ssd"))
              .build();
      assertThat(controller.create(VolumeKey.of("db"), spec)).isNotNull();
    }
  }

  private static void mount(VolumeManager manager, VolumeUse use, VolumeId handle, long epoch) {
    assertThat(
            manager.mount(
                MountRequest.builder(PLUGIN, use, handle, AccessMode.SINGLE_NODE_WRITER)
                    .claim(
                        new ClaimGrant(
                            use, NodeName.of("n1"), epoch, ClaimMode.WRITE, PublishContext.empty()))
                    .build()))
        .isNotNull();
  }

  /** Mounts one more volume, or the first one again, for the same workload. */
  void mount(String name, String handle) {
    fake.addVolume(VolumeId.of(handle));
    mount(manager, VolumeUse.of(VolumeKey.of(name), WEB.workload()), VolumeId.of(handle), 2);
  }

  Path root() {
    return root;
  }

  Path claims() {
    return claims;
  }

  FakeCsiPlugin plugin() {
    return fake;
  }

  VolumeManager manager() {
    return manager;
  }

  CsiEndpoint endpoint() {
    return fake.endpoint();
  }

  @Override
  public void close() {
    manager.close();
    fake.close();
  }
}
