package io.csi4j.benchmarks.lifecycle;

import io.csi4j.benchmarks.Callers;
import io.csi4j.benchmarks.Comparison;
import io.csi4j.benchmarks.Comparison.Goal;
import io.csi4j.benchmarks.PluginProcess;
import io.csi4j.benchmarks.Report;
import io.csi4j.benchmarks.Rounds;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.PluginId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Measures mounting and unmounting beside bare calls and bare syncs: DIRECTORY RESULTS SECONDS,
 * where the first is on disk.
 */
public final class LifecycleFamily {

  private static final int MOST_ROUNDS = 20;
  private static final int WARMUPS = 2;

  /** How much of the time the compilers of the JVM get beforehand: some ten thousand lifecycles. */
  private static final double WARM_UP = 0.5;

  private static final int[] VOLUMES = {1, 8, 64};

  private static final String OPERATION = "mount + unmount";

  private static final Map<Integer, Double> GOALS = Map.of(1, 1.5, 64, 1.4);

  private final Rounds rounds;
  private final Callers.Work ours;
  private final List<Limit> limits;
  private final List<Comparison> rows = new ArrayList<>();

  /** What it is compared with. */
  private record Limit(String text, Callers.Work work, boolean hasGoal) {}

  private LifecycleFamily(Rounds rounds, Callers.Work ours, List<Limit> limits) {
    this.rounds = rounds;
    this.ours = ours;
    this.limits = limits;
  }

  /** Measures, and writes the report. */
  public static void main(String[] words) throws Exception {
    Path directory = Path.of(words[0]);
    double all = 1000 * Double.parseDouble(words[2]);
    Rounds rounds = Rounds.in(all * (1 - WARM_UP), 3 * VOLUMES.length, WARMUPS, MOST_ROUNDS);
    try (PluginProcess process = PluginProcess.start(directory.resolve("one.sock"))) {
      CsiEndpoint endpoint = process.endpoint();
      PluginId plugin = Volumes.plugin(endpoint);
      Path root = directory.resolve("m");
      Syncs syncs = Syncs.counted(directory.resolve("n"), endpoint);
      try (VolumeManager manager =
              VolumeManager.builder(root).plugin(Volumes.binding(endpoint)).open();
          BareChannel bare = BareChannel.to(endpoint);
          BareSyncs log = new BareSyncs(directory.resolve("log"))) {
        BareDirectories directories = new BareDirectories(directory.resolve("v"));
        LifecycleFamily family =
            new LifecycleFamily(
                rounds,
                new Volumes(manager, plugin),
                List.of(
                    new Limit(
                        "4 bare calls, " + syncs.journal().size() + " synced appends",
                        new BareLifecycle(
                            bare.channel(), root, plugin, log, syncs.journal(), Optional.empty()),
                        false),
                    new Limit(
                        "4 bare calls, "
                            + syncs.journal().size()
                            + " synced appends, 2 directories made and removed",
                        new BareLifecycle(
                            bare.channel(),
                            root,
                            plugin,
                            log,
                            syncs.journal(),
                            Optional.of(directories)),
                        true)));
        family.warmUp((long) (all * WARM_UP));
        for (int volumes : VOLUMES) {
          family.measure(volumes);
        }
        family.report(directory, syncs).write(Path.of(words[1]), "lifecycle");
      }
    }
  }

  private void warmUp(long millis) throws Exception {
    int most = VOLUMES[VOLUMES.length - 1];
    double each = new Callers(most, millis).nanosEach(ours);
    System.out.printf(Locale.ROOT, "%.0f lifecycles to warm up%n", 1e6 * millis / each);
  }

  /** Measures all in turns; what each does first is not counted. */
  private void measure(int volumes) throws Exception {
    Callers callers = new Callers(volumes, rounds.millis());
    List<Callers.Work> all = new ArrayList<>(List.of(ours));
    limits.forEach(limit -> all.add(limit.work()));
    List<List<Double>> figures = all.stream().<List<Double>>map(it -> new ArrayList<>()).toList();
    for (int round = -WARMUPS; round < rounds.count(); round++) {
      for (int i = 0; i < all.size(); i++) {
        int at = round % 2 == 0 ? i : all.size() - 1 - i;
        double each = callers.nanosEach(all.get(at));
        if (round >= 0) {
          figures.get(at).add(each);
        }
      }
    }
    Optional<Goal> goal = Optional.ofNullable(GOALS.get(volumes)).flatMap(Goal::ratio);
    for (int i = 0; i < limits.size(); i++) {
      rows.add(
          Comparison.ofTimes(
              OPERATION,
              limits.get(i).text(),
              volumes,
              figures.get(0),
              figures.get(i + 1),
              limits.get(i).hasGoal() ? goal : Optional.empty()));
    }
  }

  private Report report(Path directory, Syncs syncs) throws Exception {
    int most = VOLUMES[VOLUMES.length - 1];
    String locks;
    try (LockProfile profile = LockProfile.begin()) {
      double each = new Callers(most, rounds.millis()).nanosEach(ours);
      locks = profile.end(directory, most);
      System.out.printf(Locale.ROOT, "%.0f ns each while locks were watched%n", each);
    }
    return new Report(
            "A lifecycle",
            "A volume is mounted and unmounted through `VolumeManager` with its default settings:"
                + " the journal and the directories are on disk, and the plugin, in a JVM of its"
                + " own, answers and does nothing, so no mount is asked for. Beside it the four"
                + " calls that this takes (stage, publish, unpublish, unstage), in the same JVM by"
                + " the stub that gRPC generates, blocking, on a plain channel to the same plugin,"
                + " and appends to one file that was made beforehand, each synced as the journal"
                + " syncs. The size is how many volumes at a time, each with a caller of its own; a"
                + " figure is the time in which all together do one, so less is more throughput."
                + " Before anything is counted, volumes come and go for half the time: a JVM that"
                + " still interprets takes twice as long. The bare callers append to the one file"
                + " one at a time, and none of their syncs is shared.",
            rows)
        .note(
            "Counted on the disk that the manager writes to, one mount and one unmount take "
                + syncs.journal().size()
                + " syncs of the journal ("
                + syncs.journal()
                + " bytes), "
                + syncs.files().size()
                + " of other files and "
                + syncs.directories()
                + " of directories. The first limit makes the journal's syncs; the second one"
                + " makes the directories above the staging and the target as well, and removes"
                + " them.")
        .note(
            "What threads waited for with "
                + most
                + " volumes at a time, as shares of the time of the callers (monitors and locks,"
                + " by the flight recorder): "
                + locks
                + ".");
  }
}
