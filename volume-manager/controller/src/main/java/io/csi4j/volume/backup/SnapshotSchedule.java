package io.csi4j.volume.backup;

import io.csi4j.volume.controller.SnapshotName;
import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.model.VolumeKey;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;

/**
 * The names of scheduled snapshots: the same schedule, tick and volume always give the same name,
 * so a tick that is repeated after a crash finds its snapshot instead of creating a second one.
 * Names are shorter than 128 bytes and valid for every plugin.
 *
 * @param name the schedule, such as {@code nightly}: letters, digits, dot, dash and underscore, at
 *     most 64; hosts that share a storage system must use different names
 * @since 1.0
 */
public record SnapshotSchedule(String name) {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  private static final DateTimeFormatter SECOND =
      DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  /** Rejects text that cannot be part of a name. */
  public SnapshotSchedule {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "The name of a schedule has 1 to 64 letters, digits, dots, dashes and underscores, and"
              + " begins with a letter or digit.");
    }
  }

  /**
   * Returns the name of the snapshot of a volume, such as {@code nightly-20261126T031500Z-k7x2…}.
   *
   * @param tick the scheduled time, to the second; not the time at which the snapshot is taken,
   *     which differs after a crash
   */
  public SnapshotName nameAt(Instant tick, VolumeKey volume) {
    return SnapshotName.of(nameAt(tick) + "-" + HashedName.inCatalog(volume));
  }

  /** Returns the name of a group of snapshots, such as {@code nightly-20261126T031500Z}. */
  public SnapshotName nameAt(Instant tick) {
    return SnapshotName.of(name + "-" + SECOND.format(tick));
  }

  /**
   * Returns the latest tick of an interval, counted from the beginning of 1970 in UTC; the result
   * is the same until the next tick.
   *
   * @param every at least a second
   */
  public static Instant tick(Instant now, Duration every) {
    if (every.toSeconds() < 1) {
      throw new IllegalArgumentException(
          "The interval of a schedule is at least one second, not" + " " + every);
    }
    Instant second = now.truncatedTo(ChronoUnit.SECONDS);
    return second.minusSeconds(Math.floorMod(second.getEpochSecond(), every.toSeconds()));
  }
}
