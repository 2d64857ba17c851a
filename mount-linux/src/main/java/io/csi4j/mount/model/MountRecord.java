package io.csi4j.mount.model;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * All that the kernel tells of one mount.
 *
 * <p>Its text form leaves the filesystem's options out, which can be long.
 *
 * @param ref the reference to it, with its path
 * @param id the number in the kernel's text tables, which the next mount may get
 * @param parentId that number of the mount it is on
 * @param parentUniqueId the number of the mount it is on that no other gets, where known
 * @param device the device of the filesystem
 * @param root which directory or file of the filesystem is mounted; ends in {@code //deleted} if
 *     that is gone
 * @param flags what the mount forbids
 * @param propagation with whom it shares mounts
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

  /** Where it is mounted. */
  public MountPath path() {
    return ref.path();
  }

  /** Whether nothing can be written through it. */
  public boolean isReadOnly() {
    return flags.contains(MountFlag.READ_ONLY);
  }

  /** Whether the directory or file that was mounted has been deleted since. */
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
