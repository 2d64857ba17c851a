package io.csi4j.mount.model;

import java.util.Arrays;
import java.util.Optional;

/**
 * The flags of a mount: restrictions and savings that apply even if its filesystem allows more.
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

  /** Returns the flag with this word; empty if there is none. */
  public static Optional<MountFlag> ofWord(String word) {
    return Arrays.stream(values()).filter(flag -> flag.word.equals(word)).findFirst();
  }

  /** Returns the word in the kernel's tables and on command lines. */
  public String word() {
    return word;
  }
}
