package io.csi4j.conformance;

import io.csi4j.client.model.PublishContext;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.conformance.model.ScenarioWorkload;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What the toy has on disk about a volume: written before each call as an intent, and after it.
 *
 * @param order how it is used
 * @param attachOwed whether it may be attached
 * @param attached what attaching returned, once it did
 * @param staging where it may be staged
 * @param staged whether it is staged for certain
 * @param targets by workload
 */
record ToyVolume(
    MountOrder order,
    boolean attachOwed,
    Optional<PublishContext> attached,
    Optional<Path> staging,
    boolean staged,
    Map<String, Target> targets) {

  ToyVolume {
    targets = Collections.unmodifiableMap(new TreeMap<>(targets));
  }

  static ToyVolume of(MountOrder order) {
    return new ToyVolume(order, false, Optional.empty(), Optional.empty(), false, Map.of());
  }

  /**
   * Where a workload has it.
   *
   * @param tried whether it may be published there
   * @param done whether it is for certain
   */
  record Target(Path path, boolean readonly, boolean tried, boolean done) {}

  ToyVolume attaching() {
    return new ToyVolume(order, true, attached, staging, staged, targets);
  }

  ToyVolume attached(PublishContext context) {
    return new ToyVolume(order, true, Optional.of(context), staging, staged, targets);
  }

  ToyVolume detached() {
    return new ToyVolume(order, false, Optional.empty(), staging, staged, targets);
  }

  ToyVolume staging(Path path) {
    return new ToyVolume(order, attachOwed, attached, Optional.of(path), false, targets);
  }

  ToyVolume stagedNow() {
    return new ToyVolume(order, attachOwed, attached, staging, true, targets);
  }

  ToyVolume unstaged() {
    return new ToyVolume(order, attachOwed, attached, Optional.empty(), false, targets);
  }

  ToyVolume with(ScenarioWorkload workload, Target target) {
    Map<String, Target> more = new TreeMap<>(targets);
    more.put(workload.value(), target);
    return new ToyVolume(order, attachOwed, attached, staging, staged, more);
  }

  ToyVolume without(ScenarioWorkload workload) {
    Map<String, Target> fewer = new TreeMap<>(targets);
    fewer.remove(workload.value());
    return new ToyVolume(order, attachOwed, attached, staging, staged, fewer);
  }
}
