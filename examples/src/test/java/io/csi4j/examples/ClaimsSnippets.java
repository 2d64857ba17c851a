package io.csi4j.examples;

import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.claim.ReleaseProof;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.controller.JobVolumes;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.upkeep.DriftCheck;
import io.csi4j.volume.upkeep.Reaper;
import io.csi4j.volume.upkeep.VolumeKeeper;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Consumer;

/** The code blocks of docs/claims.md, each between a mark with its name and one at its end. */
final class ClaimsSnippets {

  private ClaimsSnippets() {}

  static void override(
      ClaimCoordinator coordinator,
      NodeName node,
      VolumeUse usage,
      long epoch,
      Consumer<Object> log) {
    // snippet: override
    coordinator.nodeIsDown(node).forEach(log); // changes nothing; shows what frees each claim
    coordinator.confirmRelease(
        new ReleaseProof.OperatorOverride(
            usage,
            epoch,
            new ClaimOverride.Person("ada@example.com"),
            new ReasonText("node n1 was taken out of its rack"),
            ReleaseProof.Covers.NODE));
    // end
  }

  static void keeper(
      ClaimBook book,
      ClaimCoordinator coordinator,
      JobVolumes volumes,
      VolumeController controller,
      RecordStore claims,
      Consumer<Object> log) {
    // snippet: keeper
    Reaper.Sources sources =
        Reaper.Sources.of(coordinator)
            .with(Reaper.Sources.Ephemeral.of(volumes))
            .with(Reaper.Sources.Unused.of(controller, Duration.ofDays(90)));
    Reaper reaper = new Reaper(book, sources, Clock.systemUTC(), log::accept);
    try (VolumeKeeper keeper =
        VolumeKeeper.builder()
            .oneAtATime(controller)
            .resuming(coordinator)
            .reaping(reaper, Reaper.Throttle.oneEach(Duration.ofSeconds(1)))
            .comparing(
                controller,
                claims,
                DriftCheck.Policy.reportOnly(),
                DriftCheck.Repair.by(coordinator, log::accept),
                drift -> log.accept(drift.message().line()))
            .every("compare", Duration.ofHours(1))
            .listener(round -> log.accept(round.text()))
            .open()) {
      keeper.keepNow(); // once more, beside the regular rounds
    }
    // end
  }
}
