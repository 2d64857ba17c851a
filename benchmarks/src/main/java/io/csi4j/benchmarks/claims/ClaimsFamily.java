package io.csi4j.benchmarks.claims;

import io.csi4j.benchmarks.Callers;
import io.csi4j.benchmarks.Comparison;
import io.csi4j.benchmarks.Comparison.Goal;
import io.csi4j.benchmarks.Report;
import io.csi4j.benchmarks.Rounds;
import io.csi4j.volume.claim.etcd.EtcdSettings;
import io.csi4j.volume.claim.etcd.EtcdStore;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Measures the stores of claims, alternately with their limits. The arguments are DIRECTORY RESULTS
 * SECONDS [ETCD]. ETCD is the address of an etcd server without other users.
 */
public final class ClaimsFamily {

  private static final int MOST_ROUNDS = 12;
  private static final int WARM_UPS = 2;

  /** Total number of windows of all rows. */
  private static final int WINDOWS = 22;

  private static final int[] CALLERS = {1, 64};

  private static final String BARE = "three transactions of bare jetcd, without a look";

  private static final Optional<Goal> NO_GOAL = Optional.empty();

  /** The goal: 0.8 times the throughput of the limit. */
  private static final Optional<Goal> GOAL = Goal.ratio(1.25);

  private final Rounds rounds;
  private final List<Comparison> rows = new ArrayList<>();

  private ClaimsFamily(Rounds rounds) {
    this.rounds = rounds;
  }

  /** Runs the measurements, and writes the report. */
  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[0]);
    long seconds = Long.parseLong(args[2]);
    ClaimsFamily family =
        new ClaimsFamily(Rounds.in(1000.0 * seconds, WINDOWS, WARM_UPS, MOST_ROUNDS));
    family.memory();
    family.local(directory);
    if (args.length > 3) {
      family.etcd(args[3]);
      family.othersBeside(args[3], directory);
    }
    new Report(
            "Claims",
            "A workload takes a volume and gives it back: three writes of a claim, all"
                + " durable before they are answered where the store is. Each caller has"
                + " a volume of its own. A figure is the time in which all callers together do one,"
                + " so less is more throughput; size is the number of callers.",
            family.rows)
        .write(Path.of(args[1]), "claims");
  }

  private void memory() throws Exception {
    try (MemoryStore store = new MemoryStore()) {
      for (int callers : CALLERS) {
        compare(
            "in memory", "nothing", callers, new ClaimAndRelease(store), Optional.empty(), NO_GOAL);
      }
    }
  }

  private void local(Path directory) throws Exception {
    try (LocalStore store = LocalStore.open(directory.resolve("claims"));
        BareAppends bare = new BareAppends(directory.resolve("bare"), ClaimAndRelease.bytes())) {
      for (int callers : CALLERS) {
        compare(
            "on the disk of the host",
            "three appends of the same bytes, each synced",
            callers,
            new ClaimAndRelease(store),
            Optional.of(bare),
            NO_GOAL);
      }
    }
  }

  private void etcd(String endpoint) throws Exception {
    for (boolean looks : List.of(true, false)) {
      for (int callers : CALLERS) {
        try (EtcdStore store = EtcdStore.open(EtcdSettings.of(URI.create(endpoint)));
            BareJetcd bare = new BareJetcd(endpoint, ClaimAndRelease.bytes(), looks, callers)) {
          compare(
              "in etcd",
              looks ? "three reads and transactions of bare jetcd" : BARE,
              callers,
              new ClaimAndRelease(store),
              Optional.of(bare),
              GOAL);
        }
      }
    }
  }

  /** Compares stores of this host with the etcd transactions that they replace. */
  private void othersBeside(String endpoint, Path directory) throws Exception {
    try (MemoryStore memory = new MemoryStore();
        LocalStore local = LocalStore.open(directory.resolve("claims-beside"))) {
      for (int callers : CALLERS) {
        try (BareJetcd bare = new BareJetcd(endpoint, ClaimAndRelease.bytes(), false, callers)) {
          compare("in memory", BARE, callers, new ClaimAndRelease(memory), Optional.of(bare), GOAL);
          compare(
              "on the disk of the host",
              BARE,
              callers,
              new ClaimAndRelease(local),
              Optional.of(bare),
              GOAL);
        }
      }
    }
  }

  /** Measures both sides alternately. The first window of each side is not counted. */
  private void compare(
      String operation,
      String limit,
      int callers,
      Callers.Work ours,
      Optional<Callers.Work> theirs,
      Optional<Goal> goal)
      throws Exception {
    Callers crowd = new Callers(callers, rounds.millis());
    List<Double> our = new ArrayList<>();
    List<Double> their = new ArrayList<>();
    for (int round = -WARM_UPS; round < rounds.count(); round++) {
      double one = crowd.nanosEach(ours);
      if (round >= 0) {
        our.add(one);
      }
      if (theirs.isPresent()) {
        double other = crowd.nanosEach(theirs.get());
        if (round >= 0) {
          their.add(other);
        }
      }
    }
    rows.add(Comparison.ofTimes(operation, limit, callers, our, their, goal));
  }
}
