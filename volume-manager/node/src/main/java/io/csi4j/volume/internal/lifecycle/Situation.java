package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.UsageKey;
import java.util.Optional;
import java.util.Set;

/**
 * The world at the moment of a decision.
 *
 * @param place the boot and the mount namespace
 * @param instance the process that is the plugin; empty when it is not known
 * @param policy how the plugin is treated
 * @param quarantined the targets, and the staging (empty), whose pending call may be going on
 * @param refused the uses that the plugin has refused to release often and long enough, while
 *     nothing was mounted for them
 * @param barred why the plugin gets no calls now, if it gets none
 * @param random a number from 0 to below 1
 */
public record Situation(
    Place place,
    String instance,
    MountPolicy policy,
    Set<Optional<UsageKey>> quarantined,
    Set<UsageKey> refused,
    Optional<Failure> barred,
    double random) {

  /** Returns this situation, where this keeps the plugin from getting calls, too. */
  public Situation barredBy(Optional<Failure> also) {
    return also.isEmpty() || barred.isPresent()
        ? this
        : new Situation(place, instance, policy, quarantined, refused, also, random);
  }

  /** Whether the pending call of the staging may be going on. */
  boolean stagingQuarantined() {
    return quarantined.contains(Optional.empty());
  }

  /** Whether the pending call of a target may be going on. */
  boolean targetQuarantined(UsageKey usage) {
    return quarantined.contains(Optional.of(usage));
  }
}
