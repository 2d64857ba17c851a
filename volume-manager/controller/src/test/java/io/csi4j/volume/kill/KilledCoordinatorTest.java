package io.csi4j.volume.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.NodeId;
import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.VolumeSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that brings a claim to its node and back is killed after each thing that it changes,
 * which is before the next; the next one goes on from what is on disk. The plugin's referee judges
 * both.
 */
class KilledCoordinatorTest {

  @TempDir Path directory;
  private FakeCsiPlugin plugin;
  private ClaimMain.Places places;
  private NodeId node;

  @BeforeEach
  void aVolumeIsThere() {
    plugin = FakeCsiPlugin.builder().effects(NodeEffects.none()).open();
    try (CsiPlugin itself = CsiPlugin.connect(plugin.nodeEndpoint())) {
      node = itself.node().getInfo().nodeId();
    }
    places =
        new ClaimMain.Places(
            directory.resolve("claims"), directory.resolve("volumes"), plugin.endpoint().path());
    try (ClaimMain.Open open = ClaimMain.Open.at(places)) {
      open.controller()
          .create(
              ClaimMain.USE.volume(),
              VolumeSpec.builder(ClaimMain.PLUGIN)
                  .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
                  .build());
    }
  }

  @AfterEach
  void theRefereeIsAsked() {
    plugin.assertLawful();
    plugin.close();
  }

  /** Has a process go the way, and kills it at the nth moment; nothing if it comes to its end. */
  private Optional<String> killedAt(int nth) {
    List<String> words = new ArrayList<>(places.words());
    words.add(node.value());
    try (EngineProcess process = EngineProcess.start(ClaimMain.class, words)) {
      return process.parkAt(nth, List.of("acquire", "release", "receipt"));
    }
  }

  @Tag("campaign")
  @PlayedInShares
  @Test
  void whereverItIsKilledTheNextProcessGivesBackInOrderWhatNobodyWants() {
    List<String> moments = new ArrayList<>();
    for (Optional<String> at = killedAt(1); at.isPresent(); at = killedAt(moments.size() + 1)) {
      moments.add(at.get());
      try (ClaimMain.Open open = ClaimMain.Open.at(places)) {
        ClaimCoordinator next = open.coordinator();
        if (next.release(ClaimMain.USE) instanceof ClaimProgress.WaitsForNode waits) {
          assertThat(next.confirmRelease(ClaimMain.receipt(waits.holder().epoch())))
              .as(at.get())
              .isEqualTo(new ClaimProgress.Gone(ClaimMain.USE));
        }
        assertThat(StoredClaims.in(open.claims()).claim(ClaimMain.USE.volume()).holders())
            .as(at.get())
            .isEmpty();
      }
      assertThat(plugin.contents().attached()).as(at.get()).isEmpty();
    }
    assertThat(moments)
        .containsExactly(
            "writing TAKEN InDoubt",
            "attach",
            "writing TAKEN Attached",
            "writing UNPUBLISHING Attached",
            "writing NODE_DETACHED Attached",
            "detach",
            "writing CONTROLLER_DETACHED NotNeeded",
            "writing READY_TO_FREE NotNeeded",
            "writing nothing");
  }

  @Tag("campaign")
  @Test
  void whatIsWantedStillIsAttachedByTheNextProcessUnderTheSameEpoch() {
    for (int nth = 1; nth <= 3; nth++) {
      assertThat(killedAt(nth))
          .hasValue(
              List.of("writing TAKEN InDoubt", "attach", "writing TAKEN Attached").get(nth - 1));
      try (ClaimMain.Open open = ClaimMain.Open.at(places)) {
        ClaimCoordinator next = open.coordinator();
        long claimed =
            StoredClaims.in(open.claims()).claim(ClaimMain.USE.volume()).holders().values().stream()
                .findFirst()
                .orElseThrow()
                .epoch();
        ClaimGrant grant = next.acquire(ClaimMain.wish(node));
        assertThat(grant.epoch()).isEqualTo(claimed);
        assertThat(plugin.contents().attached()).hasSize(1);
        assertThat(next.release(ClaimMain.USE)).isInstanceOf(ClaimProgress.WaitsForNode.class);
        assertThat(next.confirmRelease(ClaimMain.receipt(grant.epoch())))
            .isEqualTo(new ClaimProgress.Gone(ClaimMain.USE));
      }
      assertThat(plugin.contents().attached()).isEmpty();
    }
  }
}
