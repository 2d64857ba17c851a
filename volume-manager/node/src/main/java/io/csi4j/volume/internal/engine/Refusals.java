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
final class Refusals {

  /** What was refused since nothing is mounted. */
  private record Count(int times, long since) {}

  /** The uses for which nothing was mounted at the last look; shared while it is empty. */
  private Map<UsageKey, Count> unmounted = Map.of();

  /** What is mounted for a use was looked at. */
  void seen(UsageKey usage, boolean isMounted) {
    if (isMounted) {
      forget(usage);
    } else {
      if (unmounted.isEmpty()) {
        unmounted = new HashMap<>(2);
      }
      unmounted.putIfAbsent(usage, new Count(0, 0));
    }
  }

  /** The plugin has refused to release a use. */
  void refused(UsageKey usage, long nanos) {
    Count before = unmounted.get(usage);
    if (before != null) {
      unmounted.put(
          usage, new Count(before.times() + 1, before.times() == 0 ? nanos : before.since()));
    }
  }

  /** It begins anew for a use: it is over, or there again. */
  void forget(UsageKey usage) {
    if (!unmounted.isEmpty()) {
      unmounted.remove(usage);
    }
  }

  /** Forgets the uses that are no more. */
  void keepOnly(Set<UsageKey> uses) {
    if (!unmounted.isEmpty()) {
      unmounted.keySet().retainAll(uses);
    }
  }

  /** The uses that were refused often and long enough. */
  Set<UsageKey> enough(long nanos) {
    Set<UsageKey> enough = new HashSet<>();
    unmounted.forEach(
        (usage, count) -> {
          if (count.times() >= MountPolicy.REFUSALS
              && nanos - count.since() >= MountPolicy.REFUSED_FOR.toNanos()) {
            enough.add(usage);
          }
        });
    return enough;
  }
}
