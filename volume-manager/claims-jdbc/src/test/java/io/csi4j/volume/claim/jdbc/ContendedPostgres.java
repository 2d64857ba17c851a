package io.csi4j.volume.claim.jdbc;

import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.contend.ContendedStore;
import java.nio.file.Path;
import java.time.Duration;

/** A store in a real PostgreSQL, for processes that contend. */
public final class ContendedPostgres implements ContendedStore {

  @Override
  public String product() {
    return "PostgreSQL";
  }

  @Override
  public Server start(Path directory) {
    return PostgresServer.begin();
  }

  @Override
  public ClaimStore open(String address, Duration deadline) {
    return JdbcClaimStore.open(
        PostgresServer.pool(address), JdbcSettings.builder().deadline(deadline).build());
  }

  @Override
  public void settle(ClaimStore store) {
    ((JdbcClaimStore) store).settle();
  }
}
