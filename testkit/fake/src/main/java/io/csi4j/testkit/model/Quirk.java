package io.csi4j.testkit.model;

/**
 * A difference from the plainest lawful plugin, as found in the wild.
 *
 * @since 1.0
 */
public enum Quirk {
  /** Controller and node have separate sockets. Lawful. */
  SEPARATE_SOCKETS(true),
  /** {@code Probe} is answered without {@code ready}. Lawful: an absent value means ready. */
  PROBE_WITHOUT_READY(true),
  /**
   * The lists of capabilities contain UNKNOWN (0) and a number that no version of CSI defines.
   * Lawful.
   */
  UNKNOWN_CAPABILITY(true),
  /** The plugin refuses a connection whose {@code :authority} is not {@code localhost}. Lawful. */
  STRICT_AUTHORITY(true),
  /** The plugin does not report the sizes of volumes and snapshots: they are 0. Lawful. */
  CAPACITY_UNTOLD(true),
  /**
   * A {@code volume_path} that is not absolute is looked up and answered with NOT_FOUND. Lawful:
   * the spec requires an absolute path of callers, and names no code for a relative one.
   */
  RELATIVE_PATH_NOT_FOUND(true),
  /**
   * The plugin reads and deletes group snapshots by their id alone, if {@code snapshot_ids} is
   * absent. Lawful: callers must send the field, but no plugin must require it.
   */
  SNAPSHOT_IDS_NOT_NEEDED(true),
  /**
   * The plugin attaches, stages and publishes volumes without a {@code volume_context}, too; it
   * refuses a context other than the volume's own. Lawful: callers must send the field, but no
   * plugin must require it.
   */
  VOLUME_CONTEXT_NOT_NEEDED(true),
  /**
   * The plugin expects data about the workload in {@code NodePublishVolume}, in the volume context
   * under keys that begin with {@code csi.storage.k8s.io/}, as {@code podInfoOnMount} requests from
   * a kubelet. The referee allows these keys only with this quirk, and only in that call. Lawful: a
   * plugin may read the data it receives.
   */
  WORKLOAD_FACTS_TAKEN(true),
  /**
   * {@code NodePublishVolume} with {@code csi.storage.k8s.io/ephemeral} set to {@code true} in the
   * volume context creates the volume, which was never created, attached or staged; {@code
   * NodeUnpublishVolume} of its last target deletes it, and succeeds again after that: this is the
   * contract of a kubelet for inline volumes. The plugin does not remember deleted volumes, so
   * {@code NodeUnpublishVolume} of any unknown volume succeeds. The referee allows such calls only
   * with this quirk. Lawful: the spec does not say where volumes come from.
   */
  INLINE_VOLUMES_TAKEN(true),
  /**
   * {@code ControllerUnpublishVolume} detaches a volume that is still staged or published on the
   * node, as a storage system does after fencing the node. Lawful: callers must unstage the volume
   * first, but no plugin must check that.
   */
  DETACHES_WHAT_IS_IN_USE(true),
  /**
   * {@code ValidateVolumeCapabilities} answers OK without {@code confirmed} and without a reason.
   */
  CONFIRMED_LEFT_OUT(false),
  /**
   * {@code ValidateVolumeCapabilities} answers OK without {@code confirmed}, with a message that it
   * is not implemented.
   */
  CONFIRMED_LEFT_OUT_WITH_MESSAGE(false),
  /**
   * {@code ValidateVolumeCapabilities} confirms only the access modes, and no other part of the
   * request.
   */
  ONLY_ACCESS_MODE_CONFIRMED(false),
  /** {@code NodeUnpublishVolume} leaves the target path behind. */
  TARGET_LEFT_BEHIND(false),
  /** {@code NodePublishVolume} answers OK and creates nothing at the target path. */
  TARGET_NEVER_MADE(false),
  /** Deleting a volume or snapshot that is already gone fails with INTERNAL. */
  SECOND_DELETE_INTERNAL(false),
  /** Every failure is UNKNOWN with an empty message. */
  FAILURES_UNKNOWN_AND_SILENT(false),
  /** OK comes with a status message. */
  MESSAGE_ON_OK(true);

  private final boolean lawful;

  Quirk(boolean lawful) {
    this.lawful = lawful;
  }

  /** Returns whether a plugin with this quirk may still claim to conform to the spec. */
  public boolean lawful() {
    return lawful;
  }
}
