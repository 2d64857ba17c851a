package io.csi4j.volume.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The disk of the host on a filesystem that forgets all that was not synced: what {@link Disk} says
 * of a power cut is true of system calls. Each test also sees that without the sync it is lost.
 */
@MountTest
class ForgetfulDiskTest {

  private static final Path ROOT = Path.of("/disk");

  /** Keeps nothing of what was not synced. */
  private static final Random NOTHING =
      new Random() {
        private static final long serialVersionUID = 1L;

        @Override
        public boolean nextBoolean() {
          return false;
        }
      };

  /** A life of the disk. */
  private interface Life {
    void with(Disk real, Path root) throws DiskException;
  }

  private FakeDisk fake = FakeDisk.with(ROOT);

  /** Lives on the disk until the power is cut. */
  private void untilThePowerIsCut(Scratch scratch, Life life) throws DiskException {
    Path there = scratch.directory("forgetful").toPath();
    try (MountedDisk mounted = MountedDisk.mount(fake, ROOT, scratch.path("forgetful"))) {
      life.with(new RealDisk(), there);
    }
    fake = fake.restart(NOTHING);
  }

  @AfterEach
  void clearTheInterrupt() {
    Thread.interrupted();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private String content(String file) throws DiskException {
    return new String(fake.read(ROOT.resolve(file), 100), StandardCharsets.US_ASCII);
  }

  @Test
  void theBytesOfASyncedFileSurvive(Scratch scratch) throws DiskException {
    untilThePowerIsCut(
        scratch,
        (real, root) -> {
          try (DiskFile file = real.create(root.resolve("f"))) {
            file.write(0, bytes("kept"));
            file.sync();
            file.write(4, bytes(", lost"));
          }
          real.syncDirectory(root);
        });

    assertThat(content("f")).isEqualTo("kept");
  }

  @Test
  void theBytesThatAnInterruptedThreadSyncsSurvive(Scratch scratch) throws DiskException {
    untilThePowerIsCut(
        scratch,
        (real, root) -> {
          try (DiskFile file = real.create(root.resolve("f"))) {
            real.syncDirectory(root);
            Thread.currentThread().interrupt();
            file.write(0, bytes("kept"));
            file.sync();
            file.write(4, bytes(", lost"));
          }
          assertThat(Thread.interrupted()).isTrue();
        });

    assertThat(content("f")).isEqualTo("kept");
  }

  @Test
  void theBytesOfAFileThatWasOpenedAgainSurvive(Scratch scratch) throws DiskException {
    untilThePowerIsCut(
        scratch,
        (real, root) -> {
          real.create(root.resolve("f")).close();
          real.syncDirectory(root);
          try (DiskFile file = real.open(root.resolve("f"))) {
            file.write(0, bytes("kept"));
            file.sync();
            file.write(0, bytes("lost"));
          }
        });

    assertThat(content("f")).isEqualTo("kept");
  }

  @Test
  void theNamesOfASyncedDirectorySurvive(Scratch scratch) throws DiskException {
    untilThePowerIsCut(
        scratch,
        (real, root) -> {
          real.create(root.resolve("old")).close();
          real.createDirectory(root.resolve("directory"));
          real.create(root.resolve("gone")).close();
          real.rename(root.resolve("old"), root.resolve("new"));
          real.syncDirectory(root);
          real.deleteFile(root.resolve("gone"));
          real.rename(root.resolve("new"), root.resolve("newest"));
          real.create(root.resolve("lost")).close();
        });

    assertThat(fake.list(ROOT)).containsExactly("directory", "gone", "new");
  }

  @Test
  void theNamesThatAnInterruptedThreadSyncsSurvive(Scratch scratch) throws DiskException {
    untilThePowerIsCut(
        scratch,
        (real, root) -> {
          Thread.currentThread().interrupt();
          real.createDirectory(root.resolve("kept"));
          real.syncDirectory(root);
          real.createDirectory(root.resolve("lost"));
          assertThat(Thread.interrupted()).isTrue();
        });

    assertThat(fake.list(ROOT)).containsExactly("kept");
  }
}
