package io.csi4j.volume.claim.jdbc;

import io.csi4j.volume.contend.ContentionRounds;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that contend for volumes through PostgreSQL; {@code testing/contention} asks for more.
 */
@Tag("campaign")
@PostgresTest
class PostgresContentionTest {

  @Test
  @Timeout(100_000)
  void whateverIsKilledOrStoppedNobodyUsesWhatAnotherOneHasAndNoClaimIsLost(@TempDir Path directory)
      throws Exception {
    ContentionRounds.play(new ContendedPostgres(), directory);
  }
}
