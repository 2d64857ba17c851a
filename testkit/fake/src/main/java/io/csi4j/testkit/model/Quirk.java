package io.csi4j.testkit.model;

/**
 * A difference between a real plugin and the simplest plugin that obeys the spec.
 *
 * @since 1.0
 */
public enum Quirk {
  /** Controller and node have separate sockets. Lawful. */
  SEPARATE_SOCKETS(true),
  /**
   * The plugin answers {@code Probe} without {@code ready}. Lawful: an absent value means ready.
   */
  PROBE_WITHOUT_READY(true),
  /**
   * The lists of capabilities contain UNKNOWN (0) and a number that no version of CSI defines.
   * Lawful.
   */
  UNKNOWN_CAPABILITY(true),
  /** The plugin refuses a connection whose {@code :authority} is not {@code localhost}. Lawful. */
  STRICT_AUTHORITY(true),
  /**
   * The plugin reports 0 as the size of every volume and snapshot. Lawful: 0 means that the size is
   * unknown.
   */
  CAPACITY_UNTOLD(true),
  /**
   * The plugin answers a call with a relative {@code volume_path} with NOT_FOUND. Lawful: the spec
   * requires callers to send an absolute path, but names no code for a relative path.
   */
  RELATIVE_PATH_NOT_FOUND(true),
  /**
   * The plugin reads and deletes group snapshots by their id alone, if {@code snapshot_ids} is
   * absent. Lawful: callers must send the field, but no plugin must require it.
   */
  SNAPSHOT_IDS_NOT_NEEDED(true),
  /**
   * The plugin also attaches, stages and publishes volumes if {@code volume_context} is absent. It
   * still refuses a context that differs from the volume's own. Lawful: callers must send the
   * field, but no plugin must require it.
   */
  VOLUME_CONTEXT_NOT_NEEDED(true),
  /**
   * The plugin accepts data about the workload in the volume context of {@code NodePublishVolume},
   * under keys that begin with {@code csi.storage.k8s.io/}. A kubelet sends this data if {@code
   * podInfoOnMount} is set. The referee allows these keys only with this quirk, and only in that
   * call. Lawful: a plugin may read the data it receives.
   */
  WORKLOAD_FACTS_TAKEN(true),
  /**
   * The plugin supports inline volumes, as a kubelet uses them. {@code NodePublishVolume} creates a
   * volume if {@code csi.storage.k8s.io/ephemeral} is {@code true} in the volume context. No call
   * to create, attach or stage the volume is needed. {@code NodeUnpublishVolume} of the last target
   * deletes the volume, and a repeated call succeeds. The plugin does not remember deleted volumes,
   * so {@code NodeUnpublishVolume} of any unknown volume succeeds. The referee allows such calls
   * only with this quirk. Lawful: the spec does not say where volumes come from.
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
   * {@code ValidateVolumeCapabilities} answers OK without {@code confirmed}. Its message says that
   * the validation is not implemented.
   */
  CONFIRMED_LEFT_OUT_WITH_MESSAGE(false),
  /**
   * {@code ValidateVolumeCapabilities} confirms only the access modes, and no other part of the
   * request.
   */
  ONLY_ACCESS_MODE_CONFIRMED(false),
  /** {@code NodeUnpublishVolume} does not remove the target path. */
  TARGET_LEFT_BEHIND(false),
  /** {@code NodePublishVolume} answers OK and creates nothing at the target path. */
  TARGET_NEVER_MADE(false),
  /** Deleting a volume or snapshot that is already gone fails with INTERNAL. */
  SECOND_DELETE_INTERNAL(false),
  /** Every failure has the code UNKNOWN and an empty message. */
  FAILURES_UNKNOWN_AND_SILENT(false),
  /** The status OK has a status message. Lawful. */
  MESSAGE_ON_OK(true);

  private final boolean lawful;

  Quirk(boolean lawful) {
    this.lawful = lawful;
  }

  /** Returns whether a plugin with this quirk still conforms to the spec. */
  public boolean lawful() {
    return lawful;
  }
}
