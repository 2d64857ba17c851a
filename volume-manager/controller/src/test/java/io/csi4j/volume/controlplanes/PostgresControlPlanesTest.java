package io.csi4j.volume.controlplanes;

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
@PostgresTest
class PostgresControlPlanesTest {

  @Test
  @Timeout(100_000)
  void whateverIsKilledStoppedOrCutOffNoVolumeIsMadeTwiceLostOrLeftBehind(
      @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws Exception {
    ControlPlaneRounds.play(new ContendedPostgres(), directory);
  }
}
