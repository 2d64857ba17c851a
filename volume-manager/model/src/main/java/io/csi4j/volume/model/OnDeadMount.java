package io.csi4j.volume.model;

/**
 * What is done about a mount whose server has ended, as when a plugin that serves its volumes by
 * itself was started anew, and about one that somebody else took away. A workload that has the dead
 * mount open sees errors until it opens it again, whatever is done.
 */
public enum OnDeadMount {
  /** It is told of, and stays until it is released. */
  REPORT,
  /** It is told of, and its target is unpublished and published again. */
  REPUBLISH,
  /**
   * It is told of, and all targets of the volume that are dead are unpublished; when none is left,
   * the volume is unstaged and staged again; then they are published again. For plugins that serve
   * a volume at its staging path.
   */
  REMOUNT,
  /** Nobody looks for it. */
  LEAVE
}
