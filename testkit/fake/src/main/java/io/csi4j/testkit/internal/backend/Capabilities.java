package io.csi4j.testkit.internal.backend;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.internal.backend.State.StoredVolume;
import io.csi4j.testkit.model.PluginShape;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Checks whether a plugin, or one of its volumes, supports a volume capability. */
final class Capabilities {

  private static final Set<Mode> ALPHA =
      EnumSet.of(Mode.SINGLE_NODE_SINGLE_WRITER, Mode.SINGLE_NODE_MULTI_WRITER);
  private static final Set<Mode> ONE_WRITER =
      EnumSet.of(Mode.SINGLE_NODE_WRITER, Mode.SINGLE_NODE_SINGLE_WRITER);

  private Capabilities() {}

  static void checkAtController(PluginShape shape, String at, VolumeCapability asked)
      throws Refusal {
    mode(at, asked, shape.offers(ControllerCapability.SINGLE_NODE_MULTI_WRITER));
  }

  static void checkAtNode(PluginShape shape, String at, VolumeCapability asked) throws Refusal {
    mode(at, asked, shape.offers(NodeCapability.SINGLE_NODE_MULTI_WRITER));
    if (!asked.getMount().getVolumeMountGroup().isEmpty()
        && !shape.offers(NodeCapability.VOLUME_MOUNT_GROUP)) {
      throw Refusal.invalid(
          at + ".mount.volume_mount_group",
          "needs the node capability VOLUME_MOUNT_GROUP. Leave it out.");
    }
  }

  private static void mode(String at, VolumeCapability asked, boolean alpha) throws Refusal {
    if (!alpha && ALPHA.contains(mode(asked))) {
      throw Refusal.invalid(
          at + ".access_mode",
          "is %s, which needs the capability SINGLE_NODE_MULTI_WRITER. Send SINGLE_NODE_WRITER.",
          mode(asked));
    }
  }

  /**
   * Returns the reason why no volume of this shape supports the capability; empty if its volumes
   * can support the capability.
   */
  static Optional<String> unsupported(PluginShape shape, VolumeCapability asked) {
    boolean can = asked.hasBlock() ? shape.blocks() : shape.filesystems();
    return can
        ? Optional.empty()
        : Optional.of("asks for " + type(asked) + ", which this plugin lacks");
  }

  /**
   * Returns the reason why this volume does not support the capability; empty if the volume
   * supports it.
   */
  static Optional<String> unsupported(
      PluginShape shape, StoredVolume volume, VolumeCapability asked) {
    Optional<String> never = unsupported(shape, asked);
    List<VolumeCapability> made = volume.asked().getVolumeCapabilitiesList();
    if (never.isPresent()
        || made.isEmpty()
        || made.stream().anyMatch(capability -> covers(capability, asked))) {
      return never;
    }
    return Optional.of(
        "asks for "
            + text(asked)
            + ", but the volume was created for "
            + made.stream().map(Capabilities::text).toList());
  }

  static void checkMadeFor(PluginShape shape, StoredVolume volume, VolumeCapability asked)
      throws Refusal {
    Optional<String> not = unsupported(shape, volume, asked);
    if (not.isPresent()) {
      throw Refusal.invalid("volume_capability", not.get() + ". Send one of those.");
    }
  }

  private static boolean covers(VolumeCapability made, VolumeCapability asked) {
    return made.hasBlock() == asked.hasBlock() && covers(mode(made), mode(asked));
  }

  private static boolean covers(Mode made, Mode asked) {
    if (made == asked || made == Mode.MULTI_NODE_MULTI_WRITER) {
      return true;
    }
    return switch (made) {
      case SINGLE_NODE_WRITER, SINGLE_NODE_SINGLE_WRITER ->
          ONE_WRITER.contains(asked) || asked == Mode.SINGLE_NODE_READER_ONLY;
      case SINGLE_NODE_MULTI_WRITER -> !multiNode(asked);
      case MULTI_NODE_READER_ONLY -> asked == Mode.SINGLE_NODE_READER_ONLY;
      case MULTI_NODE_SINGLE_WRITER ->
          asked != Mode.MULTI_NODE_MULTI_WRITER && asked != Mode.SINGLE_NODE_MULTI_WRITER;
      default -> false;
    };
  }

  static Mode mode(VolumeCapability capability) {
    return capability.getAccessMode().getMode();
  }

  static boolean multiNode(Mode mode) {
    return mode == Mode.MULTI_NODE_READER_ONLY
        || mode == Mode.MULTI_NODE_SINGLE_WRITER
        || mode == Mode.MULTI_NODE_MULTI_WRITER;
  }

  /** Returns whether the access mode forbids all workloads to write. */
  static boolean readOnly(VolumeCapability capability) {
    return mode(capability) == Mode.SINGLE_NODE_READER_ONLY
        || mode(capability) == Mode.MULTI_NODE_READER_ONLY;
  }

  static String text(VolumeCapability capability) {
    return type(capability) + " as " + mode(capability);
  }

  private static String type(VolumeCapability capability) {
    return capability.hasBlock() ? "a block device" : "a filesystem";
  }
}
