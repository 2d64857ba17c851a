package io.csi4j.volume.internal.engine;

import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.UsageKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * How often, and since when, a plugin has refused to release uses for which nothing was mounted.
 * Only what was seen since the start counts. Used in the mailbox of the volume only.
 */
final class RefusedReleases {

  /**
   * The refusals since nothing is mounted.
   *
   * @param times how often, once at least
   * @param since when it was the first time
   */
  private record Count(int times, long since) {}

  /** The uses for which nothing was mounted at the last look; shared while it is empty. */
  private Set<UsageKey> unmounted = Set.of();

  /** Those of them whose release was refused since. */
  private Map<UsageKey, Count> refused = Map.of();

  /** The mount of a use was looked at. */
  void seen(UsageKey usage, boolean isMounted) {
    if (isMounted) {
      forget(usage);
    } else {
      if (unmounted.isEmpty()) {
        unmounted = new HashSet<>(2);
      }
      unmounted.add(usage);
    }
  }

  /** The plugin has refused to release a use. */
  void refused(UsageKey usage, long nanos) {
    if (unmounted.contains(usage)) {
      if (refused.isEmpty()) {
        refused = new HashMap<>(2);
      }
      refused.merge(
          usage,
          new Count(1, nanos),
          (before, one) -> new Count(before.times() + 1, before.since()));
    }
  }

  /** The count begins again for a use: it is over, or there again. */
  void forget(UsageKey usage) {
    if (!unmounted.isEmpty()) {
      unmounted.remove(usage);
    }
    if (!refused.isEmpty()) {
      refused.remove(usage);
    }
  }

  /** Forgets the uses that are no more. */
  void keepOnly(Set<UsageKey> uses) {
    if (!unmounted.isEmpty()) {
      unmounted.retainAll(uses);
    }
    if (!refused.isEmpty()) {
      refused.keySet().retainAll(uses);
    }
  }

  /** The uses that were refused often and long enough. */
  Set<UsageKey> enough(long nanos) {
    Set<UsageKey> enough = new HashSet<>();
    refused.forEach(
        (usage, count) -> {
          if (count.times() >= MountPolicy.REFUSALS
              && nanos - count.since() >= MountPolicy.REFUSED_FOR.toNanos()) {
            enough.add(usage);
          }
        });
    return enough;
  }
}
