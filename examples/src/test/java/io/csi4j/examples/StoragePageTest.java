package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.controller.SnapshotName;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.placement.Placement;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import io.csi4j.volume.workload.ResolvedVolume;
import io.csi4j.volume.workload.VolumeRequest;
import io.csi4j.volume.workload.WorkloadVolumes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds docs/storage.md to what really compiles and runs. */
class StoragePageTest {

  private static final PluginId ID = PluginId.of("fake");
  private static final NodeId N1 = NodeId.of("n1");
  private static final NodeId N2 = NodeId.of("n2");

  @TempDir Path directory;
  private final List<String> told = new ArrayList<>();
  private final MemoryStore store = new MemoryStore();
  private final ClaimBook book = new ClaimBook(store, Clock.systemUTC());
  private FakeCsiPlugin fake;
  private VolumeController controller;

  @BeforeEach
  void aControllerKnowsAPluginOnTwoNodes() {
    fake =
        FakeCsiPlugin.builder()
            .shape(
                PluginShape.full()
                    .accessTypes(true, true)
                    .topologies(Topology.of(Map.of("zone", "a")), Topology.of(Map.of("zone", "b"))))
            .nodes(N1, N2)
            .effects(NodeEffects.none())
            .open();
    PluginRegistry plugins = InMemoryPluginRegistry.open();
    plugins.register(PluginRegistration.controller(PluginBinding.of(ID, fake.endpoint())));
    controller =
        VolumeController.builder(plugins, LocalStore.on(MemoryMedium.create().open()))
            .claims(store)
            .open();
  }

  @AfterEach
  void noDutyWasBroken() {
    controller.close();
    fake.assertLawful();
    fake.close();
  }

  private static VolumeSpec spec() {
    return VolumeSpec.builder(ID)
        .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
        .build();
  }

  private Placement.Node node(NodeId id) {
    try (CsiPlugin plugin = CsiPlugin.connect(fake.nodeEndpoint(id))) {
      PluginFingerprint said =
          new PluginFingerprint(
              plugin.identity().getPluginInfo().name(),
              new PluginFingerprint.Version("1"),
              plugin.identity().getPluginCapabilities(),
              Optional.empty(),
              Optional.of(
                  new NodeFacts(
                      Optional.of(id),
                      plugin.node().getInfo().maxVolumesPerNode(),
                      plugin.node().getInfo().accessibleTopology(),
                      plugin.node().getCapabilities())),
              Instant.EPOCH);
      PluginHealth ready =
          new PluginHealth(
              PluginHealth.State.READY,
              PluginHealth.Reason.ANSWERED,
              new PluginHealth.Text("it is ready"),
              Instant.EPOCH);
      return Placement.Node.of(
          NodeName.of(id.value()),
          List.of(
              new RegisteredPlugin(
                  PluginRegistration.node(PluginBinding.of(ID, fake.nodeEndpoint(id))),
                  ready,
                  Optional.of(said),
                  false)));
    }
  }

  @Test
  void aVolumeIsMadeOnTheBestNodeAndCanBeClaimedThereOnly() {
    StorageSnippets.placement(controller, book, List.of(node(N2), node(N1)), spec(), told::add);

    assertThat(told)
        .singleElement()
        .asString()
        .startsWith("1. n1: in {zone=a}\n-  n2: CSI-533 TOPOLOGY_MISMATCH: ");
  }

  @Test
  void aPreflightSaysWhoHoldsTheVolume() {
    VolumeUse other = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("batch"));
    assertThat(
            book.claim(
                    ClaimRequest.builder(
                            other,
                            NodeName.of("n2"),
                            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
                            ClaimMode.WRITE)
                        .build())
                .epoch())
        .isEqualTo(1);
    WorkloadVolumes wanted =
        WorkloadVolumes.builder(
                WorkloadId.of("web"),
                (request, source) ->
                    Optional.of(
                        ResolvedVolume.csi(
                            CatalogVolume.builder(
                                    VolumeKey.of("db"),
                                    VolumeSpec.builder(ID)
                                        .use(
                                            AccessMode.SINGLE_NODE_WRITER,
                                            AttachmentMode.FILESYSTEM)
                                        .build(),
                                    io.csi4j.client.model.VolumeId.of("vol-1"))
                                .build(),
                            SecretsProvider.none())))
            .volume(
                VolumeRequest.builder("data", VolumeRequest.Type.CSI, "db")
                    .accessMode(AccessMode.SINGLE_NODE_WRITER)
                    .attachment(AttachmentMode.FILESYSTEM)
                    .build())
            .build();
    try (VolumeManager manager =
        VolumeManager.builder(directory.resolve("root"))
            .state(MemoryMedium.create().open())
            .open()) {
      assertThat(StorageSnippets.preflight(manager, book, NodeName.of("n1"), wanted).obstacles())
          .anySatisfy(
              why -> {
                assertThat(why.code()).isEqualTo(OperatorCode.CLAIM_HELD_BY);
                assertThat(why.seen().text()).contains("batch", "n2");
              });
    }
  }

  @Test
  void aBackupIsCutKeptAndRestoredAndItsChangesAreWritten() throws IOException {
    VolumeSpec spec =
        VolumeSpec.builder(ID).use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.BLOCK).build();
    List<Placement.Node> nodes = List.of(node(N1), node(N2));
    CatalogVolume db = controller.create(VolumeKey.of("db"), spec);
    Snapshot first = controller.createSnapshot(db.key(), SnapshotName.of("first"), Map.of());
    List<Object> noted = new ArrayList<>();

    StorageSnippets.backup(
        controller,
        db.key(),
        new StorageSnippets.Application() {
          @Override
          public void freeze() {
            noted.add("freeze");
          }

          @Override
          public void thaw() {
            noted.add("thaw");
          }
        },
        noted::add);

    assertThat(noted).hasSize(3).startsWith("freeze", "thaw");
    assertThat(controller.backups().pending()).isEmpty();
    SnapshotId second = (SnapshotId) noted.get(2);
    StorageSnippets.changes(controller, db, first.id(), second, directory.resolve("changes"));
    assertThat(StorageSnippets.COPIED).isNotEmpty();
    assertThat(Files.readString(directory.resolve("changes")))
        .startsWith("csi4j ranges 1\nplugin fake\nbase " + first.id());
    Placement placement = Placement.builder(controller).build();
    assertThat(StorageSnippets.restore(controller, placement, nodes, first).topologies())
        .hasSize(1);
  }
}
