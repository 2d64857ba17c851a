package io.csi4j.volume.model;

/**
 * The answer to a mount whose server has ended, as when a plugin that serves its volumes by itself
 * was started again, and about one that another program took away. A workload that has the dead
 * mount open sees errors until it opens it again, in any case.
 *
 * @since 1.0
 */
public enum OnDeadMount {
  /** The mount is told of, and stays until it is released. */
  REPORT,
  /** The mount is told of, and its target is unpublished and published again. */
  REPUBLISH,
  /**
   * The mount is told of, and all dead targets of the volume are unpublished; when none is left,
   * the volume is unstaged and staged again; then they are published again. For plugins that serve
   * a volume at its staging path.
   */
  REMOUNT,
  /** Dead mounts are not looked for. */
  LEAVE
}
