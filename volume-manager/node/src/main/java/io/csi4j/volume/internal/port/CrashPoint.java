package io.csi4j.volume.internal.port;

import io.csi4j.volume.internal.record.Verb;

/**
 * A named point of an operation. If the process ends at this point, the manager must be able to
 * continue the operation after a restart.
 */
public enum CrashPoint {
  /** Publish: the operation is admitted, and nothing is saved yet. */
  ADMITTED,
  /** Publish: the intent is saved. */
  INTENT_SAVED,
  /** Publish: the directories of the volume are created. */
  VOLUME_PREPARED,
  /** Publish: the call to stage is about to be made. */
  BEFORE_STAGE,
  /** Publish: the call to stage has ended. */
  STAGE_ANSWERED,
  /** Publish: the mount table was read after staging. */
  STAGING_SEEN,
  /** Publish: the volume is staged, and the intent to publish is saved. */
  STAGED_SAVED,
  /** Publish: the parent directory of the target is created. */
  USE_PREPARED,
  /** Publish: the call to publish is about to be made. */
  BEFORE_PUBLISH,
  /** Publish: the call to publish has ended. */
  PUBLISH_ANSWERED,
  /** Publish: the mount table was read after publishing. */
  TARGET_SEEN,
  /** Publish: the published use is saved. */
  PUBLISHED_SAVED,
  /** Publish: the result is about to be returned to the caller. */
  CALLER_TOLD,
  /** Release: the intent is saved. */
  RELEASE_SAVED,
  /** Release: the call to unpublish is about to be made. */
  BEFORE_UNPUBLISH,
  /** Release: the call to unpublish has ended. */
  UNPUBLISH_ANSWERED,
  /** Release: the target is unmounted, and its directories are removed. */
  USE_REMOVED,
  /** Release: the end of the use is saved. */
  USE_END_SAVED,
  /** Release: the call to unstage is about to be made. */
  BEFORE_UNSTAGE,
  /** Release: the call to unstage has ended. */
  UNSTAGE_ANSWERED,
  /** Release: the volume is unstaged, and its directories are removed. */
  VOLUME_REMOVED,
  /** Release: the tombstone is saved. */
  TOMBSTONE_SAVED,
  /** The tombstone is removed. */
  TOMBSTONE_REMOVED;

  /** Returns the point before a call. */
  public static CrashPoint before(Verb verb) {
    return switch (verb) {
      case STAGE -> BEFORE_STAGE;
      case PUBLISH -> BEFORE_PUBLISH;
      case UNPUBLISH -> BEFORE_UNPUBLISH;
      case UNSTAGE -> BEFORE_UNSTAGE;
    };
  }

  /** Returns the point after a call has ended. */
  public static CrashPoint answered(Verb verb) {
    return switch (verb) {
      case STAGE -> STAGE_ANSWERED;
      case PUBLISH -> PUBLISH_ANSWERED;
      case UNPUBLISH -> UNPUBLISH_ANSWERED;
      case UNSTAGE -> UNSTAGE_ANSWERED;
    };
  }

  /** Receives every crash point. Only tests use such a listener. */
  @FunctionalInterface
  public interface Listener {

    /** Ignores all points. */
    Listener NONE = point -> {};

    /** Called when an operation reaches this point. */
    void at(CrashPoint point);
  }
}
