package io.csi4j.volume.node;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.node.VolumeStats;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import java.util.List;
import java.util.OptionalLong;

/**
 * Makes volumes appear for workloads, and go again.
 *
 * <p>The operations of one volume happen one after the other in the order in which they were asked
 * for; different volumes do not wait for each other. A call blocks until its operation has ended,
 * or until its patience has: then a {@link io.csi4j.volume.model.VolumeException} with outcome
 * {@link io.csi4j.volume.model.VolumeException.Outcome#IN_PROGRESS} says so, and the operation goes
 * on. Interrupting the caller ends its waiting and nothing else. Safe for many threads.
 *
 * <pre>{@code
 * try {
 *   MountedVolume mounted = mounter.mount(request);
 *   log.accept(mounted.path());
 *   mounter.refresh(request); // published again, with the secrets of now
 *   log.accept(mounter.unmount(request.usage())); // LAST: nobody here has the volume
 * } catch (VolumeException failed) {
 *   log.accept(failed.outcome() + " " + failed.getMessage());
 * }
 * }</pre>
 *
 * @since 1.0
 */
public interface VolumeMounter {

  /**
   * Makes a volume appear for a workload. Asking again for what is there gives it again, and two
   * who ask for the same at once share one operation. What fails is undone, now or in the
   * background.
   *
   * @throws io.csi4j.volume.model.VolumeException with what failed, why, what is safe, and what to
   *     do next; if undoing it failed too, with that as {@linkplain Throwable#getSuppressed()
   *     suppressed}
   */
  MountedVolume mount(MountRequest request);

  /**
   * Publishes again what a workload has, at the same place, with the contexts and secrets of this
   * request: for plugins that hand tokens or certificates on, which expire. All else in the request
   * is as it was when the volume was mounted. The call waits for its turn, and a release that is
   * asked for goes first. From then on a mount is repeated with the new contexts.
   *
   * <p>A refresh that fails leaves the volume mounted as it was: {@link
   * io.csi4j.volume.model.OperatorCode#REFRESH_REFUSED} if the plugin has refused it, {@link
   * io.csi4j.volume.model.OperatorCode#REFRESH_IN_DOUBT} if it is not known which contexts and
   * secrets are in force. Asking again is harmless.
   *
   * @throws io.csi4j.volume.model.VolumeException if the volume is not mounted for the workload, or
   *     is in another way, or it fails
   */
  MountedVolume refresh(MountRequest request);

  /**
   * Gives up the use of a volume by a workload. Needs nothing but the two names, neither secrets
   * nor what was asked for at the mount. A use that is not known is no failure. After an end that
   * was {@link io.csi4j.volume.model.VolumeException.Outcome#IN_PROGRESS} it may be asked again: it
   * ends with {@link UnmountOutcome#LAST} only when all that is owed for the volume is done.
   *
   * @throws io.csi4j.volume.model.VolumeException with what failed; the rest is done in the
   *     background
   */
  UnmountOutcome unmount(VolumeUse usage);

  /**
   * A person's way out when the release of a use does not end, because its plugin refuses it or a
   * person has to look: nothing more is owed for the use, no plugin is asked, and listeners are
   * told ({@link io.csi4j.volume.model.OperatorCode#ABANDONED}) with the reason. The volume is
   * unstaged by its plugin as ever when it was the last use; where that does not end either, asking
   * again abandons the staging. Never while something is mounted there: the refusal says how to
   * unmount it. What the plugin or the storage system still holds is not known afterwards.
   *
   * @param usage a use whose release was asked for, or that is in doubt
   * @param reason why, for those who read it later; no secret
   * @return as of {@link #unmount}
   * @throws io.csi4j.volume.model.VolumeException if something is mounted there or that cannot be
   *     found out, or the use is mounted and well; or with what is left
   * @throws IllegalArgumentException if there is no reason
   */
  UnmountOutcome abandon(VolumeUse usage, String reason);

  /**
   * Whether a workload has a volume: it is on record, the mount table shows it, and what serves it
   * is not known to have ended. Waits for no server.
   *
   * @throws io.csi4j.volume.model.VolumeException if the mount table cannot be read
   */
  boolean hasMount(VolumeUse usage);

  /**
   * Lets the node take notice that a volume has grown.
   *
   * @return the capacity that the plugin tells; nothing if it does not
   * @throws io.csi4j.volume.model.VolumeException if the volume is not mounted for the workload, or
   *     it fails; with {@link io.csi4j.volume.model.VolumeException.Outcome#IN_PROGRESS} if the
   *     filesystem may have grown all the same: ask again, which is harmless
   */
  OptionalLong expand(ExpandRequest request);

  /** Lets the node take notice that a volume has grown, needing no secrets. */
  default OptionalLong expand(VolumeUse usage, CapacityRange capacity) {
    return expand(ExpandRequest.of(usage, capacity));
  }

  /**
   * Reads how full a volume is, and whether it is well.
   *
   * @throws io.csi4j.volume.model.VolumeException if the volume is not mounted for the workload, or
   *     it fails
   */
  VolumeStats stats(VolumeUse usage);

  /**
   * Asks the plugin for the faults of the volume of a use now, looks at its mounts, and returns all
   * that is known. Where an operation of the volume is being done, or the plugin does not answer
   * within 10 s, the known faults are older. For a host that keeps the calls of its controller and
   * those of its nodes apart: it turns the questions at an interval off ({@link
   * io.csi4j.volume.model.MountPolicy#healthInterval}) and asks when it knows of no other call.
   *
   * @throws io.csi4j.volume.model.VolumeException if there is no such use
   */
  VolumeHealth health(VolumeUse usage);

  /**
   * Returns the workloads that use a volume now, certain or not, in order; none if it is not known.
   */
  List<WorkloadId> usage(VolumeKey volume);

  /**
   * Returns the status of a volume: one for each volume of a plugin that the key stands for. After
   * its last use it is known until it is given back; then nothing is.
   */
  List<VolumeStatus> status(VolumeKey volume);

  /** Returns the status of every volume. */
  List<VolumeStatus> volumes();

  /** Explains a volume: what is being done, what stands in the way, and what to do; for people. */
  Explanation explain(VolumeKey volume);

  /**
   * Explains a workload: what is being done, what stands in the way, and what to do; for people.
   */
  Explanation explain(WorkloadId workload);

  /** Returns the operations that do not block: each of those here that waits for its end. */
  AsyncVolumeMounter async();
}
