package io.csi4j.volume.internal.record;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.volume.internal.text.InlineName;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.VolumeIdentity;
import java.util.ArrayList;
import java.util.List;

/**
 * How a volume is used on this node, decided at its first use and kept until its last: another way
 * is refused. Mount flags and contexts may hold secrets, so only their digests are here.
 *
 * @param staged whether it is staged before it is published
 * @param block whether it is a raw block device
 * @param mode how many may use it
 * @param fsType the filesystem; empty when left to the plugin
 * @param flags a digest of the mount flags; empty when left to the plugin
 * @param group the group that owns the files; empty when left to the plugin
 * @param attached a digest of what attaching it returned, {@linkplain Digests#inDoubt marked} while
 *     a refresh leaves it open; empty when not known
 * @param label the label of SELinux that it is mounted with; empty when it is mounted without
 */
public record Plan(
    boolean staged,
    boolean block,
    AccessMode mode,
    String fsType,
    String flags,
    String group,
    String attached,
    String label) {

  /** A plan for a volume without a label of which it is not known how it was attached. */
  public Plan(
      boolean staged, boolean block, AccessMode mode, String fsType, String flags, String group) {
    this(staged, block, mode, fsType, flags, group, "", "");
  }

  /** The plan for this use of a volume. */
  public static Plan of(VolumeIdentity identity, boolean staged, VolumeCapability capability) {
    MountOptions options = capability.mountOptions().orElse(MountOptions.none());
    return new Plan(
            staged,
            capability.isBlock(),
            capability.accessMode(),
            options.fsType().orElse(""),
            options.flags().map(flags -> digest(identity, flags)).orElse(""),
            options.volumeMountGroup().orElse(""))
        .labelled(label(capability));
  }

  /** Returns the digest of all flags but that of the label. */
  private static String digest(VolumeIdentity identity, MountFlags flags) {
    MountFlags others = SelinuxLabel.without(flags);
    return others.isEmpty() && !flags.isEmpty() ? "" : Digests.of(identity, others);
  }

  /** Returns the label that mount flags give to a filesystem; empty if they give none. */
  public static String label(VolumeCapability capability) {
    return capability
        .mountOptions()
        .flatMap(MountOptions::flags)
        .flatMap(SelinuxLabel::in)
        .map(SelinuxLabel::value)
        .orElse("");
  }

  /** Returns the plan for a volume that is mounted with this label, or without one. */
  public Plan labelled(String with) {
    return new Plan(staged, block, mode, fsType, flags, group, attached, with);
  }

  /** Returns the plan for a volume that the plugin mounts for this group, or for none. */
  public Plan grouped(String with) {
    return new Plan(staged, block, mode, fsType, flags, with, attached, label);
  }

  /** Returns the plan for a volume that was attached with this answer. */
  public Plan attachedBy(VolumeIdentity identity, PublishContext context) {
    return attached(Digests.of(identity, context));
  }

  /** Returns the plan with this digest of what attaching returned. */
  public Plan attached(String digest) {
    return new Plan(staged, block, mode, fsType, flags, group, digest, label);
  }

  /** Whether attaching it returned something else, as far as both are known. */
  public boolean isAttachedOtherwise(Plan other) {
    return Digests.isInForce(attached)
        && !other.attached.isEmpty()
        && !attached.equals(other.attached);
  }

  /** The plan of a volume of which only the directory is left; an inline one was not staged. */
  public static Plan unknown(VolumeIdentity identity) {
    boolean isInline = InlineName.isName(identity.handle().value());
    return new Plan(!isInline, false, AccessMode.UNSPECIFIED, "", "", "");
  }

  /** Whether it was decided by a request; else the next one decides. */
  public boolean isKnown() {
    return mode != AccessMode.UNSPECIFIED;
  }

  /** Whether a use of this kind has to be able to write. */
  public static boolean mustBeWritable(VolumeCapability capability, boolean readOnly) {
    boolean hasReadOnlyFlag =
        capability
            .mountOptions()
            .flatMap(MountOptions::flags)
            .filter(Digests::areReadOnly)
            .isPresent();
    return !readOnly && capability.accessMode().isWritable() && !hasReadOnlyFlag;
  }

  /**
   * The parts in which the other way of use differs, staging left aside, with both values where
   * they cannot hold a secret.
   */
  public List<String> differences(Plan other) {
    List<String> parts = new ArrayList<>();
    if (block != other.block) {
      parts.add(difference("access type", type(block), type(other.block)));
    }
    if (mode != other.mode) {
      parts.add(difference("access mode", mode.name(), other.mode.name()));
    }
    if (!fsType.equals(other.fsType)) {
      parts.add(difference("filesystem", quoted(fsType), quoted(other.fsType)));
    }
    if (!flags.equals(other.flags)) {
      parts.add("mount flags (not shown, as they may hold secrets)");
    }
    if (!group.equals(other.group)) {
      parts.add(difference("volume mount group", quoted(group), quoted(other.group)));
    }
    if (!label.equals(other.label)) {
      parts.add(difference("SELinux label", quoted(label), quoted(other.label)));
    }
    return parts;
  }

  /** Returns a part that two requests have with different values. */
  public static String difference(String part, String has, String requested) {
    return part + " (it has " + has + ", this request " + requested + ")";
  }

  private static String type(boolean block) {
    return block ? "block" : "filesystem";
  }

  private static String quoted(String value) {
    return value.isEmpty() ? "none" : "'" + value + "'";
  }
}
