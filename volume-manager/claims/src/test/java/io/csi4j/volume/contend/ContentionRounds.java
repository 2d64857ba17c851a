package io.csi4j.volume.contend;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.contend.Contention.Report;
import io.csi4j.volume.contend.Contention.Size;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Rounds of processes that contend. How many, and how much they do, come from the system properties
 * {@code contend.processes}, {@code contend.volumes}, {@code contend.operations}, {@code
 * contend.mischief} and {@code contend.seed}; it is done again with other seeds for as long as
 * {@code contend.seconds} says. {@code testing/contention} sets them.
 */
public final class ContentionRounds {

  private static final Size SIZE =
      new Size(
          Integer.getInteger("contend.processes", 3),
          Integer.getInteger("contend.volumes", 5),
          Integer.getInteger("contend.operations", 400),
          Integer.getInteger("contend.mischief", 1),
          Long.getLong("contend.seed", 1));
  private static final long SECONDS = Long.getLong("contend.seconds", 0);

  private final ContendedStore kind;
  private final Path directory;

  private ContentionRounds(ContendedStore kind, Path directory) {
    this.kind = kind;
    this.directory = directory;
  }

  /** Plays them, and fails for anything that is wrong. */
  public static void play(ContendedStore kind, Path directory) throws IOException {
    new ContentionRounds(kind, directory).play();
  }

  private void play() throws IOException {
    long begun = System.nanoTime();
    Report report = round(0);
    int rounds = 1;
    while (report.wrong().isEmpty()
        && System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(SECONDS)) {
      report = report.plus(round(rounds++));
    }
    // The script that asked for this run reads the line.
    System.out.printf(
        "VERDICT %s|%d rounds of %d processes over %d volumes, from seed %d: %s|%s%n",
        report.wrong().isEmpty() ? "good" : "bad",
        rounds,
        SIZE.processes(),
        SIZE.volumes(),
        SIZE.seed(),
        report,
        report.wrong().isEmpty() ? "nothing" : String.join("; ", report.wrong()));
    assertThat(report.wrong()).isEmpty();
  }

  private Report round(int number) throws IOException {
    Size size =
        new Size(
            SIZE.processes(),
            SIZE.volumes(),
            SIZE.operations(),
            SIZE.mischief(),
            SIZE.seed() + number);
    Report report =
        Contention.run(kind, size, Files.createDirectory(directory.resolve("round-" + number)));
    assertThat(report.uses()).isPositive();
    assertThat(report.kills() + report.pauses() + report.restarts() + report.standstills())
        .isEqualTo(4 * SIZE.mischief());
    Report restored =
        RestoredBackup.run(
            kind, size, Files.createDirectory(directory.resolve("restored-" + number)));
    return report.plus(restored);
  }
}
