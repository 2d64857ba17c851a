package io.csi4j.volume.internal.disk;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A disk that did not do what it was asked. */
public final class DiskException extends IOException {

  private static final long serialVersionUID = 1L;

  private final Kind kind;

  /** Why. */
  public enum Kind {
    /** The disk or the quota is full. */
    NO_SPACE,
    /** The filesystem is read-only. */
    READ_ONLY,
    /** Too many files are open. */
    TOO_MANY_FILES,
    /** The operation is not permitted. */
    DENIED,
    /** Nothing is there. */
    NOT_FOUND,
    /** Something is there already, or a directory is not empty. */
    IN_THE_WAY,
    /** A file is larger than this process has memory for. */
    TOO_LARGE,
    /** The device failed, or anything else. */
    FAILED
  }

  /** A failure of this kind. */
  public DiskException(Kind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** Why. */
  public Kind kind() {
    return kind;
  }
}
