package io.csi4j.volume.claim;

import io.csi4j.volume.internal.names.Names;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.WorkloadId;
import java.time.Instant;
import java.util.Objects;

/**
 * An operator's decision to treat a claim as released by its node although the node gave no proof.
 * The override is stored with the claim of the volume for later inspection.
 *
 * @param workload the workload of the claim
 * @param node the node that gave no proof
 * @param epoch the epoch of that claim
 * @param person the operator who takes responsibility
 * @param reason the reason that the operator gave
 * @param at the time of the override, for display
 * @since 1.0
 */
public record ClaimOverride(
    WorkloadId workload, NodeName node, long epoch, Person person, ReasonText reason, Instant at) {

  /**
   * A person who takes responsibility for an override.
   *
   * @param name the host's name for the person; not empty, without control characters
   */
  public record Person(String name) {

    /** Checks the name. */
    public Person {
      Names.check("name of the person of an override", name);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** Checks that all parts are present. */
  public ClaimOverride {
    Objects.requireNonNull(workload, "workload");
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(person, "person");
    Objects.requireNonNull(at, "at");
    Names.check("reason of an override", reason.text());
  }
}
