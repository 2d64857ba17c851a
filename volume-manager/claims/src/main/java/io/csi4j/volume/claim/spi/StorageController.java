package io.csi4j.volume.claim.spi;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountOptions;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import java.util.Optional;

/**
 * Attaches volumes to nodes and detaches them, on behalf of claims. An implementation must follow
 * these rules:
 *
 * <ul>
 *   <li>It makes only one call at a time for a volume. It calls the guard right before it sends a
 *       call, after any wait for other calls. If the guard refuses, it does not send the call.
 *   <li>It detaches a volume with the same secrets that it used to attach the volume.
 *   <li>If the result of a call is unknown, it reports the result as unknown, never as refused.
 * </ul>
 *
 * <p>Methods block until the storage system has answered. A failure that a plugin reports is
 * returned, not thrown. Implementations must be thread-safe.
 *
 * @since 1.0
 */
public interface StorageController {

  /**
   * Attaches a volume to a node. Succeeds if the volume is already attached to the node in the
   * requested way.
   */
  ControllerAnswer attach(AttachmentTask task, Guard guard);

  /** Detaches a volume from a node. Succeeds if the volume is not attached to the node. */
  ControllerAnswer detach(AttachmentTask task, Guard guard);

  /**
   * Detaches a volume from a node if no claim needs the attachment. An implementation must refuse
   * this if it knows the same volume under another name, because a claim under that name may need
   * the attachment. The default implementation calls {@link #detach}.
   */
  default ControllerAnswer detachUnclaimed(AttachmentTask task, Guard guard) {
    return detach(task, guard);
  }

  /**
   * Whether a volume must be attached to a node before the node can use it, as its plugin requires.
   * The coordinator calls this method before it writes a claim.
   *
   * @throws io.csi4j.volume.claim.ClaimException if this cannot be determined now; the coordinator
   *     then does not make the claim
   */
  boolean attaches(VolumeKey volume);

  /**
   * Returns why a volume cannot be claimed as requested, for example because it was not created for
   * this use. The coordinator calls this method before it writes a new claim, and never for an
   * existing claim. The method may block while it reads a catalog, and delays the claim for that
   * time.
   *
   * @return empty if the claim is allowed, or if the implementation does not know the volume
   */
  default Optional<Refused> whyNot(ClaimRequest request) {
    return Optional.empty();
  }

  /**
   * Returns the complete mount options for the first claim on a node. These are the volume's own
   * options, overridden by the options of the request. The {@linkplain ClaimRequest#selinuxLabel
   * label} and the {@linkplain ClaimRequest#groupIfOffered group} of the request are added if the
   * plugin supports them. The coordinator stores the options with the claim. If the node already
   * has a claim of the volume, that claim decides whether the label and the group are used.
   *
   * @return only the options of the request if the implementation does not know the volume's own
   *     options; empty for a block device
   */
  default Optional<MountOptions> options(ClaimRequest request) {
    return request.statedOptions();
  }

  /**
   * Returns the access mode that is sent to the storage system for a volume that is claimed with
   * {@code mode}. This is an older mode if the plugin does not support the claimed mode. The node
   * uses the volume with the returned mode, too.
   *
   * @return {@code mode}, unless the implementation knows that the plugin needs another mode
   */
  default AccessMode knownMode(VolumeKey volume, AccessMode mode) {
    return mode;
  }

  /**
   * Returns the plugin that attaches and detaches a volume. If a plugin does not answer, a round
   * over all claims skips the other claims of that plugin.
   *
   * @return empty if the implementation does not know the plugin; claims of the volume are then
   *     never skipped
   */
  default Optional<PluginId> plugin(VolumeKey volume) {
    return Optional.empty();
  }

  /** Decides whether a call to the storage system is still needed. */
  @FunctionalInterface
  interface Guard {

    /**
     * Whether the call is still needed, according to the current claims. Reads the store, so it may
     * block, and throws if the store does not answer.
     */
    boolean isWanted();
  }
}
