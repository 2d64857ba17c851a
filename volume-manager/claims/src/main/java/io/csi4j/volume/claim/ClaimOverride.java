package io.csi4j.volume.claim;

import io.csi4j.volume.internal.names.Names;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.WorkloadId;
import java.time.Instant;
import java.util.Objects;

/**
 * A decision that an operator answered for, kept with the claims of the volume for those who ask
 * later.
 *
 * @param workload whose claim it was
 * @param node the machine that proved nothing
 * @param epoch the epoch of that claim
 * @param person who answered for it
 * @param reason what he said
 * @param at when, for people
 * @since 1.0
 */
public record ClaimOverride(
    WorkloadId workload, NodeName node, long epoch, Person person, ReasonText reason, Instant at) {

  /**
   * A person who answers for something.
   *
   * @param name as the host knows the person; not empty, without control characters
   */
  public record Person(String name) {

    /** Checks the name. */
    public Person {
      Names.check("name of who answers for an override", name);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** Checks that all parts are there. */
  public ClaimOverride {
    Objects.requireNonNull(workload, "workload");
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(person, "person");
    Objects.requireNonNull(at, "at");
    Names.check("reason of an override", reason.text());
  }
}
