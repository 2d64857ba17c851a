package io.csi4j.volume.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.volume.kill.KillWorld.Use;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A host that has many volumes for a long time, some of which come and go: its heap, threads and
 * descriptors stay as they are. How many volumes, for how long and how fast they come and go, come
 * from the system properties {@code soak.volumes}, {@code soak.seconds} and {@code soak.pace}:
 * {@code testing/soak} sets them.
 */
@Tag("campaign")
@PlayedInShares
@MountTest
class SoakTest {

  private static final int VOLUMES = Integer.getInteger("soak.volumes", 40);

  /** How many of them are never given back. */
  private static final int STAY = Math.max(1, VOLUMES / 10);

  private static final long SECONDS = Long.getLong("soak.seconds", 12);

  /** Uses given back and taken again in a second. */
  private static final int PACE = Integer.getInteger("soak.pace", 40);

  private static final long SEED = Long.getLong("soak.seed", 1);

  /** More would be more than a slow machine. */
  private static final int TRIES = 10;

  private static final int SAMPLES = 90;

  /** What the heap may grow by: less than a kilobyte for each volume of the usual thousand. */
  private static final double HEAP = 512 * 1024;

  /** Less than one more, from the first sample to the last. */
  private static final double ONE = 1;

  private final Random random = new Random(SEED);
  private final List<Use> uses = new ArrayList<>();
  private final List<Double> times = new ArrayList<>();
  private final List<Sample> samples = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();
  private EngineProcess host;
  private long operations;
  private long again;

  @Test
  @Timeout(100_000)
  void aHostWithManyVolumesNeedsNoMoreAfterHoursThanAtFirst(Scratch scratch) {
    try (KillWorld world = KillWorld.ofMortalPlugins(scratch, EngineMain.PLUGIN)) {
      for (int i = 0; i < VOLUMES; i++) {
        uses.add(world.volume("v" + i));
      }
      host = world.engine();
      host.ask("reconcile ", "reconciled ");
      ask("mount ", "mounted ", uses);
      churn();
      uses.forEach(use -> wrong.addAll(world.wrongIfWanted(use)));
      ask("unmount ", "unmounted LAST", uses);
      host.awaitRest();
      wrong.addAll(world.left());
      host.end();
    }
    String growth =
        "%d volumes, %d operations, %d of them asked for again; from the end of the first third on: %s; %s; %s"
            .formatted(
                VOLUMES,
                operations,
                again,
                judged("heap in KiB", 1024, HEAP, Sample::heap),
                judged("threads", 1, ONE, Sample::threads),
                judged("descriptors", 1, ONE, Sample::descriptors));
    // The script that asked for this run reads the line.
    System.out.printf(
        "VERDICT %s|%s|%s%n",
        wrong.isEmpty() ? "good" : "bad", growth, wrong.isEmpty() ? "nothing" : wrong);
    assertThat(wrong).isEmpty();
  }

  /** Lets volumes come and go, and takes samples, until the time is over. */
  private void churn() {
    long begun = System.nanoTime();
    long tick = TimeUnit.SECONDS.toNanos(1) / PACE;
    double nextSample = 0;
    for (long turn = 1; seconds(begun) < SECONDS; turn++) {
      // By turns the only use of a volume, which is unstaged then, and one more of a volume that
      // stays in use, by a workload that was never there before.
      List<Use> use =
          List.of(
              turn % 2 == 0
                  ? uses.get(STAY + random.nextInt(VOLUMES - STAY)).by("w1")
                  : uses.get(random.nextInt(STAY)).by("job-" + turn));
      if (turn % 2 == 0) {
        ask("unmount ", "unmounted LAST", use);
        ask("mount ", "mounted ", use);
      } else {
        ask("mount ", "mounted ", use);
        ask("unmount ", "unmounted NOT_LAST", use);
      }
      if (seconds(begun) >= nextSample) {
        samples.add(Sample.parse(host.ask("measure", "measured ")));
        times.add(seconds(begun));
        nextSample += (double) SECONDS / SAMPLES;
      }
      LockSupport.parkNanos(begun + turn * tick - System.nanoTime());
    }
  }

  /**
   * Asks for each use, and again for one that failed because the plugin was slow, as a host does.
   */
  private void ask(String verb, String answer, List<Use> uses) {
    for (Use use : uses) {
      String said = host.ask(verb + use, "");
      for (int tries = 0; !said.startsWith(answer); tries++) {
        assertThat(tries).as(said).isLessThan(TRIES);
        again++;
        said = host.ask(verb + use, "");
      }
      operations++;
    }
  }

  /** Says how one figure moved once it had settled, and whether that is too much. */
  private String judged(String name, double unit, double bound, ToLongFunction<Sample> figure) {
    int settled = samples.size() / 3;
    Trend trend =
        Trend.of(
            times.subList(settled, times.size()),
            samples.stream().skip(settled).map(each -> (double) figure.applyAsLong(each)).toList());
    String told =
        String.format(
            Locale.ROOT,
            "%s %.0f %+.1f (allowed %+.0f)",
            name,
            trend.level() / unit,
            trend.growth() / unit,
            bound / unit);
    if (trend.growth() >= bound) {
      wrong.add(told);
    }
    return told;
  }

  private static double seconds(long begun) {
    return (System.nanoTime() - begun) / 1e9;
  }
}
