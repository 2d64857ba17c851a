package io.csi4j.volume.claim.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.volume.store.RecordKey;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that nobody uses for a while. */
@EtcdTest
class EtcdIdleTest {

  /**
   * An etcd ends a connection without calls at the fourth ping, and gRPC sends none earlier than
   * after 10 s, whatever is asked of it.
   */
  private static final long QUIET = TimeUnit.SECONDS.toMillis(48);

  @Tag("campaign")
  @PlayedInShares
  @Test
  void itsConnectionIsKept(@TempDir Path directory) throws InterruptedException {
    try (EtcdServer server = EtcdServer.start(directory);
        CutLine line = CutLine.to(server);
        EtcdStore store = EtcdStore.open(EtcdSettings.of(line.endpoint()))) {
      assertThat(store.scan(RecordKey.Space.CLAIMS, Optional.empty(), 1).records()).isEmpty();
      int before = line.connections();

      Thread.sleep(QUIET);

      assertThat(store.scan(RecordKey.Space.CLAIMS, Optional.empty(), 1).records()).isEmpty();
      assertThat(line.connections()).isEqualTo(before);
    }
  }
}
