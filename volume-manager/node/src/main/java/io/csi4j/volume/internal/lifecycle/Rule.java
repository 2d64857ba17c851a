package io.csi4j.volume.internal.lifecycle;

/**
 * A rule of the protocol. All are on, always; that each is needed is shown by tests that turn one
 * off and see something break.
 */
public enum Rule {
  /** What is about to be taken is remembered before the call that takes it. */
  INTENT_BEFORE_CALL,
  /** A use is counted before its calls are made, not after. */
  USAGE_BEFORE_CALL,
  /** After OK the mount table is asked. */
  LOOK_AFTER_OK,
  /** A refusal proves nothing: an earlier try may have done it. */
  DISTRUST_REFUSALS,
  /** Uses come back from memory after a start. */
  USAGE_RESTORED,
  /** Before it is unstaged a volume is no longer taken for staged. */
  UNSTAGE_IN_DOUBT_FIRST,
  /** What was given back is remembered for a while. */
  TOMBSTONES,
  /** While a call may be going on in the plugin, only the same one is made for that path. */
  QUARANTINE,
  /** What was seen in another boot or mount namespace is in doubt. */
  PLACE_CHECKED,
  /** What a failed publish has left is taken away. */
  ROLLBACK,
  /** One operation of a volume at a time. */
  ONE_AT_A_TIME,
  /** Uses compare by value. */
  USAGE_BY_VALUE,
  /** A use that is not known is never the last one. */
  UNKNOWN_IS_NOT_LAST,
  /** A failed unpublish is a failure, whatever became of its directory. */
  UNPUBLISH_FAILURE_COUNTS,
  /** A volume is forgotten only when it is unstaged. */
  KEEP_UNTIL_UNSTAGED,
  /** One staging path for a volume, whatever its uses ask for. */
  ONE_STAGING_PATH,
  /** A single-writer volume is given to one workload at a time. */
  SINGLE_WRITER_ADMISSION,
  /** Nothing is unpublished before the host has said what it wants. */
  WAIT_FOR_HOST,
  /** A use whose dead mount is taken away to be made anew stays on record. */
  USE_OUTLIVES_REPAIR,
  /** A volume is staged anew only when none of its targets is there. */
  ALL_GONE_BEFORE_RESTAGE,
  /** Taking away what is in the way of a repair is finished before anything is published there. */
  WITHDRAW_BEFORE_PUBLISH,
  /** A plugin that is known to be unhealthy gets no call. */
  BARRED_GETS_NOTHING,
  /** Nothing is unmounted without the plugin before it was asked as often as the host said. */
  PLUGIN_FIRST,
  /** What is wanted under a claim is staged and published only while the claim is current. */
  EPOCH_CONFIRMED
}
