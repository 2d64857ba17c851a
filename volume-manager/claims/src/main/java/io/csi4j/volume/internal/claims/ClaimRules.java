package io.csi4j.volume.internal.claims;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PublishContext;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimDecision.Granted;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimHolder.Attachment.Attached;
import io.csi4j.volume.claim.ClaimHolder.Attachment.InDoubt;
import io.csi4j.volume.claim.ClaimHolder.Attachment.NotNeeded;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.claim.ClaimProgress.Choice;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ReleaseProof;
import io.csi4j.volume.internal.claims.ClaimStep.Attach;
import io.csi4j.volume.internal.claims.ClaimStep.Detach;
import io.csi4j.volume.internal.claims.ClaimStep.Done;
import io.csi4j.volume.internal.claims.ClaimStep.Forget;
import io.csi4j.volume.internal.claims.ClaimStep.Intent;
import io.csi4j.volume.internal.claims.ClaimStep.NeedsProof;
import io.csi4j.volume.internal.claims.ClaimStep.WaitForNode;
import io.csi4j.volume.internal.claims.ClaimStep.Write;
import io.csi4j.volume.internal.names.ModeNames;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt.Staging;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.model.WorkloadId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The rules for claims: which claims may exist at the same time, when a volume is attached and
 * detached, and the next step of a claim. All methods are pure functions of their arguments. A
 * claim that is being released prevents other claims until it is removed. Workloads on the same
 * node share one attachment, so the volume is detached only when the last of these workloads
 * releases it.
 */
public final class ClaimRules {

  /** The node name in the hold for a deletion, which belongs to no node. No host uses this name. */
  private static final NodeName NO_NODE = NodeName.of("-");

  private ClaimRules() {}

  // ---- claims

  /**
   * Decides about a request for a claim. A repetition of a granted request is granted without a
   * change.
   *
   * @param stated the complete mount options, which are stored with the claim; existing claims on
   *     the node may override some of them
   * @param attaches whether the volume must be attached to the node; false while this is not known
   * @param now the current time, for ages in refusals and for the time of the next attempt if the
   *     storage system has no capacity
   */
  public static ClaimDecision claim(
      Claim claim,
      ClaimRequest request,
      Optional<MountOptions> stated,
      boolean attaches,
      Instant now) {
    Optional<MountOptions> options = FirstClaim.options(claim, request, stated);
    if (request.mode() == ClaimMode.WRITE && !request.use().mode().isWritable()) {
      return refused(
          OperatorCode.CLAIM_READ_ONLY,
          "writing is not allowed with the access mode " + request.use().mode());
    }
    Optional<ClaimHolder> deletion = claim.holder(Claim.DELETION);
    if (deletion.isPresent()) {
      return held(deletion.get(), now);
    }
    Optional<ClaimHolder> own = claim.holder(request.usage().workload());
    if (own.isPresent()) {
      return again(claim, own.get(), request, options, attaches, now);
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
              + ", but requested as "
              + request.use());
    }
    if (claim.exhaustedUntil().filter(until -> until.isAfter(now)).isPresent()) {
      return refused(
          OperatorCode.CLAIM_EXHAUSTED,
          "its storage system has no capacity for another claim; the next attempt is in "
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
        .or(() -> inTheWay(claim, request, options, now))
        .or(() -> unnamed(request, attaches))
        .<ClaimDecision>map(refusal -> refusal)
        .orElseGet(
            () ->
                new Granted(
                    claim.with(holder(claim, request, options, attaches, now), request.use()),
                    true));
  }

  /**
   * Returns a refusal if the volume must be attached and the request does not contain the plugin's
   * id of the node.
   */
  private static Optional<Refused> unnamed(ClaimRequest request, boolean attaches) {
    return attaches && request.nodeId().isEmpty()
        ? Optional.of(
            refused(
                OperatorCode.NOT_ALLOWED_HERE,
                "its plugin attaches it to nodes, but the claim lacks the node id of node '"
                    + request.node()
                    + "': set the node id from the fingerprint of the plugin there"))
        : Optional.empty();
  }

  /** Decides about a change of a holder's mode. A repeated claim never changes the mode. */
  public static ClaimDecision change(
      Claim claim, WorkloadId workload, ClaimMode mode, Instant now) {
    Optional<ClaimHolder> own = claim.holder(workload);
    Optional<Claim.Use> use = claim.use();
    if (own.isEmpty() || use.isEmpty()) {
      return refused(OperatorCode.CLAIM_MISSING, "the workload '" + workload + "' has no claim");
    }
    if (workload.equals(Claim.DELETION)) {
      return held(own.get(), now);
    }
    ClaimHolder holder = own.get();
    if (holder.state() != ClaimHolder.State.TAKEN) {
      return refused(OperatorCode.CLAIM_BEING_RELEASED, holder, words(holder, now));
    }
    if (holder.mode() == mode) {
      return new Granted(claim, false);
    }
    if (mode == ClaimMode.WRITE && !use.get().mode().isWritable()) {
      return refused(
          OperatorCode.CLAIM_READ_ONLY,
          "writing is not allowed with the access mode " + use.get().mode());
    }
    return beside(claim, workload, holder.node(), use.get().mode(), mode, now)
        .or(() -> inTheWay(use.get(), holder, mode, now))
        .<ClaimDecision>map(refusal -> refusal)
        .orElseGet(() -> new Granted(claim.with(holder.doing(mode), use.get()), true));
  }

  /**
   * Decides about the progress of a release. Nothing changes if the claim has already reached a
   * later state, or if the workload has no claim. The hold of a volume for its deletion is not a
   * claim of a workload and cannot be released, so a change of it is refused.
   */
  public static ClaimDecision advance(
      Claim claim, WorkloadId workload, ClaimHolder.State state, Instant now) {
    Optional<ClaimHolder> own = claim.holder(workload);
    if (own.isPresent() && workload.equals(Claim.DELETION)) {
      return held(own.get(), now);
    }
    return own.filter(holder -> state.isAfter(holder.state()))
        .map(holder -> new Granted(claim.with(holder.in(state), claim.use().orElseThrow()), true))
        .orElseGet(() -> new Granted(claim, false));
  }

  /** Decides about the removal of a claim, which must not have pending work. */
  public static ClaimDecision forget(Claim claim, WorkloadId workload, Instant now) {
    Optional<ClaimHolder> own = claim.holder(workload);
    if (own.isEmpty()) {
      return new Granted(claim, false);
    }
    if (workload.equals(Claim.DELETION)) {
      return held(own.get(), now);
    }
    if (own.get().state() != ClaimHolder.State.READY_TO_FREE) {
      return refused(OperatorCode.CLAIM_NOT_FREE, own.get(), words(own.get(), now));
    }
    return new Granted(claim.without(workload).lastUsed(now), true);
  }

  // ---- deletion

  /**
   * Decides about a hold of a volume for its deletion. The hold is refused if the volume has a
   * claim, even if that claim is being released. While the volume is held, every claim is refused.
   * A new hold replaces an existing hold and has a new epoch, so a late request to end the former
   * hold does not end the new hold.
   */
  public static ClaimDecision holdForDeletion(Claim claim, Instant now) {
    if (!claim.others(Claim.DELETION).isEmpty()) {
      return refused(
          OperatorCode.VOLUME_CLAIMED,
          claim.others(Claim.DELETION).iterator().next(),
          claim.others(Claim.DELETION).stream()
              .map(holder -> words(holder, now) + " holds it")
              .collect(Collectors.joining(", ")));
    }
    ClaimHolder deletion =
        new ClaimHolder(
            Claim.DELETION,
            NO_NODE,
            Optional.empty(),
            ClaimMode.WRITE,
            ClaimHolder.State.TAKEN,
            claim.epoch() + 1,
            claim.holder(Claim.DELETION).map(ClaimHolder::since).orElse(now),
            new NotNeeded());
    // With this use, even an old version of csi4j that does not know deletions refuses other
    // claims.
    Claim.Use alone =
        new Claim.Use(AccessMode.SINGLE_NODE_SINGLE_WRITER, AttachmentMode.FILESYSTEM);
    return new Granted(claim.with(deletion, alone), true);
  }

  private static Refused held(ClaimHolder deletion, Instant now) {
    return refused(
        OperatorCode.VOLUME_BEING_DELETED,
        deletion,
        "it is held for the deletion" + age(deletion, now));
  }

  /**
   * Ends the hold for a deletion that was completed or cancelled. A hold with another epoch stays.
   */
  public static Granted endDeletion(Claim claim, long epoch) {
    return own(claim, Claim.DELETION, epoch).isPresent()
        ? new Granted(claim.without(Claim.DELETION), true)
        : new Granted(claim, false);
  }

  // ---- standing

  /** Returns whether a claim with this epoch, which was granted to a node, is still valid. */
  public static ClaimStanding standing(Claim claim, VolumeUse usage, long epoch) {
    Optional<ClaimHolder> holder = claim.holder(usage.workload());
    if (holder.filter(it -> it.epoch() == epoch).isPresent()) {
      return switch (holder.get().state()) {
        case TAKEN -> new ClaimStanding.Current();
        case UNPUBLISHING -> new ClaimStanding.Leaving();
        case NODE_DETACHED, CONTROLLER_DETACHED, READY_TO_FREE ->
            new ClaimStanding.Stale(claim.epoch());
      };
    }
    // The rules remove a holder only when no work is pending for it, and never lower the epoch of
    // the claim. If the stored epoch is lower, the record was deleted manually or lost.
    return claim.epoch() >= epoch
        ? new ClaimStanding.Stale(claim.epoch())
        : new ClaimStanding.Missing();
  }

  private static ClaimDecision again(
      Claim claim,
      ClaimHolder own,
      ClaimRequest request,
      Optional<MountOptions> options,
      boolean attaches,
      Instant now) {
    if (own.state() != ClaimHolder.State.TAKEN) {
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
              + ", but requested as "
              + request.use());
    }
    if (own.mode() != request.mode()) {
      return refused(
          OperatorCode.CLAIM_CHANGE_NEEDED,
          own,
          words(own, now)
              + " claimed it for "
              + own.mode()
              + ", but now requests "
              + request.mode());
    }
    if (differ(own.options(), options)) {
      return refused(
          OperatorCode.CLAIM_OTHER_USE,
          own,
          words(own, now) + " claimed it with other mount options than it requests now");
    }
    Optional<WorkloadFacts> facts = request.workloadFacts();
    if (own.facts().isPresent() && facts.isPresent() && !own.facts().equals(facts)) {
      return refused(
          OperatorCode.CLAIM_OTHER_USE,
          own,
          words(own, now)
              + " claimed it with other workload facts than it requests now ("
              + otherKeys(own.facts().get(), facts.get())
              + ")");
    }
    if (attaches && !isAttaching(own)) {
      return refused(
          OperatorCode.ATTACHED_OTHERWISE,
          own,
          "its plugin attaches it to nodes, but it is not attached for " + words(own, now));
    }
    if (isAttaching(own)
        && request.nodeId().isPresent()
        && !own.nodeId().equals(request.nodeId())) {
      return refused(
          OperatorCode.ATTACHED_OTHERWISE,
          own,
          "it is attached to the plugin's node '"
              + own.nodeId().map(NodeId::value).orElse("")
              + "' for "
              + words(own, now)
              + ", not to '"
              + request.nodeId().get()
              + "'");
    }
    ClaimHolder next = own.facts().isPresent() ? own : facts.map(own::with).orElse(own);
    if (next.attachment() instanceof InDoubt attaching && !attaching.repeated()) {
      next = next.attached(new InDoubt(true));
    }
    return next.equals(own) ? new Granted(claim, false) : changed(claim, List.of(next));
  }

  /** Returns the keys whose values differ between the facts, or that only one of them contains. */
  private static String otherKeys(WorkloadFacts one, WorkloadFacts other) {
    SortedMap<String, String> all = new TreeMap<>(one.entries());
    all.putAll(other.entries());
    return all.keySet().stream()
        .filter(key -> !Objects.equals(one.entries().get(key), other.entries().get(key)))
        .collect(Collectors.joining(", "));
  }

  /** Returns why a workload may not use the volume at the same time as the other holders. */
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
                    "access mode "
                        + (holder.node().equals(node)
                            ? ModeNames.limit(mode)
                            : ModeNames.limitOfNodes(mode))
                        + ", and the volume is held by "
                        + words(holder, now)));
  }

  /** Whether both mount options are known, and they differ. */
  static boolean differ(Optional<MountOptions> one, Optional<MountOptions> other) {
    return one.isPresent() && other.isPresent() && !one.equals(other);
  }

  private static ClaimHolder holder(
      Claim claim,
      ClaimRequest request,
      Optional<MountOptions> options,
      boolean attaches,
      Instant now) {
    return new ClaimHolder(
        request.usage().workload(),
        request.node(),
        request.nodeId(),
        request.mode(),
        ClaimHolder.State.TAKEN,
        claim.epoch() + 1,
        now,
        attaches ? new ClaimHolder.Attachment.InDoubt() : new ClaimHolder.Attachment.NotNeeded(),
        options,
        request.workloadFacts());
  }

  // ---- attachments

  /**
   * Whether the volume is attached to a node read-only. The result is the same for all workloads of
   * a node, except with the access mode MULTI_NODE_SINGLE_WRITER, where it depends on the mode of
   * the workload.
   */
  public static boolean readonly(Claim.Use use, ClaimMode mode) {
    return !use.mode().isWritable()
        || (use.mode() == AccessMode.MULTI_NODE_SINGLE_WRITER && mode == ClaimMode.READ);
  }

  /**
   * Returns a refusal if the current attachment of the volume to the node conflicts with the
   * request.
   */
  static Optional<Refused> inTheWay(
      Claim claim, ClaimRequest request, Optional<MountOptions> options, Instant now) {
    return claim.holders().values().stream()
        .filter(ClaimRules::isAttaching)
        .filter(
            holder ->
                holder.node().equals(request.node())
                    || (holder.nodeId().isPresent() && holder.nodeId().equals(request.nodeId())))
        .flatMap(holder -> inTheWay(holder, request, options, now).stream())
        .findFirst();
  }

  private static Optional<Refused> inTheWay(
      ClaimHolder holder, ClaimRequest request, Optional<MountOptions> options, Instant now) {
    if (holder.state() == ClaimHolder.State.NODE_DETACHED) {
      return Optional.of(
          refused(
              OperatorCode.CLAIM_BEING_RELEASED,
              holder,
              "it is being detached from that node, after " + words(holder, now)));
    }
    if (holder.state().isAfter(ClaimHolder.State.NODE_DETACHED)) {
      return Optional.empty();
    }
    if (differ(holder.options(), options)) {
      return Optional.of(
          refused(
              OperatorCode.ATTACHED_OTHERWISE,
              holder,
              "that node has it with other mount options for " + words(holder, now)));
    }
    return inTheWay(request.use(), holder, request.mode(), now);
  }

  /** Returns a refusal if the holder's own attachment conflicts with a change of its mode. */
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
    return refused(
        OperatorCode.ATTACHED_OTHERWISE,
        holder,
        "that node has it for "
            + holder.mode()
            + " through "
            + words(holder, now)
            + ", not for "
            + mode);
  }

  /**
   * Records that the storage system has attached the volume. This is refused if the claim was
   * released or replaced in the meantime.
   */
  public static ClaimDecision attached(
      Claim claim, WorkloadId workload, long epoch, PublishContext context, Instant now) {
    Optional<ClaimHolder> own = own(claim, workload, epoch);
    if (own.isEmpty()) {
      return refused(OperatorCode.CLAIM_MISSING, "its claim of epoch " + epoch + " is gone");
    }
    ClaimHolder holder = own.get();
    if (holder.state() != ClaimHolder.State.TAKEN) {
      return refused(OperatorCode.CLAIM_BEING_RELEASED, holder, words(holder, now));
    }
    Attached attached = new Attached(context);
    return holder.attachment().equals(attached)
        ? new Granted(claim, false)
        : changed(claim.exhausted(Optional.empty()), List.of(holder.attached(attached)));
  }

  /**
   * Records that the storage system permanently refuses to attach the volume for a claim. The node
   * has not received the claim, because a claim is sent to its node only after the volume was
   * attached. Therefore, the claim is released without a proof of the node. If an earlier call may
   * have attached the volume, the volume must be detached first.
   */
  public static Granted notAttached(Claim claim, WorkloadId workload, long epoch) {
    Optional<ClaimHolder> own =
        own(claim, workload, epoch).filter(holder -> holder.state() == ClaimHolder.State.TAKEN);
    if (own.isEmpty() || !(own.get().attachment() instanceof InDoubt attaching)) {
      return new Granted(claim, false);
    }
    return changed(
        claim,
        List.of(
            attaching.repeated()
                ? own.get().in(ClaimHolder.State.NODE_DETACHED)
                : own.get().attached(new NotNeeded()).in(ClaimHolder.State.READY_TO_FREE)));
  }

  /** Decides about a proof that the node of a claim can no longer write to the volume. */
  public static ClaimDecision proven(Claim claim, ReleaseProof proof, Instant now) {
    Optional<ClaimHolder> own = claim.holder(proof.usage().workload());
    if (own.isEmpty()) {
      return claim.epoch() >= proof.epoch()
          ? new Granted(claim, false)
          : refused(OperatorCode.CLAIM_MISSING, "no claim of epoch " + proof.epoch() + " is known");
    }
    ClaimHolder holder = own.get();
    if (holder.workload().equals(Claim.DELETION)) {
      return held(holder, now);
    }
    if (holder.epoch() != proof.epoch()) {
      return unfit(
          holder,
          "the proof is for epoch "
              + proof.epoch()
              + ", but epoch "
              + holder.epoch()
              + " is held by "
              + words(holder, now));
    }
    if (holder.state() == ClaimHolder.State.TAKEN) {
      return unfit(holder, "it has not been released: " + words(holder, now));
    }
    Claim noted =
        proof instanceof ReleaseProof.OperatorOverride override
                && !holder.state().isAfter(ClaimHolder.State.NODE_DETACHED)
            ? claim.answeredFor(answer(holder, override, now))
            : claim;
    return holder.state() == ClaimHolder.State.UNPUBLISHING
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
          "the proof is for node '"
              + node.get()
              + "', but the volume is held by "
              + words(holder, now));
    }
    if (proof instanceof ReleaseProof.ByNode given
        && given.receipt().staging() == Staging.KEPT_FOR_OTHERS
        && isAttaching(holder)
        && inUse(claim, holder).isEmpty()) {
      return unfit(
          holder,
          "the node keeps it staged for other workloads, which have no claim: "
              + words(holder, now));
    }
    return changed(claim, List.of(holder.in(ClaimHolder.State.NODE_DETACHED)));
  }

  /**
   * Releases all holders on the node together, because the storage system ends the access of the
   * whole node.
   */
  private static ClaimDecision takenAway(Claim claim, ClaimHolder holder, Instant now) {
    if (!isAttaching(holder)) {
      return unfit(holder, "the storage system has not attached it for " + words(holder, now));
    }
    Optional<ClaimHolder> taken =
        sharing(claim, holder).filter(each -> each.state() == ClaimHolder.State.TAKEN).findFirst();
    if (taken.isPresent()) {
      return refused(
          OperatorCode.CLAIM_HELD_BY,
          taken.get(),
          "that node has it for " + words(taken.get(), now) + " too");
    }
    return changed(
        claim,
        Stream.concat(Stream.of(holder), sharing(claim, holder))
            .filter(each -> each.state() == ClaimHolder.State.UNPUBLISHING)
            .map(each -> each.in(ClaimHolder.State.NODE_DETACHED))
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

  /**
   * Whether the storage system must detach the volume before the claim of this holder can be
   * removed.
   */
  static boolean owesDetach(Claim claim, ClaimHolder holder) {
    return isAttaching(holder) && inUse(claim, holder).isEmpty();
  }

  /**
   * Records that no work is pending for a claim, so that it can be removed. Changes nothing if the
   * claim still has pending work.
   */
  public static Granted settled(Claim claim, WorkloadId workload, long epoch) {
    return own(claim, workload, epoch)
        .filter(
            holder ->
                holder.state() == ClaimHolder.State.CONTROLLER_DETACHED
                    || (holder.state() == ClaimHolder.State.NODE_DETACHED
                        && !owesDetach(claim, holder)))
        .map(holder -> holder.attached(new NotNeeded()).in(ClaimHolder.State.READY_TO_FREE))
        .map(holder -> changed(claim, List.of(holder)))
        .orElseGet(() -> new Granted(claim, false));
  }

  /**
   * Returns the holders on the same node whose release also continues when the volume is detached
   * for this holder, including this holder.
   */
  static List<ClaimHolder> goingTogether(Claim claim, ClaimHolder holder) {
    return Stream.concat(Stream.of(holder), sharing(claim, holder))
        .filter(each -> each.state() == ClaimHolder.State.NODE_DETACHED)
        .toList();
  }

  /**
   * Records that the storage system has detached the volume.
   *
   * @param from the holders for which the detach call was made, as they were before the call
   */
  public static Granted detached(Claim claim, Collection<ClaimHolder> from) {
    List<ClaimHolder> next =
        from.stream()
            .flatMap(each -> own(claim, each.workload(), each.epoch()).stream())
            .filter(each -> each.state() == ClaimHolder.State.NODE_DETACHED)
            .map(each -> each.attached(new NotNeeded()).in(ClaimHolder.State.CONTROLLER_DETACHED))
            .toList();
    return next.isEmpty() ? new Granted(claim, false) : changed(claim, next);
  }

  /**
   * Records that the volume may be attached for a claim that no longer exists. The claims must show
   * that the volume still has to be detached. If no other holder on the node ensures this, an
   * additional holder is added for this purpose.
   *
   * @param lost the claim that no longer exists
   * @param use how the volume was used
   */
  public static Granted leftOver(Claim claim, ClaimHolder lost, Claim.Use use, Instant now) {
    // A holder in NODE_DETACHED does not suffice: its detach call may have been made before the
    // volume was attached for the lost claim.
    boolean isOwed =
        Stream.concat(own(claim, lost.workload(), lost.epoch()).stream(), sharing(claim, lost))
            .anyMatch(each -> !each.state().isAfter(ClaimHolder.State.UNPUBLISHING));
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
            ClaimHolder.State.NODE_DETACHED,
            epoch,
            now,
            new InDoubt());
    return new Granted(claim.with(debt, claim.use().orElse(use)), true);
  }

  public static Optional<ClaimHolder> own(Claim claim, WorkloadId workload, long epoch) {
    return claim.holder(workload).filter(holder -> holder.epoch() == epoch);
  }

  public static boolean isAttaching(ClaimHolder holder) {
    return !(holder.attachment() instanceof NotNeeded);
  }

  private static Optional<ClaimHolder> inUse(Claim claim, ClaimHolder holder) {
    return sharing(claim, holder)
        .filter(each -> !each.state().isAfter(ClaimHolder.State.UNPUBLISHING))
        .findFirst();
  }

  /** Returns the other holders that share the attachment of this holder. */
  private static Stream<ClaimHolder> sharing(Claim claim, ClaimHolder holder) {
    return claim.others(holder.workload()).stream()
        .filter(ClaimRules::isAttaching)
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
    return refused(OperatorCode.CLAIM_PROOF_UNFIT, holder, because);
  }

  // ---- the next step

  /**
   * Returns the next step for the claim of a workload. The release of a claim always continues,
   * even if the workload wants the volume again.
   */
  public static ClaimStep next(Claim claim, WorkloadId workload, Intent intent) {
    Optional<ClaimHolder> own = claim.holder(workload);
    if (own.isEmpty()) {
      return new Done();
    }
    ClaimHolder holder = own.get();
    return switch (holder.state()) {
      case TAKEN -> taken(holder, intent);
      case UNPUBLISHING ->
          intent == Intent.GIVE_BACK_WITHOUT_NODE
              ? new NeedsProof(choices(holder))
              : new WaitForNode();
      case NODE_DETACHED ->
          owesDetach(claim, holder)
              ? new Detach(goingTogether(claim, holder))
              : new Write(ClaimHolder.State.READY_TO_FREE);
      case CONTROLLER_DETACHED -> new Write(ClaimHolder.State.READY_TO_FREE);
      case READY_TO_FREE -> new Forget();
    };
  }

  private static ClaimStep taken(ClaimHolder holder, Intent intent) {
    if (intent != Intent.HOLD) {
      return new Write(ClaimHolder.State.UNPUBLISHING);
    }
    return holder.attachment() instanceof InDoubt ? new Attach() : new Done();
  }

  private static Set<Choice> choices(ClaimHolder holder) {
    return isAttaching(holder)
        ? EnumSet.allOf(Choice.class)
        : EnumSet.complementOf(EnumSet.of(Choice.TAKE_AWAY));
  }

  // ---- display

  /**
   * Returns the holder as text, such as {@code workload 'web-1' on node 'n1' (WRITE, UNPUBLISHING,
   * since 40 s)}.
   */
  public static String words(ClaimHolder holder, Instant now) {
    return "workload '"
        + holder.workload()
        + "' on node '"
        + holder.node()
        + "' ("
        + holder.mode()
        + ", "
        + holder.state()
        + ","
        + age(holder, now)
        + ")";
  }

  private static String age(ClaimHolder holder, Instant now) {
    return " since " + Math.max(0, Duration.between(holder.since(), now).toSeconds()) + " s";
  }

  static Refused refused(OperatorCode code, String because) {
    return new Refused(code, Optional.empty(), new ReasonText(because));
  }

  static Refused refused(OperatorCode code, ClaimHolder holder, String because) {
    return new Refused(code, Optional.of(holder), new ReasonText(because));
  }
}
