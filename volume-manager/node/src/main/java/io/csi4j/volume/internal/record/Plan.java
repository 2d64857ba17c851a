package io.csi4j.volume.internal.record;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.volume.internal.fields.FieldReader;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.RecordBytes;
import io.csi4j.volume.internal.text.InlineName;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.MountRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * The parameters with which a volume is used on this node. The first use decides them, and until
 * the last use ends, a request with other parameters is refused. A plan is the part of a request
 * that the record keeps. This class maps a request to a plan, a plan to the record, and a plan with
 * its request to the calls to the plugin. Every argument of such a call is either kept in the plan
 * or may differ between calls. A plan contains only digests of mount flags and contexts, because
 * they may contain secrets.
 *
 * @param staged whether the volume is staged before it is published
 * @param block whether the volume is a raw block device
 * @param mode the access mode
 * @param fsType the filesystem type; empty if the plugin chooses it
 * @param flags a digest of the mount flags; empty if the plugin chooses them
 * @param group the group for which the plugin mounts the volume; empty for no group
 * @param attached a digest of the context that attaching the volume returned, {@linkplain
 *     Digests#inDoubt marked} while a refresh is uncertain; empty if it is not known
 * @param label the SELinux label of the mount; empty for no label
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

  /** Creates a plan without a label and with an unknown attachment. */
  public Plan(
      boolean staged, boolean block, AccessMode mode, String fsType, String flags, String group) {
    this(staged, block, mode, fsType, flags, group, "", "");
  }

  /**
   * Returns the plan for a request.
   *
   * @param staged whether the volume is staged before it is published
   * @param mode the access mode with which the plugin is called
   * @param label the SELinux label that the plugin receives; empty for none
   * @param group the group for which the plugin mounts the volume; empty for none
   */
  public static Plan of(
      MountRequest request, boolean staged, AccessMode mode, String label, String group) {
    VolumeIdentity identity = new VolumeIdentity(request.plugin(), request.handle());
    return of(identity, request, staged, mode, label, group);
  }

  /**
   * Returns the plan that a request alone states, for comparison with the plan of another request.
   *
   * @param identity the volume of both requests
   */
  public static Plan stated(VolumeIdentity identity, MountRequest request) {
    VolumeCapability capability = request.capability();
    return of(
        identity, request, true, capability.accessMode(), label(capability), group(capability));
  }

  private static Plan of(
      VolumeIdentity identity,
      MountRequest request,
      boolean staged,
      AccessMode mode,
      String label,
      String group) {
    VolumeCapability capability = request.capability();
    MountOptions options = capability.mountOptions().orElse(MountOptions.none());
    return new Plan(
        staged,
        capability.isBlock(),
        mode,
        options.fsType().orElse(""),
        options.flags().map(flags -> digest(identity, flags)).orElse(""),
        group,
        Digests.of(identity, request.publishContext()),
        label);
  }

  // ---- calls

  /** Returns the call that stages the volume for a request, without its secrets. */
  public NodeStageVolumeRequest.Builder stage(MountRequest request, PluginPath staging) {
    return NodeStageVolumeRequest.builder(request.handle(), staging, capability(request))
        .publishContext(request.publishContext())
        .volumeContext(request.volumeContext());
  }

  /** Returns the call that publishes the volume for a request, without its staging and secrets. */
  public NodePublishVolumeRequest.Builder publish(MountRequest request, PluginPath target) {
    VolumeContext context = request.volumeContext();
    return NodePublishVolumeRequest.builder(request.handle(), target, capability(request))
        .readonly(request.readOnly())
        .publishContext(request.publishContext())
        .volumeContext(
            request.workloadFacts().map(facts -> facts.addedTo(context)).orElse(context));
  }

  /** Returns the capability that every call for a request contains. */
  private VolumeCapability capability(MountRequest request) {
    VolumeCapability asked = request.capability().withAccessMode(mode);
    if (asked.isBlock()) {
      return asked;
    }
    MountOptions options = asked.mountOptions().orElseGet(MountOptions::none);
    if (!label.equals(label(asked))) {
      options = SelinuxLabel.of(label).addedTo(options);
    }
    if (!group.isEmpty()) {
      options = options.withVolumeMountGroup(group);
    }
    return VolumeCapability.mount(mode, options);
  }

  // ---- the parts that are compared and kept

  /** Returns the digest of all mount flags except the flag for the SELinux label. */
  private static String digest(VolumeIdentity identity, MountFlags flags) {
    MountFlags others = SelinuxLabel.without(flags);
    return others.isEmpty() && !flags.isEmpty() ? "" : Digests.of(identity, others);
  }

  /** Returns the SELinux label in the mount flags of a filesystem; empty for no label. */
  public static String label(VolumeCapability capability) {
    return capability
        .mountOptions()
        .flatMap(MountOptions::flags)
        .flatMap(SelinuxLabel::in)
        .map(SelinuxLabel::value)
        .orElse("");
  }

  /** Returns the group in the mount options; empty for no group. */
  public static String group(VolumeCapability capability) {
    return capability.mountOptions().flatMap(MountOptions::volumeMountGroup).orElse("");
  }

  /** Returns this plan with another label; empty for no label. */
  public Plan labelled(String with) {
    return new Plan(staged, block, mode, fsType, flags, group, attached, with);
  }

  /** Returns this plan with another group; empty for no group. */
  public Plan grouped(String with) {
    return new Plan(staged, block, mode, fsType, flags, with, attached, label);
  }

  /** Returns this plan with another digest of the context that attaching the volume returned. */
  public Plan attached(String digest) {
    return new Plan(staged, block, mode, fsType, flags, group, digest, label);
  }

  /**
   * Returns whether the two plans certainly differ in the context that attaching the volume
   * returned. Returns false if one of the contexts is not known.
   */
  public boolean isAttachedOtherwise(Plan other) {
    return Digests.isInForce(attached)
        && !other.attached.isEmpty()
        && !attached.equals(other.attached);
  }

  /**
   * Returns the plan for a volume that is known only by its directory. Such a volume is assumed to
   * be staged, unless it is an inline volume.
   */
  public static Plan unknown(VolumeIdentity identity) {
    boolean isInline = InlineName.isName(identity.handle().value());
    return new Plan(!isInline, false, AccessMode.UNSPECIFIED, "", "", "");
  }

  /** Returns whether a request has decided the plan. If not, the next request decides it. */
  public boolean isKnown() {
    return mode != AccessMode.UNSPECIFIED;
  }

  /**
   * Returns a text for each parameter in which the other plan differs, except for staging. The text
   * contains both values if they cannot contain a secret.
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

  /** Returns the text for a parameter in which a request differs from the plan. */
  public static String difference(String part, String has, String requested) {
    return part + " (it has " + has + ", this request " + requested + ")";
  }

  private static String type(boolean block) {
    return block ? "block" : "filesystem";
  }

  private static String quoted(String value) {
    return value.isEmpty() ? "none" : "'" + value + "'";
  }

  // ---- fields in a record

  /** Returns the fields that {@link #read} reads. */
  FieldWriter fields() {
    return new FieldWriter()
        .flag(1, staged)
        .flag(2, block)
        .number(3, FieldWriter.number(mode))
        .text(4, fsType)
        .text(5, flags)
        .text(6, group)
        .text(7, label);
  }

  /**
   * Returns the plan with these fields: 1 staged, 2 block, 3 mode, 4 filesystem, 5 digest of the
   * flags, 6 group, 7 label. The digest of the attach context is not among these fields, because
   * the record stores it with the other contexts.
   */
  static Plan read(FieldReader in) throws MalformedRecordException {
    Plan plan =
        new Plan(
            in.flag(1),
            in.flag(2),
            FieldReader.accessMode(in.number(3)),
            in.text(4),
            in.text(5),
            in.text(6));
    String label = in.text(7);
    return label.isEmpty()
        ? plan
        : plan.labelled(
            RecordBytes.checked("label of SELinux", () -> SelinuxLabel.of(label).value()));
  }
}
