package io.csi4j.testkit.model;

import java.util.function.Supplier;

/**
 * Predefined shapes of plugins, modelled on real plugins.
 *
 * @since 1.0
 */
public enum ShapePreset {
  /** {@link PluginShape#full}. */
  FULL(PluginShape::full),
  /** {@link PluginShape#full113}. */
  FULL_113(PluginShape::full113),
  /** {@link PluginShape#full112And113}. */
  FULL_112_AND_113(PluginShape::full112And113),
  /** {@link PluginShape#separateSockets}. */
  SEPARATE_SOCKETS(PluginShape::separateSockets),
  /** {@link PluginShape#nodeOnly}. */
  NODE_ONLY(PluginShape::nodeOnly),
  /** {@link PluginShape#noStaging}. */
  NO_STAGING(PluginShape::noStaging),
  /** {@link PluginShape#noAttach}. */
  NO_ATTACH(PluginShape::noAttach),
  /** {@link PluginShape#attachRequired}. */
  ATTACH_REQUIRED(PluginShape::attachRequired),
  /** {@link PluginShape#blockOnly}. */
  BLOCK_ONLY(PluginShape::blockOnly),
  /** {@link PluginShape#csiSanity}. */
  CSI_SANITY(PluginShape::csiSanity),
  /** {@link PluginShape#plain}. */
  PLAIN(PluginShape::plain);

  @SuppressWarnings("ImmutableEnumChecker") // Each constant refers to a static method.
  private final Supplier<PluginShape> shape;

  ShapePreset(Supplier<PluginShape> shape) {
    this.shape = shape;
  }

  /** Returns the shape. */
  public PluginShape shape() {
    return shape.get();
  }
}
