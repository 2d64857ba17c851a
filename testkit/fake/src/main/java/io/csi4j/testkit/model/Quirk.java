package io.csi4j.testkit.model;

/**
 * One way in which a plugin differs from the plainest lawful one, as found in the wild.
 *
 * @since 1.0
 */
public enum Quirk {
  /** Controller and node are served on sockets of their own. Lawful. */
  SEPARATE_SOCKETS(true),
  /** {@code Probe} is answered without {@code ready}. Lawful: it means ready. */
  PROBE_WITHOUT_READY(true),
  /** The lists of capabilities hold an UNKNOWN (0) and a number from the future. Lawful. */
  UNKNOWN_CAPABILITY(true),
  /** A connection whose {@code :authority} is not {@code localhost} is refused. Lawful. */
  STRICT_AUTHORITY(true),
  /** How large volumes and snapshots are is not told: 0. Lawful. */
  CAPACITY_UNTOLD(true),
  /**
   * A {@code volume_path} that is not absolute is looked for, and answered with NOT_FOUND. Lawful:
   * the spec asks callers for an absolute path, and names no code for another.
   */
  RELATIVE_PATH_NOT_FOUND(true),
  /**
   * Group snapshots are told and deleted by their id alone, where {@code snapshot_ids} is left out.
   * Lawful: callers have to send it, and no plugin has to need it.
   */
  SNAPSHOT_IDS_NOT_NEEDED(true),
  /**
   * Volumes are attached, staged and published without {@code volume_context}, too; another one
   * than the volume's own is refused. Lawful: callers have to send it, and no plugin has to need
   * it.
   */
  VOLUME_CONTEXT_NOT_NEEDED(true),
  /**
   * {@code NodePublishVolume} is expected to tell of the workload, beside the volume's context,
   * under keys that begin with {@code csi.storage.k8s.io/}: as {@code podInfoOnMount} asks of a
   * kubelet. Only with this does the referee allow them, and only there. Lawful: a plugin may read
   * what it is given.
   */
  WORKLOAD_FACTS_TAKEN(true),
  /**
   * {@code NodePublishVolume} with {@code csi.storage.k8s.io/ephemeral} set to {@code true} in the
   * volume context makes the volume, which was never created, attached or staged; {@code
   * NodeUnpublishVolume} of its last target deletes it, and succeeds again after that: as a kubelet
   * asks for inline volumes. As the plugin does not remember which volumes it had, {@code
   * NodeUnpublishVolume} of any unknown volume succeeds. Only with this does the referee allow such
   * calls. Lawful: the spec does not say where volumes come from.
   */
  INLINE_VOLUMES_TAKEN(true),
  /**
   * {@code ControllerUnpublishVolume} detaches a volume that the node still has staged or
   * published, as a storage system does that has fenced the node. Lawful: callers have to unstage
   * it first, and no plugin has to check that.
   */
  DETACHES_WHAT_IS_IN_USE(true),
  /**
   * {@code ValidateVolumeCapabilities} answers OK without {@code confirmed}, and without reason.
   */
  CONFIRMED_LEFT_OUT(false),
  /**
   * {@code ValidateVolumeCapabilities} answers OK without {@code confirmed}, with a message that it
   * is not implemented.
   */
  CONFIRMED_LEFT_OUT_WITH_MESSAGE(false),
  /**
   * {@code ValidateVolumeCapabilities} confirms the access modes alone: neither how the volume is
   * used under them, nor anything else that it was asked.
   */
  ONLY_ACCESS_MODE_CONFIRMED(false),
  /** {@code NodeUnpublishVolume} leaves the target path behind. */
  TARGET_LEFT_BEHIND(false),
  /** {@code NodePublishVolume} answers OK and makes nothing at the target path. */
  TARGET_NEVER_MADE(false),
  /** Deleting what is gone fails with INTERNAL. */
  SECOND_DELETE_INTERNAL(false),
  /** Every failure is UNKNOWN with an empty text. */
  FAILURES_UNKNOWN_AND_SILENT(false),
  /** OK comes with a status message. */
  MESSAGE_ON_OK(true);

  private final boolean lawful;

  Quirk(boolean lawful) {
    this.lawful = lawful;
  }

  /** Whether a plugin may be like this and still claim to conform to the spec. */
  public boolean lawful() {
    return lawful;
  }
}
