package io.csi4j.volume.powercut;

import io.csi4j.volume.powercut.DiskLog.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The disks that power cuts in one recording could have left. All that a flush had confirmed is on
 * them; of what came later any part.
 */
final class Crashes {

  private static final int SECTOR = 512;

  /** Entries at the end whose flushes a disk that lies has not done. */
  private static final int LIES = 60;

  /** How much of what was not flushed is on the disk. */
  enum Kept {
    NOTHING,
    ALL,
    /** Each write by chance. */
    SOME,
    /** Only what was written last. */
    LAST,
    /** Each write by chance, and of those each sector by chance. */
    TORN
  }

  /**
   * A disk, and what must be on it.
   *
   * @param cut before which entry the power was cut
   * @param kept how much of what was not flushed it has
   * @param image the disk
   * @param ledger what the host was told
   */
  record Crash(int cut, Kept kept, DiskImage image, Ledger ledger) {

    @Override
    public String toString() {
      return "cut at " + cut + ", of what was not flushed " + kept;
    }
  }

  private final List<Entry> log;
  private final Random random;
  private final boolean lies;
  private final DiskImage flushed;
  private final Ledger ledger;
  private int flushedUntil;
  private int heardUntil;

  private Crashes(Recording recording, Random random, boolean lies) {
    log = recording.log();
    flushed = recording.base().copy();
    ledger = recording.before().copy();
    this.random = random;
    this.lies = lies;
  }

  /** The crashes of a lawful disk. */
  static Crashes of(Recording recording, Random random) {
    return new Crashes(recording, random, false);
  }

  /** Those of a disk that says too early that it has flushed: a control that has to be caught. */
  static Crashes ofLyingDisk(Recording recording, Random random) {
    return new Crashes(recording, random, true);
  }

  /** The crash before this entry, which is not before the one of the last call. */
  Crash at(int cut) {
    Kept kept = Kept.values()[random.nextInt(Kept.values().length)];
    for (; heardUntil < cut; heardUntil++) {
      if (log.get(heardUntil) instanceof Entry.Said said) {
        ledger.hear(said.word());
      }
    }
    flush(lies ? cut - LIES : cut);
    List<Entry.Write> pending = new ArrayList<>();
    for (Entry entry : log.subList(flushedUntil, cut)) {
      if (entry instanceof Entry.Write write) {
        pending.add(write);
      }
    }
    DiskImage image = flushed.copy();
    for (int i = 0; i < pending.size(); i++) {
      keep(pending.get(i), kept, i == pending.size() - 1, image);
    }
    return new Crash(cut, kept, image, ledger.copy());
  }

  private void flush(int cut) {
    for (int last = cut - 1; last >= flushedUntil; last--) {
      if (log.get(last) instanceof Entry.Flush) {
        for (Entry entry : log.subList(flushedUntil, last)) {
          if (entry instanceof Entry.Write write) {
            flushed.write(write.position(), write.bytes());
          }
        }
        flushedUntil = last + 1;
        return;
      }
    }
  }

  private void keep(Entry.Write write, Kept kept, boolean isLast, DiskImage image) {
    boolean all =
        switch (kept) {
          case NOTHING, TORN -> false;
          case ALL -> true;
          case SOME -> random.nextBoolean();
          case LAST -> isLast;
        };
    if (all) {
      image.write(write.position(), write.bytes());
    } else if (kept == Kept.TORN && random.nextBoolean()) {
      for (int at = 0; at < write.bytes().length; at += SECTOR) {
        if (random.nextBoolean()) {
          image.write(write.position() + at, write.bytes(), at, SECTOR);
        }
      }
    }
  }
}
