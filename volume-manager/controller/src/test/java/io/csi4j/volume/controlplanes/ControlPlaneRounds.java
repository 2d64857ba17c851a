package io.csi4j.volume.controlplanes;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.contend.ContendedStore;
import io.csi4j.volume.controlplanes.ControlPlaneRound.Report;
import io.csi4j.volume.controlplanes.ControlPlaneRound.Size;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Rounds of control planes that contend. Their size comes from the system properties {@code
 * contend.processes}, {@code contend.volumes}, {@code contend.operations}, {@code contend.mischief}
 * and {@code contend.seed}; they are repeated with other seeds for {@code contend.seconds}. {@code
 * testing/contention} sets them.
 */
final class ControlPlaneRounds {

  private static final Size SIZE =
      new Size(
          Integer.getInteger("contend.processes", 3),
          Integer.getInteger("contend.volumes", 4),
          Integer.getInteger("contend.operations", 600),
          Integer.getInteger("contend.mischief", 1),
          Long.getLong("contend.seed", 1));
  private static final long SECONDS = Long.getLong("contend.seconds", 0);

  private ControlPlaneRounds() {}

  /** Plays them, and fails for anything that is wrong. */
  static void play(ContendedStore kind, Path directory) throws IOException {
    long begun = System.nanoTime();
    Report report = null;
    int rounds = 0;
    do {
      Size size =
          new Size(
              SIZE.processes(),
              SIZE.volumes(),
              SIZE.operations(),
              SIZE.mischief(),
              SIZE.seed() + rounds);
      Report next =
          ControlPlaneRound.play(
              kind, size, Files.createDirectory(directory.resolve("round-" + rounds)));
      report = report == null ? next : report.plus(next);
      rounds++;
    } while (report.wrong().isEmpty()
        && System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(SECONDS));
    // The script that asked for this run reads the line.
    System.out.printf(
        "VERDICT %s|%d rounds of %d control planes over %d volumes, from seed %d: %s|%s%n",
        report.wrong().isEmpty() ? "good" : "bad",
        rounds,
        SIZE.processes(),
        SIZE.volumes(),
        SIZE.seed(),
        report,
        report.wrong().isEmpty() ? "nothing" : String.join("; ", report.wrong()));
    assertThat(report.wrong()).isEmpty();
    assertThat(report.created()).isPositive();
    assertThat(report.deleted()).isPositive();
    assertThat(report.uses()).isPositive();
  }
}
