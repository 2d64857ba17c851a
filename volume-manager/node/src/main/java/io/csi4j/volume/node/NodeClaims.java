package io.csi4j.volume.node;

import io.csi4j.volume.internal.names.Durations;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The terms on which a node checks the claims that it was given. Immutable; compares by value.
 *
 * @since 1.0
 */
public final class NodeClaims {

  private final Builder parts;

  private NodeClaims(Builder parts) {
    Durations.positive("patience", parts.patience);
    Durations.positive("interval", parts.interval);
    Duration fence = parts.selfFence;
    if (fence != null && fence.compareTo(parts.interval) < 0) {
      throw new IllegalArgumentException(
          "A node looks at its claims every "
              + parts.interval.toMillis()
              + " ms, and cannot fence itself after "
              + fence.toMillis()
              + " ms. Let it look more often, or wait longer.");
    }
    this.parts = parts.copy();
  }

  /**
   * Begins with terms that suit most hosts: nothing is mounted without an answer, and nothing taken
   * away.
   */
  public static Builder builder(NodeName node, Confirmation confirmation) {
    return new Builder(node, confirmation);
  }

  /** Begins with these terms. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Returns terms that suit most hosts. */
  public static NodeClaims of(NodeName node, Confirmation confirmation) {
    return builder(node, confirmation).build();
  }

  /** Returns its name, as claims have it. */
  public NodeName node() {
    return parts.node;
  }

  /** Returns whom to ask what a claim is worth. */
  public Confirmation confirmation() {
    return parts.confirmation;
  }

  /** Returns how long an answer is waited for. */
  public Duration patience() {
    return parts.patience;
  }

  /** Returns how often the claims of what is mounted are looked at. */
  public Duration interval() {
    return parts.interval;
  }

  /**
   * Returns after how long without an answer the node unmounts what is mounted under a claim;
   * nothing for never. Then no person has to prove to the other nodes that this one is dead, and a
   * workload may lose a volume that is still its own.
   */
  public Optional<Duration> selfFence() {
    return Optional.ofNullable(parts.selfFence);
  }

  /**
   * Whether a workload that had its claim confirmed here before may have its volume mounted again
   * while the keeper cannot be asked.
   */
  public boolean goesOnFromRecord() {
    return parts.goesOnFromRecord;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NodeClaims that && named().equals(that.named());
  }

  @Override
  public int hashCode() {
    return named().hashCode();
  }

  @Override
  public String toString() {
    return "NodeClaims" + named();
  }

  private Map<String, Object> named() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("node", parts.node);
    all.put("confirmation", parts.confirmation);
    all.put("patience", parts.patience);
    all.put("interval", parts.interval);
    all.put("selfFence", selfFence());
    all.put("goesOnFromRecord", parts.goesOnFromRecord);
    return all;
  }

  /** Collects the parts of a {@link NodeClaims}. */
  public static final class Builder {
    private final NodeName node;
    private final Confirmation confirmation;
    private Duration patience = Duration.ofSeconds(10);
    private Duration interval = Duration.ofMinutes(1);
    private @Nullable Duration selfFence;
    private boolean goesOnFromRecord;

    private Builder(NodeName node, Confirmation confirmation) {
      this.node = Objects.requireNonNull(node, "node");
      this.confirmation = Objects.requireNonNull(confirmation, "confirmation");
    }

    private Builder copy() {
      Builder copy = new Builder(node, confirmation);
      copy.patience = patience;
      copy.interval = interval;
      copy.selfFence = selfFence;
      copy.goesOnFromRecord = goesOnFromRecord;
      return copy;
    }

    /** Limits how long an answer is waited for. 10 s by default. */
    public Builder patience(Duration value) {
      patience = Objects.requireNonNull(value, "patience");
      return this;
    }

    /** Sets how often the claims of what is mounted are looked at. Every minute by default. */
    public Builder interval(Duration value) {
      interval = Objects.requireNonNull(value, "interval");
      return this;
    }

    /**
     * Has what is mounted under a claim unmounted once the claim was not confirmed for this time.
     * Never by default.
     */
    public Builder selfFence(Duration value) {
      selfFence = Objects.requireNonNull(value, "selfFence");
      return this;
    }

    /**
     * Lets a workload that had its claim confirmed here before have its volume mounted again while
     * the keeper cannot be asked. Not by default.
     */
    public Builder goesOnFromRecord(boolean value) {
      goesOnFromRecord = value;
      return this;
    }

    /**
     * Returns the terms.
     *
     * @throws IllegalArgumentException if a time is not positive, or a node would fence itself
     *     before it looks
     */
    public NodeClaims build() {
      return new NodeClaims(this);
    }
  }

  /**
   * Tells a node what a claim is worth that it was given; asked before it stages and before it
   * publishes. The answer has to be as linearizable as the store: one from a cache is none.
   *
   * <p>May block, and is asked on threads that nothing else waits for. A failure that it throws,
   * and an answer that comes too late, mean that it is not known.
   *
   * @since 1.0
   */
  @FunctionalInterface
  public interface Confirmation {

    /**
     * Returns what the claim of a use is worth now.
     *
     * @param epoch the epoch that the node was given with it
     */
    ClaimStanding standing(VolumeUse usage, long epoch);

    /**
     * Returns whether the volume of a claim exists; asked when a plugin does not find it. By
     * default that is unknown.
     *
     * @param epoch the epoch that the node was given with the claim
     */
    default VolumeVerdict verdict(VolumeUse usage, long epoch) {
      return new VolumeVerdict.Unknown(new ReasonText("no control plane is asked about volumes"));
    }
  }
}
