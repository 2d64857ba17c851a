package io.csi4j.mount.model;

import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * The owner that the files of a volume get, so that a task that is not root can use them, and the
 * limits of a pass over the files.
 *
 * <p>The user and the group of each file and directory are set, and permissions are added, never
 * removed. The root directory of the volume is changed last and marks a complete pass, so an
 * interrupted pass is repeated. The repeat skips files that are already correct. The kernel clears
 * the set-user-id and set-group-id bits of a file whose owner changes.
 *
 * <pre>{@code
 * FileOwnership.ofGroup(2000); // readable and writable for a group, as kubelet's fsGroup
 * FileOwnership.builder().user(1000).group(1000).policy(Policy.ALWAYS).build();
 * }</pre>
 *
 * <p>Compares by value.
 *
 * @since 1.0
 */
public final class FileOwnership {

  /** The highest number of a user or group; the next one means "no change". */
  private static final long MAX_NUMBER = 0xffff_fffeL;

  private static final int PERMISSIONS = 0777;
  private static final int SET_GROUP_ID = 02000;

  private final Builder parts;

  /** When a pass is made. */
  public enum Policy {
    /** Always. */
    ALWAYS,
    /** If the root directory of the volume does not have the wanted owner and permissions. */
    ON_ROOT_MISMATCH,
    /** Never: nothing is changed. */
    NEVER
  }

  private FileOwnership(Builder builder) {
    parts = builder.copy();
  }

  /**
   * Returns an ownership with which a group may read and write all files of any user, and with
   * which later files belong to the group as well: 0660 is added to files, 02770 to directories.
   */
  public static FileOwnership ofGroup(long group) {
    return builder().group(group).addPermissions(0660, 02770).build();
  }

  /** Returns a builder without an owner. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder with this ownership. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Returns the number of the user; empty if users do not change. */
  public OptionalLong user() {
    return parts.user;
  }

  /** Returns the number of the group; empty if groups do not change. */
  public OptionalLong group() {
    return parts.group;
  }

  /** Returns the permissions that every file gets at least. */
  public int filePermissions() {
    return parts.filePermissions;
  }

  /** Returns the permissions that every directory gets at least. */
  public int directoryPermissions() {
    return parts.directoryPermissions;
  }

  /** Returns when a pass is made. */
  public Policy policy() {
    return parts.policy;
  }

  /** Returns the maximum number of files that a pass changes. */
  public long maxFiles() {
    return parts.maxFiles;
  }

  /** Returns the maximum duration of a pass. */
  public Duration maxTime() {
    return parts.maxTime;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FileOwnership that
        && user().equals(that.user())
        && group().equals(that.group())
        && filePermissions() == that.filePermissions()
        && directoryPermissions() == that.directoryPermissions()
        && policy() == that.policy()
        && maxFiles() == that.maxFiles()
        && maxTime().equals(that.maxTime());
  }

  @Override
  public int hashCode() {
    return Objects.hash(user(), group(), filePermissions(), directoryPermissions(), policy());
  }

  /** Returns the owner, such as {@code user 1000 and group 1000}. */
  @Override
  public String toString() {
    String both = user().isPresent() && group().isPresent() ? " and " : "";
    return (user().isPresent() ? "user " + user().getAsLong() : "")
        + both
        + (group().isPresent() ? "group " + group().getAsLong() : "");
  }

  /** Collects the parts of a {@link FileOwnership}. */
  public static final class Builder {

    private OptionalLong user = OptionalLong.empty();
    private OptionalLong group = OptionalLong.empty();
    private int filePermissions;
    private int directoryPermissions;
    private Policy policy = Policy.ON_ROOT_MISMATCH;
    private long maxFiles = 1_000_000;
    private Duration maxTime = Duration.ofMinutes(10);

    private Builder() {}

    private Builder copy() {
      Builder copy = new Builder();
      copy.user = user;
      copy.group = group;
      copy.filePermissions = filePermissions;
      copy.directoryPermissions = directoryPermissions;
      copy.policy = policy;
      copy.maxFiles = maxFiles;
      copy.maxTime = maxTime;
      return copy;
    }

    /** Sets the user, by number. */
    public Builder user(long user) {
      this.user = OptionalLong.of(number("user", user));
      return this;
    }

    /** Sets the group, by number. */
    public Builder group(long group) {
      this.group = OptionalLong.of(number("group", group));
      return this;
    }

    private static long number(String what, long number) {
      if (number < 0 || number > MAX_NUMBER) {
        throw new IllegalArgumentException(
            "The " + what + " " + number + " is no number from 0 to " + MAX_NUMBER + ".");
      }
      return number;
    }

    /**
     * Adds permissions to those of files and directories.
     *
     * @param files bits of 0777
     * @param directories bits of 02777; with 02000 later files in the directory belong to its group
     */
    public Builder addPermissions(int files, int directories) {
      if ((files & ~PERMISSIONS) != 0 || (directories & ~(PERMISSIONS | SET_GROUP_ID)) != 0) {
        throw new IllegalArgumentException(
            ("The permissions 0%o for files or 0%o for directories cannot be added: use bits of "
                    + "0777, and 02000 for directories.")
                .formatted(files, directories));
      }
      filePermissions = files;
      directoryPermissions = directories;
      return this;
    }

    /** Sets when a pass is made. {@link Policy#ON_ROOT_MISMATCH} by default. */
    public Builder policy(Policy policy) {
      this.policy = Objects.requireNonNull(policy, "policy");
      return this;
    }

    /**
     * Limits the number of files that a pass changes before it ends early. Files that are right
     * already do not count, so the next pass gets further. A million by default.
     */
    public Builder maxFiles(long files) {
      maxFiles = files;
      return this;
    }

    /** Limits the duration of a pass before it ends early. 10 minutes by default. */
    public Builder maxTime(Duration time) {
      maxTime = Objects.requireNonNull(time, "time");
      return this;
    }

    /**
     * Returns the ownership.
     *
     * @throws IllegalArgumentException if it changes nothing, or if a limit allows nothing
     */
    public FileOwnership build() {
      if (user.isEmpty() && group.isEmpty()) {
        throw new IllegalArgumentException(
            "Neither a user nor a group is given as the owner of the files. Give one.");
      }
      if (maxFiles < 1 || maxTime.isZero() || maxTime.isNegative()) {
        throw new IllegalArgumentException(
            "The limits " + maxTime + " and " + maxFiles + " files allow no change. Raise them.");
      }
      return new FileOwnership(this);
    }
  }
}
