package io.csi4j.volume.internal.port;

import io.csi4j.volume.internal.record.Verb;

/**
 * A named moment of an operation. If the process ends there, a restart must be able to go on from
 * what is left.
 */
public enum CrashPoint {
  /** Publish: admitted in memory. */
  ADMITTED,
  /** Publish: the intent is remembered. */
  INTENT_SAVED,
  /** Publish: the directories of the volume are made. */
  VOLUME_PREPARED,
  /** Publish: staging is about to be asked for. */
  BEFORE_STAGE,
  /** Publish: the answer to staging is in. */
  STAGE_ANSWERED,
  /** Publish: the mount table was asked about staging. */
  STAGING_SEEN,
  /** Publish: staged, and the intent to publish is remembered. */
  STAGED_SAVED,
  /** Publish: the directory above the target is made. */
  USE_PREPARED,
  /** Publish: publishing is about to be asked for. */
  BEFORE_PUBLISH,
  /** Publish: the answer is in. */
  PUBLISH_ANSWERED,
  /** Publish: the mount table was asked. */
  TARGET_SEEN,
  /** Publish: published is remembered. */
  PUBLISHED_SAVED,
  /** Publish: the caller is told. */
  CALLER_TOLD,
  /** Release: the intent is remembered. */
  RELEASE_SAVED,
  /** Release: unpublishing is about to be asked for. */
  BEFORE_UNPUBLISH,
  /** Release: the answer is in. */
  UNPUBLISH_ANSWERED,
  /** Release: the target is gone, and what was left of it removed. */
  USE_REMOVED,
  /** Release: the end of the use is remembered. */
  USE_END_SAVED,
  /** Release: unstaging is about to be asked for. */
  BEFORE_UNSTAGE,
  /** Release: the answer is in. */
  UNSTAGE_ANSWERED,
  /** Release: the staging is gone, and the directories removed. */
  VOLUME_REMOVED,
  /** Release: the tombstone is remembered. */
  TOMBSTONE_SAVED,
  /** The tombstone is removed. */
  TOMBSTONE_REMOVED;

  /** The point before a call. */
  public static CrashPoint before(Verb verb) {
    return switch (verb) {
      case STAGE -> BEFORE_STAGE;
      case PUBLISH -> BEFORE_PUBLISH;
      case UNPUBLISH -> BEFORE_UNPUBLISH;
      case UNSTAGE -> BEFORE_UNSTAGE;
    };
  }

  /** The point at which the answer to a call is there. */
  public static CrashPoint answered(Verb verb) {
    return switch (verb) {
      case STAGE -> STAGE_ANSWERED;
      case PUBLISH -> PUBLISH_ANSWERED;
      case UNPUBLISH -> UNPUBLISH_ANSWERED;
      case UNSTAGE -> UNSTAGE_ANSWERED;
    };
  }

  /** Is told of every named moment; in production none is set. */
  @FunctionalInterface
  public interface Listener {

    /** Ignores them. */
    Listener NONE = point -> {};

    /** An operation is at this moment. */
    void at(CrashPoint point);
  }
}
