package io.csi4j.volume.internal.claims;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PublishContext;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimDecision.Granted;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ClaimState;
import io.csi4j.volume.claim.NodeAttachment.Attached;
import io.csi4j.volume.claim.NodeAttachment.InDoubt;
import io.csi4j.volume.claim.NodeAttachment.NotNeeded;
import io.csi4j.volume.claim.ReleaseProof;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt.Staging;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.WorkloadId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The table of how an attachment comes to a claim and goes from it. Workloads on one node share one
 * attachment: only the last of them who goes back has it taken away. Pure.
 */
public final class ReturnRules {

  private ReturnRules() {}

  /**
   * Whether a node gets the volume for reading only. It is the same for all workloads of a node,
   * but where one node writes and others read.
   */
  public static boolean readonly(Claim.Use use, ClaimMode mode) {
    return !use.mode().isWritable()
        || (use.mode() == AccessMode.MULTI_NODE_SINGLE_WRITER && mode == ClaimMode.READ);
  }

  /**
   * Returns the node's attachment that keeps a workload from claiming the volume, if there is one.
   */
  static Optional<Refused> inTheWay(
      Claim claim, ClaimRequest request, Optional<MountOptions> options, Instant now) {
    Stream<ClaimHolder> there =
        claim.holders().values().stream()
            .filter(ReturnRules::isAttaching)
            .filter(
                holder ->
                    holder.node().equals(request.node())
                        || (holder.nodeId().isPresent()
                            && holder.nodeId().equals(request.nodeId())));
    return there.flatMap(holder -> inTheWay(holder, request, options, now).stream()).findFirst();
  }

  private static Optional<Refused> inTheWay(
      ClaimHolder holder, ClaimRequest request, Optional<MountOptions> options, Instant now) {
    if (holder.state() == ClaimState.NODE_DETACHED) {
      return Optional.of(
          ClaimRules.refused(
              OperatorCode.CLAIM_BEING_RELEASED,
              holder,
              "it is just being detached from that node, after " + ClaimRules.words(holder, now)));
    }
    if (request.attaches()
        && !holder.state().isAfter(ClaimState.NODE_DETACHED)
        && ClaimRules.differ(holder.options(), options)) {
      return Optional.of(
          ClaimRules.refused(
              OperatorCode.ATTACHED_OTHERWISE,
              holder,
              "that node has it with other mount options through "
                  + ClaimRules.words(holder, now)));
    }
    return request.attaches()
            && !holder.state().isAfter(ClaimState.NODE_DETACHED)
            && isOtherwise(request.use(), holder.mode(), request.mode())
        ? Optional.of(otherwise(holder, request.mode(), now))
        : Optional.empty();
  }

  /**
   * Returns the holder's own attachment that keeps it from doing something else, if there is one.
   */
  static Optional<Refused> inTheWay(
      Claim.Use use, ClaimHolder holder, ClaimMode mode, Instant now) {
    return isAttaching(holder) && isOtherwise(use, holder.mode(), mode)
        ? Optional.of(otherwise(holder, mode, now))
        : Optional.empty();
  }

  private static boolean isOtherwise(Claim.Use use, ClaimMode one, ClaimMode other) {
    return readonly(use, one) != readonly(use, other);
  }

  private static Refused otherwise(ClaimHolder holder, ClaimMode mode, Instant now) {
    return ClaimRules.refused(
        OperatorCode.ATTACHED_OTHERWISE,
        holder,
        "that node has it for "
            + holder.mode()
            + " through "
            + ClaimRules.words(holder, now)
            + ", and not for "
            + mode);
  }

  /** The storage system has attached it. That is written only while the claim is what it was. */
  public static ClaimDecision attached(
      Claim claim, WorkloadId workload, long epoch, PublishContext context, Instant now) {
    Optional<ClaimHolder> own = of(claim, workload, epoch);
    if (own.isEmpty()) {
      return ClaimRules.refused(
          OperatorCode.CLAIM_MISSING, "its claim of epoch " + epoch + " is gone");
    }
    ClaimHolder holder = own.get();
    if (holder.state() != ClaimState.TAKEN) {
      return ClaimRules.refused(
          OperatorCode.CLAIM_BEING_RELEASED, holder, ClaimRules.words(holder, now));
    }
    Attached attached = new Attached(context);
    return holder.attachment().equals(attached)
        ? new Granted(claim, false)
        : changed(claim.exhausted(Optional.empty()), List.of(holder.attached(attached)));
  }

  /** Decides about a proof that the node of a claim cannot write any more. */
  public static ClaimDecision proven(Claim claim, ReleaseProof proof, Instant now) {
    Optional<ClaimHolder> own = claim.holder(proof.usage().workload());
    if (own.isEmpty()) {
      return claim.epoch() >= proof.epoch()
          ? new Granted(claim, false)
          : ClaimRules.refused(
              OperatorCode.CLAIM_MISSING, "no claim of epoch " + proof.epoch() + " is known");
    }
    ClaimHolder holder = own.get();
    if (holder.epoch() != proof.epoch()) {
      return unfit(
          holder,
          "the proof is about epoch "
              + proof.epoch()
              + ", and epoch "
              + holder.epoch()
              + " is held by "
              + ClaimRules.words(holder, now));
    }
    if (holder.state() == ClaimState.TAKEN) {
      return unfit(holder, "nobody has released it: " + ClaimRules.words(holder, now));
    }
    Claim noted =
        proof instanceof ReleaseProof.OperatorOverride override
                && !holder.state().isAfter(ClaimState.NODE_DETACHED)
            ? claim.answeredFor(answer(holder, override, now))
            : claim;
    return holder.state() == ClaimState.UNPUBLISHING
        ? released(noted, holder, proof, now)
        : new Granted(noted, !noted.equals(claim));
  }

  private static ClaimDecision released(
      Claim claim, ClaimHolder holder, ReleaseProof proof, Instant now) {
    if (proof instanceof ReleaseProof.ByStorage) {
      return takenAway(claim, holder, now);
    }
    Optional<NodeName> node =
        proof instanceof ReleaseProof.ByNode given
            ? Optional.of(given.receipt().node())
            : proof instanceof ReleaseProof.Fenced fenced
                ? Optional.of(fenced.node())
                : proof instanceof ReleaseProof.PowerOff off
                    ? Optional.of(off.node())
                    : Optional.empty();
    if (node.filter(it -> !it.equals(holder.node())).isPresent()) {
      return unfit(
          holder,
          "the proof is about node '"
              + node.get()
              + "', and it is held by "
              + ClaimRules.words(holder, now));
    }
    if (proof instanceof ReleaseProof.ByNode given
        && given.receipt().staging() == Staging.KEPT_FOR_OTHERS
        && isAttaching(holder)
        && inUse(claim, holder).isEmpty()) {
      return unfit(
          holder,
          "the node keeps it staged for others, of whom no claim is known: "
              + ClaimRules.words(holder, now));
    }
    return changed(claim, List.of(holder.in(ClaimState.NODE_DETACHED)));
  }

  /** All of the node go together: the storage system takes it away from all of them at once. */
  private static ClaimDecision takenAway(Claim claim, ClaimHolder holder, Instant now) {
    if (!isAttaching(holder)) {
      return unfit(
          holder, "the storage system has not attached it for " + ClaimRules.words(holder, now));
    }
    Optional<ClaimHolder> taken =
        sharing(claim, holder).filter(each -> each.state() == ClaimState.TAKEN).findFirst();
    if (taken.isPresent()) {
      return ClaimRules.refused(
          OperatorCode.CLAIM_HELD_BY,
          taken.get(),
          "that node has it for " + ClaimRules.words(taken.get(), now) + " too");
    }
    return changed(
        claim,
        Stream.concat(Stream.of(holder), sharing(claim, holder))
            .filter(each -> each.state() == ClaimState.UNPUBLISHING)
            .map(each -> each.in(ClaimState.NODE_DETACHED))
            .toList());
  }

  private static ClaimOverride answer(
      ClaimHolder holder, ReleaseProof.OperatorOverride override, Instant now) {
    return new ClaimOverride(
        holder.workload(),
        holder.node(),
        holder.epoch(),
        override.person(),
        override.reason(),
        now);
  }

  /** Whether the storage system has to be told before the claim of this holder may go. */
  static boolean owesDetach(Claim claim, ClaimHolder holder) {
    return isAttaching(holder) && inUse(claim, holder).isEmpty();
  }

  /** Nothing is owed for a claim any more: unless it is, which changes nothing. */
  public static Granted settled(Claim claim, WorkloadId workload, long epoch) {
    return of(claim, workload, epoch)
        .filter(
            holder ->
                holder.state() == ClaimState.CONTROLLER_DETACHED
                    || (holder.state() == ClaimState.NODE_DETACHED && !owesDetach(claim, holder)))
        .map(holder -> holder.attached(new NotNeeded()).in(ClaimState.READY_TO_FREE))
        .map(holder -> changed(claim, List.of(holder)))
        .orElseGet(() -> new Granted(claim, false));
  }

  /** Those of a holder's node who go back together with it, when the volume is detached there. */
  static List<ClaimHolder> goingTogether(Claim claim, ClaimHolder holder) {
    return Stream.concat(Stream.of(holder), sharing(claim, holder))
        .filter(each -> each.state() == ClaimState.NODE_DETACHED)
        .toList();
  }

  /**
   * The storage system has detached it.
   *
   * @param from those for whom it was asked to, as they were then
   */
  public static Granted detached(Claim claim, Collection<ClaimHolder> from) {
    List<ClaimHolder> next =
        from.stream()
            .flatMap(each -> of(claim, each.workload(), each.epoch()).stream())
            .filter(each -> each.state() == ClaimState.NODE_DETACHED)
            .map(each -> each.attached(new NotNeeded()).in(ClaimState.CONTROLLER_DETACHED))
            .toList();
    return next.isEmpty() ? new Granted(claim, false) : changed(claim, next);
  }

  /**
   * The volume was attached for a claim that had gone before that was known. An entry has to owe
   * the detaching: the present holder on that node, or an entry made for this.
   *
   * @param lost the claim that had gone
   * @param use the use of the volume
   */
  public static Granted leftOver(Claim claim, ClaimHolder lost, Claim.Use use, Instant now) {
    // Who is at NODE_DETACHED may have had it detached before it was attached for the lost claim.
    boolean isOwed =
        Stream.concat(of(claim, lost.workload(), lost.epoch()).stream(), sharing(claim, lost))
            .anyMatch(each -> !each.state().isAfter(ClaimState.UNPUBLISHING));
    if (isOwed) {
      return new Granted(claim, false);
    }
    long epoch = claim.epoch() + 1;
    ClaimHolder debt =
        new ClaimHolder(
            WorkloadId.of("left-attached-" + epoch),
            lost.node(),
            lost.nodeId(),
            ClaimMode.READ,
            ClaimState.NODE_DETACHED,
            epoch,
            now,
            new InDoubt());
    return new Granted(claim.with(debt, claim.use().orElse(use)), true);
  }

  public static Optional<ClaimHolder> of(Claim claim, WorkloadId workload, long epoch) {
    return claim.holder(workload).filter(holder -> holder.epoch() == epoch);
  }

  public static boolean isAttaching(ClaimHolder holder) {
    return !(holder.attachment() instanceof NotNeeded);
  }

  private static Optional<ClaimHolder> inUse(Claim claim, ClaimHolder holder) {
    return sharing(claim, holder)
        .filter(each -> !each.state().isAfter(ClaimState.UNPUBLISHING))
        .findFirst();
  }

  /** The others who have the volume through the same attachment. */
  private static Stream<ClaimHolder> sharing(Claim claim, ClaimHolder holder) {
    return claim.others(holder.workload()).stream()
        .filter(ReturnRules::isAttaching)
        .filter(each -> each.nodeId().equals(holder.nodeId()));
  }

  private static Granted changed(Claim claim, List<ClaimHolder> holders) {
    Claim next = claim;
    for (ClaimHolder holder : holders) {
      next = next.with(holder, claim.use().orElseThrow());
    }
    return new Granted(next, true);
  }

  private static Refused unfit(ClaimHolder holder, String because) {
    return ClaimRules.refused(OperatorCode.CLAIM_PROOF_UNFIT, holder, because);
  }
}
