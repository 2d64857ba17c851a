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
 * Volumes that live with a job: created when a workload acquires them, and deleted when the last
 * claim has been given back, if their spec is {@linkplain VolumeSpec.Builder#ephemeral ephemeral};
 * one whose spec is not ephemeral is retained, and the next workload that acquires it finds it.
 *
 * <p>After a crash at any moment, the same {@link #acquire} finds the volume and the claim that
 * were made. If nobody asks again, {@link io.csi4j.volume.upkeep.Reaper} deletes the volume: give
 * it {@link io.csi4j.volume.upkeep.Reaper.Sources.Ephemeral#of(JobVolumes)}. A volume is deleted
 * only while the store of claims holds it for that, so no process can claim it meanwhile.
 *
 * <p>Methods block as long as the store of claims and the storage system do. Safe for many threads.
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

  /** Each turn that is lost means that another caller has given the last claim back meanwhile. */
  private static final int TURNS = 64;

  private final VolumeController controller;
  private final ClaimCoordinator claims;

  /** How many callers acquire each volume now. */
  private final ConcurrentMap<VolumeKey, Integer> acquiring = new ConcurrentHashMap<>();

  /**
   * Joins the volumes of a controller and their claims.
   *
   * @param controller opened with the store of claims ({@link
   *     VolumeController.Builder#claims(io.csi4j.volume.store.RecordStore)})
   * @param claims claims from the same store, and attaches by {@link VolumeController#attachments}
   * @throws IllegalArgumentException if the controller does not know the store of claims
   */
  public JobVolumes(VolumeController controller, ClaimCoordinator claims) {
    if (!controller.holdsWhatItDeletes()) {
      throw new IllegalArgumentException(
          "The controller does not know the store of claims, and would delete volumes that are"
              + " claimed. Open it with VolumeController.Builder.claims(RecordStore).");
    }
    this.controller = controller;
    this.claims = Objects.requireNonNull(claims, "claims");
  }

  /** Returns a job, whose volumes have keys of their own. */
  public static Owner job(Namespace namespace, String job) {
    return new Owner(namespace, List.of(job));
  }

  /**
   * A job, or a task of one, as the owner of volumes. Different names give different keys, and the
   * same names the same key.
   *
   * @param namespace whose job it is
   * @param names the name of the job, and of the task if it is one
   */
  public record Owner(Namespace namespace, List<String> names) {

    /** Checks the names. */
    public Owner {
      Objects.requireNonNull(namespace, "namespace");
      names = List.copyOf(names);
      names.forEach(name -> Names.check("part of a volume id", name));
    }

    /** Returns a task of this job, with the number of its instance if each has volumes. */
    public Owner task(String task) {
      List<String> all = new ArrayList<>(names);
      all.add(task);
      return new Owner(namespace, all);
    }

    /**
     * Returns the key of a volume. All tasks of a job share a volume of the job.
     *
     * @param volume the name of the volume in the job
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
   * @param volume the volume, as its plugin has made it
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
    /** A workload has a claim of it, maybe this one: it stays. */
    CLAIMED,
    /** Nobody has a claim of it, and it stays, as its spec says. */
    RETAINED,
    /** It is deleted. */
    DELETED,
    /** It could not be deleted yet. The reaper tries again. */
    DELETION_PENDING
  }

  /**
   * The result of a release, or of one step of it.
   *
   * @param claim the progress of the claim, and what it waits for
   * @param volume what happened to the volume
   * @param trouble the reason why it could not be deleted; present for {@link
   *     VolumeOutcome#DELETION_PENDING} alone
   */
  public record Released(
      ClaimProgress claim, VolumeOutcome volume, Optional<OperatorMessage> trouble) {

    /** Checks that the parts are there and fit. */
    public Released {
      Objects.requireNonNull(claim, "claim");
      if (trouble.isPresent() != (volume == VolumeOutcome.DELETION_PENDING)) {
        throw new IllegalArgumentException(
            "Trouble must be present exactly when the deletion is pending.");
      }
    }

    /**
     * Refuses a claim that is not gone yet, for a caller that repeats the release until it is.
     *
     * @throws ClaimException {@link ChangeOutcome#UNAVAILABLE} if it is not, with what it waits for
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
   * Creates the volume of a claim if it is not there, claims it, and has it attached where that is
   * needed. The same again gives the same. If the claim is refused and nobody else has one, an
   * ephemeral volume is deleted again.
   *
   * @param spec the volume; the same for all who acquire it
   * @param request the claim; its volume is the one that is created, see {@link #job}
   * @throws ControllerException if the volume was not created
   * @throws ClaimException if it may not be claimed, or was not attached; a claim that was made
   *     stays or is given back, as {@link ClaimCoordinator#acquire} says
   */
  public Acquired acquire(VolumeSpec spec, ClaimRequest request) {
    return acquire(spec, request, Duration.ZERO);
  }

  /**
   * The same, but waits while the claim of another workload is in the way, as {@link
   * ClaimCoordinator#acquire(ClaimRequest, Duration)} does. If an ephemeral volume is deleted
   * meanwhile, as its last claim was given back, it is created again.
   *
   * @param patience the longest time to wait for other claims
   * @throws ControllerException as from {@link #acquire(VolumeSpec, ClaimRequest)}
   * @throws ClaimException likewise; if the patience is over, with what was in the way last
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
                  + " is not in the store of claims that the controller asks, so the volume would"
                  + " be deleted while it is used. Give both the same store.");
        }
        // Only a claim keeps the volume: it may have been deleted before there was one.
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
        "it was given back and deleted " + TURNS + " times meanwhile");
  }

  /** The volume, also if it has to be deleted to its end first. */
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

  /** Such a refusal may be out of date by now, though another volume has the same id. */
  private static boolean isAboutItsDeletion(ClaimException failed) {
    return failed.code() == OperatorCode.VOLUME_BEING_DELETED
        || failed.code() == OperatorCode.VOLUME_UNKNOWN;
  }

  private boolean isThere(CatalogVolume volume) {
    return controller.find(volume.key()).filter(now -> now.id().equals(volume.id())).isPresent();
  }

  /**
   * Gives a claim back: from now on its node mounts nothing with it. Most often the node has to
   * give its receipt then. A use that has no claim is gone, and its volume is deleted if nobody
   * else has one.
   *
   * @throws ClaimException if it is not known whether that is written
   */
  public Released release(VolumeUse usage) {
    return after(usage, claims.release(usage));
  }

  /**
   * Gives back one claim, as {@link ClaimCoordinator#release(ClaimEpoch)} does, and goes on as
   * {@link #release(VolumeUse)}.
   *
   * @throws ClaimException as from {@link #release(VolumeUse)}
   */
  public Released release(ClaimEpoch claim) {
    return after(claim.usage(), claims.release(claim));
  }

  /**
   * Takes the receipt of a node, and brings the claim on. When the last claim is gone, the volume
   * is deleted, or retained.
   *
   * @throws ClaimException as from {@link ClaimCoordinator#confirmRelease(NodeReceipt)}
   */
  public Released confirmRelease(NodeReceipt receipt) {
    return after(receipt.usage(), claims.confirmRelease(receipt));
  }

  /**
   * Takes the receipt of a node, as {@link #confirmRelease(NodeReceipt)} does, and waits for no
   * storage system. When this returns, the receipt is on record. The claim is then brought on in
   * the background; if that fails, {@link ClaimCoordinator#resume()} goes on.
   *
   * @return the end of the work in the background
   * @throws ClaimException as from {@link ClaimCoordinator#noteProof}
   */
  public CompletionStage<Released> beginConfirmRelease(NodeReceipt receipt) {
    claims.noteProof(new ReleaseProof.ByNode(receipt));
    return controller.inBackground(
        Subject.of("bringing on the release").by(receipt.usage()), () -> confirmRelease(receipt));
  }

  /**
   * Takes a proof that the node of a claim cannot write any more, and goes on as with a receipt.
   *
   * @throws ClaimException as from {@link ClaimCoordinator#confirmRelease(ReleaseProof)}
   */
  public Released confirmRelease(ReleaseProof proof) {
    return after(proof.usage(), claims.confirmRelease(proof));
  }

  /**
   * Gives back every claim of a node that cannot write any more, each with a proof of that. What
   * was attached there is detached by the storage system; if the node comes back, its claims are
   * stale, and it unmounts what it has.
   *
   * @param node a node that is fenced, or off, or gone
   * @param proof the proof for each claim; it is made after the claim was released
   * @return what became of each claim that can be read
   * @throws OperatorException if the claims cannot be read; or the first failure of a claim or of
   *     its volume, the others suppressed: the same call again goes on with the claims that are
   *     left, and the reaper with the volumes
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

  /** Proves of one claim that its node cannot write. */
  @FunctionalInterface
  public interface NodeProof {

    /** Returns the proof for this claim. */
    ReleaseProof of(ClaimEpoch claim);
  }

  /** The volume follows its last claim. */
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
   * The {@linkplain VolumeController#ephemeral ephemeral volumes} on record that this cluster has
   * made, of which nobody has a claim, and that nobody acquires now: left over by a process that
   * died between two steps, or whose deletion is not done. One of which nobody can say whether it
   * is claimed is none of them.
   */
  public List<VolumeKey> unclaimed() {
    return controller.ephemeral().stream()
        .filter(key -> !acquiring.containsKey(key))
        .filter(key -> !controller.claims().mayBeHeld(key))
        .toList();
  }

  /**
   * Deletes an ephemeral volume of which nobody has a claim.
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
