package io.csi4j.volume.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryBellTest {

  private static final String NAME = "csi4j-volume-test-bell";

  private final Semaphore rings = new Semaphore(0);

  @TempDir Path home;

  private void awaitRing() throws InterruptedException {
    assertThat(rings.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
    rings.drainPermits();
  }

  @Test
  void itRingsWhenNamesComeAndGo() throws Exception {
    try (AutoCloseable bell = DirectoryBell.on(home, NAME, rings::release)) {
      assertThat(bell).isInstanceOf(DirectoryBell.class);
      awaitRing();
      Path file = Files.writeString(home.resolve("file"), "");
      awaitRing();
      Files.delete(file);
      awaitRing();
    }
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .doesNotContain(NAME);
  }

  @Test
  void itRingsForADirectoryThatComesLateAndOneThatComesAgain() throws Exception {
    Path directory = home.resolve("late");
    Duration often = Duration.ofMillis(10);
    try (AutoCloseable bell = DirectoryBell.on(directory, NAME, rings::release, often)) {
      assertThat(bell).isInstanceOf(DirectoryBell.class);
      Files.createDirectory(directory);
      awaitRing();
      Files.delete(directory);
      awaitRing();
      Files.createDirectory(directory);
      awaitRing();
      Files.writeString(directory.resolve("file"), "");
      awaitRing();
    }
  }
}
