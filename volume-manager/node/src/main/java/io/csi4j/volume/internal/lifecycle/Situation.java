package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.UsageKey;
import java.util.Optional;
import java.util.Set;

/**
 * What is so at the moment of a decision.
 *
 * @param place the boot and the mount namespace
 * @param instance the process that is the plugin; empty when it is not known
 * @param policy how the plugin is treated
 * @param quarantined the targets, and the staging (empty), whose pending call may be going on
 * @param refused the uses that the plugin has refused to release often and long enough, while
 *     nothing was mounted for them
 * @param barred why the plugin gets no calls now, if it gets none
 * @param rules which rules are on
 * @param random a number from 0 to below 1
 */
public record Situation(
    Place place,
    String instance,
    MountPolicy policy,
    Set<Optional<UsageKey>> quarantined,
    Set<UsageKey> refused,
    Optional<Failure> barred,
    Rules rules,
    double random) {

  /** The same, where this keeps the plugin from getting calls, too. */
  public Situation barredBy(Optional<Failure> also) {
    return also.isEmpty() || barred.isPresent()
        ? this
        : new Situation(place, instance, policy, quarantined, refused, also, rules, random);
  }

  /** Why a call is not made now, if it is not. */
  Optional<Failure> bar() {
    return rules.on(Rule.BARRED_GETS_NOTHING) ? barred : Optional.empty();
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
