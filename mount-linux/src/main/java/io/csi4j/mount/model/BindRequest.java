package io.csi4j.mount.model;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * That a directory or file shall be seen at a second place.
 *
 * <p>Nothing is set that was not asked for: the mount is writable if its source is, not recursive,
 * keeps the flags of the mount that its source is in, and its target has to exist.
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

  /** A request to see the source at the target. */
  public static Builder builder(MountPath source, MountPath target) {
    return new Builder(source, target);
  }

  /** Returns the path that is to be seen. */
  public MountPath source() {
    return source;
  }

  /** Where. */
  public MountPath target() {
    return target;
  }

  /** Whether the mounts below the source are to be seen too. */
  public boolean recursive() {
    return recursive;
  }

  /** Whether a missing target is made, of the kind that the source is. */
  public boolean createTarget() {
    return createTarget;
  }

  /** Whether symbolic links in the source are followed instead of refused. */
  public boolean followSource() {
    return followSource;
  }

  /** Returns the flags that forbid more than the mount of the source forbids already. */
  public Set<MountFlag> flags() {
    return flags;
  }

  /** With whom it shall share mounts made below it; as its place has it if empty. */
  public Optional<Propagation> propagation() {
    return propagation;
  }

  @Override
  public String toString() {
    return "bind " + source + " to " + target + (flags.isEmpty() ? "" : " " + flags);
  }

  /** Collects what a bind mount may have. */
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
     * Sets whether the mounts below the source are bound too; flags then hold for them as well. Not
     * by default.
     */
    public Builder recursive(boolean value) {
      recursive = value;
      return this;
    }

    /**
     * Sets whether a missing target is made: one empty directory for a directory, one empty file
     * for anything else, which all may read and its owner may write, less the umask. The directory
     * above has to exist. The target is removed again if the mount fails. Not by default.
     */
    public Builder createTarget(boolean value) {
      createTarget = value;
      return this;
    }

    /**
     * Sets whether symbolic links in the source are followed; only for sources that no other can
     * write to. Not by default.
     */
    public Builder followSource(boolean value) {
      followSource = value;
      return this;
    }

    /**
     * Sets whether writing is forbidden, without a moment in which it is allowed where the kernel
     * can. Not by default.
     */
    public Builder readOnly(boolean value) {
      if (value) {
        flags.add(MountFlag.READ_ONLY);
      } else {
        flags.remove(MountFlag.READ_ONLY);
      }
      return this;
    }

    /** Sets one more flag. */
    public Builder flag(MountFlag flag) {
      flags.add(flag);
      return this;
    }

    /** Sets with whom it shares mounts made below it. */
    public Builder propagation(Propagation propagation) {
      this.propagation = propagation;
      return this;
    }

    /** The request. */
    public BindRequest build() {
      return new BindRequest(this);
    }
  }
}
