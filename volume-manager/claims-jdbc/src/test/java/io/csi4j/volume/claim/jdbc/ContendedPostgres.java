package io.csi4j.volume.claim.jdbc;

import io.csi4j.volume.contend.ContendedStore;
import io.csi4j.volume.store.RecordStore;
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
  public RecordStore open(String address, Duration deadline) {
    return PostgresStore.open(
        PostgresServer.pool(address), JdbcSettings.builder().deadline(deadline).build());
  }

  @Override
  public void settle(RecordStore store) {
    ((PostgresStore) store).settle();
  }
}
