package io.csi4j.volume.internal.lifecycle;

/** Where an operation is: which step it waits for. */
public enum Phase {
  /** Publish: what is mounted before anything is done. */
  LOOK_FIRST,
  /** Publish: whether what is there already is still claimed. */
  CONFIRM_THERE,
  /** Publish: the intent is being remembered. */
  SAVE_INTENT,
  /** Publish: the directories of the volume. */
  PREPARE_VOLUME,
  /** Publish: whether the claim is current, before staging. */
  CONFIRM_STAGE,
  /** Publish: staging, or the pause before it is asked for again. */
  STAGE,
  /** Publish: what is mounted after staging. */
  LOOK_STAGED,
  /** Publish: that it is staged is being remembered. */
  SAVE_STAGED,
  /** Publish: the directory above the target. */
  PREPARE_USE,
  /** Publish: whether the claim is current, before publishing. */
  CONFIRM_PUBLISH,
  /** Publish: publishing, or the pause before it is asked for again. */
  PUBLISH,
  /** Publish: whether it is still staged, before publishing is asked for again. */
  LOOK_AGAIN,
  /** Publish: what is mounted after publishing. */
  LOOK_PUBLISHED,
  /** Publish: which other uses are mounted, before a call that only one may have. */
  LOOK_AT_OTHERS,
  /** Publish: that staging is in doubt again is being remembered. */
  SAVE_RESTAGE,
  /** Publish: that it is published is being remembered. */
  SAVE_PUBLISHED,
  /** Release: what is mounted before anything is done. */
  LOOK_GOING,
  /** Release: the intent is being remembered. */
  SAVE_GOING,
  /** Release: unpublishing, or the pause before it is asked for again. */
  UNPUBLISH,
  /** Release: what is mounted after unpublishing. */
  LOOK_UNPUBLISHED,
  /** Release: what is mounted at the target of a volume that the plugin does not know. */
  LOOK_FORGOTTEN_USE,
  /** Release: what is mounted at the target of a use that the plugin refuses to release. */
  LOOK_REFUSED_USE,
  /** Release: unmounting the target without the plugin. */
  FORCE_USE,
  /** Release: what is left of the target. */
  REMOVE_USE,
  /** Release: the end of the use is being remembered. */
  SAVE_RELEASED,
  /** Release: which uses are mounted before the volume is unstaged. */
  LOOK_AT_USES,
  /** Release: unstaging, or the pause before it is asked for again. */
  UNSTAGE,
  /** Release: what is mounted after unstaging. */
  LOOK_UNSTAGED,
  /** Release: what is mounted at the staging path of a volume that the plugin does not know. */
  LOOK_FORGOTTEN_STAGING,
  /** Release: unmounting the staging path without the plugin. */
  FORCE_STAGING,
  /** Release: the directories of the volume. */
  REMOVE_VOLUME,
  /** Release: the volume is being forgotten. */
  FORGET,
  /** Nothing is waited for. */
  ENDED;

  /** Whether the operation is on its way to a workload, rather than back. */
  boolean isPublishing() {
    return switch (this) {
      case LOOK_FIRST,
          CONFIRM_THERE,
          SAVE_INTENT,
          PREPARE_VOLUME,
          CONFIRM_STAGE,
          STAGE,
          LOOK_STAGED,
          SAVE_STAGED,
          PREPARE_USE,
          CONFIRM_PUBLISH,
          PUBLISH,
          LOOK_AGAIN,
          LOOK_PUBLISHED,
          LOOK_AT_OTHERS,
          SAVE_RESTAGE,
          SAVE_PUBLISHED ->
          true;
      default -> false;
    };
  }
}
