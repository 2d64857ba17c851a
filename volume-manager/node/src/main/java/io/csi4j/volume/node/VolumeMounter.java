package io.csi4j.volume.node;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.node.VolumeStats;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import java.util.List;
import java.util.OptionalLong;

/**
 * Mounts and unmounts volumes for workloads.
 *
 * <p>Operations on one volume run one after the other, in the order of the requests; operations on
 * different volumes do not wait for each other. A call blocks until its operation ends or its
 * waiting time is over. If the waiting time is over first, a {@link
 * io.csi4j.volume.model.VolumeException} with outcome {@link
 * io.csi4j.volume.model.VolumeException.Outcome#IN_PROGRESS} is thrown, and the operation
 * continues. Interrupting the caller also ends only the waiting. Safe for use by many threads.
 *
 * <pre>{@code
 * try {
 *   MountedVolume mounted = mounter.mount(request);
 *   log.accept(mounted.path());
 *   mounter.refresh(request); // published again, with the current secrets
 *   log.accept(mounter.unmount(request.usage())); // LAST: no workload here uses the volume
 * } catch (VolumeException failed) {
 *   log.accept(failed.outcome() + " " + failed.getMessage());
 * }
 * }</pre>
 *
 * @since 1.0
 */
public interface VolumeMounter {

  /**
   * Mounts a volume for a workload. A repeated request returns the existing mount, and two
   * concurrent requests for the same mount share one operation. A failed mount is undone,
   * immediately or in the background.
   *
   * @throws io.csi4j.volume.model.VolumeException if the mount fails. The message says what failed,
   *     why, and what to do next. If undoing the mount failed too, that failure is {@linkplain
   *     Throwable#getSuppressed() suppressed}
   */
  MountedVolume mount(MountRequest request);

  /**
   * Publishes a mounted volume again at the same path, with the contexts and secrets of this
   * request. This is for plugins that pass on tokens or certificates, which expire. All other
   * values of the request must be the same as when the volume was mounted. The refresh waits until
   * earlier operations on the volume have ended, and a requested release runs before it. After a
   * refresh, a repeated mount request needs the new contexts.
   *
   * <p>A refresh that fails leaves the volume mounted as it was: {@link
   * io.csi4j.volume.model.OperatorCode#REFRESH_REFUSED} if the plugin refused the call, {@link
   * io.csi4j.volume.model.OperatorCode#REFRESH_IN_DOUBT} if it is not known whether the old or the
   * new contexts and secrets are in effect. Repeating the call is harmless.
   *
   * @throws io.csi4j.volume.model.VolumeException if the volume is not mounted for the workload, if
   *     it is mounted in another way, or if the refresh fails
   */
  MountedVolume refresh(MountRequest request);

  /**
   * Releases the use of a volume by a workload. The names of the volume and the workload suffice;
   * neither secrets nor mount options are needed. An unknown use is not a failure. After the
   * outcome {@link io.csi4j.volume.model.VolumeException.Outcome#IN_PROGRESS} the caller may repeat
   * the call. The call returns {@link UnmountOutcome#LAST} only when no cleanup of the volume is
   * pending.
   *
   * @throws io.csi4j.volume.model.VolumeException if the release fails; it continues in the
   *     background
   */
  UnmountOutcome unmount(VolumeUse usage);

  /**
   * Abandons a use whose release does not end, because its plugin refuses the release or an
   * operator has to act. Only an operator should decide to abandon a use. The manager then drops
   * the pending cleanup of the use, calls no plugin for it, and sends listeners {@link
   * io.csi4j.volume.model.OperatorCode#ABANDONED} with the reason. After the last use, the plugin
   * unstages the volume as usual; if unstaging does not end either, a repeated call abandons the
   * staging. The call is refused while something is mounted at the path; the refusal says how to
   * unmount it. After a use is abandoned, the manager does not know whether the plugin or the
   * storage system still holds resources for it.
   *
   * @param usage a use whose release was requested, or that is uncertain
   * @param reason the reason, for later readers; must not contain a secret
   * @return the same as {@link #unmount}
   * @throws io.csi4j.volume.model.VolumeException if something is mounted at the path, if that
   *     cannot be determined, if the use is mounted and healthy, or if a part of the volume could
   *     not be released; the message then says what is left
   * @throws IllegalArgumentException if the reason is empty
   */
  UnmountOutcome abandon(VolumeUse usage, String reason);

  /**
   * Returns whether a volume is mounted for a workload: the use is on record, the mount table shows
   * the mount, and the server of the mount is not known to have ended. The call does not contact
   * the server of the mount.
   *
   * @throws io.csi4j.volume.model.VolumeException if the mount table cannot be read
   */
  boolean hasMount(VolumeUse usage);

  /**
   * Expands a volume on the node after the volume has grown.
   *
   * @param usage one use of the volume; the plugin receives its path
   * @param capacity the current capacity of the volume
   * @param secrets the provider of the secrets
   * @return the capacity that the plugin reports; empty if the plugin reports none
   * @throws io.csi4j.volume.model.VolumeException if the volume is not mounted for the workload, or
   *     if the expansion fails; with {@link
   *     io.csi4j.volume.model.VolumeException.Outcome#IN_PROGRESS} if the filesystem may have grown
   *     nevertheless: repeat the call, which is harmless
   */
  OptionalLong expand(VolumeUse usage, CapacityRange capacity, SecretsProvider secrets);

  /** Expands a volume on the node after the volume has grown, without secrets. */
  default OptionalLong expand(VolumeUse usage, CapacityRange capacity) {
    return expand(usage, capacity, SecretsProvider.none());
  }

  /**
   * Reads the usage and the condition of a volume.
   *
   * @throws io.csi4j.volume.model.VolumeException if the volume is not mounted for the workload, or
   *     if the call fails
   */
  VolumeStats stats(VolumeUse usage);

  /**
   * Asks the plugin now for the faults of the volume that this use belongs to, checks the volume's
   * mounts, and returns all known faults. If an operation on the volume is running, or the plugin
   * does not answer within 10 s, the returned faults may come from an earlier check. A host that
   * must not call a plugin on the controller and on a node at the same time can turn periodic
   * checks off ({@link io.csi4j.volume.model.MountPolicy#healthInterval}) and call this method when
   * no other call is running.
   *
   * @throws io.csi4j.volume.model.VolumeException if there is no such use
   */
  VolumeHealth health(VolumeUse usage);

  /**
   * Returns the workloads that use a volume now, including uncertain uses, in order; empty if the
   * volume is not known.
   */
  List<WorkloadId> usage(VolumeKey volume);

  /**
   * Returns the status of each volume with this key; there can be one for each plugin. After its
   * last use, a volume stays in the list until its cleanup has ended.
   */
  List<VolumeStatus> status(VolumeKey volume);

  /** Returns the status of every volume. */
  List<VolumeStatus> volumes();

  /** Explains a volume to people: the running work, the obstacles, and what to do. */
  Explanation explain(VolumeKey volume);

  /** Explains a workload to people: the running work, the obstacles, and what to do. */
  Explanation explain(WorkloadId workload);

  /** Returns a non-blocking variant of each method here that waits for an operation. */
  AsyncVolumeMounter async();
}
