package io.csi4j.mount.model;

import io.csi4j.mount.internal.text.PrintableText;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A request to mount a filesystem, by its type.
 *
 * <p>No text form and no exception contains secret options.
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
   * Returns a builder for a request to mount a filesystem.
   *
   * @param type such as {@code ext4} or {@code tmpfs}
   * @param source the device or server, in the form that the filesystem wants
   * @param target the target
   */
  public static Builder builder(String type, KernelText source, MountPath target) {
    return new Builder(type, source, target);
  }

  /** Returns the type of the filesystem. */
  public String type() {
    return type;
  }

  /** Returns the device or server. */
  public KernelText source() {
    return source;
  }

  /** Returns the target. */
  public MountPath target() {
    return target;
  }

  /** Returns whether a missing target is created, as a directory. */
  public boolean createTarget() {
    return createTarget;
  }

  /** Returns the flags of the mount. */
  public Set<MountFlag> flags() {
    return flags;
  }

  /** Returns the other options. */
  public List<String> options() {
    return options;
  }

  /** Returns the secret options. */
  public List<String> revealSecretOptions() {
    return secretOptions;
  }

  /** Returns the request without its secret options. */
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

  /** Collects the parts of a {@link FilesystemRequest}. */
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
     * Sets whether a missing target is created: one empty directory, removed again if the mount
     * fails. Not by default.
     */
    public Builder createTarget(boolean value) {
      createTarget = value;
      return this;
    }

    /**
     * Sets whether writing is forbidden; then the filesystem itself is also mounted read-only. Not
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

    /** Adds a flag. */
    public Builder flag(MountFlag flag) {
      flags.add(flag);
      return this;
    }

    /**
     * Adds an option as mount(8) takes it: the word of a flag such as {@code noexec}, or an option
     * of the filesystem such as {@code size=64k}. Options for user space only, such as {@code
     * _netdev} and {@code x-systemd.automount}, are dropped.
     */
    public Builder option(String option) {
      options.add(option);
      return this;
    }

    /** Adds each option, as {@link #option(String)} does. */
    public Builder options(List<String> options) {
      this.options.addAll(options);
      return this;
    }

    /** Adds an option of the filesystem that no text form and no exception may show. */
    public Builder secretOption(String option) {
      secretOptions.add(option);
      return this;
    }

    /** Returns the request. */
    public FilesystemRequest build() {
      return new FilesystemRequest(this);
    }
  }
}
