package io.csi4j.volume.claim.coordination;

import io.csi4j.client.internal.time.Backoff;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimDecision.Granted;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimEvent.Proven;
import io.csi4j.volume.claim.ClaimEvent.Work;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimHolder.Attachment.Attached;
import io.csi4j.volume.claim.ClaimHolder.Attachment.InDoubt;
import io.csi4j.volume.claim.ClaimPage;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ClaimsOfNode;
import io.csi4j.volume.claim.ReleaseProof;
import io.csi4j.volume.claim.coordination.ClaimBook.Change;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.internal.claims.ClaimRules;
import io.csi4j.volume.internal.claims.ClaimStep.Intent;
import io.csi4j.volume.internal.claims.RoundOfCalls;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumePermission;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.store.RecordKey;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Manages the lifecycle of claims. A volume is claimed, attached by the storage system if
 * necessary, and used by the node. Then the claim is released, the node unmounts the volume, the
 * storage system detaches it, and the claim is removed. The progress of a claim is written to the
 * store before each step. Therefore, if a process stops, any other process can continue its work.
 *
 * <p>All state is in the store, so several processes may manage claims at the same time. The store
 * cannot prevent one conflict: a process pauses between its last check and its call to the storage
 * system, and meanwhile another process completes the same work. When the first process continues,
 * its call may detach a volume that was attached to that node again, or attach a volume that is no
 * longer needed. This never allows a second node to write. If the host lets only one process at a
 * time call the controller of a plugin, the conflict can only happen if a request of a killed
 * process arrives late.
 *
 * <p>Methods block until the store and the storage system have answered. Thread-safe.
 *
 * <pre>{@code
 * Clock clock = Clock.systemUTC();
 * ClaimCoordinator claims =
 *     new ClaimCoordinator(new ClaimBook(store, clock), storage, clock, log::accept);
 * ClaimGrant grant = claims.acquire(request); // claimed, and attached to its node
 * claims.release(grant.usage());
 * NodeReceipt receipt = node.receipt(grant.usage(), grant.epoch()); // nothing is left there
 * claims.confirmRelease(receipt); // detached, and free for the next one
 * }</pre>
 *
 * @since 1.0
 */
public final class ClaimCoordinator {

  private static final int PAGE = 256;

  /**
   * The reasons of refusals that can disappear when another claim ends, or when the storage system
   * has capacity again.
   */
  private static final Set<OperatorCode> ENDING =
      Set.of(
          OperatorCode.CLAIM_HELD_BY,
          OperatorCode.CLAIM_OTHER_USE,
          OperatorCode.CLAIM_BEING_RELEASED,
          OperatorCode.CLAIM_EXHAUSTED);

  /**
   * The pauses after which a waiting request is retried although the claims of the volume have not
   * changed. These retries are needed because the store does not report when a storage system has
   * capacity again. The pauses are randomized, so that several requests for the same volume are
   * retried at different times.
   */
  private static final Backoff PAUSES =
      Backoff.halfJitter(Duration.ofSeconds(10), Duration.ofSeconds(20));

  /** A placeholder for the use of a volume, because detaching does not depend on it. */
  private static final Claim.Use ANY =
      new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM);

  private final ClaimBook book;
  private final StorageController controller;
  private final Clock clock;
  private final VolumePermission permission;
  private final ClaimReports reports;
  private final ClaimAttachment attachment;
  private final ClaimReturn back;
  private final ClaimWaits waits;

  /** The volumes that the next {@link #resume()} handles after all other volumes. */
  private volatile List<VolumeKey> last = List.of();

  /**
   * Creates a coordinator.
   *
   * @param clock the clock for ages in messages, and for retries when the storage system has no
   *     capacity. No proof that a claim has ended depends on it
   */
  public ClaimCoordinator(
      ClaimBook book, StorageController controller, Clock clock, ClaimEvent.Listener listener) {
    this(book, controller, clock, listener, VolumePermission.everybody());
  }

  /**
   * Creates a coordinator that grants only claims that the host permits.
   *
   * @param permission decides which workload may claim which volume. It is called before all other
   *     checks, and never for a release
   */
  public ClaimCoordinator(
      ClaimBook book,
      StorageController controller,
      Clock clock,
      ClaimEvent.Listener listener,
      VolumePermission permission) {
    this.permission = Objects.requireNonNull(permission, "permission");
    this.book = Objects.requireNonNull(book, "book");
    this.controller = Objects.requireNonNull(controller, "controller");
    this.clock = Objects.requireNonNull(clock, "clock");
    reports = new ClaimReports(Objects.requireNonNull(listener, "listener"));
    attachment = new ClaimAttachment(book, controller, clock, reports, new ConcurrentHashMap<>());
    back = new ClaimReturn(book, clock, reports, ConcurrentHashMap.newKeySet());
    waits = new ClaimWaits();
  }

  private ClaimCoordinator(ClaimCoordinator same, StorageController controller) {
    this.controller = Objects.requireNonNull(controller, "controller");
    permission = same.permission;
    book = same.book;
    clock = same.clock;
    reports = same.reports;
    attachment = new ClaimAttachment(book, controller, clock, reports, same.attachment.pauses());
    back = same.back;
    waits = same.waits;
  }

  /**
   * Returns a coordinator of the same claims with a different connection to the storage system, for
   * example with a time limit for calls. Both coordinators may be used at the same time.
   *
   * @param way returns the storage controller of the new coordinator; its argument is the storage
   *     controller of this coordinator
   */
  public ClaimCoordinator through(UnaryOperator<StorageController> way) {
    return new ClaimCoordinator(this, way.apply(controller));
  }

  // ---- acquire

  /**
   * Claims a volume, and attaches it if its plugin attaches volumes. Repeating the same request
   * returns the same grant.
   *
   * @throws ClaimException if the claim is refused, or the storage system did not attach the
   *     volume. If the storage system refuses permanently ({@link OperatorCode#ATTACH_REFUSED},
   *     {@link OperatorCode#ATTACHED_OTHERWISE}), the claim is released. Otherwise, a claim that
   *     was already written remains, and the caller must acquire it again or release it
   */
  public ClaimGrant acquire(ClaimRequest request) {
    VolumeUse usage = request.usage();
    return reports.during(usage, Work.ACQUIRE, () -> acquired(request));
  }

  /**
   * Claims a volume as {@link #acquire(ClaimRequest)} does, and waits while another workload's
   * claim prevents this, or while the storage system has no capacity. The request is retried
   * whenever the claims of the volume change. Without a change, it is retried after 5 to 10 seconds
   * at first, and then every 10 to 20 seconds. Waiting requests are not queued. All waiting callers
   * of one coordinator share a watch of the store. An interrupt ends the wait, and the thread stays
   * interrupted.
   *
   * @param patience the longest time to wait
   * @throws ClaimException as {@link #acquire(ClaimRequest)} does; after the longest time, the last
   *     refusal
   */
  public ClaimGrant acquire(ClaimRequest request, Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    try {
      return acquire(request);
    } catch (ClaimException refused) {
      if (!mayWait(refused, end)) {
        throw refused;
      }
      return waiting(request, end, refused);
    }
  }

  private ClaimGrant waiting(ClaimRequest request, long end, ClaimException before) {
    RecordKey key = RecordKey.of(RecordKey.Space.CLAIMS, request.usage().volume());
    Subject subject = Subject.of("claiming").by(request.usage());
    Optional<ClaimWaits.Place> entered =
        ClaimBook.asked(subject, () -> waits.enter(key, book::watch, end - System.nanoTime()));
    try (ClaimWaits.Place place = entered.orElseThrow(() -> before)) {
      for (int asked = 1; ; asked++) {
        try {
          return acquire(request);
        } catch (ClaimException refused) {
          if (!mayWait(refused, end) || !awaitChange(place, request.usage(), asked, end)) {
            throw refused;
          }
        }
      }
    }
  }

  private boolean awaitChange(ClaimWaits.Place place, VolumeUse usage, int asked, long end) {
    Duration pause = PAUSES.pause(asked, ThreadLocalRandom.current().nextDouble());
    long nanos = Math.min(end - System.nanoTime(), pause.toNanos());
    return reports.during(usage, Work.WAIT, () -> place.await(nanos));
  }

  private static boolean mayWait(ClaimException refused, long end) {
    return ENDING.contains(refused.code()) && end - System.nanoTime() > 0;
  }

  private ClaimGrant acquired(ClaimRequest request) {
    VolumeUse usage = request.usage();
    VolumePermission.Request wish =
        new VolumePermission.Request(usage, Optional.empty(), request.mode() == ClaimMode.READ);
    if (!wish.isPermittedBy(permission)) {
      throw ClaimAttachment.refused(
          Messages.of(OperatorCode.VOLUME_NOT_PERMITTED, Subject.of("claiming").by(usage), ""));
    }
    Optional<MountOptions> options = controller.options(request);
    Change change =
        book.apply(
            Subject.of("claiming").by(usage),
            usage.volume(),
            true,
            claim -> decided(claim, request, options));
    reports.moved(usage.volume(), change);
    Claim claim = change.after();
    ClaimHolder holder = claim.holder(usage.workload()).orElseThrow();
    PublishContext context = PublishContext.empty();
    if (holder.attachment() instanceof Attached attached) {
      context = attached.context();
    } else if (holder.attachment() instanceof InDoubt) {
      if (change.before().holder(usage.workload()).isPresent()) {
        reports.notice(
            usage,
            OperatorCode.ATTACH_RESUMED,
            Subject.of("attaching").by(usage),
            "the attachment was begun for " + ClaimRules.words(holder, clock.instant()));
      }
      context = attachedOrGivenBack(usage, claim, holder).context();
    }
    return grant(usage, claim, holder, context, false);
  }

  /**
   * Decides about a request for a claim. If the rules would grant the claim, the storage system is
   * also queried.
   */
  private ClaimDecision decided(Claim claim, ClaimRequest request, Optional<MountOptions> options) {
    ClaimDecision decision = book.decide(claim, request, options, false);
    Optional<ClaimHolder> own = claim.holder(request.usage().workload());
    if (decision instanceof Refused || own.filter(ClaimRules::isAttaching).isPresent()) {
      return decision;
    }
    Optional<Refused> refused = own.isPresent() ? Optional.empty() : controller.whyNot(request);
    if (refused.isPresent()) {
      return refused.get();
    }
    return attaches(claim.volume(), own) ? book.decide(claim, request, options, true) : decision;
  }

  private boolean attaches(VolumeKey volume, Optional<ClaimHolder> own) {
    try {
      return controller.attaches(volume);
    } catch (ClaimException unknown) {
      if (own.isPresent()) {
        return false; // an existing claim is granted again without this query
      }
      throw unknown;
    }
  }

  private Attached attachedOrGivenBack(VolumeUse usage, Claim claim, ClaimHolder holder) {
    try {
      return attachment.attach(usage, claim, holder);
    } catch (ClaimException refused) {
      if (refused.outcome() == ChangeOutcome.REFUSED
          && (refused.code() == OperatorCode.ATTACH_REFUSED
              || refused.code() == OperatorCode.ATTACHED_OTHERWISE)) {
        try {
          giveBack(usage, holder);
        } catch (ClaimException failed) {
          refused.addSuppressed(failed);
        }
      }
      throw refused;
    }
  }

  /**
   * Releases a claim whose volume cannot be attached, so that the claim does not block other
   * claims.
   */
  private void giveBack(VolumeUse usage, ClaimHolder holder) {
    Claim now =
        back.write(
            Subject.of("releasing the claim of").by(usage),
            usage,
            claim -> ClaimRules.notAttached(claim, usage.workload(), holder.epoch()));
    if (now.holder(usage.workload())
        .filter(it -> it.state() == ClaimHolder.State.TAKEN)
        .isEmpty()) {
      back.go(usage, holder.epoch(), Intent.GIVE_BACK, Optional.empty(), controller);
    }
  }

  /** Returns the grant that the node of a claim receives. */
  private ClaimGrant grant(
      VolumeUse usage,
      Claim claim,
      ClaimHolder holder,
      PublishContext context,
      boolean contextChanged) {
    Claim.Use use = claim.use().orElseThrow();
    AccessMode mode = controller.knownMode(usage.volume(), use.mode());
    Optional<VolumeCapability> capability =
        use.attachment() == AttachmentMode.BLOCK
            ? Optional.of(VolumeCapability.block(mode))
            : holder.options().map(how -> VolumeCapability.mount(mode, how));
    return new ClaimGrant(
        usage, holder.node(), holder.epoch(), holder.mode(), context, capability, contextChanged);
  }

  // ---- release

  /**
   * Releases a claim. Afterwards, the node may no longer mount the volume with this claim. The
   * result shows the remaining work: in most cases, the node must unmount the volume and send its
   * receipt. For a use without a claim, the result is {@link ClaimProgress.Gone}.
   *
   * @throws ClaimException if it is unknown whether the release was written; with {@link
   *     OperatorCode#VOLUME_BEING_DELETED} for a volume that is held for its deletion, because a
   *     release cannot end this hold
   */
  public ClaimProgress release(VolumeUse usage) {
    return reports.during(
        usage, Work.RELEASE, () -> released(usage, claim -> true), ClaimReports::trouble);
  }

  /**
   * Releases one claim, as {@link #release(VolumeUse)} does, but only if its epoch and its node
   * match. Therefore, a late request cannot end a later claim, and a node cannot end a claim of
   * another node.
   *
   * @return the progress of the claim; {@link ClaimProgress.Gone} if the workload has no claim, or
   *     its claim does not match
   * @throws ClaimException as {@link #release(VolumeUse)} does
   */
  public ClaimProgress release(ClaimEpoch claim) {
    VolumeUse usage = claim.usage();
    return reports.during(
        usage, Work.RELEASE, () -> released(usage, is(claim)), ClaimReports::trouble);
  }

  /**
   * Records the release of a claim, as {@link #release(ClaimEpoch)} does, without calling the
   * storage system.
   *
   * @throws ClaimException as {@link #release(VolumeUse)} does
   */
  public void noteRelease(ClaimEpoch claim) {
    VolumeUse usage = claim.usage();
    var unused = reports.during(usage, Work.RELEASE, () -> leaving(usage, is(claim)));
  }

  private static Predicate<Claim> is(ClaimEpoch claim) {
    return there ->
        ClaimRules.own(there, claim.usage().workload(), claim.epoch())
            .filter(holder -> holder.node().equals(claim.node()))
            .isPresent();
  }

  private ClaimProgress released(VolumeUse usage, Predicate<Claim> which) {
    return leaving(usage, which)
        .map(
            holder ->
                back.go(usage, holder.epoch(), Intent.GIVE_BACK, Optional.empty(), controller))
        .orElseGet(() -> new ClaimProgress.Gone(usage));
  }

  /** Records the release of a claim. Returns its holder, if a matching claim exists. */
  private Optional<ClaimHolder> leaving(VolumeUse usage, Predicate<Claim> which) {
    attachment.pauses().remove(usage);
    Change change =
        book.apply(
            Subject.of("releasing the claim of").by(usage),
            usage.volume(),
            false,
            claim ->
                which.test(claim)
                    ? ClaimRules.advance(
                        claim, usage.workload(), ClaimHolder.State.UNPUBLISHING, clock.instant())
                    : new Granted(claim, false));
    reports.moved(usage.volume(), change);
    return change.after().holder(usage.workload()).filter(holder -> which.test(change.after()));
  }

  /**
   * Records the receipt of a node, and continues the release.
   *
   * @throws ClaimException {@link OperatorCode#CLAIM_PROOF_UNFIT} if the claim has another epoch or
   *     node than the receipt, or the claim was not released
   */
  public ClaimProgress confirmRelease(NodeReceipt receipt) {
    return confirmRelease(new ReleaseProof.ByNode(receipt));
  }

  /**
   * Records a proof that the node of a claim can no longer write to the volume, and continues the
   * release. Sending the same proof again has no further effect.
   *
   * @throws ClaimException as {@link #confirmRelease(NodeReceipt)} does
   */
  public ClaimProgress confirmRelease(ReleaseProof proof) {
    VolumeUse usage = proof.usage();
    return reports.during(usage, Work.PROVE, () -> proven(proof), ClaimReports::trouble);
  }

  /**
   * Records a proof, as {@link #confirmRelease(ReleaseProof)} does, but without calling the storage
   * system. A later call of {@link #confirmRelease(ReleaseProof)} or {@link #resume()} continues
   * the release.
   *
   * @throws ClaimException as {@link #confirmRelease(NodeReceipt)} does
   */
  public void noteProof(ReleaseProof proof) {
    VolumeUse usage = proof.usage();
    var unused =
        reports.during(
            usage,
            Work.PROVE,
            () -> {
              note(proof);
              return usage;
            });
  }

  private ClaimProgress proven(ReleaseProof proof) {
    note(proof);
    return back.go(proof.usage(), proof.epoch(), Intent.GIVE_BACK, Optional.of(proof), controller);
  }

  private void note(ReleaseProof proof) {
    VolumeUse usage = proof.usage();
    Subject subject = Subject.of("proving the release of").by(usage);
    Change change =
        book.apply(
            subject,
            usage.volume(),
            false,
            claim -> ClaimRules.proven(claim, proof, clock.instant()));
    if (change.changes()) {
      reports.tell(new Proven(proof));
      if (proof instanceof ReleaseProof.OperatorOverride override) {
        reports.notice(
            usage,
            OperatorCode.CLAIM_OVERRIDDEN,
            subject,
            "'" + override.person() + "' takes responsibility: " + override.reason());
      }
    }
    reports.moved(usage.volume(), change);
  }

  /**
   * Continues the release of a claim as far as the recorded proofs allow.
   *
   * @return the progress of the claim
   */
  public ClaimProgress resume(VolumeUse usage) {
    return book.read(usage.volume())
        .holder(usage.workload())
        .map(holder -> resumed(usage, holder, controller))
        .orElseGet(() -> new ClaimProgress.Gone(usage));
  }

  private ClaimProgress resumed(VolumeUse usage, ClaimHolder holder, StorageController storage) {
    return reports.during(
        usage,
        Work.RESUME,
        () -> {
          if (holder.state() == ClaimHolder.State.NODE_DETACHED) {
            reports.notice(
                usage,
                OperatorCode.DETACH_RESUMED,
                Subject.of("releasing the claim of").by(usage),
                ClaimRules.words(holder, clock.instant()));
          }
          return back.go(usage, holder.epoch(), Intent.HOLD, Optional.empty(), storage);
        },
        ClaimReports::trouble);
  }

  /**
   * Continues the release of all released claims. If a plugin does not answer two calls, this
   * method does not call that plugin again, and continues with the claims of other plugins.
   *
   * @return the progress of each released claim, of each claim whose attachment is uncertain, and
   *     of each claim that cannot be read. Claims in normal use are not included
   */
  public List<ClaimProgress> resume() {
    RoundOfCalls round = new RoundOfCalls();
    StorageController storage = round.over(controller);
    List<VolumeKey> lastNow = last;
    try {
      return each(
          holder ->
              holder.state() != ClaimHolder.State.TAKEN || holder.attachment() instanceof InDoubt,
          lastNow,
          (usage, holder) -> resumed(usage, holder, storage));
    } finally {
      last = round.last(lastNow);
    }
  }

  // ---- repair of differences between the claims and the storage system

  /**
   * Attaches a volume again to the node of a claim, for example if the storage system has lost the
   * attachment. The claim then contains the publish context of the new attachment. The grant shows
   * whether this context differs from the former context. Existing mounts keep the former context
   * until they are unmounted.
   *
   * @throws ClaimException if the claim has changed, or the storage system did not attach the
   *     volume
   */
  public ClaimGrant attachAgain(VolumeUse usage, long epoch) {
    return reports.during(usage, Work.ATTACH, () -> attachedAgain(usage, epoch));
  }

  private ClaimGrant attachedAgain(VolumeUse usage, long epoch) {
    Claim claim = book.certain(usage);
    Optional<ClaimHolder> own =
        ClaimRules.own(claim, usage.workload(), epoch)
            .filter(holder -> holder.state() == ClaimHolder.State.TAKEN)
            .filter(holder -> holder.attachment() instanceof Attached);
    if (own.isEmpty()) {
      throw ClaimAttachment.refused(
          Messages.of(
              OperatorCode.CLAIM_MISSING,
              Subject.of("attaching again").by(usage),
              "its claim of epoch " + epoch + " is gone, is being released, or was not attached"));
    }
    ClaimHolder holder = own.get();
    Attached now = attachment.attach(usage, claim, holder);
    return grant(usage, claim, holder, now.context(), !holder.attachment().equals(now));
  }

  /**
   * Detaches a volume from a node if no claim needs the attachment. The claims are checked right
   * before the call to the storage system. A volume that is also registered under another name is
   * not detached ({@link StorageController#detachUnclaimed}).
   *
   * @return whether the volume is detached; false if a claim now needs the attachment
   * @throws ClaimException if the storage system did not detach the volume
   */
  public boolean detachUnclaimed(VolumeKey volume, NodeId node) {
    Subject subject =
        Subject.of("detaching volume '" + volume + "' from the plugin's node '" + node + "'");
    AttachmentTask task =
        new AttachmentTask(volume, node, book.certain(subject, volume).use().orElse(ANY), false);
    ControllerAnswer answer =
        controller.detachUnclaimed(task, () -> isUnclaimed(book.certain(subject, volume), node));
    if (answer instanceof ControllerAnswer.Failed failed) {
      throw new ClaimException(
          failed.outcome() == Outcome.UNCERTAIN
              ? ChangeOutcome.UNCERTAIN
              : ChangeOutcome.UNAVAILABLE,
          ClaimReturn.detachMessage(subject, failed),
          null);
    }
    return answer instanceof ControllerAnswer.Detached;
  }

  /**
   * Whether no claim needs the attachment of the volume to the node. A released claim needs it
   * until the storage system has confirmed that the volume is detached.
   */
  private static boolean isUnclaimed(Claim claim, NodeId node) {
    return claim.holders().values().stream()
        .noneMatch(
            holder ->
                holder.nodeId().filter(node::equals).isPresent()
                    && ClaimRules.isAttaching(holder)
                    && !holder.state().isAfter(ClaimHolder.State.NODE_DETACHED));
  }

  // ---- nodes

  /**
   * Returns the claims with which a node may mount volumes now, and the released claims that wait
   * for the node's receipt. If a claim is missing in the result, this does not prove that it has
   * ended, so the node must not unmount its volume.
   *
   * @throws ClaimException if the store of claims or the catalog of volumes cannot answer
   */
  public ClaimsOfNode ofNode(NodeName node) {
    Found found = new Found(node, List.of());
    Optional<VolumeKey> after = Optional.empty();
    do {
      ClaimPage page = book.page(after, PAGE);
      page.claims().forEach(found::add);
      page.unreadable().forEach(each -> found.unreadable.add(each.message()));
      after = page.next();
    } while (after.isPresent());
    return found.all();
  }

  /**
   * Returns the claims of a node for some volumes.
   *
   * @param unreadable messages about records that are already known to be unreadable
   */
  ClaimsOfNode ofNode(NodeName node, Set<VolumeKey> of, List<OperatorMessage> unreadable) {
    Found found = new Found(node, unreadable);
    for (VolumeKey each : of) {
      try {
        found.add(book.read(each));
      } catch (ClaimException failed) {
        if (failed.code() != OperatorCode.CLAIM_UNREADABLE) {
          throw failed;
        }
        found.unreadable.add(failed.operatorMessage());
      }
    }
    return found.all();
  }

  ClaimBook book() {
    return book;
  }

  /** Collects the claims of a node. */
  private final class Found {

    private final NodeName node;
    private final List<ClaimsOfNode.Taken> taken = new ArrayList<>();
    private final List<ClaimEpoch> uncertain = new ArrayList<>();
    private final List<ClaimEpoch> leaving = new ArrayList<>();
    private final List<OperatorMessage> unreadable;

    Found(NodeName node, List<OperatorMessage> unreadable) {
      this.node = node;
      this.unreadable = new ArrayList<>(unreadable);
    }

    void add(Claim claim) {
      for (ClaimHolder holder : claim.holders().values()) {
        if (holder.node().equals(node) && !holder.state().isAfter(ClaimHolder.State.UNPUBLISHING)) {
          add(claim, holder);
        }
      }
    }

    private void add(Claim claim, ClaimHolder holder) {
      VolumeUse usage = VolumeUse.of(claim.volume(), holder.workload());
      ClaimEpoch named = new ClaimEpoch(node, usage, holder.epoch());
      if (holder.state() == ClaimHolder.State.UNPUBLISHING) {
        leaving.add(named);
      } else if (holder.attachment() instanceof InDoubt) {
        uncertain.add(named);
      } else {
        try {
          taken.add(ClaimCoordinator.this.taken(usage, claim, holder));
        } catch (ClaimException failed) {
          if (failed.code() != OperatorCode.CATALOG_UNREADABLE) {
            throw failed;
          }
          // A damaged record of one volume must not hide the other claims of the node.
          uncertain.add(named);
          unreadable.add(failed.operatorMessage());
        }
      }
    }

    ClaimsOfNode all() {
      return new ClaimsOfNode(taken, uncertain, leaving, unreadable);
    }
  }

  private ClaimsOfNode.Taken taken(VolumeUse usage, Claim claim, ClaimHolder holder) {
    PublishContext context =
        holder.attachment() instanceof Attached attached
            ? attached.context()
            : PublishContext.empty();
    return new ClaimsOfNode.Taken(
        grant(usage, claim, holder, context, false), claim.use().orElseThrow(), holder.facts());
  }

  /**
   * Returns the proofs that would let the release of a failed node's claims continue. This method
   * changes nothing, and calling it does not prove that the node is down.
   *
   * @return for each released claim that waits for the node, the possible proofs that the node can
   *     no longer write; also the node's claims that were not released, and all claims that cannot
   *     be read, because they may belong to the node
   */
  public List<ClaimProgress> nodeIsDown(NodeName node) {
    return each(
        holder ->
            holder.node().equals(node) && !holder.state().isAfter(ClaimHolder.State.UNPUBLISHING),
        List.of(),
        (usage, holder) -> {
          Intent intent =
              holder.state() == ClaimHolder.State.TAKEN
                  ? Intent.HOLD
                  : Intent.GIVE_BACK_WITHOUT_NODE;
          ClaimProgress progress =
              back.go(usage, holder.epoch(), intent, Optional.empty(), controller);
          if (progress instanceof ClaimProgress.NeedsProof needs) {
            reports.notice(usage, needs.message());
          }
          return progress;
        });
  }

  /**
   * Returns the claims of a node that the node does not know, because the process that made them
   * ended before it sent them to the node. These orphans remain until they are released and the
   * node sends a receipt. A claim that cannot be read may belong to any node. It is returned as
   * {@link ClaimProgress.Unreadable}, and not reported as an orphan.
   *
   * @param known the uses that the node has recorded or mounted
   */
  public List<ClaimProgress> orphans(NodeName node, Set<VolumeUse> known) {
    List<ClaimProgress> unknown = new ArrayList<>();
    for (ClaimProgress progress :
        each(
            holder ->
                holder.node().equals(node)
                    && !holder.state().isAfter(ClaimHolder.State.UNPUBLISHING),
            List.of(),
            ClaimProgress.Held::new)) {
      if (progress instanceof ClaimProgress.Held held && !known.contains(held.usage())) {
        reports.notice(
            held.usage(),
            OperatorCode.CLAIM_ORPHANED,
            Subject.of("looking through the claims of node '" + node + "':").by(held.usage()),
            "epoch "
                + held.holder().epoch()
                + " was claimed "
                + Duration.between(held.holder().since(), clock.instant()).toSeconds()
                + " s ago");
        unknown.add(progress);
      } else if (progress instanceof ClaimProgress.Unreadable) {
        unknown.add(progress);
      }
    }
    return unknown;
  }

  /**
   * Handles each matching claim. A failure affects only the claim that failed. A claim that cannot
   * be read is reported and skipped.
   *
   * @param last the volumes that are handled after all others, in this order
   */
  private List<ClaimProgress> each(
      Predicate<ClaimHolder> which,
      List<VolumeKey> last,
      BiFunction<VolumeUse, ClaimHolder, ClaimProgress> handling) {
    List<ClaimProgress> all = new ArrayList<>();
    Map<VolumeKey, Claim> kept = new LinkedHashMap<>();
    last.forEach(volume -> kept.put(volume, Claim.none(volume)));
    Optional<VolumeKey> after = Optional.empty();
    do {
      ClaimPage page = book.page(after, PAGE);
      for (Claim claim : page.claims()) {
        if (kept.replace(claim.volume(), claim) == null) {
          handle(claim, which, handling, all);
        }
      }
      for (ClaimPage.Unreadable each : page.unreadable()) {
        reports.tell(new ClaimEvent.Unreadable(each.volume(), each.message()));
        all.add(new ClaimProgress.Unreadable(each.volume(), each.message()));
      }
      after = page.next();
    } while (after.isPresent());
    kept.values().forEach(claim -> handle(claim, which, handling, all));
    return all;
  }

  private static void handle(
      Claim claim,
      Predicate<ClaimHolder> which,
      BiFunction<VolumeUse, ClaimHolder, ClaimProgress> handling,
      List<ClaimProgress> all) {
    for (ClaimHolder holder : claim.holders().values()) {
      if (which.test(holder)) {
        VolumeUse usage = VolumeUse.of(claim.volume(), holder.workload());
        try {
          all.add(handling.apply(usage, holder));
        } catch (ClaimException failed) {
          all.add(new ClaimProgress.Failed(usage, failed.operatorMessage()));
        }
      }
    }
  }
}
