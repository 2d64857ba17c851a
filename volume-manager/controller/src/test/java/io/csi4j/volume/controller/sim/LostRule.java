package io.csi4j.volume.controller.sim;

/** A rule that a simulation does not keep: each has to be found by the harm that follows. */
enum LostRule {
  /** A write of a volume's record counts whatever is there. */
  RECORD_WITHOUT_CONDITION,
  /** A write of a claim counts whatever is there. */
  CLAIM_WITHOUT_CONDITION,
  /** A session is removed although it was renewed since it was read. */
  SESSION_WITHOUT_CONDITION,
  /** A former owner sees its work in the record, with its epoch, after another one has it. */
  EPOCH_IS_FORGOTTEN,
  /** Work that an ended session has left is not seen: a deletion is taken back after a takeover. */
  TAKEOVER_IS_NOT_SEEN,
  /** Of several records that are written at once, one is written without the others. */
  JOINT_WRITE_IS_TORN,
  /** The claims of a volume are not held while it is deleted. */
  NOTHING_IS_HELD,
  /** A creation that is repeated by another process has another name. */
  NAME_IS_NOT_KEPT,
  /** A call is sent however long ago the session was renewed. */
  SESSION_AGE_IS_IGNORED,
  /** One clock is fast, so its control plane ends sessions that last. */
  SESSION_ENDS_EARLY,
  /** A control plane never looks for the work of others that have ended. */
  LEFT_WORK_STAYS,
  /** A creation without an answer counts as refused. */
  UNKNOWN_IS_REFUSED,
  /** A volume is deleted after its deletion was refused. */
  REFUSED_DELETION_IS_LATE,
  /** A write is answered and not made. */
  WRITE_IS_LOST,
  /** A volume is claimed without a look at its record. */
  RECORD_IS_NOT_ASKED,
  /** Work of others on a snapshot is not seen. */
  SNAPSHOT_WORK_IS_NOT_SEEN,
  /** A snapshot that is on record is not seen. */
  SNAPSHOT_IS_NOT_SEEN,
  /** A snapshot that is asked for again by another process has another name. */
  SNAPSHOT_NAME_IS_NOT_KEPT,
  /** A snapshot whose call has no answer counts as refused. */
  UNKNOWN_SNAPSHOT_IS_REFUSED
}
