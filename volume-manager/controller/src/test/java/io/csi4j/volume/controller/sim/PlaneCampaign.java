package io.csi4j.volume.controller.sim;

import io.csi4j.volume.controller.sim.PlaneSimulation.Outcome;
import io.csi4j.volume.controller.sim.PlaneWorld.Count;
import io.csi4j.volume.controller.sim.PlaneWorld.Setup;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * The simulator of control planes as a program: {@code volume-manager/controller/simulate} starts
 * it. Ends with status 1 when something was broken, with the end of the history.
 */
public final class PlaneCampaign {

  private static final String USAGE =
      """
      usage: simulate --seeds N [--from SEED]
             simulate --replay SEED [RULE]
             simulate --rules N
             simulate --exhaustive
        --seeds N       so many histories: control planes that are killed, stopped and cut off, a
                        store with lost answers and late writes, late and repeated calls
        --from SEED     the first seed (1)
        --replay SEED   one history with all that happens, without a rule if one is named
        --rules N       each rule turned off, until the harm is found, for N seeds at most
        --exhaustive    one volume made, grown, used and deleted, and snapshots of one volume cut,
                        kept and dropped: the control plane killed, or stopped, at each step, while
                        another one is asked for each thing, and is killed at each step, too
      """;

  private PlaneCampaign() {}

  /** Runs it. */
  public static void main(String[] args) {
    if ((args.length == 2 || args.length == 3) && args[0].equals("--replay")) {
      LostRule lost = args.length == 3 ? LostRule.valueOf(args[2]) : null;
      System.exit(replay(Long.parseLong(args[1]), lost) ? 0 : 1);
    }
    if (args.length == 2 && args[0].equals("--rules")) {
      System.exit(rules(Long.parseLong(args[1])) ? 0 : 1);
    }
    if (args.length == 1 && args[0].equals("--exhaustive")) {
      System.exit(exhaustive() ? 0 : 1);
    }
    boolean isCampaign =
        (args.length == 2 || (args.length == 4 && args[2].equals("--from")))
            && args[0].equals("--seeds");
    if (!isCampaign) {
      System.err.print(USAGE);
      System.exit(2);
    }
    long from = args.length == 4 ? Long.parseLong(args[3]) : 1;
    System.exit(seeds(from, Long.parseLong(args[1])) ? 0 : 1);
  }

  private static boolean seeds(long from, long most) {
    long begin = System.nanoTime();
    long steps = 0;
    Map<Count, Long> counts = new EnumMap<>(Count.class);
    for (long seed = from; seed < from + most; seed++) {
      Outcome outcome = PlaneSimulation.play(seed, null, false);
      if (outcome.violation().isPresent()) {
        return replay(seed, null);
      }
      steps += outcome.steps();
      outcome.counts().forEach((what, count) -> counts.merge(what, count, Long::sum));
    }
    System.out.printf(
        "%,d seeds, %,d steps, nothing broken, %,d ms; %s%n",
        most, steps, (System.nanoTime() - begin) / 1_000_000, counts);
    return true;
  }

  private static boolean replay(long seed, LostRule lost) {
    Outcome outcome = PlaneSimulation.play(seed, lost, true);
    outcome.story().forEach(System.out::println);
    System.out.println("seed " + seed + ": " + outcome.violation().orElse("nothing is broken"));
    return outcome.violation().isEmpty();
  }

  private static boolean exhaustive() {
    long begin = System.nanoTime();
    long[] setups = new long[1];
    Optional<Setup> broken =
        PlaneExplorer.Family.all()
            .flatMap(
                family ->
                    PlaneExplorer.broken(
                        family,
                        true,
                        setup -> {
                          setups[0]++;
                        })
                        .stream())
            .findFirst();
    broken.ifPresent(
        setup -> {
          Outcome outcome = PlaneSimulation.play(setup, true).orElseThrow();
          outcome.story().forEach(System.out::println);
          System.out.println(setup + ": " + outcome.violation().orElse("nothing is broken"));
        });
    System.out.printf("%,d setups, %,d ms%n", setups[0], (System.nanoTime() - begin) / 1_000_000);
    return broken.isEmpty();
  }

  private static boolean rules(long most) {
    boolean isComplete = true;
    for (LostRule rule : LostRule.values()) {
      Optional<String> found =
          LongStream.rangeClosed(1, most)
              .boxed()
              .flatMap(
                  seed ->
                      PlaneSimulation.play(seed, rule, false).violation().stream()
                          .map(harm -> "seed " + seed + ": " + harm))
              .findFirst();
      System.out.println(rule + " " + found.orElse("is not found"));
      isComplete &= found.isPresent();
    }
    return isComplete;
  }
}
