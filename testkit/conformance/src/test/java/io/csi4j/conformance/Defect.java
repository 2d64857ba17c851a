package io.csi4j.conformance;

/** One way in which an orchestrator is wrong, to be switched on in the toy. */
enum Defect {
  /** The first of several workloads to leave unstages and detaches. */
  ANY_UNMOUNT_IS_THE_LAST,
  /** A workload without the volume leaves: taken for the last one. */
  STRANGER_IS_THE_LAST,
  /** Who uses what is kept in memory only. */
  FORGETS_AT_RESTART,
  /** A failed unpublish counts as done. */
  FAILED_UNPUBLISH_IS_DONE,
  /** The record is removed before the unstaging succeeded. */
  RECORD_GONE_BEFORE_UNSTAGE,
  /** Whoever failed to mount owes nothing. */
  FAILED_MOUNT_IS_FORGOTTEN,
  /** Each workload has a staging path of its own. */
  STAGING_PER_WORKLOAD,
  /** Nobody looks whether anything is there after OK. */
  OK_IS_BELIEVED,
  /** Nothing keeps two calls for a volume apart. */
  NO_LOCK,
  /** A user is recorded after the publishing, and nobody waits for that. */
  CLAIM_AFTER_PUBLISH,
  /** The target path is made before it is published at. */
  MAKES_TARGET,
  /** What is refused for good is sent again. */
  REPEATS_WHAT_IS_REFUSED,
  /** Publishing carries the secrets of staging. */
  SECRETS_OF_ANOTHER_CALL,
  /** What attaching returned is not handed on. */
  LOSES_PUBLISH_CONTEXT,
  /** The volume's own context is not handed on. */
  LOSES_VOLUME_CONTEXT,
  /** No volume is ever attached: the host has no controller. */
  HAS_NO_CONTROLLER,
  /** Detaching comes before unstaging. */
  DETACHES_FIRST,
  /** Each attempt to publish takes another path. */
  NEW_PATH_EACH_ATTEMPT,
  /** Ids are made tidy. */
  LOWERCASES_IDS,
  /** One lock for all volumes. */
  ONE_LOCK_FOR_ALL,
  /** A staging without an answer counts as not done. */
  UNCERTAIN_IS_NOT_DONE,
  /** Nobody is told that a workload may only read. */
  IGNORES_READ_ONLY,
  /** What a workload has is published again in the way that it requests last. */
  LAST_ORDER_WINS,
  /** Publishing says nothing of mount flags, which staging has. */
  FLAGS_AT_STAGING_ONLY,
  /** A plugin that wants to be told of the workload is told where the volume is staged, too. */
  FACTS_AT_STAGING,
  /** What was staged is known from what the plugin offers now. */
  TRUSTS_PRESENT_CAPABILITIES,
  /** What could not be refreshed is taken away, as what could not be mounted is. */
  UNDOES_FAILED_REFRESH,
  /** The id of an inline volume is made of its name in the job alone. */
  INLINE_NAMED_BY_JOB
}
