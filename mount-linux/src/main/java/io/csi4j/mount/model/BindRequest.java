package io.csi4j.mount.model;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * A request to bind a directory or file to a second path.
 *
 * <p>By default the mount is writable if its source is, is not recursive, keeps the flags of its
 * source's mount, and its target must exist.
 *
 * @since 1.0
 */
public final class BindRequest {

  private final MountPath source;
  private final MountPath target;
  private final boolean recursive;
  private final boolean createTarget;
  private final boolean followSource;
  private final Set<MountFlag> flags;
  private final Optional<Propagation> propagation;

  private BindRequest(Builder builder) {
    source = builder.source;
    target = builder.target;
    recursive = builder.recursive;
    createTarget = builder.createTarget;
    followSource = builder.followSource;
    flags = Set.copyOf(builder.flags);
    propagation = Optional.ofNullable(builder.propagation);
  }

  /** Returns a builder for a request to bind the source to the target. */
  public static Builder builder(MountPath source, MountPath target) {
    return new Builder(source, target);
  }

  /** Returns the source. */
  public MountPath source() {
    return source;
  }

  /** Returns the target. */
  public MountPath target() {
    return target;
  }

  /** Returns whether the mounts below the source are bound too. */
  public boolean recursive() {
    return recursive;
  }

  /** Returns whether a missing target is created, of the same kind as the source. */
  public boolean createTarget() {
    return createTarget;
  }

  /** Returns whether symbolic links in the source are followed instead of refused. */
  public boolean followSource() {
    return followSource;
  }

  /** Returns the flags that restrict the mount more than the mount of the source. */
  public Set<MountFlag> flags() {
    return flags;
  }

  /** Returns the propagation of the mount; empty for that of its parent. */
  public Optional<Propagation> propagation() {
    return propagation;
  }

  @Override
  public String toString() {
    return "bind " + source + " to " + target + (flags.isEmpty() ? "" : " " + flags);
  }

  /** Collects the parts of a {@link BindRequest}. */
  public static final class Builder {

    private final MountPath source;
    private final MountPath target;
    private boolean recursive;
    private boolean createTarget;
    private boolean followSource;
    private final Set<MountFlag> flags = EnumSet.noneOf(MountFlag.class);
    private @org.jspecify.annotations.Nullable Propagation propagation;

    private Builder(MountPath source, MountPath target) {
      this.source = source;
      this.target = target;
    }

    /**
     * Sets whether the mounts below the source are bound too; flags then apply to them as well. Not
     * by default.
     */
    public Builder recursive(boolean value) {
      recursive = value;
      return this;
    }

    /**
     * Sets whether a missing target is created: one empty directory for a directory, one empty file
     * for anything else, which all may read and its owner may write, minus the umask. The parent
     * directory must exist. The target is removed again if the mount fails. Not by default.
     */
    public Builder createTarget(boolean value) {
      createTarget = value;
      return this;
    }

    /**
     * Sets whether symbolic links in the source are followed; only for sources that no other user
     * can write to. Not by default.
     */
    public Builder followSource(boolean value) {
      followSource = value;
      return this;
    }

    /**
     * Sets whether writing is forbidden, from the first moment if the kernel supports that. Not by
     * default.
     */
    public Builder readOnly(boolean value) {
      if (value) {
        flags.add(MountFlag.READ_ONLY);
      } else {
        flags.remove(MountFlag.READ_ONLY);
      }
      return this;
    }

    /** Adds a flag. */
    public Builder flag(MountFlag flag) {
      flags.add(flag);
      return this;
    }

    /** Sets the propagation of the mount. */
    public Builder propagation(Propagation propagation) {
      this.propagation = propagation;
      return this;
    }

    /** Returns the request. */
    public BindRequest build() {
      return new BindRequest(this);
    }
  }
}
