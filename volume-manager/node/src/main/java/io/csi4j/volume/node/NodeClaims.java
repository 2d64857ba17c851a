package io.csi4j.volume.node;

import io.csi4j.volume.model.ClaimConfirmation;
import io.csi4j.volume.model.NodeName;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How a node holds itself to the claims that it was given.
 *
 * @param node its name, as claims have it
 * @param confirmation whom to ask what a claim is worth
 * @param patience how long an answer is waited for
 * @param interval how often the claims of what is mounted are looked at
 * @param selfFence after how long without an answer the node takes away by itself what is mounted
 *     under a claim; nothing: never. It spares the others a person who has to prove that the node
 *     is dead, and takes from workloads what may well be theirs
 * @param goesOnFromRecord whether a workload that had its claim confirmed here before may have its
 *     volume mounted again while the keeper cannot be asked
 */
public record NodeClaims(
    NodeName node,
    ClaimConfirmation confirmation,
    Duration patience,
    Duration interval,
    Optional<Duration> selfFence,
    boolean goesOnFromRecord) {

  /** Refuses times that make no sense. */
  public NodeClaims {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(confirmation, "confirmation");
    Objects.requireNonNull(selfFence, "selfFence");
    if (!isPositive(patience)
        || !isPositive(interval)
        || selfFence.filter(it -> !isPositive(it)).isPresent()) {
      throw new IllegalArgumentException("The times of a node's claims have to be positive.");
    }
    if (selfFence.filter(it -> it.compareTo(interval) < 0).isPresent()) {
      throw new IllegalArgumentException(
          "A node looks at its claims every "
              + interval.toMillis()
              + " ms, and cannot fence itself after "
              + selfFence.get().toMillis()
              + " ms. Let it look more often, or wait longer.");
    }
  }

  private static boolean isPositive(Duration time) {
    return !time.isZero() && !time.isNegative();
  }

  /**
   * Returns terms that suit most hosts: nothing is mounted without an answer, and nothing taken
   * away.
   */
  public static NodeClaims of(NodeName node, ClaimConfirmation confirmation) {
    return new NodeClaims(
        node, confirmation, Duration.ofSeconds(10), Duration.ofMinutes(1), Optional.empty(), false);
  }

  /** Returns these terms with another time that an answer is waited for. */
  public NodeClaims withPatience(Duration value) {
    return new NodeClaims(node, confirmation, value, interval, selfFence, goesOnFromRecord);
  }

  /** Returns these terms with another time between two looks. */
  public NodeClaims withInterval(Duration value) {
    return new NodeClaims(node, confirmation, patience, value, selfFence, goesOnFromRecord);
  }

  /**
   * Returns these terms, where mounts whose claims were not confirmed for so long are taken away.
   */
  public NodeClaims withSelfFence(Duration value) {
    return new NodeClaims(
        node, confirmation, patience, interval, Optional.of(value), goesOnFromRecord);
  }

  /** Returns these terms, where a node goes on from its record while the keeper cannot be asked. */
  public NodeClaims goingOnFromRecord() {
    return new NodeClaims(node, confirmation, patience, interval, selfFence, true);
  }
}
