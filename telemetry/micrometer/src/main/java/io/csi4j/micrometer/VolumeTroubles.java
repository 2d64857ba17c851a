package io.csi4j.micrometer;

import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.Explanation;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.node.VolumeStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Selects the volumes in trouble that are named in the metrics, up to a maximum, and counts the
 * remaining volumes. The volumes with the longest trouble come first. The metrics contain only the
 * host's names of a volume. The volume's handle, paths and texts are left out, because they may
 * contain any value. Used by one thread at a time.
 */
final class VolumeTroubles {

  private final PluginTags tags;
  private final int most;

  /**
   * Minimum age of an uncertain result or a pending release that counts as trouble. If it is newer,
   * its call is probably still running.
   */
  private final Duration ordinary;

  /**
   * The time at which each volume in trouble was first seen, for troubles without a known
   * beginning.
   */
  private Map<Place, Long> begun = Map.of();

  /**
   * A volume of one manager.
   *
   * @param manager the manager
   * @param volume the volume
   */
  private record Place(VolumeManager manager, VolumeIdentity volume) {}

  /**
   * A volume in trouble.
   *
   * @param values the values of the tags of {@link CsiMeter#TROUBLE}, in order
   * @param age the time since the trouble began
   */
  private record Trouble(List<String> values, Duration age) {}

  /**
   * The volumes in trouble at one moment.
   *
   * @param seconds the age of each named trouble in seconds, by the values of its tags
   * @param omitted the number of volumes in trouble that are not named
   */
  record Named(Map<List<String>, Double> seconds, int omitted) {

    static final Named NONE = new Named(Map.of(), 0);
  }

  /** Collects the volumes in trouble of all managers for one snapshot. */
  final class Look {

    private final long now;
    private final Map<Place, Long> seen = new HashMap<>();
    private final List<Trouble> troubles = new ArrayList<>();

    private Look(long now) {
      this.now = now;
    }

    /**
     * Includes a volume.
     *
     * @param manager its manager
     * @param volume the volume, which is in the manager's records
     * @param status its status
     * @param signs its signs of trouble
     */
    void add(
        VolumeManager manager,
        Explanation.Explained volume,
        VolumeStatus status,
        VolumeSigns signs) {
      if (signs.isHealthy()) {
        return;
      }
      Place place = new Place(manager, volume.identity());
      seen.put(place, begun.getOrDefault(place, now));
      Duration age = age(volume, signs, place);
      if (!signs.mayBeOrdinary() || age.compareTo(ordinary) >= 0) {
        troubles.add(new Trouble(values(volume, status, signs), age));
      }
    }

    private Duration age(Explanation.Explained volume, VolumeSigns signs, Place place) {
      return volume
          .trouble()
          .flatMap(Explanation.Trouble::since)
          .or(
              () ->
                  volume.work().filter(work -> signs.mayBeOrdinary()).map(Explanation.Work::since))
          .orElseGet(() -> Duration.ofNanos(now - seen.getOrDefault(place, now)));
    }

    /** Returns the result. */
    Named named() {
      begun = seen;
      troubles.sort(
          Comparator.comparing(Trouble::age)
              .reversed()
              .thenComparing(trouble -> String.join(" ", trouble.values())));
      Map<List<String>, Double> named = new HashMap<>();
      int omitted = 0;
      for (Trouble trouble : troubles) {
        // Volumes with equal names share one time series, with the age of the longest trouble.
        if (named.size() == most || named.containsKey(trouble.values())) {
          omitted++;
        } else {
          named.put(trouble.values(), trouble.age().toMillis() / 1000.0);
        }
      }
      return new Named(named, omitted);
    }
  }

  VolumeTroubles(PluginTags tags, int most, Duration ordinary) {
    this.tags = tags;
    this.most = most;
    this.ordinary = ordinary;
  }

  /** Begins to collect the volumes in trouble of all managers. */
  Look look(long now) {
    return new Look(now);
  }

  private List<String> values(
      Explanation.Explained volume, VolumeStatus status, VolumeSigns signs) {
    Map<VolumeKey, List<VolumeUse>> affected = new TreeMap<>();
    uses(volume, status)
        .distinct()
        .sorted()
        .forEach(use -> affected.computeIfAbsent(use.volume(), key -> new ArrayList<>()).add(use));
    long uses = affected.values().stream().mapToLong(List::size).sum();
    String others = uses > 1 ? " and " + (uses - 1) + " more" : "";
    return List.of(
        tags.of(status.plugin().value()),
        affected.keySet().stream().findFirst().map(VolumeKey::toString).orElse(PluginTags.UNKNOWN),
        affected.values().stream()
            .findFirst()
            .map(list -> list.get(0).workload() + others)
            .orElse(PluginTags.UNKNOWN),
        code(volume, status, signs).name());
  }

  /**
   * Returns the affected uses: the uses in trouble, or all uses if the volume itself is in trouble.
   */
  private static Stream<VolumeUse> uses(Explanation.Explained volume, VolumeStatus status) {
    List<VolumeUse> affected =
        Stream.concat(
                status.uses().stream()
                    .filter(use -> use.status() != PathStatus.PRESENT)
                    .map(VolumeStatus.Use::key),
                status.leaving().stream())
            .toList();
    if (!affected.isEmpty()) {
      return affected.stream();
    }
    return status.uses().isEmpty()
        ? volume.work().flatMap(Explanation.Work::usage).stream()
        : status.uses().stream().map(VolumeStatus.Use::key);
  }

  private static OperatorCode code(
      Explanation.Explained volume, VolumeStatus status, VolumeSigns signs) {
    return volume
        .trouble()
        .map(Explanation.Trouble::message)
        .map(OperatorMessage::code)
        .orElseGet(
            () ->
                signs.isUnwell()
                    ? OperatorCode.VOLUME_ABNORMAL
                    : signs.isDoubted() ? doubt(volume, status) : OperatorCode.IN_PROGRESS);
  }

  private static OperatorCode doubt(Explanation.Explained volume, VolumeStatus status) {
    boolean isReleased =
        volume
            .work()
            .filter(
                work ->
                    work.operation() == VolumeEvent.Operation.UNMOUNT
                        || work.operation() == VolumeEvent.Operation.CLEAN_UP)
            .isPresent();
    boolean isStaging = status.staging() == PathStatus.IN_DOUBT;
    if (isReleased) {
      return isStaging ? OperatorCode.UNSTAGE_IN_DOUBT : OperatorCode.UNPUBLISH_IN_DOUBT;
    }
    return isStaging ? OperatorCode.STAGE_IN_DOUBT : OperatorCode.PUBLISH_IN_DOUBT;
  }
}
