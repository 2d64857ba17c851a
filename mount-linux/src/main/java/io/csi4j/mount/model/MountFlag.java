package io.csi4j.mount.model;

import java.util.Arrays;
import java.util.Optional;

/**
 * The things that a mount forbids or saves, even if its filesystem allows them.
 *
 * @since 1.0
 */
public enum MountFlag {
  /** Nothing can be written through it. */
  READ_ONLY("ro"),
  /** Set-user-id bits have no effect. */
  NOSUID("nosuid"),
  /** Device files cannot be opened. */
  NODEV("nodev"),
  /** Nothing can be executed. */
  NOEXEC("noexec"),
  /** Access times are not kept. */
  NOATIME("noatime"),
  /** Access times of directories are not kept. */
  NODIRATIME("nodiratime"),
  /** Access times are kept roughly; the kernel's default. */
  RELATIME("relatime"),
  /** Symbolic links in it are not followed. */
  NOSYMFOLLOW("nosymfollow");

  private final String word;

  MountFlag(String word) {
    this.word = word;
  }

  /** The flag with this word; nothing if none has it. */
  public static Optional<MountFlag> ofWord(String word) {
    return Arrays.stream(values()).filter(flag -> flag.word.equals(word)).findFirst();
  }

  /** The word in the kernel's tables and on command lines. */
  public String word() {
    return word;
  }
}
