package io.csi4j.volume.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Decides everything that can happen this way or another, and remembers what was decided: from a
 * script, or at random. The first choice is always the one where nothing goes wrong.
 */
final class Choices {

  private final Script script;
  private final Random random;
  private final Random jitter;
  private int[] taken = new int[64];
  private int[] arity = new int[64];
  private final List<String> labels = new ArrayList<>();
  private int made;

  private Choices(Script script, Random random) {
    this.script = script;
    this.random = random;
    this.jitter = new Random(scrambled(script.seed() * 31 + 7));
  }

  /** Follows a script, and takes the first choice when that has ended. */
  static Choices scripted(Script script) {
    return new Choices(script, null);
  }

  /** Chooses at random. */
  static Choices random(long seed) {
    return new Choices(Script.of(seed), new Random(scrambled(seed)));
  }

  /**
   * Seeds that follow each other begin alike in {@link Random}, so the same things would go first.
   */
  private static long scrambled(long seed) {
    long mixed = (seed ^ seed >>> 30) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
    return mixed ^ mixed >>> 31;
  }

  /** One of n, all alike. */
  int choose(String label, int n) {
    return rarely(label, n, 1.0 - 1.0 / n);
  }

  /** 0, or with this probability one of the others, all alike. */
  int rarely(String label, int n, double probability) {
    if (n <= 1) {
      return 0;
    }
    int choice;
    if (random == null) {
      choice = Math.min(script.choices().get(made), n - 1);
    } else {
      choice = random.nextDouble() < probability ? 1 + random.nextInt(n - 1) : 0;
    }
    remember(label, choice, n);
    return choice;
  }

  private void remember(String label, int choice, int n) {
    if (made == taken.length) {
      taken = Arrays.copyOf(taken, 2 * made);
      arity = Arrays.copyOf(arity, 2 * made);
    }
    taken[made] = choice;
    arity[made] = n;
    labels.add(label);
    made++;
  }

  /** The first choice, as nothing new would come of any other. */
  void settled(String label) {
    remember(label, 0, 1);
  }

  /** A number from 0 to below 1 that is no choice: it changes how long something takes. */
  double jitter() {
    return jitter.nextDouble();
  }

  /** Lets these numbers begin anew, as those of a process do that has just begun. */
  void restartJitter() {
    jitter.setSeed(scrambled(script.seed() * 31 + 7));
  }

  /** Whether all is decided that the script decides. */
  boolean isPastScript() {
    return made >= script.choices().size();
  }

  /** Decides what no choice is made of, such as which sectors outlive a power cut. */
  Random chance(int salt) {
    return new Random(scrambled(script.seed() * 131 + salt));
  }

  boolean isRandom() {
    return random != null;
  }

  int made() {
    return made;
  }

  int taken(int at) {
    return taken[at];
  }

  int arity(int at) {
    return arity[at];
  }

  /** All that was chosen, as a script that does the same again. */
  Script written() {
    return Script.of(script.seed(), Arrays.copyOf(taken, made)).trimmed();
  }

  /** What was chosen other than the first, for people. */
  List<String> deviations() {
    List<String> lines = new ArrayList<>();
    for (int at = 0; at < made; at++) {
      if (taken[at] != 0) {
        lines.add("#" + at + " " + labels.get(at) + " = " + taken[at] + " of " + arity[at]);
      }
    }
    return lines;
  }
}
