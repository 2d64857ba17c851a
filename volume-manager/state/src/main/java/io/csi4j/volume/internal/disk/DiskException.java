package io.csi4j.volume.internal.disk;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A failed operation on a disk. */
public final class DiskException extends IOException {

  private static final long serialVersionUID = 1L;

  private final Kind kind;

  /** The reasons of failures. */
  public enum Kind {
    /** The disk or the quota is full. */
    NO_SPACE,
    /** The filesystem is read-only. */
    READ_ONLY,
    /** Too many files are open. */
    TOO_MANY_FILES,
    /** The operation is not permitted. */
    DENIED,
    /** The path does not exist. */
    NOT_FOUND,
    /** The path already exists, or a directory is not empty. */
    IN_THE_WAY,
    /** A file is too large for the memory of this process. */
    TOO_LARGE,
    /** The device failed, or there was another failure. */
    FAILED
  }

  /** Creates a failure of this kind. */
  public DiskException(Kind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** Returns the reason. */
  public Kind kind() {
    return kind;
  }
}
