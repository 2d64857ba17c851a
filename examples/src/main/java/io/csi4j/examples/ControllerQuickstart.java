package io.csi4j.examples;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginContents;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.catalog.VolumeStore;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.claim.store.LocalClaimStore;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.SnapshotName;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.journal.JournalStateStore;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A volume as a storage system sees it: made, claimed by a workload and attached to its node, given
 * back, cut into a snapshot, grown, deleted. What is meant and who holds what is on disk before it
 * is done. The storage system is one of the testkit, and nothing is mounted, so this needs no
 * rights; {@code examples/quickstart controller} runs it.
 */
public final class ControllerQuickstart {

  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");
  private static final VolumeKey NOTES = VolumeKey.of("notes");
  private static final VolumeKey COPY = VolumeKey.of("copy");
  private static final NodeName N1 = NodeName.of("n1");
  private static final NodeName N2 = NodeName.of("n2");
  private static final Claim.Use USE =
      new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM);

  /** A node names itself to claims, and its plugin names it to the storage system. */
  private static final NodeId NODE_1 = NodeId.of("node-1");

  private static final NodeId NODE_2 = NodeId.of("node-2");

  private final Path directory;
  private final Story story;

  private ControllerQuickstart(Path directory, Story story) {
    this.directory = directory;
    this.story = story;
  }

  /** Shows it in the directory given, which is made if it is missing. */
  public static void main(String[] args) {
    System.exit(run(args, System.out, System.err));
  }

  static int run(String[] args, PrintStream out, PrintStream err) {
    return Program.show(
        "ControllerQuickstart",
        args,
        err,
        directory -> new ControllerQuickstart(directory, new Story(out)).tell());
  }

  private void tell() {
    story.title("A volume and its storage system. Everything is in " + directory + ".");
    PluginRegistry plugins = InMemoryPluginRegistry.open();
    try (FakeCsiPlugin storage =
            FakeCsiPlugin.builder()
                .directory(directory.resolve("csi"))
                .nodes(NODE_1, NODE_2)
                .effects(NodeEffects.none())
                .open();
        JournalStateStore state =
            JournalStateStore.open(directory.resolve("volumes"), JournalSettings.defaults());
        LocalClaimStore claims = LocalClaimStore.open(directory.resolve("claims"));
        VolumeController controller =
            VolumeController.builder(plugins, VolumeStore.on(state)).claims(claims).open()) {
      plugins.register(
          new PluginRegistration(
              PluginBinding.of(PLUGIN, storage.endpoint()),
              InstanceId.ONLY,
              EnumSet.of(PluginRole.CONTROLLER)));
      story.step("storage", PLUGIN + " listens at " + storage.endpoint());
      ClaimCoordinator coordinator =
          new ClaimCoordinator(
              new ClaimBook(claims, Clock.systemUTC()),
              controller.attachments(),
              Clock.systemUTC(),
              event -> {});
      create(controller);
      use(controller, coordinator, storage);
      copy(controller);
      grow(controller);
      delete(controller);
      left(controller, storage.contents());
    }
    story.end();
  }

  private void create(VolumeController controller) {
    VolumeSpec wanted =
        VolumeSpec.builder(PLUGIN)
            .use(USE.mode(), USE.attachment())
            .capacity(CapacityRange.atLeast(16 << 20))
            .build();
    CatalogVolume made = timed("host", "created %s", () -> controller.create(NOTES, wanted));
    story.line(made.id() + ", " + made.capacityBytes().orElse(0) + " bytes");
    expect(controller.create(NOTES, wanted).equals(made), "The same request made another volume.");
    story.step("host", "the same request again finds it, and asks nobody");
  }

  private void use(
      VolumeController controller, ClaimCoordinator coordinator, FakeCsiPlugin storage) {
    ClaimRequest web1 = wish("web-1", N1, NODE_1);
    ClaimGrant grant =
        timed(
            "web-1", "claimed it on node n1 and had it attached", () -> coordinator.acquire(web1));
    story.line(storage.contents().attached() + ", epoch " + grant.epoch());
    story.step("web-2", "may not have it on n2: " + refusal(coordinator));
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
    expect(gone.equals(new ClaimProgress.Gone(web1.usage())), "Something is owed: " + gone);
    expect(storage.contents().attached().isEmpty(), "It is attached still.");
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

  private void copy(VolumeController controller) {
    Snapshot snapshot =
        timed(
            "host",
            "cut a snapshot, which is ready",
            () -> controller.createSnapshot(NOTES, SnapshotName.of("nightly"), Map.of()));
    VolumeSpec wanted =
        VolumeSpec.builder(PLUGIN).use(USE.mode(), USE.attachment()).fromSnapshot(snapshot).build();
    timed("host", "made %s of it", COPY, () -> controller.create(COPY, wanted));
    timed(
        "host",
        "deleted the snapshot",
        () -> {
          controller.deleteSnapshot(PLUGIN, snapshot, Optional.empty());
          return snapshot;
        });
  }

  private void grow(VolumeController controller) {
    CatalogVolume grown =
        timed(
            "host",
            "grew %s to 64 MiB",
            NOTES,
            () -> controller.expand(NOTES, CapacityRange.atLeast(64 << 20)));
    expect(grown.owedToNode().isPresent(), "The node was forgotten.");
    story.step(
        "host", "remembers that the node has to follow: " + grown.owedToNode().orElseThrow());
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
            + (controller.volumes().size() + controller.owed().size())
            + " volumes");
    expect(contents.empty() && controller.volumes().isEmpty(), "Something is left.");
  }

  private static ClaimRequest wish(String workload, NodeName node, NodeId id) {
    return ClaimRequest.builder(
            VolumeUse.of(NOTES, WorkloadId.of(workload)), node, USE, ClaimMode.WRITE)
        .nodeId(id)
        .attaches(true)
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
