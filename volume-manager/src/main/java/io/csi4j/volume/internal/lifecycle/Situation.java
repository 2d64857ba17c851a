package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.MountPolicy;
import io.csi4j.volume.UsageKey;
import io.csi4j.volume.internal.record.Place;
import java.util.Optional;
import java.util.Set;

/**
 * What is so at the moment of a decision.
 *
 * @param place the boot and the mount namespace
 * @param instance the process that is the plugin; empty when it is not known
 * @param policy how the plugin is treated
 * @param quarantined the targets, and the staging (empty), whose pending call may be going on
 * @param rules which rules are on
 * @param random a number from 0 to below 1
 */
public record Situation(
    Place place,
    String instance,
    MountPolicy policy,
    Set<Optional<UsageKey>> quarantined,
    Rules rules,
    double random) {

  /** Whether the pending call of the staging may be going on. */
  boolean stagingQuarantined() {
    return quarantined.contains(Optional.empty());
  }

  /** Whether the pending call of a target may be going on. */
  boolean targetQuarantined(UsageKey usage) {
    return quarantined.contains(Optional.of(usage));
  }
}
