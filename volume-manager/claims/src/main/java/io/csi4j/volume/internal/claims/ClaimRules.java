package io.csi4j.volume.internal.claims;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountOptions;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimDecision.Granted;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ClaimState;
import io.csi4j.volume.claim.NodeAttachment;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.Clause;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.WorkloadId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The table of who may claim what, next to whom. Pure: a claim and a wish give a decision. A claim
 * on its way back counts until it is forgotten.
 */
public final class ClaimRules {

  private ClaimRules() {}

  /**
   * A workload wants the volume. The same again is granted without a change.
   *
   * @param options how it is mounted, in full; kept with the claim
   * @param now for the ages in refusals, and for when an exhausted storage system is tried again
   */
  public static ClaimDecision claim(
      Claim claim, ClaimRequest request, Optional<MountOptions> options, Instant now) {
    if (request.mode() == ClaimMode.WRITE && !request.use().mode().isWritable()) {
      return refused(
          OperatorCode.CLAIM_READ_ONLY,
          "nobody may write with the access mode " + request.use().mode());
    }
    Optional<ClaimHolder> own = claim.holder(request.usage().workload());
    if (own.isPresent()) {
      return again(claim, own.get(), request, options, now);
    }
    Optional<Claim.Use> other = claim.use().filter(use -> !use.equals(request.use()));
    if (other.isPresent()) {
      ClaimHolder first = claim.holders().values().iterator().next();
      return refused(
          OperatorCode.CLAIM_OTHER_USE,
          first,
          "it is used as "
              + other.get()
              + " by "
              + words(first, now)
              + ", and not as "
              + request.use());
    }
    if (claim.exhaustedUntil().filter(until -> until.isAfter(now)).isPresent()) {
      return refused(
          OperatorCode.CLAIM_EXHAUSTED,
          "its storage system has no room for another claim, and is tried again in "
              + Duration.between(now, claim.exhaustedUntil().get()).toSeconds()
              + " s");
    }
    return beside(
            claim,
            request.usage().workload(),
            request.node(),
            request.use().mode(),
            request.mode(),
            now)
        .or(() -> ReturnRules.inTheWay(claim, request, options, now))
        .<ClaimDecision>map(refusal -> refusal)
        .orElseGet(
            () ->
                new Granted(claim.with(holder(claim, request, options, now), request.use()), true));
  }

  /** A holder wants to do something else with the volume. That never happens by claiming again. */
  public static ClaimDecision change(
      Claim claim, WorkloadId workload, ClaimMode mode, Instant now) {
    Optional<ClaimHolder> own = claim.holder(workload);
    Optional<Claim.Use> use = claim.use();
    if (own.isEmpty() || use.isEmpty()) {
      return refused(OperatorCode.CLAIM_MISSING, "the workload '" + workload + "' has no claim");
    }
    ClaimHolder holder = own.get();
    if (holder.state() != ClaimState.TAKEN) {
      return refused(OperatorCode.CLAIM_BEING_RELEASED, holder, words(holder, now));
    }
    if (holder.mode() == mode) {
      return new Granted(claim, false);
    }
    if (mode == ClaimMode.WRITE && !use.get().mode().isWritable()) {
      return refused(
          OperatorCode.CLAIM_READ_ONLY,
          "nobody may write with the access mode " + use.get().mode());
    }
    return beside(claim, workload, holder.node(), use.get().mode(), mode, now)
        .or(() -> ReturnRules.inTheWay(use.get(), holder, mode, now))
        .<ClaimDecision>map(refusal -> refusal)
        .orElseGet(() -> new Granted(claim.with(holder.doing(mode), use.get()), true));
  }

  /**
   * A claim is further on its way back. What it has passed already changes nothing, nor does a
   * workload that has no claim.
   */
  public static Granted advance(Claim claim, WorkloadId workload, ClaimState state) {
    return claim
        .holder(workload)
        .filter(holder -> state.isAfter(holder.state()))
        .map(holder -> new Granted(claim.with(holder.in(state), claim.use().orElseThrow()), true))
        .orElseGet(() -> new Granted(claim, false));
  }

  /** A claim is to be forgotten: only one of which nothing is owed any more. */
  public static ClaimDecision forget(Claim claim, WorkloadId workload, Instant now) {
    Optional<ClaimHolder> own = claim.holder(workload);
    if (own.isEmpty()) {
      return new Granted(claim, false);
    }
    if (own.get().state() != ClaimState.READY_TO_FREE) {
      return refused(OperatorCode.CLAIM_NOT_FREE, own.get(), words(own.get(), now));
    }
    return new Granted(claim.without(workload), true);
  }

  /** Returns what a claim of this epoch is worth, which a node was given for a use. */
  public static ClaimStanding standing(Claim claim, UsageKey usage, long epoch) {
    Optional<ClaimHolder> holder = claim.holder(usage.workload());
    if (holder.filter(it -> it.epoch() == epoch).isPresent()) {
      return switch (holder.get().state()) {
        case TAKEN -> new ClaimStanding.Current();
        case UNPUBLISHING -> new ClaimStanding.Leaving();
        case NODE_DETACHED, CONTROLLER_DETACHED, READY_TO_FREE ->
            new ClaimStanding.Stale(claim.epoch());
      };
    }
    // A claim is only ever forgotten when nothing is owed, and its epoch stays; a volume of which
    // the store knows less than that was removed behind everybody's back.
    return claim.epoch() >= epoch
        ? new ClaimStanding.Stale(claim.epoch())
        : new ClaimStanding.Missing();
  }

  /** Decides about a claim where the volume's own mount options are not known. */
  public static ClaimDecision claim(Claim claim, ClaimRequest request, Instant now) {
    return claim(claim, request, request.statedOptions(), now);
  }

  private static ClaimDecision again(
      Claim claim,
      ClaimHolder own,
      ClaimRequest request,
      Optional<MountOptions> options,
      Instant now) {
    if (own.state() != ClaimState.TAKEN) {
      return refused(OperatorCode.CLAIM_BEING_RELEASED, own, words(own, now));
    }
    if (!own.node().equals(request.node())) {
      return refused(OperatorCode.CLAIM_HELD_BY, own, "it is held by " + words(own, now));
    }
    if (claim.use().filter(use -> !use.equals(request.use())).isPresent()) {
      return refused(
          OperatorCode.CLAIM_OTHER_USE,
          own,
          "it is used as "
              + claim.use().get()
              + " by "
              + words(own, now)
              + ", and not as "
              + request.use());
    }
    if (own.mode() != request.mode()) {
      return refused(
          OperatorCode.CLAIM_CHANGE_NEEDED,
          own,
          words(own, now) + " claimed it for " + own.mode() + ", and asks for " + request.mode());
    }
    if (differ(own.options(), options)) {
      return refused(
          OperatorCode.CLAIM_OTHER_USE,
          own,
          words(own, now) + " claimed it with other mount options than it asks for now");
    }
    return new Granted(claim, false);
  }

  /** Why a workload may not be beside those that hold the volume. */
  private static Optional<Refused> beside(
      Claim claim,
      WorkloadId workload,
      NodeName node,
      AccessMode mode,
      ClaimMode wish,
      Instant now) {
    Predicate<ClaimHolder> elsewhere = holder -> !holder.node().equals(node);
    Predicate<ClaimHolder> inTheWay =
        switch (mode) {
          case SINGLE_NODE_WRITER, SINGLE_NODE_READER_ONLY, SINGLE_NODE_SINGLE_WRITER ->
              holder -> true;
          case SINGLE_NODE_MULTI_WRITER -> elsewhere;
          case MULTI_NODE_SINGLE_WRITER ->
              holder -> wish == ClaimMode.WRITE && holder.mode() == ClaimMode.WRITE;
          case MULTI_NODE_READER_ONLY, MULTI_NODE_MULTI_WRITER -> holder -> false;
          case UNSPECIFIED, UNRECOGNIZED -> holder -> true;
        };
    return claim.others(workload).stream()
        .filter(inTheWay)
        .findFirst()
        .map(
            holder ->
                refused(
                    OperatorCode.CLAIM_HELD_BY,
                    holder,
                    "its access mode " + mode + " has no room beside " + words(holder, now)));
  }

  /** Whether both are known, and not the same. */
  static boolean differ(Optional<MountOptions> one, Optional<MountOptions> other) {
    return one.isPresent() && other.isPresent() && !one.equals(other);
  }

  private static ClaimHolder holder(
      Claim claim, ClaimRequest request, Optional<MountOptions> options, Instant now) {
    return new ClaimHolder(
        request.usage().workload(),
        request.node(),
        request.nodeId(),
        request.mode(),
        ClaimState.TAKEN,
        claim.epoch() + 1,
        now,
        request.attaches() ? new NodeAttachment.InDoubt() : new NodeAttachment.NotNeeded(),
        options);
  }

  /** As in {@code workload 'web-1' on node 'n1' (WRITE, UNPUBLISHING, since 40 s)}. */
  public static String words(ClaimHolder holder, Instant now) {
    return "workload '"
        + holder.workload()
        + "' on node '"
        + holder.node()
        + "' ("
        + holder.mode()
        + ", "
        + holder.state()
        + ", since "
        + Math.max(0, Duration.between(holder.since(), now).toSeconds())
        + " s)";
  }

  static Refused refused(OperatorCode code, String because) {
    return new Refused(code, Optional.empty(), new Clause(because));
  }

  static Refused refused(OperatorCode code, ClaimHolder holder, String because) {
    return new Refused(code, Optional.of(holder), new Clause(because));
  }
}
