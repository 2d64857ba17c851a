package io.csi4j.volume.internal.layout;

import io.csi4j.mount.MountPath;

/** A path that cannot be used, made or removed. */
public final class PathProblem extends Exception {

  private static final long serialVersionUID = 1L;

  private final Kind kind;
  private final transient MountPath path;

  /** Why. */
  public enum Kind {
    /** The disk or the quota is full. */
    NO_SPACE,
    /** The filesystem is read-only. */
    READ_ONLY,
    /** It is not permitted. */
    DENIED,
    /** Something else is at the path. */
    IN_THE_WAY,
    /** A directory is not empty, and its contents are not ours. */
    NOT_EMPTY,
    /** A part of the path is a symbolic link. */
    SYMLINK,
    /** The identity file says that the directory is another volume's, or is damaged. */
    WRONG_IDENTITY,
    /** Too many files are open. */
    TOO_MANY_FILES,
    /** The path is too long. */
    TOO_LONG,
    /** Anything else. */
    FAILED
  }

  /** A problem of this kind at this path; the text is a clause. */
  public PathProblem(Kind kind, MountPath path, String text) {
    super(text);
    this.kind = kind;
    this.path = path;
  }

  /** Why. */
  public Kind kind() {
    return kind;
  }

  /** Where. */
  public MountPath path() {
    return path;
  }
}
