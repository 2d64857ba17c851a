package io.csi4j.volume.claim.coordination;

import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PublishContext;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimEvent.Proven;
import io.csi4j.volume.claim.ClaimEvent.Work;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimListener;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ClaimState;
import io.csi4j.volume.claim.ClaimStep.Intent;
import io.csi4j.volume.claim.NodeAttachment.Attached;
import io.csi4j.volume.claim.NodeAttachment.InDoubt;
import io.csi4j.volume.claim.ReleaseProof;
import io.csi4j.volume.claim.coordination.ClaimBook.Change;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.internal.claims.ClaimRules;
import io.csi4j.volume.internal.claims.ReturnRules;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeKey;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Brings claims to nodes and back: claimed, attached by the storage system where it has to, used by
 * the node; then released, unmounted by the node, detached, forgotten. How far a claim is stands in
 * its store before each step, so that any process goes on where another one has stopped.
 *
 * <p>Nothing here is remembered but in the store; it may be asked in several processes at once, and
 * then the claims decide. One thing they cannot decide: a process that stands still between its
 * last look and its call to the storage system, while another one does the same work and ends it,
 * makes its call when it goes on, and takes away what was attached to that node anew, or attaches
 * what is not wanted. No second node can write by that. A host that lets one process at a time call
 * the controller of a plugin does not have this trouble.
 *
 * <p>Methods block as long as the store and the storage system do. Safe for many threads.
 *
 * <pre>{@code
 * Clock clock = Clock.systemUTC();
 * ClaimCoordinator claims =
 *     new ClaimCoordinator(new ClaimBook(store, clock), storage, clock, log::accept);
 * ClaimGrant grant = claims.acquire(request); // claimed, and attached to its node
 * claims.release(grant.usage());
 * NodeReceipt receipt = node.receipt(grant.usage(), grant.epoch()); // nothing is left there
 * claims.nodeDone(receipt); // detached, and free for the next one
 * }</pre>
 */
public final class ClaimCoordinator {

  private static final int PAGE = 256;

  private final ClaimBook book;
  private final StorageController controller;
  private final Clock clock;
  private final ClaimTelling telling;
  private final ClaimWayOut out;
  private final ClaimWayBack back;
  private final ClaimRepair repair;

  /**
   * A coordinator.
   *
   * @param clock the time, for ages and for when an exhausted storage system is asked again;
   *     nothing is safe or unsafe by it
   */
  public ClaimCoordinator(
      ClaimBook book, StorageController controller, Clock clock, ClaimListener listener) {
    this.book = Objects.requireNonNull(book, "book");
    this.controller = Objects.requireNonNull(controller, "controller");
    this.clock = Objects.requireNonNull(clock, "clock");
    this.telling = new ClaimTelling(Objects.requireNonNull(listener, "listener"));
    this.out = new ClaimWayOut(book, controller, clock, telling);
    this.back = new ClaimWayBack(book, controller, clock, telling);
    this.repair = new ClaimRepair(book, controller, out);
  }

  /**
   * Claims a volume, and has it attached where that is needed. The same again gives the same.
   *
   * @throws ClaimException if it may not be had, or the storage system did not attach it. A claim
   *     that was made stays then: it is to be acquired again, or released
   */
  public ClaimGrant acquire(ClaimRequest request) {
    UsageKey usage = request.usage();
    return telling.during(usage, Work.ACQUIRE, () -> acquired(request), it -> Optional.empty());
  }

  private ClaimGrant acquired(ClaimRequest request) {
    UsageKey usage = request.usage();
    Optional<MountOptions> options = controller.options(request);
    Change change =
        book.apply(
            Subject.of("claiming").by(usage),
            usage.volume(),
            true,
            claim -> book.decide(claim, request, options));
    telling.moved(usage.volume(), change);
    Claim claim = change.after();
    ClaimHolder holder = claim.holder(usage.workload()).orElseThrow();
    PublishContext context = PublishContext.empty();
    if (holder.attachment() instanceof Attached attached) {
      context = attached.context();
    } else if (holder.attachment() instanceof InDoubt) {
      if (!change.changes()) {
        telling.notice(
            usage,
            Messages.of(
                OperatorCode.ATTACH_RESUMED,
                Subject.of("attaching").by(usage),
                "it was begun for " + ClaimRules.words(holder, clock.instant())));
      }
      context = out.attach(usage, claim, holder).context();
    }
    return ClaimWayOut.grant(usage, claim, holder, context, false);
  }

  /**
   * Gives a claim back: from now on its node mounts nothing with it any more. What is left to do is
   * in the answer; most often the node has to give its receipt. A use that has no claim is gone.
   *
   * @throws ClaimException if it is not known whether that is written
   */
  public ClaimProgress release(UsageKey usage) {
    return telling.during(usage, Work.RELEASE, () -> released(usage), ClaimCoordinator::problem);
  }

  private ClaimProgress released(UsageKey usage) {
    out.forget(usage);
    Change change =
        book.apply(
            Subject.of("releasing the claim of").by(usage),
            usage.volume(),
            false,
            claim -> ClaimRules.advance(claim, usage.workload(), ClaimState.UNPUBLISHING));
    telling.moved(usage.volume(), change);
    return change
        .after()
        .holder(usage.workload())
        .map(holder -> back.go(usage, holder.epoch(), Intent.GIVE_BACK, Optional.empty()))
        .orElseGet(() -> new ClaimProgress.Gone(usage));
  }

  /**
   * Takes the receipt of a node, and brings the claim on.
   *
   * @throws ClaimException {@link OperatorCode#CLAIM_PROOF_UNFIT} if it is about another epoch or
   *     node than those of the claim, or the claim was not released
   */
  public ClaimProgress nodeDone(NodeReceipt receipt) {
    return prove(new ReleaseProof.ByNode(receipt));
  }

  /**
   * Takes a proof that the node of a claim cannot write any more, and brings the claim on. The same
   * again changes nothing.
   *
   * @throws ClaimException as for a receipt
   */
  public ClaimProgress prove(ReleaseProof proof) {
    UsageKey usage = proof.usage();
    return telling.during(usage, Work.PROVE, () -> proven(proof), ClaimCoordinator::problem);
  }

  private ClaimProgress proven(ReleaseProof proof) {
    UsageKey usage = proof.usage();
    Subject subject = Subject.of("proving the release of").by(usage);
    Change change =
        book.apply(
            subject,
            usage.volume(),
            false,
            claim -> ReturnRules.proven(claim, proof, clock.instant()));
    if (change.changes()) {
      telling.tell(new Proven(proof));
      if (proof instanceof ReleaseProof.OperatorOverride override) {
        telling.notice(
            usage,
            Messages.of(
                OperatorCode.CLAIM_OVERRIDDEN,
                subject,
                "'" + override.person() + "' answers for it: " + override.reason()));
      }
    }
    telling.moved(usage.volume(), change);
    return back.go(usage, proof.epoch(), Intent.GIVE_BACK, Optional.of(proof));
  }

  /**
   * Brings a claim on, if it is on its way back, as far as what is proven lets it.
   *
   * @return what it waits for
   */
  public ClaimProgress resume(UsageKey usage) {
    return book.read(usage.volume())
        .holder(usage.workload())
        .map(holder -> resumed(usage, holder))
        .orElseGet(() -> new ClaimProgress.Gone(usage));
  }

  private ClaimProgress resumed(UsageKey usage, ClaimHolder holder) {
    return telling.during(
        usage,
        Work.RESUME,
        () -> {
          if (holder.state() == ClaimState.NODE_DETACHED) {
            telling.notice(
                usage,
                Messages.of(
                    OperatorCode.DETACH_RESUMED,
                    Subject.of("giving back the claim of").by(usage),
                    ClaimRules.words(holder, clock.instant())));
          }
          return back.go(usage, holder.epoch(), Intent.HOLD, Optional.empty());
        },
        ClaimCoordinator::problem);
  }

  /**
   * Brings all claims on that are on their way.
   *
   * @return what came of each, and of those that the storage system may have attached or not; who
   *     holds a volume in peace is left out
   */
  public List<ClaimProgress> resume() {
    return each(
        holder -> holder.state() != ClaimState.TAKEN || holder.attachment() instanceof InDoubt,
        (usage, holder) -> resumed(usage, holder));
  }

  /**
   * Has a volume attached once more to the node of a claim for which it was attached, where the
   * storage system has lost that. What it tells the node now is kept with the claim. If that is not
   * what it told before, the grant says so: what is mounted there stays mounted with the former
   * context until it is unmounted.
   *
   * @throws ClaimException if the claim is not that any more, or the storage system did not attach
   *     the volume
   */
  public ClaimGrant attachAgain(UsageKey usage, long epoch) {
    return telling.during(
        usage, Work.ATTACH, () -> repair.attachAgain(usage, epoch), it -> Optional.empty());
  }

  /**
   * Has a volume detached from a node of which no claim says that it may be attached there; which
   * is looked at right before the storage system is asked.
   *
   * @return whether it is detached; false if a claim names that node by now
   * @throws ClaimException if the storage system did not detach it
   */
  public boolean detachUnclaimed(VolumeKey volume, NodeId node) {
    return repair.detachUnclaimed(volume, node);
  }

  /**
   * Says what would free the claims of a node that is down; which itself proves nothing, and
   * changes nothing.
   *
   * @return for each claim on its way back that waits for the node, the proofs that it cannot
   *     write; and those that were not released
   */
  public List<ClaimProgress> nodeIsDown(NodeName node) {
    return each(
        holder -> holder.node().equals(node) && !holder.state().isAfter(ClaimState.UNPUBLISHING),
        (usage, holder) -> {
          Intent intent =
              holder.state() == ClaimState.TAKEN ? Intent.HOLD : Intent.GIVE_BACK_WITHOUT_NODE;
          ClaimProgress progress = back.go(usage, holder.epoch(), intent, Optional.empty());
          if (progress instanceof ClaimProgress.NeedsProof needs) {
            telling.notice(usage, needs.message());
          }
          return progress;
        });
  }

  /**
   * The claims of a node of which it knows nothing: made by a process that died before the node was
   * told. They change by nothing but being released, and by a receipt of the node.
   *
   * @param known what the node has on record or mounted
   */
  public List<ClaimProgress> orphans(NodeName node, Set<UsageKey> known) {
    List<ClaimProgress> unknown = new ArrayList<>();
    for (ClaimProgress progress :
        each(
            holder ->
                holder.node().equals(node) && !holder.state().isAfter(ClaimState.UNPUBLISHING),
            (usage, holder) -> new ClaimProgress.Held(usage, holder))) {
      if (progress instanceof ClaimProgress.Held held && !known.contains(held.usage())) {
        telling.notice(
            held.usage(),
            Messages.of(
                OperatorCode.CLAIM_ORPHANED,
                Subject.of("looking through the claims of node '" + node + "':").by(held.usage()),
                "epoch "
                    + held.holder().epoch()
                    + " was claimed "
                    + Duration.between(held.holder().since(), clock.instant()).toSeconds()
                    + " s ago"));
        unknown.add(progress);
      }
    }
    return unknown;
  }

  /** Work on a claim, which may fail for it alone. */
  @FunctionalInterface
  private interface Handling {
    ClaimProgress handle(UsageKey usage, ClaimHolder holder);
  }

  private List<ClaimProgress> each(Predicate<ClaimHolder> which, Handling handling) {
    List<ClaimProgress> all = new ArrayList<>();
    Optional<VolumeKey> last = Optional.empty();
    List<Claim> page;
    do {
      page = book.page(last, PAGE);
      for (Claim claim : page) {
        last = Optional.of(claim.volume());
        for (ClaimHolder holder : claim.holders().values()) {
          if (which.test(holder)) {
            all.add(handled(UsageKey.of(claim.volume(), holder.workload()), holder, handling));
          }
        }
      }
    } while (page.size() == PAGE);
    return all;
  }

  private static ClaimProgress handled(UsageKey usage, ClaimHolder holder, Handling handling) {
    try {
      return handling.handle(usage, holder);
    } catch (ClaimException failed) {
      return new ClaimProgress.Failed(usage, failed.operatorMessage());
    }
  }

  private static Optional<OperatorMessage> problem(ClaimProgress progress) {
    return progress instanceof ClaimProgress.WaitsForStorage stuck
        ? Optional.of(stuck.message())
        : Optional.empty();
  }
}
