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
 *   <li>It makes one call at a time for one volume; it asks the guard when the call's turn has
 *       come, right before the call is sent, and sends nothing if the guard refuses.
 *   <li>It detaches with the same secrets with which it attached.
 *   <li>It reports a call with an unknown result as unknown, never as refused.
 * </ul>
 *
 * <p>Methods block until there is an answer, and do not throw because of an answer of a plugin.
 * Safe for many threads.
 *
 * @since 1.0
 */
public interface StorageController {

  /**
   * Attaches a volume to a node. Succeeds if the volume is already attached there in the same way.
   */
  ControllerAnswer attach(AttachmentTask task, Guard guard);

  /** Detaches a volume from a node. Succeeds if the volume is not attached there. */
  ControllerAnswer detach(AttachmentTask task, Guard guard);

  /**
   * Detaches a volume from a node on which no claim has it attached. An implementation that knows
   * other names of the volume refuses this while there are any: the attachment may belong to a
   * claim under another name. Calls {@link #detach} by default.
   */
  default ControllerAnswer detachUnclaimed(AttachmentTask task, Guard guard) {
    return detach(task, guard);
  }

  /**
   * Returns whether the plugin requires that a volume is attached to a node before its use there.
   * The coordinator calls this once for each claim, before it writes the claim.
   *
   * @throws io.csi4j.volume.claim.ClaimException if this cannot be determined now; the coordinator
   *     then claims nothing
   */
  boolean attaches(VolumeKey volume);

  /**
   * Returns why a volume cannot be claimed as requested, for example for a use that it was not
   * created for. Called before a claim is written, and never for an existing claim. It may wait for
   * the store of a catalog; the claim then waits with it.
   *
   * @return empty unless the implementation knows the volume
   */
  default Optional<Refused> whyNot(ClaimRequest request) {
    return Optional.empty();
  }

  /**
   * Returns the complete mount options for the first claim on a node: the volume's own options,
   * replaced by those of the request, with the {@linkplain ClaimRequest#selinuxLabel label} and the
   * {@linkplain ClaimRequest#groupIfOffered group} of the request if the plugin supports them.
   * Called once for each claim and kept with it, except for label and group, which earlier claims
   * on the node decide.
   *
   * @return the options of the request, unless the implementation knows the volume's own options;
   *     empty for a block device
   */
  default Optional<MountOptions> options(ClaimRequest request) {
    return request.statedOptions();
  }

  /**
   * Returns the access mode under which the storage system knows a volume that is claimed for
   * {@code mode}: an older mode, if the plugin does not know this one. A node uses the volume with
   * the same mode.
   *
   * @return {@code mode}, unless the implementation knows that the volume has another one
   */
  default AccessMode knownMode(VolumeKey volume, AccessMode mode) {
    return mode;
  }

  /**
   * Returns the plugin that attaches and detaches a volume. While a plugin does not answer, a round
   * over all claims continues with those of other plugins.
   *
   * @return empty unless the implementation knows it; the volume is then handled in any case
   */
  default Optional<PluginId> plugin(VolumeKey volume) {
    return Optional.empty();
  }

  /** Decides whether a call is still wanted. */
  @FunctionalInterface
  interface Guard {

    /** Checks the stored state again; may block, and throws if there is no answer. */
    boolean isWanted();
  }
}
