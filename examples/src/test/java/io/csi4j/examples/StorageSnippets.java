package io.csi4j.examples;

import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.placement.ClaimWish;
import io.csi4j.volume.placement.Placement;
import io.csi4j.volume.placement.PlacementNode;
import io.csi4j.volume.placement.PlacementReport;
import io.csi4j.volume.workload.Preflight;
import io.csi4j.volume.workload.PreflightReport;
import io.csi4j.volume.workload.WorkloadVolumes;
import java.util.List;
import java.util.function.Consumer;

/** The code blocks of docs/storage.md, each between a mark with its name and one at its end. */
final class StorageSnippets {

  private StorageSnippets() {}

  static void placement(
      VolumeController controller,
      ClaimBook book,
      List<PlacementNode> nodes,
      VolumeSpec spec,
      Consumer<String> log) {
    // snippet: placement
    Placement placement = Placement.builder(controller).claims(book).build(); // keep it
    PlacementReport report = placement.candidates(spec, nodes);
    NodeName chosen =
        report.best().orElseThrow(() -> new IllegalStateException(report.text())); // why not
    CatalogVolume made = controller.create(VolumeKey.of("db"), report.onlyOn(chosen));

    // Later, for a workload that wants the same volume:
    Claim.Use use = new Claim.Use(spec.capabilities().iterator().next().accessMode(), FILESYSTEM);
    ClaimWish wish = new ClaimWish(WorkloadId.of("web"), use, ClaimMode.WRITE);
    log.accept(placement.candidates(made, wish, nodes).text());
    // end
  }

  private static final AttachmentMode FILESYSTEM = AttachmentMode.FILESYSTEM;

  static PreflightReport preflight(
      VolumeManager manager, ClaimBook book, NodeName node, WorkloadVolumes wanted) {
    // snippet: preflight
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
    // end
  }
}
