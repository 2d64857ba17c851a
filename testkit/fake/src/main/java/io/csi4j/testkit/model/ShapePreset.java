package io.csi4j.testkit.model;

/**
 * The shapes of plugins found in the wild, by name.
 *
 * @since 1.0
 */
public enum ShapePreset {
  /** {@link PluginShape#full}. */
  FULL,
  /** {@link PluginShape#full113}. */
  FULL_113,
  /** {@link PluginShape#full112And113}. */
  FULL_112_AND_113,
  /** {@link PluginShape#separateSockets}. */
  SEPARATE_SOCKETS,
  /** {@link PluginShape#nodeOnly}. */
  NODE_ONLY,
  /** {@link PluginShape#noStaging}. */
  NO_STAGING,
  /** {@link PluginShape#noAttach}. */
  NO_ATTACH,
  /** {@link PluginShape#attachRequired}. */
  ATTACH_REQUIRED,
  /** {@link PluginShape#blockOnly}. */
  BLOCK_ONLY,
  /** {@link PluginShape#csiSanity}. */
  CSI_SANITY,
  /** {@link PluginShape#plain}. */
  PLAIN;

  /** The shape itself. */
  public PluginShape shape() {
    return switch (this) {
      case FULL -> PluginShape.full();
      case FULL_113 -> PluginShape.full113();
      case FULL_112_AND_113 -> PluginShape.full112And113();
      case SEPARATE_SOCKETS -> PluginShape.separateSockets();
      case NODE_ONLY -> PluginShape.nodeOnly();
      case NO_STAGING -> PluginShape.noStaging();
      case NO_ATTACH -> PluginShape.noAttach();
      case ATTACH_REQUIRED -> PluginShape.attachRequired();
      case BLOCK_ONLY -> PluginShape.blockOnly();
      case CSI_SANITY -> PluginShape.csiSanity();
      case PLAIN -> PluginShape.plain();
    };
  }
}
