package io.csi4j.examples;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.catalog.ExpectedInstances;
import io.csi4j.volume.catalog.PluginView;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.catalog.VolumeFilter;
import io.csi4j.volume.catalog.VolumeSummary;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.controller.ClusterSetup;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.JobVolumes;
import io.csi4j.volume.controller.SnapshotName;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.controller.VolumeController.PageRequest;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.store.RecordStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The code blocks of docs/catalog.md, each between a mark with its name and one at its end. */
final class CatalogSnippets {

  private CatalogSnippets() {}

  static void controller(PluginRegistry plugins, RecordStore store, VolumeSpec spec) {
    VolumeKey db = VolumeKey.of("db");
    // snippet: controller
    try (VolumeController controller =
        VolumeController.builder(plugins, store).claims(store).open()) { // claims and catalog
      CatalogVolume made =
          controller.create(db, spec); // repeat it after a crash: it finds the volume
      Snapshot cut = controller.createSnapshot(db, SnapshotName.of("nightly"), Map.of()); // ready
      controller.deleteSnapshot(made.plugin(), cut, spec.secrets());
      controller.expand(db, CapacityRange.atLeast(2L << 30)); // and on record for the node
      controller.delete(db); // refused while a workload holds a claim
    }
    // end
  }

  static void job(
      VolumeController controller,
      ClaimCoordinator coordinator,
      VolumeSpec.Builder spec,
      Map<VolumeKey, ClaimRequest> requests,
      VolumeManager manager,
      Consumer<Object> host) {
    // snippet: job
    JobVolumes volumes = new JobVolumes(controller, coordinator);
    VolumeKey key =
        JobVolumes.job(Namespace.of("team"), "render").task("frame-7").volume("scratch");
    JobVolumes.Acquired scratch =
        volumes.acquire(
            spec.ephemeral(true).build(), requests.get(key)); // created, claimed, attached
    host.accept(scratch); // its node mounts scratch.volume() with scratch.grant()

    VolumeUse usage = scratch.grant().usage();
    volumes.release(usage); // the task has ended; its node unmounts the volume
    NodeReceipt receipt = manager.receipt(usage, scratch.grant().epoch());
    host.accept(volumes.confirmRelease(receipt).volume()); // DELETED, or CLAIMED by another task
    // end
  }

  static void changes(
      VolumeController controller, VolumeManager manager, VolumeKey db, Consumer<String> log) {
    // snippet: changes
    try {
      controller.expand(db, CapacityRange.atLeast(2L << 30));
    } catch (ControllerException failed) {
      log.accept(failed.operatorMessage().line());
    }
    for (VolumeChange change : controller.changes(db)) { // also after a restart
      log.accept(change.request() + ": " + change.progress() + " " + change.seen());
      log.accept(change.next());
    }

    CatalogVolume grown = controller.find(db).orElseThrow();
    if (grown.pendingOnNode().isPresent()) { // the filesystem has to follow
      VolumeUse usage = VolumeUse.of(db, WorkloadId.of("web-1"));
      CapacityRange size = grown.pendingOnNode().get();
      try {
        manager.expand(usage, size);
        controller.nodeHasExpanded(db, size); // a larger size since then stays pending
      } catch (VolumeException refused) {
        controller.nodeCannotExpand(db, size, refused.operatorMessage());
      }
    }
    // end
  }

  static void batch(
      VolumeController controller,
      List<CatalogVolume> found,
      PluginId plugin,
      Map<NodeName, List<RegisteredPlugin>> instances,
      Consumer<String> log) {
    // snippet: batch
    controller
        .registerAll(found) // volumes that csi4j did not create
        .forEach((key, failed) -> log.accept(key + ": " + failed.operatorMessage().line()));

    PageRequest page = new PageRequest(100, Optional.empty());
    VolumeSummary.Page shown =
        controller.summaries(
            VolumeFilter.all().ofPlugin(plugin).inNamespace(Namespace.of("shop")),
            page, // the next one: shown.next().map(page::after)
            id -> PluginView.of(id, instances, new ExpectedInstances(1, 3)));
    for (VolumeSummary volume : shown.volumes()) {
      log.accept(volume.key() + ": " + volume.state() + ", " + volume.changes());
    }
    // end
  }

  static void identity(RecordStore store, Consumer<Object> host) {
    // snippet: identity
    ClusterIdentity blue = new ClusterSetup(store).create(); // once, by a person
    host.accept(blue); // for the configuration, such as "q3f7k2mzc5xda"
    // end
  }

  static void lost(
      VolumeController controller,
      PluginId plugin,
      ClusterIdentity former,
      VolumeSpec spec,
      Consumer<Object> log) {
    // snippet: lost
    List<VolumeEntry> unknown = controller.unknownVolumes(plugin, former); // nothing is changed
    unknown.forEach(log); // a person decides which key each one gets
    VolumeId id = unknown.get(0).volume().id();
    CatalogVolume.Builder found = CatalogVolume.builder(VolumeKey.of("db"), spec, id);
    controller.adopt(former, found.origin(CatalogVolume.Origin.CREATED).build());
    // end
  }
}
