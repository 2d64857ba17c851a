package io.csi4j.volume.sim;

import io.csi4j.volume.sim.Explorer.Limit;
import io.csi4j.volume.sim.Explorer.Tally;
import io.csi4j.volume.sim.Simulation.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The simulator as a program, for any budget: {@code volume-manager/node/simulate} starts it. Ends
 * with status 1 when an invariant was broken, with the smallest history that was found for it.
 */
public final class Campaign {

  private static final String USAGE =
      """
      usage: simulate [--seeds N [--from N]] [--exhaustive] [--compare] [--rules] [--replay SETUP SCRIPT]
        --seeds N       N random histories, with the journal on a failing disk
        --from N        the first seed (1)
        --exhaustive    all histories of two and of four operations within the budget; one that comes to
                        a world from which another one has gone on ends there, and is counted as joined
        --compare       the same with and without joining: both come to the same worlds
        --rules         each rule of the protocol broken by a mutant of the engine, until the harm is
                        found
        --replay N      the random history of a seed, told event by event
        --script TEXT   the history of a script, as a violation is reported with
        --mode NAME     brief-single, brief-shared, drill-…, hurry-…, mend-… or roam-…; after that
                        -refreshed for what is mounted to be refreshed, -inline for inline volumes,
                        -strict for a plugin that refuses to unpublish what is not mounted, and a + at the end for a plugin that does not serialise its calls. Default:
                        brief and the drills with all of the budget, refreshes and inline volumes
                        with it, and mend with one crash or one fault of it, as the plugin is in
                        trouble already; at random, half of the seeds have inline volumes beside the
                        others, and half refreshes
      budget: --crashes N (1)  --faults N (1)  --seconds N (no limit)  --threads N (processors)
              --go-on    does not stop at the first violation
              --full     plays each history to its end, also where another one has gone on from the
                         same world
      """;

  private int seeds;
  private long from = 1;
  private long replay = -1;
  private String script = "";
  private String mode = "";
  private boolean exhaustive;
  private boolean rules;
  private boolean goOn;
  private boolean full;
  private boolean compare;
  private int crashes = -1;
  private int faults = -1;
  private double seconds = Double.MAX_VALUE;
  private int threads = Runtime.getRuntime().availableProcessors();

  private Campaign() {}

  /** Runs it. */
  public static void main(String[] args) {
    Campaign campaign = new Campaign();
    if (!campaign.read(args)) {
      System.err.print(USAGE);
      System.exit(2);
    }
    System.exit(campaign.run() ? 0 : 1);
  }

  private boolean read(String[] args) {
    for (int at = 0; at < args.length; at++) {
      String value = at + 1 < args.length ? args[at + 1] : "";
      boolean flag = false;
      try {
        switch (args[at]) {
          case "--exhaustive" -> flag = exhaustive = true;
          case "--rules" -> flag = rules = true;
          case "--compare" -> flag = compare = true;
          case "--full" -> flag = full = true;
          case "--go-on" -> flag = goOn = true;
          case "--seeds" -> seeds = Integer.parseInt(value);
          case "--from" -> from = Long.parseLong(value);
          case "--replay" -> replay = Long.parseLong(value);
          case "--script" -> script = value;
          case "--mode" -> mode = value;
          case "--crashes" -> crashes = Integer.parseInt(value);
          case "--faults" -> faults = Integer.parseInt(value);
          case "--seconds" -> seconds = Double.parseDouble(value);
          case "--threads" -> threads = Integer.parseInt(value);
          default -> {
            return false;
          }
        }
      } catch (NumberFormatException e) {
        return false;
      }
      at += flag ? 0 : 1;
    }
    return exhaustive || compare || rules || seeds > 0 || replay >= 0 || !script.isEmpty();
  }

  private boolean run() {
    boolean sound = true;
    if (replay >= 0) {
      return told(Simulation.random(random(replay), replay, false));
    }
    if (!script.isEmpty()) {
      mode = mode.isEmpty() ? "drill-single" : mode;
      return told(Simulation.play(setups().get(0), Script.parse(script), false));
    }
    if (exhaustive) {
      for (Setup setup : setups()) {
        Tally tally =
            full
                ? Explorer.full(setup, new Limit(Long.MAX_VALUE, seconds, !goOn, threads))
                : Explorer.exhaustive(setup, new Limit(Long.MAX_VALUE, seconds, !goOn, threads));
        sound &= report(setup.toString(), tally);
      }
    }
    if (compare) {
      for (Setup setup : setups()) {
        Comparison both = Comparison.of(setup, new Limit(Long.MAX_VALUE, seconds, false, threads));
        System.out.println(setup + ": " + both);
        sound &= both.isSame();
      }
    }
    if (seeds > 0) {
      Tally tally =
          Explorer.random(
              from, seeds, this::random, new Limit(Long.MAX_VALUE, seconds, !goOn, threads));
      sound &= report("seeds " + from + " to " + (from + seeds - 1), tally);
    }
    if (rules) {
      sound &= rules();
    }
    return sound;
  }

  private boolean told(Outcome outcome) {
    System.out.println(Explorer.story(outcome));
    return outcome.violation().isEmpty();
  }

  private static boolean report(String what, Tally tally) {
    System.out.println(what + ": " + tally);
    for (Outcome outcome : tally.found()) {
      System.out.println("found:  " + outcome.setup() + " " + outcome.script());
      System.out.println(Explorer.story(Explorer.shrink(outcome)));
    }
    return tally.found().isEmpty();
  }

  private boolean rules() {
    boolean all = true;
    System.out.printf(
        "%-26s %-9s %10s %8s  %s%n", "mutant", "broken", "histories", "seconds", "by");
    for (Mutant mutant : Mutant.values()) {
      MutantHunt.Catch caught = MutantHunt.of(mutant, Math.min(60, seconds));
      System.out.println(caught);
      all &= caught.isCaught();
    }
    return all;
  }

  /** The setup for a seed: the kinds take turns. */
  private Setup random(long seed) {
    if (!mode.isEmpty()) {
      return setups().get(0);
    }
    Setup setup =
        Setup.roam(
            seed % 2 == 0, seed / 2 % 2 == 0, crashes < 0 ? 4 : crashes, faults < 0 ? 6 : faults);
    Setup inlined = seed / 4 % 2 == 0 ? setup : setup.inlining();
    Setup refreshed = seed / 8 % 2 == 0 ? inlined : inlined.refreshing();
    return seed / 16 % 2 == 0 ? refreshed : refreshed.refusing();
  }

  private List<Setup> setups() {
    int crashBudget = crashes < 0 ? 1 : crashes;
    int faultBudget = faults < 0 ? 1 : faults;
    List<Setup> setups = new ArrayList<>();
    if (mode.isEmpty()) {
      for (boolean shared : new boolean[] {false, true}) {
        for (boolean serialising : new boolean[] {true, false}) {
          setups.add(
              Setup.drill(shared, serialising, crashBudget, faultBudget).with(Setup.Drive.BRIEF));
        }
      }
      for (boolean shared : new boolean[] {false, true}) {
        for (boolean serialising : new boolean[] {true, false}) {
          setups.add(Setup.drill(shared, serialising, crashBudget, faultBudget));
        }
        setups.add(Setup.drill(shared, false, crashBudget, faultBudget).refreshing());
        setups.add(Setup.drill(shared, false, crashBudget, faultBudget).inlining());
        setups.add(Setup.drill(shared, false, crashBudget, faultBudget).refusing());
        // The trouble of the plugin counts too.
        if (crashBudget > 0) {
          setups.add(Setup.mend(shared, 1, 0));
        }
        if (faultBudget > 0) {
          setups.add(Setup.mend(shared, 0, 1));
        }
        if (crashBudget + faultBudget == 0) {
          setups.add(Setup.mend(shared, 0, 0));
        }
      }
    } else {
      boolean serialising = !mode.endsWith("+");
      boolean shared = mode.contains("shared");
      String what = mode.replace("+", "").split("-", 2)[0].toUpperCase(Locale.ROOT);
      Setup.Drive drive = Setup.Drive.valueOf(what);
      Setup setup =
          drive == Setup.Drive.ROAM
              ? Setup.roam(shared, serialising, crashes < 0 ? 4 : crashes, faults < 0 ? 6 : faults)
              : Setup.drill(shared, serialising, crashBudget, faultBudget).with(drive);
      Setup inlined = mode.contains("-inline") ? setup.inlining() : setup;
      Setup strict = mode.contains("-strict") ? inlined.refusing() : inlined;
      setups.add(mode.contains("-refreshed") ? strict.refreshing() : strict);
    }
    return setups;
  }
}
