package io.csi4j.examples;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.node.NodeService.NodeInfo;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginContents;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.backup.SnapshotSchedule;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.claim.etcd.EtcdSettings;
import io.csi4j.volume.claim.etcd.EtcdStore;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.JobVolumes;
import io.csi4j.volume.controller.SnapshotBackups;
import io.csi4j.volume.controller.SnapshotName;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.placement.Placement;
import io.csi4j.volume.placement.Placement.PlannedClaim;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.local.LocalStore;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A control plane with two nodes in two zones. A volume is placed, created, claimed by a workload,
 * attached to the workload's node, released, backed up, restored, expanded and deleted. A second
 * volume exists only while a job runs. The catalog is on disk; the claims are in etcd if the PATH
 * contains it. The storage system is a fake from the testkit, and nothing is mounted, so the
 * program needs no privileges. The script {@code examples/quickstart controller} runs it.
 */
public final class ControllerQuickstart {

  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");
  private static final VolumeKey NOTES = VolumeKey.of("notes");
  private static final VolumeKey COPY = VolumeKey.of("copy");
  private static final NodeName N1 = NodeName.of("n1");
  private static final NodeName N2 = NodeName.of("n2");
  private static final Claim.Use USE =
      new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM);

  /**
   * Claims contain the name of a node. The storage system uses another id, which the plugin on the
   * node reports.
   */
  private static final NodeId NODE_1 = NodeId.of("node-1");

  private static final NodeId NODE_2 = NodeId.of("node-2");

  /** Maximum time to wait until etcd answers. */
  private static final Duration START = Duration.ofSeconds(20);

  private final Path directory;
  private final Story story;

  private ControllerQuickstart(Path directory, Story story) {
    this.directory = directory;
    this.story = story;
  }

  /** Runs the quickstart in the given directory, which is created if it is missing. */
  public static void main(String[] args) {
    System.exit(run(args, System.out, System.err));
  }

  static int run(String[] args, PrintStream out, PrintStream err) {
    return Program.show(
        "ControllerQuickstart PATH",
        args,
        err,
        directory -> new ControllerQuickstart(directory, new Story(out)).tell());
  }

  private void tell() {
    story.title("A volume and its storage system. Everything is in " + directory + ".");
    PluginRegistry plugins = InMemoryPluginRegistry.open();
    Optional<Path> etcd = LocalEtcd.program();
    try (FakeCsiPlugin storage =
            FakeCsiPlugin.builder()
                .directory(directory.resolve("csi"))
                .shape(PluginShape.full().topologies(zone("a"), zone("b")).maxVolumesPerNode(8))
                .nodes(NODE_1, NODE_2)
                .effects(NodeEffects.none())
                .open();
        LocalStore volumes = LocalStore.open(directory.resolve("volumes"))) {
      if (etcd.isPresent()) {
        try (LocalEtcd server = LocalEtcd.start(etcd.get(), directory.resolve("etcd"));
            RecordStore claims = opened(server)) {
          story.step("claims", "are in an etcd at " + server.endpoint());
          tell(plugins, storage, volumes, claims);
        }
      } else {
        try (LocalStore claims = LocalStore.open(directory.resolve("claims"))) {
          story.step("claims", "are on disk, as there is no etcd on the PATH");
          tell(plugins, storage, volumes, claims);
        }
      }
    }
    story.end();
  }

  /** Opens the store as soon as the server answers. */
  private static RecordStore opened(LocalEtcd server) {
    EtcdSettings settings = EtcdSettings.builder(server.endpoint()).build();
    long end = System.nanoTime() + START.toNanos();
    while (true) {
      try {
        return EtcdStore.open(settings);
      } catch (RecordStoreException early) {
        if (!server.isRunning() || System.nanoTime() - end > 0) {
          throw early;
        }
      }
    }
  }

  private static Topology zone(String name) {
    return Topology.of(Map.of("zone", name));
  }

  private void tell(
      PluginRegistry plugins, FakeCsiPlugin storage, RecordStore volumes, RecordStore claims) {
    plugins.register(PluginRegistration.controller(PluginBinding.of(PLUGIN, storage.endpoint())));
    story.step("storage", PLUGIN + " listens at " + storage.endpoint());
    try (VolumeController controller =
        VolumeController.builder(plugins, volumes).claims(claims).open()) {
      ClaimBook book = new ClaimBook(claims, Clock.systemUTC());
      ClaimCoordinator coordinator =
          new ClaimCoordinator(book, controller.attachments(), Clock.systemUTC(), event -> {});
      Placement placement = Placement.builder(controller).claims(book).build();
      List<Placement.Node> nodes = List.of(node(storage, N1, NODE_1), node(storage, N2, NODE_2));
      create(controller, placement, nodes);
      use(controller, coordinator, storage, () -> otherNodes(controller, placement, nodes));
      backUp(controller, placement, nodes);
      job(controller, coordinator, placement.candidates(scratch(), nodes));
      grow(controller);
      delete(controller);
      left(controller, storage.contents());
    }
  }

  /** Returns a node as the registry of the node's VolumeManager would report it. */
  private static Placement.Node node(FakeCsiPlugin storage, NodeName name, NodeId id) {
    try (CsiPlugin plugin = CsiPlugin.connect(storage.nodeEndpoint(id))) {
      NodeInfo info = plugin.node().getInfo();
      Instant now = Instant.now();
      PluginFingerprint said =
          new PluginFingerprint(
              plugin.identity().getPluginInfo().name(),
              new PluginFingerprint.Version(plugin.identity().getPluginInfo().vendorVersion()),
              plugin.identity().getPluginCapabilities(),
              Optional.empty(),
              Optional.of(
                  new PluginFingerprint.NodeFacts(
                      Optional.of(info.nodeId()),
                      info.maxVolumesPerNode(),
                      info.accessibleTopology(),
                      plugin.node().getCapabilities())),
              now);
      PluginHealth ready =
          new PluginHealth(
              PluginHealth.State.READY,
              PluginHealth.Reason.ANSWERED,
              new PluginHealth.Text("it is ready"),
              now);
      return Placement.Node.of(
          name,
          List.of(
              new RegisteredPlugin(
                  PluginRegistration.node(PluginBinding.of(PLUGIN, storage.nodeEndpoint(id))),
                  ready,
                  Optional.of(said),
                  false)));
    }
  }

  private static NodeName best(Placement.Report report) {
    return report.best().orElseThrow(() -> new IllegalStateException(report.text()));
  }

  private void create(
      VolumeController controller, Placement placement, List<Placement.Node> nodes) {
    VolumeSpec size =
        VolumeSpec.builder(PLUGIN)
            .use(USE.mode(), USE.attachment())
            .capacity(CapacityRange.atLeast(16 << 20))
            .build();
    Placement.Report report = placement.candidates(size, nodes);
    story.step("host", "could have it on " + report.nodes() + ", the best first");
    VolumeSpec wanted = report.onlyOn(best(report));
    CatalogVolume made = timed("host", "created %s", () -> controller.create(NOTES, wanted));
    story.line(made.id() + ", " + made.capacityBytes().orElse(0) + " bytes, " + made.topologies());
    expect(controller.create(NOTES, wanted).equals(made), "The same request made another volume.");
    story.step("host", "the same request again finds it, without a call");
  }

  /** Shows why no node can use the volume for another workload. */
  private void otherNodes(
      VolumeController controller, Placement placement, List<Placement.Node> nodes) {
    CatalogVolume notes = controller.find(NOTES).orElseThrow();
    PlannedClaim wish = new PlannedClaim(WorkloadId.of("web-2"), USE, ClaimMode.WRITE);
    Placement.Report report = placement.candidates(notes, wish, nodes);
    expect(report.candidates().isEmpty(), report.text());
    story.step("web-2", "could have it nowhere:");
    report
        .excluded()
        .forEach(
            each ->
                story.line(
                    each.node()
                        + ": "
                        + each.why().stream()
                            .map(why -> why.code().label())
                            .collect(Collectors.joining(", "))));
  }

  private void use(
      VolumeController controller,
      ClaimCoordinator coordinator,
      FakeCsiPlugin storage,
      Runnable meanwhile) {
    ClaimRequest web1 = wish("web-1", N1, NODE_1);
    ClaimGrant grant =
        timed(
            "web-1", "claimed it on node n1 and had it attached", () -> coordinator.acquire(web1));
    story.line(storage.contents().attached() + ", epoch " + grant.epoch());
    story.step("web-2", "may not have it on n2: " + refusal(coordinator));
    meanwhile.run();
    story.step("host", "may not delete it: " + refusal(controller));
    coordinator.release(web1.usage());
    story.step("web-1", "gave it back; it stays attached until n1 has nothing of it mounted");
    ClaimProgress gone =
        timed(
            "n1",
            "proved that, and it was detached",
            () ->
                coordinator.confirmRelease(
                    new NodeReceipt(
                        web1.usage(),
                        grant.epoch(),
                        N1,
                        "boot-1",
                        List.of(directory),
                        NodeReceipt.Staging.GONE)));
    expect(gone.equals(new ClaimProgress.Gone(web1.usage())), "A release is pending: " + gone);
    expect(storage.contents().attached().isEmpty(), "The volume is still attached.");
  }

  private static String refusal(ClaimCoordinator coordinator) {
    try {
      return "it got epoch " + coordinator.acquire(wish("web-2", N2, NODE_2)).epoch();
    } catch (ClaimException refused) {
      expect(refused.code() == OperatorCode.CLAIM_HELD_BY, refused.operatorMessage().line());
      return refused.code().label();
    }
  }

  private static String refusal(VolumeController controller) {
    try {
      controller.delete(NOTES);
      return "it is gone";
    } catch (ControllerException refused) {
      expect(refused.code() == OperatorCode.VOLUME_CLAIMED, refused.operatorMessage().line());
      return refused.code().label();
    }
  }

  private void backUp(
      VolumeController controller, Placement placement, List<Placement.Node> nodes) {
    SnapshotBackups backups = controller.backups();
    SnapshotName name =
        new SnapshotSchedule("nightly")
            .nameAt(SnapshotSchedule.tick(Instant.now(), Duration.ofDays(1)), NOTES);
    timed("host", "cut a snapshot, and the application goes on", () -> cut(backups, name));
    story.step("host", "has it on record until it is kept: " + backups.pending().keySet());
    Snapshot ready =
        timed("host", "waited until it was ready, and noted it", () -> backups.ready(NOTES, name));
    expect(backups.keep(NOTES, name), "It was not on record.");
    VolumeSpec copy =
        VolumeSpec.builder(PLUGIN)
            .use(USE.mode(), USE.attachment())
            .fromSnapshot(ready.id(), ready.accessibleTopology())
            .build();
    Placement.Report report = placement.candidates(copy, nodes);
    NodeName elsewhere = report.nodes().get(report.nodes().size() - 1);
    CatalogVolume restored =
        timed(
            "host",
            "restored %s where " + elsewhere + " is",
            COPY,
            () -> controller.create(COPY, report.onlyOn(elsewhere)));
    story.line(restored.id() + ", " + restored.topologies());
    timed(
        "host",
        "deleted the snapshot",
        () -> {
          controller.deleteSnapshot(PLUGIN, ready, Optional.empty());
          return ready;
        });
  }

  private static Snapshot cut(SnapshotBackups backups, SnapshotName name) {
    // A real application would be paused while the backup is taken.
    return backups.cut(NOTES, name, Map.of());
  }

  private static VolumeSpec scratch() {
    return VolumeSpec.builder(PLUGIN)
        .use(USE.mode(), USE.attachment())
        .capacity(CapacityRange.atLeast(16 << 20))
        .ephemeral(true)
        .build();
  }

  /** Shows a volume that is created for a task and deleted when the task ends. */
  private void job(
      VolumeController controller, ClaimCoordinator coordinator, Placement.Report report) {
    JobVolumes volumes = new JobVolumes(controller, coordinator);
    VolumeKey key = JobVolumes.job(Namespace.DEFAULT, "render").task("frame-7").volume("scratch");
    VolumeUse task = VolumeUse.of(key, WorkloadId.of("frame-7"));
    NodeName node = best(report);
    NodeId id = node.equals(N1) ? NODE_1 : NODE_2;
    JobVolumes.Acquired acquired =
        timed(
            "frame-7",
            "acquired %s on node " + node,
            key,
            () ->
                volumes.acquire(
                    report.onlyOn(node),
                    ClaimRequest.builder(task, node, USE, ClaimMode.WRITE).nodeId(id).build()));
    volumes.release(task);
    NodeReceipt receipt =
        new NodeReceipt(
            task,
            acquired.grant().epoch(),
            node,
            "boot-1",
            List.of(directory),
            NodeReceipt.Staging.GONE);
    JobVolumes.Released ended =
        timed("frame-7", "ended, and its volume with it", () -> volumes.confirmRelease(receipt));
    expect(ended.volume() == JobVolumes.VolumeOutcome.DELETED, "The volume still exists: " + ended);
  }

  private void grow(VolumeController controller) {
    CatalogVolume grown =
        timed(
            "host",
            "grew %s to 64 MiB",
            NOTES,
            () -> controller.expand(NOTES, CapacityRange.atLeast(64 << 20)));
    expect(grown.pendingOnNode().isPresent(), "The node was forgotten.");
    story.step(
        "host", "remembers that the node has to follow: " + grown.pendingOnNode().orElseThrow());
  }

  private void delete(VolumeController controller) {
    for (VolumeKey key : List.of(COPY, NOTES)) {
      timed(
          "host",
          "deleted %s",
          key,
          () -> {
            controller.delete(key);
            return key;
          });
    }
  }

  private void left(VolumeController controller, PluginContents contents) {
    story.step(
        "left",
        contents.volumes().size()
            + " volumes, "
            + contents.snapshots().size()
            + " snapshots, "
            + contents.attached().size()
            + " attachments; on record "
            + (controller.volumes().size() + controller.pending().size())
            + " volumes");
    expect(contents.empty() && controller.volumes().isEmpty(), "Something is left.");
  }

  private static ClaimRequest wish(String workload, NodeName node, NodeId id) {
    return ClaimRequest.builder(
            VolumeUse.of(NOTES, WorkloadId.of(workload)), node, USE, ClaimMode.WRITE)
        .nodeId(id)
        .build();
  }

  private <T> T timed(String who, String what, Supplier<T> work) {
    return timed(who, what, NOTES, work);
  }

  private <T> T timed(String who, String what, VolumeKey key, Supplier<T> work) {
    long begun = System.nanoTime();
    T result = work.get();
    story.step(
        who,
        what.replace("%s", key.toString())
            + " in "
            + Story.millis(Duration.ofNanos(System.nanoTime() - begun)));
    return result;
  }

  private static void expect(boolean good, String otherwise) {
    if (!good) {
      throw new IllegalStateException(otherwise);
    }
  }
}
