package io.csi4j.mount.model;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A mount that could not be read or changed. Its message is one line for an operator: what failed,
 * why, what to do next, and in brackets the system call.
 *
 * @since 1.0
 */
public final class MountException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final Reason reason;
  // The details of the failure, which are not serialized.
  private final transient @Nullable Errno errno;
  private final transient @Nullable String syscall;
  private final transient @Nullable KernelText source;
  private final transient @Nullable MountPath target;
  private final transient @Nullable MountRecord occupant;
  private final transient @Nullable Holders holders;

  /** The reasons of failures. */
  public enum Reason {
    /** This process lacks a privilege, or the mount is locked by the namespace above. */
    NOT_PERMITTED,
    /** The path, or a parent directory of it, does not exist. */
    NOT_FOUND,
    /** A part of the path is a symbolic link, which is not followed. */
    SYMLINK,
    /** The path leads out of the directory in which it must stay. */
    OUTSIDE,
    /** A directory is required, and a file is there, or the other way round. */
    WRONG_KIND,
    /** Another mount is at the target. */
    TARGET_OCCUPIED,
    /** No mount is at the path, and one is required. */
    NOT_A_MOUNT,
    /** The mount is in use. */
    BUSY,
    /** The kernel does not know the type of filesystem. */
    UNKNOWN_FILESYSTEM,
    /** The device or server has no filesystem of that type, or does not exist. */
    BAD_SOURCE,
    /** The options are refused, or too long. */
    BAD_OPTIONS,
    /** A limit of the kernel is reached, such as the number of mounts. */
    LIMIT,
    /** The filesystem is read-only. */
    READ_ONLY,
    /** The filesystem behind the path is dead or denied. */
    BROKEN,
    /** The call did not return in time; it is still in the kernel. */
    DEADLINE,
    /** Too many calls have not returned, so no more are made. */
    STUCK,
    /** The waiting thread was interrupted; its flag is set again. */
    INTERRUPTED,
    /** The kernel is too old, or a filter denies the call. */
    UNSUPPORTED,
    /** This is not Linux. */
    NOT_LINUX,
    /** The native library could not be loaded. */
    NO_NATIVE_ACCESS,
    /** {@code /proc} is not mounted, or its mount table cannot be read. */
    NO_MOUNT_TABLE,
    /** Any other failure; the error number identifies it. */
    OTHER
  }

  private MountException(Builder builder) {
    super(builder.text(), builder.cause);
    reason = builder.reason;
    errno = builder.errno;
    syscall = builder.syscall;
    source = builder.source;
    target = builder.target;
    occupant = builder.occupant;
    holders = builder.holders;
  }

  /**
   * Returns a builder for a failure with this reason.
   *
   * @param message what failed, why, and what to do next, without the system call
   */
  public static Builder builder(Reason reason, String message) {
    return new Builder(reason, message);
  }

  /** Returns the reason. */
  public Reason reason() {
    return reason;
  }

  /** Returns the error of the system call, if one was made. */
  public Optional<Errno> errno() {
    return Optional.ofNullable(errno);
  }

  /** Returns the system call, if one was made. */
  public Optional<String> syscall() {
    return Optional.ofNullable(syscall);
  }

  /** Returns the source of the mount. */
  public Optional<KernelText> source() {
    return Optional.ofNullable(source);
  }

  /** Returns the path of the failed operation. */
  public Optional<MountPath> target() {
    return Optional.ofNullable(target);
  }

  /** Returns the mount that is in the way, if there is one. */
  public Optional<MountRecord> occupant() {
    return Optional.ofNullable(occupant);
  }

  /** Returns the holders of the mount, if they are the reason. */
  public Optional<Holders> holders() {
    return Optional.ofNullable(holders);
  }

  /** Collects the parts of a {@link MountException}. */
  public static final class Builder {

    private final Reason reason;
    private final String message;
    private @Nullable Errno errno;
    private @Nullable String syscall;
    private @Nullable KernelText source;
    private @Nullable MountPath target;
    private @Nullable MountRecord occupant;
    private @Nullable Holders holders;
    private @Nullable Throwable cause;

    private Builder(Reason reason, String message) {
      this.reason = reason;
      this.message = message;
    }

    /** Sets the system call and its error. */
    public Builder syscall(String syscall, Errno errno) {
      this.syscall = syscall;
      this.errno = errno;
      return this;
    }

    /** Sets the source of the mount. */
    public Builder source(KernelText source) {
      this.source = source;
      return this;
    }

    /** Sets the path of the failed operation. */
    public Builder target(MountPath target) {
      this.target = target;
      return this;
    }

    /** Sets the mount that is in the way. */
    public Builder occupant(MountRecord occupant) {
      this.occupant = occupant;
      return this;
    }

    /** Sets the holders of the mount. */
    public Builder holders(Holders holders) {
      this.holders = holders;
      return this;
    }

    /** Sets the cause. */
    public Builder cause(Throwable cause) {
      this.cause = cause;
      return this;
    }

    /** Returns the exception. */
    public MountException build() {
      return new MountException(this);
    }

    private String text() {
      return syscall == null ? message : message + " [" + syscall + ", " + errno + "]";
    }
  }
}
