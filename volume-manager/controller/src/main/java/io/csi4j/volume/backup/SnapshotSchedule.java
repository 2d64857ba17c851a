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
 * The names of snapshots that are cut by a schedule: the same schedule, tick and volume always have
 * the same name, so that a tick that is repeated after a crash finds its snapshot and makes no
 * second one. A name is shorter than 128 bytes, and fit for every plugin.
 *
 * @param name the schedule, such as {@code nightly}; different for hosts that share a storage
 *     system: letters, digits, dot, dash and underscore, at most 64
 * @since 1.0
 */
public record SnapshotSchedule(String name) {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  private static final DateTimeFormatter SECOND =
      DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  /** Refuses what cannot be part of a name. */
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
   * @param tick the time for which the schedule wants it, to the second; not the time at which it
   *     is cut, which differs after a crash
   */
  public SnapshotName nameAt(Instant tick, VolumeKey volume) {
    return SnapshotName.of(nameAt(tick) + "-" + HashedName.inCatalog(volume));
  }

  /** Returns the name of a group of snapshots, such as {@code nightly-20261126T031500Z}. */
  public SnapshotName nameAt(Instant tick) {
    return SnapshotName.of(name + "-" + SECOND.format(tick));
  }

  /**
   * Returns the latest tick of an interval, counted from the beginning of 1970 in UTC: the same for
   * every moment until the next one.
   *
   * @param every at least a second
   */
  public static Instant tick(Instant now, Duration every) {
    if (every.toSeconds() < 1) {
      throw new IllegalArgumentException("A schedule ticks every second at most, not " + every);
    }
    Instant second = now.truncatedTo(ChronoUnit.SECONDS);
    return second.minusSeconds(Math.floorMod(second.getEpochSecond(), every.toSeconds()));
  }
}
