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
 * Settings for how a node checks its claims. Immutable; compares by value.
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
              + " ms. Let it look more often, or allow it more time.");
    }
    this.parts = parts.copy();
  }

  /**
   * Returns a builder with settings that suit most hosts: the node mounts nothing until the claim
   * is confirmed, and removes no mount only because a confirmation is missing.
   */
  public static Builder builder(NodeName node, Confirmation confirmation) {
    return new Builder(node, confirmation);
  }

  /** Returns a builder with these settings. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Returns settings that suit most hosts. */
  public static NodeClaims of(NodeName node, Confirmation confirmation) {
    return builder(node, confirmation).build();
  }

  /** Returns the name of the node, as it appears in claims. */
  public NodeName node() {
    return parts.node;
  }

  /** Returns the interface that confirms claims. */
  public Confirmation confirmation() {
    return parts.confirmation;
  }

  /** Returns how long the node waits for the confirmation of a claim. */
  public Duration patience() {
    return parts.patience;
  }

  /** Returns how often the node checks the claims of mounted volumes. */
  public Duration interval() {
    return parts.interval;
  }

  /**
   * Returns how long a claim may stay unconfirmed before the node unmounts its volume; empty if the
   * node never does so. With a limit, no operator has to confirm that this node is dead before
   * another node may use its volumes, but a workload may lose a volume that it still owns.
   */
  public Optional<Duration> selfFence() {
    return Optional.ofNullable(parts.selfFence);
  }

  /**
   * Returns whether a volume may be mounted again while the claims cannot be confirmed, for a
   * workload whose claim was confirmed on this node before.
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

  /** A builder for {@link NodeClaims}. */
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

    /** Limits how long the node waits for the confirmation of a claim. 10 s by default. */
    public Builder patience(Duration value) {
      patience = Objects.requireNonNull(value, "patience");
      return this;
    }

    /** Sets how often the node checks the claims of mounted volumes. Every minute by default. */
    public Builder interval(Duration value) {
      interval = Objects.requireNonNull(value, "interval");
      return this;
    }

    /**
     * Makes the node unmount the volume of a claim that has not been confirmed for this time. By
     * default the node never does so.
     */
    public Builder selfFence(Duration value) {
      selfFence = Objects.requireNonNull(value, "selfFence");
      return this;
    }

    /**
     * Sets whether a volume may be mounted again while the claims cannot be confirmed, for a
     * workload whose claim was confirmed on this node before. By default it may not.
     */
    public Builder goesOnFromRecord(boolean value) {
      goesOnFromRecord = value;
      return this;
    }

    /**
     * Returns the settings.
     *
     * @throws IllegalArgumentException if a time is not positive, or if the node would fence itself
     *     before its next check
     */
    public NodeClaims build() {
      return new NodeClaims(this);
    }
  }

  /**
   * Confirms the claims of a node. The node calls this interface before it stages a volume and
   * before it publishes the volume. The answer must be linearizable, like the claim store itself;
   * an answer from a cache is not valid.
   *
   * <p>An implementation may block, because no other work waits for the calling thread. If the call
   * fails or the answer arrives too late, the node treats the standing of the claim as unknown.
   *
   * @since 1.0
   */
  @FunctionalInterface
  public interface Confirmation {

    /**
     * Returns the present standing of the claim of a use.
     *
     * @param epoch the epoch of the claim, as the node received it
     */
    ClaimStanding standing(VolumeUse usage, long epoch);

    /**
     * Returns whether the volume of a claim exists. The node calls this method when a plugin does
     * not find the volume. By default the answer is "unknown".
     *
     * @param epoch the epoch of the claim, as the node received it
     */
    default VolumeVerdict verdict(VolumeUse usage, long epoch) {
      return new VolumeVerdict.Unknown(new ReasonText("no control plane is asked about volumes"));
    }
  }
}
