package io.csi4j.volume.controlplanes;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.volume.claim.jdbc.ContendedPostgres;
import io.csi4j.volume.claim.jdbc.PostgresTest;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Control planes that contend for volumes; {@code testing/contention} asks for more. */
@Tag("campaign")
@PlayedInShares
@PostgresTest
class PostgresControlPlanesTest {

  @Test
  @Timeout(100_000)
  void whateverIsKilledStoppedOrCutOffNoVolumeIsMadeTwiceLostOrLeftBehind(
      @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws Exception {
    ControlPlaneRounds.play(new ContendedPostgres(), directory);
  }

  @Test
  @Timeout(100_000)
  void aStoreThatWasPutBackIsLeftAloneUntilItIsSettled(
      @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) {
    assertThat(
            ControlPlaneRound.playRestore(
                new ContendedPostgres(), new ControlPlaneRound.Size(3, 6, 400, 0, 1), directory))
        .isEmpty();
  }
}
