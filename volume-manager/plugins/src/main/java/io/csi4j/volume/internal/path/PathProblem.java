package io.csi4j.volume.internal.path;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.model.OperatorCode;
import java.util.Locale;

/** A path that cannot be used, created or removed. */
public final class PathProblem extends Exception {

  private static final long serialVersionUID = 1L;

  private final Kind kind;
  private final transient MountPath path;

  /** The kinds of problems with a path. */
  public enum Kind {
    /** The disk or the quota is full. */
    NO_SPACE(OperatorCode.NO_SPACE),
    /** The filesystem is read-only. */
    READ_ONLY(OperatorCode.PATH_READ_ONLY),
    /** The operation is not permitted. */
    DENIED(OperatorCode.PATH_DENIED),
    /** A file of another kind is at the path. */
    IN_THE_WAY(OperatorCode.PATH_IN_THE_WAY),
    /** A directory is not empty, and csi4j did not create its contents. */
    NOT_EMPTY(OperatorCode.PATH_NOT_EMPTY),
    /** A part of the path is a symbolic link. */
    SYMLINK(OperatorCode.SYMLINK_IN_PATH),
    /** The identity file names another volume, or is damaged. */
    WRONG_IDENTITY(OperatorCode.WRONG_IDENTITY),
    /** Too many files are open. */
    TOO_MANY_FILES(OperatorCode.TOO_MANY_FILES),
    /** The path is too long. */
    TOO_LONG(OperatorCode.ROOT_TOO_LONG),
    /** Any other problem. */
    FAILED(OperatorCode.PATH_FAILED);

    private final OperatorCode code;

    Kind(OperatorCode code) {
      this.code = code;
    }

    /** Returns the code for operators. */
    public OperatorCode code() {
      return code;
    }
  }

  /**
   * Creates a problem of this kind at this path. The text states first the observation and then the
   * action to take.
   */
  public PathProblem(Kind kind, MountPath path, String text) {
    super(text);
    this.kind = kind;
    this.path = path;
  }

  /** Returns the kind. */
  public Kind kind() {
    return kind;
  }

  /** Returns the observation, as a clause. */
  public String seen() {
    return String.valueOf(getMessage()).substring(0, end());
  }

  /** Returns the advice for this problem, as a clause. */
  public String advice() {
    String advice = String.valueOf(getMessage()).substring(end()).replaceFirst("^; ", "");
    return advice.isEmpty()
        ? kind.code().next()
        : advice.substring(0, 1).toUpperCase(Locale.ROOT) + advice.substring(1);
  }

  private int end() {
    String text = String.valueOf(getMessage());
    int last = text.lastIndexOf("; ");
    return last < 0 ? text.length() : last;
  }

  /** Returns the path. */
  public MountPath path() {
    return path;
  }
}
