package io.csi4j.volume.claim.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The PostgreSQL of the tests leaves nothing on the machine. */
@PostgresTest
class PostgresServerTest {

  @Test
  void itReleasesItsSharedMemoryWhenItIsClosed() throws IOException {
    String segment;
    try (PostgresServer server = PostgresServer.begin()) {
      segment = segment(server.data().resolve("postmaster.pid"));
      assertThat(segments()).contains(segment);
    }
    assertThat(segments()).doesNotContain(segment);
  }

  @Test
  void itReleasesItsSharedMemoryWhenItIsClosedWhileItStandsStill() throws IOException {
    String segment;
    try (PostgresServer server = PostgresServer.begin()) {
      segment = segment(server.data().resolve("postmaster.pid"));
      server.pause();
    }
    assertThat(segments()).doesNotContain(segment);
  }

  /** Returns the number of the segment of System V in the lock file of the server. */
  private static String segment(Path lock) throws IOException {
    return Files.readAllLines(lock).get(6).strip().split(" +", -1)[1];
  }

  private static List<String> segments() throws IOException {
    return Files.readAllLines(Path.of("/proc/sysvipc/shm")).stream()
        .skip(1)
        .map(line -> line.strip().split(" +", -1)[1])
        .toList();
  }
}
