package io.csi4j.benchmarks.lifecycle;

import io.csi4j.benchmarks.Callers;
import io.csi4j.benchmarks.Comparison;
import io.csi4j.benchmarks.Comparison.Goal;
import io.csi4j.benchmarks.GoCalls;
import io.csi4j.benchmarks.PluginProcess;
import io.csi4j.benchmarks.Report;
import io.csi4j.benchmarks.Rounds;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.state.JournalSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Measures mounting and unmounting, compared with bare calls and bare syncs. The arguments are
 * DIRECTORY MEMORY RESULTS SECONDS GO. DIRECTORY is on disk, MEMORY on tmpfs, and GO is the Go
 * program or -. Must run in its own mount namespace.
 */
public final class LifecycleFamily {

  private static final int MOST_ROUNDS = 20;
  private static final int WARMUPS = 2;

  /** Number of new JVMs for each side whose first lifecycles are measured. */
  private static final int FIRST_ROUNDS = 5;

  /**
   * The share of the time for warming up: tens of thousands of lifecycles, in which the JVM
   * compiles the code.
   */
  private static final double WARM_UP = 0.375;

  /** The share of the time for warming up the plugin that creates real mounts. */
  private static final double WARM_UP_OF_WORKING = 0.125;

  private static final int[] VOLUMES = {1, 8, 64};

  private static final String OPERATION = "mount + unmount";

  private static final Map<Integer, Double> GOALS = Map.of(1, 1.5, 64, 1.4);

  /** The goal with the plugin that creates real mounts, by the number of volumes. */
  private static final Map<Integer, Double> GOAL_OF_WORKING = Map.of(1, 1.1);

  /**
   * The goals compared with bare calls from Go, by the number of volumes. With them, csi4j is
   * faster than Nomad with its database.
   */
  private static final Map<Integer, Double> GOALS_BESIDE_GO = Map.of(1, 2.7, 8, 3.9, 64, 4.9);

  private static final Map<Integer, Double> GOALS_BESIDE_GO_IN_MEMORY =
      Map.of(1, 2.0, 8, 2.2, 64, 2.4);

  private final Rounds rounds;
  private final List<Comparison> rows = new ArrayList<>();

  /**
   * A comparison for the manager.
   *
   * @param goals the maximum ratio of the manager's time to the limit, by the number of volumes
   */
  private record Limit(String text, Side side, Map<Integer, Double> goals) {}

  /** One side of a comparison. */
  @FunctionalInterface
  private interface Side {

    /**
     * Runs this number of callers for one window, and returns the length of the window divided by
     * the number of completed operations, in nanoseconds.
     */
    double nanosEach(int callers, long millis) throws Exception;

    static Side of(Callers.Work work) {
      return (callers, millis) -> new Callers(callers, millis).nanosEach(work);
    }
  }

  private LifecycleFamily(Rounds rounds) {
    this.rounds = rounds;
  }

  /**
   * A manager in a directory, and its limits in the same directory.
   *
   * @param records the sizes of the records that the manager syncs for a mount and its release
   */
  private record Place(
      VolumeManager manager,
      CsiEndpoint endpoint,
      BareChannel bare,
      BareSyncs log,
      Path directory,
      IntFunction<MountRequest> requests,
      List<Integer> records)
      implements AutoCloseable {

    static Place in(Path directory, CsiEndpoint endpoint, List<Integer> records) throws Exception {
      PluginId plugin = Volumes.plugin(endpoint);
      return new Place(
          VolumeManager.builder(directory.resolve("m"))
              .journal(JournalSettings.builder().acceptAnyFilesystem(true).build())
              .plugin(Volumes.binding(endpoint))
              .open(),
          endpoint,
          BareChannel.to(endpoint),
          new BareSyncs(directory.resolve("log")),
          directory,
          caller -> Volumes.request(plugin, caller),
          records);
    }

    Callers.Work ours() {
      return new Volumes(manager, requests);
    }

    Limit calls() {
      return limit("", Optional.empty(), Map.of());
    }

    Limit callsAndDirectories() throws Exception {
      return limit(
          ", 2 directories made and removed",
          Optional.of(new BareDirectories(directory.resolve("v"))),
          GOALS);
    }

    private Limit limit(
        String more, Optional<BareDirectories> directories, Map<Integer, Double> goals) {
      return new Limit(
          "4 bare calls, " + records.size() + " synced appends" + more,
          Side.of(
              new BareLifecycle(
                  bare.channel(), directory.resolve("m"), requests, log, records, directories)),
          goals);
    }

    /** Returns two limits: the four calls from Go, and the same calls with synced appends. */
    List<Limit> fromGo(Path program, Map<Integer, Double> goals) throws IOException {
      GoCalls calls = new GoCalls(program, endpoint.path());
      GoCalls.Round round =
          FourCalls.of(new VolumeLayout(MountPath.of(directory.resolve("m"))), requests.apply(0))
              .written(directory, BareLifecycle.DEADLINE_MILLIS);
      return List.of(
          new Limit(
              "Go: 4 bare calls",
              (callers, millis) -> calls.window(round, callers, millis).nanosEach(),
              goals),
          new Limit(
              "Go: 4 bare calls, " + records.size() + " synced appends",
              (callers, millis) ->
                  calls
                      .window(round, callers, millis, directory.resolve("go-log"), records)
                      .nanosEach(),
              Map.of()));
    }

    @Override
    public void close() {
      log.close();
      bare.close();
      manager.close();
    }
  }

  /** Runs the measurements, and writes the report. */
  public static void main(String[] words) throws Exception {
    Path directory = Path.of(words[0]);
    double all = 1000 * Double.parseDouble(words[3]);
    Optional<Path> go = words[4].equals("-") ? Optional.empty() : Optional.of(Path.of(words[4]));
    int windows = (go.isEmpty() ? 5 : 9) * VOLUMES.length + 2;
    double measured = all * (1 - WARM_UP - WARM_UP_OF_WORKING);
    LifecycleFamily family =
        new LifecycleFamily(Rounds.in(measured, windows, WARMUPS, MOST_ROUNDS));
    try (PluginProcess process = PluginProcess.start(directory.resolve("one.sock"))) {
      CsiEndpoint endpoint = process.endpoint();
      Syncs syncs = Syncs.counted(directory.resolve("n"), endpoint);
      try (Place disk = Place.in(directory, endpoint, syncs.journal());
          Place memory = Place.in(Path.of(words[1]), endpoint, syncs.journal())) {
        warmUp(VOLUMES[VOLUMES.length - 1], (long) (all * WARM_UP), disk.ours());
        List<Limit> onDisk = new ArrayList<>(List.of(disk.calls(), disk.callsAndDirectories()));
        List<Limit> inMemory = new ArrayList<>(List.of(memory.callsAndDirectories()));
        if (go.isPresent()) {
          onDisk.addAll(disk.fromGo(go.get(), GOALS_BESIDE_GO));
          inMemory.addAll(memory.fromGo(go.get(), GOALS_BESIDE_GO_IN_MEMORY));
        }
        for (int volumes : VOLUMES) {
          family.measure(OPERATION, volumes, disk.ours(), onDisk);
        }
        for (int volumes : VOLUMES) {
          family.measure(OPERATION + ", on tmpfs", volumes, memory.ours(), inMemory);
        }
        family.first(Path.of(words[1]), endpoint);
        family.working(directory, (long) (all * WARM_UP_OF_WORKING), disk.log());
        family.report(directory, syncs, disk.ours()).write(Path.of(words[2]), "lifecycle");
      }
    }
  }

  /** Measures the first lifecycles of new JVMs. */
  private void first(Path memory, CsiEndpoint endpoint) throws Exception {
    List<Double> ours = new ArrayList<>();
    List<Double> theirs = new ArrayList<>();
    for (int round = 0; round < FIRST_ROUNDS; round++) {
      ours.add(FirstLifecycles.nanosEach(memory, endpoint, FirstLifecycles.Mode.MANAGED));
      theirs.add(FirstLifecycles.nanosEach(memory, endpoint, FirstLifecycles.Mode.BARE));
    }
    rows.add(
        Comparison.ofTimes(
            OPERATION
                + ", processor time of one of the first "
                + FirstLifecycles.COUNT
                + " of a JVM, on tmpfs",
            "4 bare calls",
            1,
            ours,
            theirs,
            Optional.empty()));
  }

  /** Measures one volume of a plugin that creates real mounts. */
  private void working(Path directory, long warmUpMillis, BareSyncs log) throws Exception {
    try (PluginProcess process = PluginProcess.startWorking(directory.resolve("two.sock"))) {
      CsiEndpoint endpoint = process.endpoint();
      MountRequest managed = Volumes.created(endpoint, 0);
      MountRequest bareOne = Volumes.created(endpoint, 1);
      PluginBinding binding = PluginBinding.of(managed.plugin(), endpoint);
      try (VolumeManager manager =
              VolumeManager.builder(directory.resolve("w")).plugin(binding).open();
          BareChannel bare = BareChannel.to(endpoint)) {
        Callers.Work ours = new Volumes(manager, caller -> managed);
        Limit limit =
            new Limit(
                "4 bare calls to that plugin",
                Side.of(
                    new BareLifecycle(
                            bare.channel(),
                            directory.resolve("b"),
                            caller -> bareOne,
                            log,
                            List.of(),
                            Optional.empty())
                        .prepared(0)),
                GOAL_OF_WORKING);
        warmUp(1, warmUpMillis, ours);
        measure(OPERATION + ", a plugin that really mounts", 1, ours, List.of(limit));
      }
    }
  }

  private static void warmUp(int callers, long millis, Callers.Work ours) throws Exception {
    double each = new Callers(callers, millis).nanosEach(ours);
    System.out.printf(Locale.ROOT, "%.0f lifecycles to warm up%n", 1e6 * millis / each);
  }

  /** Measures all sides alternately. The first window of each side is not counted. */
  private void measure(String operation, int volumes, Callers.Work ours, List<Limit> limits)
      throws Exception {
    List<Side> all = new ArrayList<>(List.of(Side.of(ours)));
    limits.forEach(limit -> all.add(limit.side()));
    List<List<Double>> figures = all.stream().<List<Double>>map(it -> new ArrayList<>()).toList();
    for (int round = -WARMUPS; round < rounds.count(); round++) {
      for (int i = 0; i < all.size(); i++) {
        int at = round % 2 == 0 ? i : all.size() - 1 - i;
        double each = all.get(at).nanosEach(volumes, rounds.millis());
        if (round >= 0) {
          figures.get(at).add(each);
        }
      }
    }
    for (int i = 0; i < limits.size(); i++) {
      Limit limit = limits.get(i);
      rows.add(
          Comparison.ofTimes(
              operation,
              limit.text(),
              volumes,
              figures.get(0),
              figures.get(i + 1),
              Optional.ofNullable(limit.goals().get(volumes)).flatMap(Goal::ratio)));
    }
  }

  private Report report(Path directory, Syncs syncs, Callers.Work ours) throws Exception {
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
                + " the journal and the directories are on disk, or on tmpfs, where nothing waits"
                + " for a disk, in the rows that say so; and the plugin, in a JVM of its own,"
                + " answers and does nothing, so no mount is asked for. Beside it the four calls"
                + " that this takes (stage, publish, unpublish, unstage), in the same JVM by the"
                + " stub that gRPC generates, blocking, on a plain channel to the same plugin, and"
                + " appends to one file that was made beforehand, each synced as the journal syncs."
                + " Where there is a Go toolchain with grpc-go, the same four calls come from Go as"
                + " well, with as many goroutines and without directories, and once more with"
                + " synced appends; its goals are those of being ahead of Nomad with its database."
                + " The size is how many volumes at a time, each with a caller of its own; a figure"
                + " is the time in which all together do one, so less is more throughput. Before"
                + " anything is counted, volumes come and go for more than a third of the time: a"
                + " JVM that still interprets takes several times as long, which a row of its own"
                + " shows: the processor time, compilers of the JVM included, of a new process with"
                + " a pause of 10 ms after each. The bare callers append to the one file one at a"
                + " time, and none of their syncs is shared. In the last row all is real: the"
                + " plugin of the testkit that binds directories of the host, and writes its state"
                + " before it answers, and a manager with its default settings, beside the same"
                + " four calls to that plugin and nothing else: their directories for staging and"
                + " target stay, and nothing is kept.",
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
