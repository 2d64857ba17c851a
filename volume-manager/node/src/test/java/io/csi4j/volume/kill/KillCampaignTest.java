package io.csi4j.volume.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.volume.kill.KillWorld.Use;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Rounds of mounting and unmounting, several volumes at a time, that a kill ends at a moment by
 * chance; recoveries are killed too. How many rounds, and by which chance, come from the system
 * properties {@code kill.rounds} and {@code kill.seed}: {@code volume-manager/node/kill} sets them.
 */
@MountTest
class KillCampaignTest {

  private static final int ROUNDS = Integer.getInteger("kill.rounds", 1);
  private static final long SEED = Long.getLong("kill.seed", 1);
  private static final int VOLUMES = 4;
  private static final List<String> WORKLOADS = List.of("w1", "w2", "w3");

  private final Random random = new Random(SEED);
  private final Map<String, Integer> killedAt = new TreeMap<>();
  private int quiet;

  @Tag("campaign")
  @PlayedInShares
  @Test
  void whateverIsKilledWhenWhatIsWantedIsThereAndNothingElse(Scratch scratch) {
    long begun = System.nanoTime();
    try (KillWorld world = new KillWorld(scratch)) {
      List<Use> volumes = new ArrayList<>();
      for (int i = 0; i < VOLUMES; i++) {
        volumes.add(world.volume("v" + i));
      }
      EngineProcess engine = world.engine();
      for (int round = 0; round < ROUNDS; round++) {
        engine = round(round, engine, volumes, world);
      }
      engine.ask("reconcile ", "reconciled ");
      engine.awaitRest();
      assertThat(world.left()).as(where(ROUNDS)).isEmpty();
      engine.end();
      assertThat(world.breaches()).isEmpty();
    }
    System.out.printf(
        "%d rounds with seed %d in %d s: %d kills, %d of them when all was done; the others at"
            + " %s%n",
        ROUNDS,
        SEED,
        (System.nanoTime() - begun) / 1_000_000_000,
        quiet + killedAt.values().stream().mapToInt(Integer::intValue).sum(),
        quiet,
        killedAt);
  }

  /** Gives the engine that has recovered. */
  private EngineProcess round(int round, EngineProcess engine, List<Use> volumes, KillWorld world) {
    kill(engine, 1 + random.nextInt(30), deeds(volumes));

    Set<String> wanted = new TreeSet<>();
    for (Use volume : volumes) {
      WORKLOADS.stream()
          .filter(workload -> random.nextInt(3) == 0)
          .forEach(workload -> wanted.add(volume.by(workload).toString()));
    }
    String reconcile = "reconcile " + String.join(" ", wanted);
    while (random.nextBoolean()) {
      kill(world.engine(), 1 + random.nextInt(12), List.of(reconcile));
    }
    EngineProcess next = world.engine();
    next.ask(reconcile, "reconciled ");
    next.awaitRest();
    for (Use volume : volumes) {
      assertThat(wrong(volume, wanted, world)).as(where(round) + ":\n" + next.log()).isEmpty();
    }
    return next;
  }

  private void kill(EngineProcess engine, int nth, List<String> orders) {
    Optional<String> point = engine.parkAt(nth, orders);
    engine.kill();
    point.ifPresentOrElse(at -> killedAt.merge(at, 1, Integer::sum), () -> quiet++);
  }

  /** What the workloads do in a round, in the order in which it is asked for. */
  private List<String> deeds(List<Use> volumes) {
    List<String> deeds = new ArrayList<>();
    for (int i = 0; i < 2 + random.nextInt(7); i++) {
      Use use =
          volumes.get(random.nextInt(VOLUMES)).by(WORKLOADS.get(random.nextInt(WORKLOADS.size())));
      deeds.add((random.nextInt(3) > 0 ? "mount " : "unmount ") + use);
    }
    return deeds;
  }

  private static List<String> wrong(Use volume, Set<String> wanted, KillWorld world) {
    Map<Boolean, List<Use>> uses =
        WORKLOADS.stream()
            .map(volume::by)
            .collect(Collectors.partitioningBy(use -> wanted.contains(use.toString())));
    List<String> wrong = new ArrayList<>();
    uses.get(true).forEach(use -> wrong.addAll(world.wrongIfWanted(use)));
    uses.get(false).forEach(use -> wrong.addAll(world.leftOfUse(use)));
    if (uses.get(true).isEmpty()) {
      wrong.addAll(world.leftOf(volume));
    }
    return wrong;
  }

  private static String where(int round) {
    return "kill.seed=" + SEED + ", round " + round;
  }
}
