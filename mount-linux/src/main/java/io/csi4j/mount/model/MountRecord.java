package io.csi4j.mount.model;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * All that the kernel reports about one mount.
 *
 * <p>Its text form leaves out the filesystem's options, which can be long.
 *
 * @param ref the reference to it, with its path
 * @param id the number in the kernel's text tables, which another mount may get later
 * @param parentId the same number of its parent mount
 * @param parentUniqueId the unique number of its parent mount, if it is known
 * @param device the device of the filesystem
 * @param root the mounted directory or file of the filesystem; ends in {@code //deleted} if it was
 *     deleted
 * @param flags the flags of the mount
 * @param propagation its propagation
 * @param type the type of the filesystem, such as {@code ext4} or {@code fuse.sshfs}
 * @param source the device or server, in the form of the filesystem; may be empty
 * @param options the options of the filesystem, shared by all its mounts: {@code rw} or {@code ro}
 *     first, then its own; blanks and commas in one of them stay escaped as the kernel has them
 * @since 1.0
 */
public record MountRecord(
    MountRef ref,
    int id,
    int parentId,
    OptionalLong parentUniqueId,
    DeviceId device,
    KernelText root,
    Set<MountFlag> flags,
    Propagation.Tags propagation,
    KernelText type,
    KernelText source,
    List<KernelText> options) {

  /** Copies the collections. */
  public MountRecord {
    flags = flags.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(flags));
    options = List.copyOf(options);
  }

  /** Returns its mount point. */
  public MountPath path() {
    return ref.path();
  }

  /** Returns whether the mount is read-only. */
  public boolean isReadOnly() {
    return flags.contains(MountFlag.READ_ONLY);
  }

  /** Returns whether the mounted directory or file was deleted since. */
  public boolean isDeleted() {
    return root.isMarkedDeleted();
  }

  @Override
  public String toString() {
    return ref
        + " ("
        + type
        + " "
        + source.withoutCredentials()
        + ", root "
        + root
        + ", device "
        + device
        + ", "
        + (isReadOnly() ? "read-only" : "writable")
        + ", "
        + propagation
        + ")";
  }
}
