package io.csi4j.examples;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.volume.backup.BlockRangeFile;
import io.csi4j.volume.backup.SnapshotSchedule;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.controller.SnapshotBackups;
import io.csi4j.volume.controller.SnapshotName;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.placement.Placement;
import io.csi4j.volume.placement.Placement.PlannedClaim;
import io.csi4j.volume.workload.Preflight;
import io.csi4j.volume.workload.WorkloadVolumes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The code blocks of docs/storage.md, each between a mark with its name and one at its end. */
final class StorageSnippets {

  private StorageSnippets() {}

  static void placement(
      VolumeController controller,
      ClaimBook book,
      List<Placement.Node> nodes,
      VolumeSpec spec,
      Consumer<String> log) {
    // snippet: placement
    Placement placement = Placement.builder(controller).claims(book).build(); // keep it
    Placement.Report report = placement.candidates(spec, nodes);
    NodeName chosen =
        report.best().orElseThrow(() -> new IllegalStateException(report.text())); // why not
    CatalogVolume made = controller.create(VolumeKey.of("db"), report.onlyOn(chosen));

    // Later, for a workload that wants the same volume:
    Claim.Use use = new Claim.Use(spec.capabilities().iterator().next().accessMode(), FILESYSTEM);
    PlannedClaim wish = new PlannedClaim(WorkloadId.of("web"), use, ClaimMode.WRITE);
    log.accept(placement.candidates(made, wish, nodes).text());
    // end
  }

  private static final AttachmentMode FILESYSTEM = AttachmentMode.FILESYSTEM;

  static Preflight.Report preflight(
      VolumeManager manager, ClaimBook book, NodeName node, WorkloadVolumes wanted) {
    return Preflight.of(manager)
        .asking(
            mount ->
                book.whyNot(
                    ClaimRequest.builder(
                            mount.usage(),
                            node,
                            new Claim.Use(mount.capability().accessMode(), FILESYSTEM),
                            mount.readOnly() ? ClaimMode.READ : ClaimMode.WRITE)
                        .build()))
        .check(wanted);
  }

  /** An application that can stand still. */
  interface Application {
    void freeze();

    void thaw();
  }

  static void backup(
      VolumeController controller, VolumeKey db, Application application, Consumer<Object> host) {
    // snippet: backup
    SnapshotBackups backups = controller.backups();
    Instant tick = SnapshotSchedule.tick(Instant.now(), Duration.ofDays(1));
    SnapshotName name = new SnapshotSchedule("nightly").nameAt(tick, db); // the same after a crash
    application.freeze();
    try {
      backups.cut(db, name, Map.of()); // returns as soon as the plugin has cut it
    } finally {
      application.thaw();
    }
    Snapshot ready = backups.ready(db, name); // also after a restart of the host
    host.accept(ready.id()); // the host notes it in its own list
    backups.keep(db, name);
    // end
  }

  static CatalogVolume restore(
      VolumeController controller, Placement placement, List<Placement.Node> nodes, Snapshot cut) {
    VolumeSpec spec =
        VolumeSpec.builder(PluginId.of("fake"))
            .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.BLOCK)
            .build();
    // snippet: restore
    VolumeSpec copy = spec.toBuilder().fromSnapshot(cut.id(), cut.accessibleTopology()).build();
    Placement.Report report = placement.candidates(copy, nodes); // where the snapshot can be used
    NodeName chosen = report.best().orElseThrow(() -> new IllegalStateException(report.text()));
    return controller.create(VolumeKey.of("db-restored"), report.onlyOn(chosen));
    // end
  }

  static void changes(
      VolumeController controller,
      CatalogVolume volume,
      SnapshotId base,
      SnapshotId target,
      Path file)
      throws IOException {
    // snippet: changes
    PluginId plugin = volume.plugin();
    BlockRangeFile.write(
        file,
        new BlockRangeFile.Content(plugin, Optional.of(base), target),
        controller.backups().changed(plugin, base, target, volume.spec().secrets()));

    // Later, in the process that copies:
    BlockRangeFile changes = BlockRangeFile.read(file); // complete, and as it was written
    changes.forEach(range -> copy(range.offset(), range.size()));
    // end
  }

  private static void copy(long offset, long size) {
    COPIED.add(offset + "+" + size);
  }

  static final List<String> COPIED = new CopyOnWriteArrayList<>();
}
