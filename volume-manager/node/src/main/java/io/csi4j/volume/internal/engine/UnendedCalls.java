package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.UsageKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Since when, and of which process of the plugin, the end of calls is not known; by target, and
 * empty for the staging.
 */
final class UnendedCalls {

  private record Doubt(long since, String instance) {}

  /** Shared while it is empty, as it is for a volume with which nothing is done. */
  private Map<Optional<UsageKey>, Doubt> doubts = Map.of();

  /** The end of the call that is on record for this path is not known. */
  void begin(Optional<UsageKey> path, long nanos, String instance) {
    if (doubts.isEmpty()) {
      doubts = new HashMap<>(2);
    }
    doubts.put(path, new Doubt(nanos, instance));
  }

  /** The end of a call is known. */
  void end(Optional<UsageKey> path) {
    if (!doubts.isEmpty()) {
      doubts.remove(path);
    }
    if (doubts.isEmpty()) {
      doubts = Map.of();
    }
  }

  /** Doubts everything that was not known to have ended when this was remembered. */
  void restore(VolumeRecord record, long nanos) {
    record
        .staging()
        .pending()
        .ifPresent(pending -> begin(Optional.empty(), nanos, pending.instance()));
    record
        .targets()
        .values()
        .forEach(
            target ->
                target
                    .path()
                    .pending()
                    .ifPresent(
                        pending -> begin(Optional.of(target.usage()), nanos, pending.instance())));
  }

  /**
   * The paths whose call may still be going on in the plugin.
   *
   * @param running whether a process that was the plugin may still be there
   */
  Set<Optional<UsageKey>> quarantined(
      VolumeRecord record,
      long nanos,
      Duration quarantine,
      String instance,
      Predicate<String> running) {
    Set<Optional<UsageKey>> paths = new HashSet<>();
    doubts.forEach(
        (path, doubt) -> {
          Optional<PathRecord> at =
              path.isEmpty()
                  ? Optional.of(record.staging())
                  : record.target(path.get()).map(target -> target.path());
          boolean isPending = at.flatMap(PathRecord::pending).isPresent();
          boolean isOver =
              !doubt.instance().isEmpty()
                  && !instance.isEmpty()
                  && !doubt.instance().equals(instance)
                  && !running.test(doubt.instance());
          if (isPending && !isOver && nanos - doubt.since() < quarantine.toNanos()) {
            paths.add(path);
          }
        });
    return paths;
  }
}
