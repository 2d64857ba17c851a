package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.volume.claim.jdbc.PostgresTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The PostgreSQL of the quickstart, a real one. */
@PostgresTest
class LocalPostgresTest {

  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rw-------");

  private final Patience patience = Patience.forStarts(Duration.ofSeconds(2));

  @TempDir Path directory;

  @BeforeEach
  void otherUsersReachIt() throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void onlyTheReaderOfItsPrivateFileGetsIn() throws IOException {
    try (LocalPostgres postgres = LocalPostgres.start(programs(), directory)) {
      postgres.awaitAnswer(patience);

      Path passwords = Path.of(postgres.environment().get("PGPASSFILE"));
      assertThat(Files.getPosixFilePermissions(passwords)).isEqualTo(PRIVATE);
      String password = Files.readString(passwords).strip().split(":", -1)[4];
      assertThat(postgres.accepts(password)).isTrue();
      assertThat(postgres.accepts("csi4j")).isFalse();
      assertThat(postgres.accepts("")).isFalse();
      assertThat(postgres.address()).doesNotContain(password);
      assertThat(directory.resolve("first-password")).doesNotExist();
    }
  }

  @Test
  void itRunsWhereNoOtherUserReachesItsDirectory() throws IOException {
    Path hidden = directory.resolve("hidden");
    Files.createDirectory(
        hidden, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    try (LocalPostgres postgres = LocalPostgres.start(programs(), hidden)) {
      postgres.awaitAnswer(patience);
      assertThat(postgres.text()).matches("PostgreSQL, process \\d+, at 127.0.0.1:\\d+");
    }
  }

  @Test
  void itReleasesItsSharedMemoryWhenItEnds() throws IOException {
    String segment;
    try (LocalPostgres postgres = LocalPostgres.start(programs(), directory)) {
      postgres.awaitAnswer(patience);
      segment = segment(directory.resolve("data/postmaster.pid"));
      assertThat(segments()).contains(segment);
    }
    assertThat(segments()).doesNotContain(segment);
  }

  /** Returns the number of the segment of System V in the lock file of the server. */
  private static String segment(Path lock) throws IOException {
    String line = Files.readAllLines(lock).get(6);
    return line.strip().split(" +", -1)[1];
  }

  private static List<String> segments() throws IOException {
    return Files.readAllLines(Path.of("/proc/sysvipc/shm")).stream()
        .skip(1)
        .map(line -> line.strip().split(" +", -1)[1])
        .toList();
  }

  @Test
  void programsThatFailAreReportedWithTheirOutputAndOtherStores() throws IOException {
    Path programs = Files.createDirectory(directory.resolve("bin"));
    Path initdb =
        Files.writeString(programs.resolve("initdb"), "#!/bin/sh\necho no locale >&2; exit 1\n");
    Files.setPosixFilePermissions(initdb, PosixFilePermissions.fromString("rwxr-xr-x"));

    assertThatThrownBy(() -> LocalPostgres.start(programs, directory.resolve("postgresql")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "PostgreSQL cannot make its data in "
                + directory.resolve("postgresql/data")
                + ": no locale\nChoose another store with --store etcd or --store directory.");
  }

  private static Path programs() {
    return LocalPostgres.programs().orElseThrow();
  }
}
