package io.csi4j.volume.claim.spi;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountOptions;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import java.util.Optional;

/**
 * The storage system, as far as claims need it: it attaches volumes to nodes and detaches them. The
 * duties of an implementation:
 *
 * <ul>
 *   <li>For one volume it has one call at a time; the guard is asked in that turn, right before the
 *       call is sent, and if it says no nothing is sent.
 *   <li>It detaches with the same secrets as it attached with.
 *   <li>A call whose end is not known is said to be so, never a refusal.
 * </ul>
 *
 * <p>Methods block until there is an answer, and do not throw for what a plugin says. Safe for many
 * threads.
 *
 * @since 1.0
 */
public interface StorageController {

  /** Has a volume attached to a node. One that is attached there just so counts as attached. */
  ControllerAnswer attach(AttachmentTask task, Guard guard);

  /** Has a volume detached from a node. One that is not attached there counts as detached. */
  ControllerAnswer detach(AttachmentTask task, Guard guard);

  /**
   * Has a volume detached from a node for which no claim of it says that it is attached there. An
   * implementation that knows other names of the volume refuses this while there are any: the
   * attachment may be that of a claim under another name. By default, as {@link #detach}.
   */
  default ControllerAnswer detachUnclaimed(AttachmentTask task, Guard guard) {
    return detach(task, guard);
  }

  /**
   * Returns whether the plugin requires that a volume is attached to a node before its use there.
   * The coordinator calls this once for each claim, before it writes the claim.
   *
   * @throws io.csi4j.volume.claim.ClaimException if it cannot be known now; the coordinator then
   *     claims nothing
   */
  boolean attaches(VolumeKey volume);

  /**
   * Returns why a volume cannot be claimed as requested, such as for a use that it was not made
   * for. Called before a claim is written, and never for one that is there. It may wait for the
   * store of a catalog; the claim waits with it.
   *
   * @return nothing unless the implementation knows the volume
   */
  default Optional<Refused> whyNot(ClaimRequest request) {
    return Optional.empty();
  }

  /**
   * How a volume is mounted for the first claim on a node, in full: its own options, what the claim
   * states in their place, and the {@linkplain ClaimRequest#selinuxLabel label} and the {@linkplain
   * ClaimRequest#groupIfOffered group} of the request if the plugin takes them. Asked once for each
   * claim and kept with it, except for label and group where earlier claims on the node decide.
   *
   * @return what the request states, unless the implementation knows the volume's own options;
   *     nothing for a block device
   */
  default Optional<MountOptions> options(ClaimRequest request) {
    return request.statedOptions();
  }

  /**
   * The access mode under which the storage system knows a volume that is claimed for {@code mode}:
   * an older one, if the plugin does not know this one. A node uses the volume under the same.
   *
   * @return {@code mode}, unless the implementation knows that the volume goes by another one
   */
  default AccessMode knownMode(VolumeKey volume, AccessMode mode) {
    return mode;
  }

  /**
   * The plugin that attaches a volume and detaches it. While a plugin does not answer, a round over
   * all claims goes on with those of other plugins.
   *
   * @return nothing unless the implementation knows it; the volume is then handled in any case
   */
  default Optional<PluginId> plugin(VolumeKey volume) {
    return Optional.empty();
  }

  /** Whether a call still makes sense. */
  @FunctionalInterface
  interface Guard {

    /**
     * Asks again, at the place where it is written; may block, and throws if there is no answer.
     */
    boolean isWanted();
  }
}
