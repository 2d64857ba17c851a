package io.csi4j.volume.controller;

import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ReleaseProof;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.internal.names.Names;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Volumes with the lifetime of a job: created when a workload acquires them and, if their spec is
 * {@linkplain VolumeSpec.Builder#ephemeral ephemeral}, deleted when the last claim has been
 * released. A volume whose spec is not ephemeral is retained, and the next workload that acquires
 * it finds it.
 *
 * <p>After a crash at any moment, the same {@link #acquire} finds the existing volume and claim. If
 * the call is not repeated, {@link io.csi4j.volume.upkeep.Reaper} deletes the volume: give it
 * {@link io.csi4j.volume.upkeep.Reaper.Sources.Ephemeral#of(JobVolumes)}. A volume is deleted only
 * while its deletion holds the claims in their store, so no process can claim it meanwhile.
 *
 * <p>Methods block while they wait for the store of claims and the storage system. Thread-safe.
 *
 * <pre>{@code
 * JobVolumes volumes = new JobVolumes(controller, coordinator);
 * JobVolumes.Acquired scratch =
 *     volumes.acquire(
 *         VolumeSpec.builder(plugin)
 *             .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
 *             .capacity(CapacityRange.atLeast(1L << 30))
 *             .ephemeral(true) // without this it is retained
 *             .build(),
 *         request); // of volume JobVolumes.job(namespace, "render").volume("scratch")
 * node.mount(scratch.volume(), scratch.grant());
 *
 * volumes.release(request.usage()); // the task has ended
 * volumes.confirmRelease(node.receipt(request.usage(), scratch.grant().epoch())); // deleted
 * }</pre>
 *
 * @since 1.0
 */
public final class JobVolumes {

  /** Each retry means that another caller has released the last claim meanwhile. */
  private static final int TURNS = 64;

  private final VolumeController controller;
  private final ClaimCoordinator claims;

  /** The number of callers that are acquiring each volume. */
  private final ConcurrentMap<VolumeKey, Integer> acquiring = new ConcurrentHashMap<>();

  /**
   * Combines the volumes of a controller with their claims.
   *
   * @param controller opened with the store of claims ({@link
   *     VolumeController.Builder#claims(io.csi4j.volume.store.RecordStore)})
   * @param claims claims from the same store, whose coordinator attaches with {@link
   *     VolumeController#attachments}
   * @throws IllegalArgumentException if the controller was opened without the store of claims
   */
  public JobVolumes(VolumeController controller, ClaimCoordinator claims) {
    if (!controller.holdsWhatItDeletes()) {
      throw new IllegalArgumentException(
          "The controller was opened without the claim store, so it would delete claimed volumes."
              + " Open it with VolumeController.Builder.claims(RecordStore).");
    }
    this.controller = controller;
    this.claims = Objects.requireNonNull(claims, "claims");
  }

  /** Returns a job, as an owner of volumes with separate keys. */
  public static Owner job(Namespace namespace, String job) {
    return new Owner(namespace, List.of(job));
  }

  /**
   * A job, or a task of one, as the owner of volumes. Different names give different keys, and the
   * same names the same key.
   *
   * @param namespace the namespace of the job
   * @param names the name of the job, followed by the name of the task if the owner is a task
   */
  public record Owner(Namespace namespace, List<String> names) {

    /** Checks the names. */
    public Owner {
      Objects.requireNonNull(namespace, "namespace");
      names = List.copyOf(names);
      names.forEach(name -> Names.check("part of a volume id", name));
    }

    /**
     * Returns a task of this job; include the number of the instance if each instance has its own
     * volumes.
     */
    public Owner task(String task) {
      List<String> all = new ArrayList<>(names);
      all.add(task);
      return new Owner(namespace, all);
    }

    /**
     * Returns the key of a volume. All tasks of a job share a volume of the job.
     *
     * @param volume the name of the volume within the job
     */
    public VolumeKey volume(String volume) {
      return VolumeKey.of(
          namespace,
          Stream.concat(names.stream(), Stream.of(Names.check("part of a volume id", volume)))
              .map(name -> name.replace("%", "%25").replace("/", "%2F"))
              .collect(Collectors.joining("/")));
    }
  }

  /**
   * A volume that a workload has acquired.
   *
   * @param volume the volume, as its plugin has created it
   * @param grant the claim, for the node
   */
  public record Acquired(CatalogVolume volume, ClaimGrant grant) {

    /** Checks that both parts are set. */
    public Acquired {
      Objects.requireNonNull(volume, "volume");
      Objects.requireNonNull(grant, "grant");
    }
  }

  /** The outcome for the volume of a released claim. */
  public enum VolumeOutcome {
    /** A workload has a claim on it, possibly the released claim itself: the volume stays. */
    CLAIMED,
    /** No workload has a claim on it, and it is retained because its spec is not ephemeral. */
    RETAINED,
    /** The volume is deleted. */
    DELETED,
    /** The volume could not be deleted yet. The reaper tries again. */
    DELETION_PENDING
  }

  /**
   * The result of a release, or of one step of it.
   *
   * @param claim the progress of the claim, including what it waits for
   * @param volume the outcome for the volume
   * @param trouble the reason why the volume could not be deleted; present only for {@link
   *     VolumeOutcome#DELETION_PENDING}
   */
  public record Released(
      ClaimProgress claim, VolumeOutcome volume, Optional<OperatorMessage> trouble) {

    /** Checks that the parts are set and consistent. */
    public Released {
      Objects.requireNonNull(claim, "claim");
      if (trouble.isPresent() != (volume == VolumeOutcome.DELETION_PENDING)) {
        throw new IllegalArgumentException(
            "Trouble must be present exactly when the deletion is pending.");
      }
    }

    /**
     * Throws if the claim is not gone yet, for a caller that repeats the release until it is.
     *
     * @throws ClaimException {@link ChangeOutcome#UNAVAILABLE} if the claim is not gone, with what
     *     it waits for
     */
    public void requireGone() {
      if (!(claim instanceof ClaimProgress.Gone)) {
        throw new ClaimException(ChangeOutcome.UNAVAILABLE, why(), null);
      }
    }

    private OperatorMessage why() {
      if (claim instanceof ClaimProgress.WaitsForStorage waiting) {
        return waiting.message();
      }
      if (claim instanceof ClaimProgress.NeedsProof needing) {
        return needing.message();
      }
      if (claim instanceof ClaimProgress.Failed failed) {
        return failed.message();
      }
      if (claim instanceof ClaimProgress.Unreadable unreadable) {
        return unreadable.message();
      }
      return Messages.of(
          OperatorCode.CLAIM_BEING_RELEASED, Subject.of("releasing a claim"), claim.toString());
    }
  }

  /**
   * Creates the volume of a claim if it does not exist, claims it, and has it attached if
   * necessary. A repeated call returns the same result. If the claim is refused and no workload has
   * another claim, an ephemeral volume is deleted again.
   *
   * @param spec the spec of the volume; all callers that acquire the volume must pass the same spec
   * @param request the claim; its volume is the one to create, see {@link #job}
   * @throws ControllerException if the volume was not created
   * @throws ClaimException if the volume may not be claimed, or was not attached; a new claim is
   *     kept or released as {@link ClaimCoordinator#acquire} describes
   */
  public Acquired acquire(VolumeSpec spec, ClaimRequest request) {
    return acquire(spec, request, Duration.ZERO);
  }

  /**
   * Acquires a volume, and waits while the claim of another workload prevents that, as {@link
   * ClaimCoordinator#acquire(ClaimRequest, Duration)} does. If an ephemeral volume is deleted
   * meanwhile because its last claim was released, it is created again.
   *
   * @param patience the longest time to wait for other claims
   * @throws ControllerException as from {@link #acquire(VolumeSpec, ClaimRequest)}
   * @throws ClaimException likewise; after the time to wait, with the last reason for the refusal
   */
  public Acquired acquire(VolumeSpec spec, ClaimRequest request, Duration patience) {
    VolumeKey key = request.usage().volume();
    long end = System.nanoTime() + patience.toNanos();
    acquiring.merge(key, 1, Integer::sum);
    try {
      return acquired(spec, request, end);
    } catch (ClaimException failed) {
      if (failed.outcome() == ChangeOutcome.REFUSED) {
        after(request.usage(), new ClaimProgress.Gone(request.usage()));
      }
      throw failed;
    } finally {
      acquiring.computeIfPresent(key, (same, callers) -> callers == 1 ? null : callers - 1);
    }
  }

  private Acquired acquired(VolumeSpec spec, ClaimRequest request, long end) {
    VolumeKey key = request.usage().volume();
    for (int turn = 0; turn < TURNS; turn++) {
      CatalogVolume volume = created(key, spec);
      try {
        Duration left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
        ClaimGrant grant = claims.acquire(request, left);
        if (!controller.claims().mayKnow(key, grant.epoch())) {
          throw new IllegalStateException(
              "The claim of "
                  + request.usage()
                  + " is not in the controller's claim store, so the volume would be deleted while"
                  + " in use. Give both the same store.");
        }
        // Only a claim keeps the volume: it may have been deleted before the claim was made.
        if (isThere(volume)) {
          return new Acquired(volume, grant);
        }
      } catch (ClaimException failed) {
        if (isThere(volume) && !isAboutItsDeletion(failed)) {
          throw failed;
        }
      }
    }
    throw ControllerFailures.unavailable(
        OperatorCode.VOLUME_BEING_DELETED,
        Subject.of("acquiring").by(request.usage()),
        "it was released and deleted " + TURNS + " times meanwhile");
  }

  /** Returns the volume; finishes a pending deletion of the previous one first. */
  private CatalogVolume created(VolumeKey key, VolumeSpec spec) {
    try {
      return controller.create(key, spec);
    } catch (ControllerException failed) {
      if (failed.code() != OperatorCode.VOLUME_BEING_DELETED) {
        throw failed;
      }
    }
    controller.delete(key);
    return controller.create(key, spec);
  }

  /** Such a refusal may be out of date, even though another volume now has the same id. */
  private static boolean isAboutItsDeletion(ClaimException failed) {
    return failed.code() == OperatorCode.VOLUME_BEING_DELETED
        || failed.code() == OperatorCode.VOLUME_UNKNOWN;
  }

  private boolean isThere(CatalogVolume volume) {
    return controller.find(volume.key()).filter(now -> now.id().equals(volume.id())).isPresent();
  }

  /**
   * Releases a claim: from now on its node mounts nothing with it. The node usually has to give its
   * receipt after that. A use without a claim counts as gone, and its volume is deleted if no other
   * claim exists.
   *
   * @throws ClaimException if it is not known whether the release was written
   */
  public Released release(VolumeUse usage) {
    return after(usage, claims.release(usage));
  }

  /**
   * Releases one claim, as {@link ClaimCoordinator#release(ClaimEpoch)} does, and continues as
   * {@link #release(VolumeUse)}.
   *
   * @throws ClaimException as from {@link #release(VolumeUse)}
   */
  public Released release(ClaimEpoch claim) {
    return after(claim.usage(), claims.release(claim));
  }

  /**
   * Accepts the receipt of a node, and advances the release of the claim. When the last claim is
   * gone, the volume is deleted, or retained.
   *
   * @throws ClaimException as from {@link ClaimCoordinator#confirmRelease(NodeReceipt)}
   */
  public Released confirmRelease(NodeReceipt receipt) {
    return after(receipt.usage(), claims.confirmRelease(receipt));
  }

  /**
   * Accepts the receipt of a node, as {@link #confirmRelease(NodeReceipt)} does, without waiting
   * for a storage system. When this returns, the receipt is on record. The release is then advanced
   * in the background; if that fails, {@link ClaimCoordinator#resume()} continues it.
   *
   * @return a stage that completes when the background work ends
   * @throws ClaimException as from {@link ClaimCoordinator#noteProof}
   */
  public CompletionStage<Released> beginConfirmRelease(NodeReceipt receipt) {
    claims.noteProof(new ReleaseProof.ByNode(receipt));
    return controller.inBackground(
        Subject.of("continuing the release").by(receipt.usage()), () -> confirmRelease(receipt));
  }

  /**
   * Accepts a proof that the node of a claim can no longer write, and continues as with a receipt.
   *
   * @throws ClaimException as from {@link ClaimCoordinator#confirmRelease(ReleaseProof)}
   */
  public Released confirmRelease(ReleaseProof proof) {
    return after(proof.usage(), claims.confirmRelease(proof));
  }

  /**
   * Releases every claim of a node that can no longer write, each with a proof. The storage system
   * detaches the volumes from that node; if the node comes back, its claims are stale, and it
   * unmounts its volumes.
   *
   * @param node a node that is fenced, powered off, or gone
   * @param proof returns the proof for each claim; called after the claim was released
   * @return the result for each claim that can be read
   * @throws OperatorException if the claims cannot be read; or the first failure of a claim or its
   *     volume, with the others suppressed: a repeated call continues with the remaining claims,
   *     and the reaper with the volumes
   */
  public List<Released> endNode(NodeName node, NodeProof proof) {
    List<Released> ended = new ArrayList<>();
    List<OperatorException> failures = new ArrayList<>();
    for (ClaimEpoch each : claims.ofNode(node).all()) {
      try {
        claims.release(each);
        ended.add(confirmRelease(proof.of(each)));
      } catch (OperatorException failed) {
        failures.add(failed);
      }
    }
    if (!failures.isEmpty()) {
      OperatorException first = failures.get(0);
      failures.stream().skip(1).forEach(first::addSuppressed);
      throw first;
    }
    return List.copyOf(ended);
  }

  /** Proves for one claim that its node cannot write. */
  @FunctionalInterface
  public interface NodeProof {

    /** Returns the proof for this claim. */
    ReleaseProof of(ClaimEpoch claim);
  }

  /** Deletes or keeps the volume, depending on whether this was the last claim. */
  private Released after(VolumeUse usage, ClaimProgress claim) {
    VolumeKey key = usage.volume();
    if (!(claim instanceof ClaimProgress.Gone)) {
      return new Released(claim, VolumeOutcome.CLAIMED, Optional.empty());
    }
    Optional<CatalogEntry> record = controller.record(key);
    if (record.isPresent() && !record.get().spec().ephemeral()) {
      boolean isClaimed = controller.claims().mayBeHeld(key);
      return new Released(
          claim, isClaimed ? VolumeOutcome.CLAIMED : VolumeOutcome.RETAINED, Optional.empty());
    }
    try {
      controller.delete(key);
      return new Released(claim, VolumeOutcome.DELETED, Optional.empty());
    } catch (ControllerException failed) {
      return failed.code() == OperatorCode.VOLUME_CLAIMED
          ? new Released(claim, VolumeOutcome.CLAIMED, Optional.empty())
          : new Released(
              claim, VolumeOutcome.DELETION_PENDING, Optional.of(failed.operatorMessage()));
    }
  }

  /**
   * The recorded {@linkplain VolumeController#ephemeral ephemeral volumes} that this cluster has
   * created, that no workload has claimed, and that no caller is acquiring: left behind by a
   * process that died between two steps, or with a pending deletion. A volume whose claim cannot be
   * read is not included.
   */
  public List<VolumeKey> unclaimed() {
    return controller.ephemeral().stream()
        .filter(key -> !acquiring.containsKey(key))
        .filter(key -> !controller.claims().mayBeHeld(key))
        .toList();
  }

  /**
   * Deletes an ephemeral volume that no workload has claimed.
   *
   * @return whether it is gone
   * @throws ControllerException if it is claimed, or cannot be deleted now
   */
  public boolean deleteUnclaimed(VolumeKey volume) {
    if (controller.record(volume).filter(it -> !it.spec().ephemeral()).isPresent()) {
      return false;
    }
    controller.delete(volume);
    return controller.record(volume).isEmpty();
  }
}
