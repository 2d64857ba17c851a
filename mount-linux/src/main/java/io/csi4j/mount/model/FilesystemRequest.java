package io.csi4j.mount.model;

import io.csi4j.mount.internal.text.PrintableText;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * That a filesystem shall be mounted, by its type.
 *
 * <p>Secret options are in no text form and in no exception.
 *
 * @since 1.0
 */
public final class FilesystemRequest {

  private final String type;
  private final KernelText source;
  private final MountPath target;
  private final boolean createTarget;
  private final Set<MountFlag> flags;
  private final List<String> options;
  private final List<String> secretOptions;

  private FilesystemRequest(Builder builder) {
    type = builder.type;
    source = builder.source;
    target = builder.target;
    createTarget = builder.createTarget;
    flags = Set.copyOf(builder.flags);
    options = List.copyOf(builder.options);
    secretOptions = List.copyOf(builder.secretOptions);
  }

  /**
   * A request to mount a filesystem.
   *
   * @param type such as {@code ext4} or {@code tmpfs}
   * @param source the device or server, in the form that the filesystem wants
   * @param target where
   */
  public static Builder builder(String type, KernelText source, MountPath target) {
    return new Builder(type, source, target);
  }

  /** The type of the filesystem. */
  public String type() {
    return type;
  }

  /** The device or server. */
  public KernelText source() {
    return source;
  }

  /** Where it is to be mounted. */
  public MountPath target() {
    return target;
  }

  /** Whether a missing target is made, as a directory. */
  public boolean createTarget() {
    return createTarget;
  }

  /** Returns the flags that the mount shall have. */
  public Set<MountFlag> flags() {
    return flags;
  }

  /** The other options. */
  public List<String> options() {
    return options;
  }

  /** Returns the options that must not be seen. */
  public List<String> revealSecretOptions() {
    return secretOptions;
  }

  /** The request without its secret options. */
  @Override
  public String toString() {
    return "mount "
        + PrintableText.escape(type)
        + " "
        + source.withoutCredentials()
        + " at "
        + target
        + " with "
        + options.stream().map(PrintableText::escape).toList()
        + (secretOptions.isEmpty() ? "" : " and " + secretOptions.size() + " secret options");
  }

  /** Collects what a mount may have. */
  public static final class Builder {

    private final String type;
    private final KernelText source;
    private final MountPath target;
    private boolean createTarget;
    private final Set<MountFlag> flags = EnumSet.noneOf(MountFlag.class);
    private final List<String> options = new ArrayList<>();
    private final List<String> secretOptions = new ArrayList<>();

    private Builder(String type, KernelText source, MountPath target) {
      this.type = type;
      this.source = source;
      this.target = target;
    }

    /**
     * Sets whether a missing target is made: one empty directory, removed again if the mount fails.
     * Not by default.
     */
    public Builder createTarget(boolean value) {
      createTarget = value;
      return this;
    }

    /**
     * Sets whether writing is forbidden; the filesystem itself is mounted read-only too then. Not
     * by default.
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

    /**
     * Adds an option as mount(8) takes it: a flag's word such as {@code noexec}, or one of the
     * filesystem's own such as {@code size=64k}. Those meant for user space alone, such as {@code
     * _netdev} and {@code x-systemd.automount}, are dropped.
     */
    public Builder option(String option) {
      options.add(option);
      return this;
    }

    /** {@link #option(String)} for each. */
    public Builder options(List<String> options) {
      this.options.addAll(options);
      return this;
    }

    /** Adds an option of the filesystem that no text form and no exception may show. */
    public Builder secretOption(String option) {
      secretOptions.add(option);
      return this;
    }

    /** The request. */
    public FilesystemRequest build() {
      return new FilesystemRequest(this);
    }
  }
}
