package io.csi4j.volume.claim.sim;

import io.csi4j.volume.claim.sim.Simulation.Outcome;
import java.util.EnumMap;
import java.util.Map;

/**
 * The simulator of claims as a program, for any budget: {@code volume-manager/claims/simulate}
 * starts it. Ends with status 1 when something was broken, with the end of the history.
 */
public final class ClaimCampaign {

  private static final String USAGE =
      """
      usage: simulate-claims --operations N [--from SEED] [--each N] [--processes N]
             simulate-claims --replay SEED [--each N] [--processes N]
        --operations N   so many operations in all, with kills, lost and late answers, cut lines,
                         pauses, restored stores and overrides
        --from SEED      the first seed (1)
        --each N         operations of one history (2000)
        --processes N    how many processes coordinate the same claims (1 and 2 in turns)
        --replay SEED    one history, told to its end
      """;

  private long operations;
  private long from = 1;
  private long each = 2000;
  private int processes;
  private long replay = -1;

  private ClaimCampaign() {}

  /** Runs it. */
  public static void main(String[] args) {
    ClaimCampaign campaign = new ClaimCampaign();
    if (!campaign.read(args)) {
      System.err.print(USAGE);
      System.exit(2);
    }
    System.exit(campaign.run() ? 0 : 1);
  }

  private boolean read(String[] args) {
    for (int at = 0; at + 1 < args.length; at += 2) {
      long value;
      try {
        value = Long.parseLong(args[at + 1]);
      } catch (NumberFormatException e) {
        return false;
      }
      switch (args[at]) {
        case "--operations" -> operations = value;
        case "--from" -> from = value;
        case "--each" -> each = value;
        case "--processes" -> processes = (int) value;
        case "--replay" -> replay = value;
        default -> {
          return false;
        }
      }
    }
    return args.length % 2 == 0 && each > 0 && (operations > 0 || replay >= 0);
  }

  private boolean run() {
    if (replay >= 0) {
      Outcome outcome = Simulation.play(replay, each, of(replay), null, true);
      System.out.println(outcome.violation().orElse("sound: " + outcome.counts()));
      return outcome.violation().isEmpty();
    }
    long begin = System.nanoTime();
    long done = 0;
    long steps = 0;
    long seed = from;
    Map<World.Count, Long> counts = new EnumMap<>(World.Count.class);
    while (done < operations) {
      Outcome outcome = Simulation.play(seed, each, of(seed), null, false);
      if (outcome.violation().isPresent()) {
        System.out.println("seed " + seed + ": " + outcome.violation().get());
        System.out.println("again, with all that happened: --replay " + seed + " --each " + each);
        return false;
      }
      done += outcome.operations();
      steps += outcome.steps();
      outcome.counts().forEach((what, count) -> counts.merge(what, count, Long::sum));
      seed++;
    }
    System.out.printf(
        "%,d operations in %,d histories, %,d steps, %.0f s: sound%n",
        done, seed - from, steps, (System.nanoTime() - begin) / 1e9);
    counts.forEach((what, count) -> System.out.printf("%14s %,d%n", what, count));
    return true;
  }

  private int of(long seed) {
    return processes > 0 ? processes : 1 + (int) (seed / 4 % 2);
  }
}
