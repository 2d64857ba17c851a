package io.csi4j.volume.sim;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The worlds that histories have gone on from. A history that comes to one of them again ends
 * there, as all that can follow is in the histories that went on. For several threads.
 */
final class Crossroads {

  /** As many as fit in the memory that a simulation has; more are not remembered. */
  private static final int MOST = 48_000_000;

  private final Function<World, Canonical.Key> describe;
  private final BiFunction<World, Object, Canonical.Key> crashed;
  private final boolean isJoining;

  /** Every world that was met, and in which a history ended; null when nobody asks. */
  private final Set<Canonical.Key> record;

  /** Two numbers for each, in a table that is searched from where the first of them leads. */
  private long[] table = new long[1 << 12];

  private int size;

  private Crossroads(Set<String> without, boolean isJoining, Set<Canonical.Key> record) {
    describe = world -> Canonical.of(world, without);
    crashed = (world, what) -> Canonical.ofCrash(world, what, without);
    this.isJoining = isJoining;
    this.record = record;
  }

  /** Nowhere has been gone on from. */
  static Crossroads create() {
    return new Crossroads(Set.of(), true, null);
  }

  /**
   * The same, with descriptions without these fields, and which records what it meets with the
   * right ones.
   */
  static Crossroads recording(Set<String> without) {
    return new Crossroads(without, true, ConcurrentHashMap.newKeySet());
  }

  /** Only records what it meets, and lets each history go on. */
  static Crossroads onlyRecording() {
    return new Crossroads(Set.of(), false, ConcurrentHashMap.newKeySet());
  }

  /** All worlds that were met, and in which a history ended. */
  Set<Canonical.Key> recorded() {
    return record;
  }

  /** A history has ended in this world. */
  void ended(World world) {
    if (record != null) {
      record(world);
    }
  }

  private void record(World world) {
    try {
      record.add(Canonical.of(world));
    } catch (Canonical.Indescribable e) {
      if (world.host().life().isDead()) {
        throw e;
      }
    }
  }

  /** Whether somebody has gone on from this world; if not, this history does. */
  boolean wasHere(World world) {
    ended(world);
    if (!isJoining) {
      return false;
    }
    Canonical.Key key;
    try {
      key = describe.apply(world);
    } catch (Canonical.Indescribable e) {
      if (world.host().life().isDead()) {
        throw e;
      }
      // The engine is still at work, and goes on.
      return false;
    }
    return !add(key);
  }

  /**
   * Whether some history decides how it goes on after a crash in this world; if not, this one does.
   *
   * @param what what is to be decided beside the kind of crash
   */
  boolean wasCrashHere(World world, Object what) {
    return isJoining && !add(crashed.apply(world, what));
  }

  /** Whether it was not there yet. */
  synchronized boolean add(Canonical.Key key) {
    // An empty place has zeros, which no key is.
    long high = key.high() == 0 && key.low() == 0 ? 1 : key.high();
    int at = find(table, high, key.low());
    if (table[at] != 0 || table[at + 1] != 0) {
      return false;
    }
    if (size < MOST) {
      table[at] = high;
      table[at + 1] = key.low();
      size++;
      if (size * 3L > table.length) {
        grow();
      }
    }
    return true;
  }

  synchronized int size() {
    return size;
  }

  private static int find(long[] table, long high, long low) {
    int mask = table.length / 2 - 1;
    int at = (int) (high ^ low) & mask;
    while ((table[2 * at] != 0 || table[2 * at + 1] != 0)
        && (table[2 * at] != high || table[2 * at + 1] != low)) {
      at = (at + 1) & mask;
    }
    return 2 * at;
  }

  private void grow() {
    long[] larger = new long[2 * table.length];
    for (int at = 0; at < table.length; at += 2) {
      if (table[at] != 0 || table[at + 1] != 0) {
        int to = find(larger, table[at], table[at + 1]);
        larger[to] = table[at];
        larger[to + 1] = table[at + 1];
      }
    }
    table = larger;
  }
}
