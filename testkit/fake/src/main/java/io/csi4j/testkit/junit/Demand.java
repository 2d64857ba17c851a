package io.csi4j.testkit.junit;

import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.model.PluginShape;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.List;

/**
 * What an annotation asks for.
 *
 * @param shape what the plugin is
 * @param nodes where it runs
 * @param virtualTime whether its time stands still
 * @param mounts whether what it publishes is a mount in memory
 * @param lawful whether a broken duty fails the test
 * @param leftovers what may be left
 */
record Demand(
    PluginShape shape,
    List<NodeId> nodes,
    boolean virtualTime,
    boolean mounts,
    boolean lawful,
    LeftoverPolicy leftovers) {

  /** Reads an annotation. */
  static Demand of(FakeCsi csi) {
    if (csi.nodes().length == 0) {
      throw new IllegalArgumentException(
          "@FakeCsi(nodes = {}) leaves the plugin without a node. Name one at least.");
    }
    return new Demand(
        shape(csi).with(csi.quirks()),
        Arrays.stream(csi.nodes()).map(NodeId::of).toList(),
        csi.virtualTime(),
        csi.mounts(),
        csi.lawful(),
        csi.leftovers());
  }

  private static PluginShape shape(FakeCsi csi) {
    return csi.shapeFrom() == ShapeSource.class ? csi.shape().shape() : make(csi.shapeFrom()).get();
  }

  private static ShapeSource make(Class<? extends ShapeSource> type) {
    try {
      Constructor<? extends ShapeSource> constructor = type.getDeclaredConstructor();
      constructor.trySetAccessible();
      return constructor.newInstance();
    } catch (InvocationTargetException e) {
      throw new IllegalArgumentException(
          "@FakeCsi(shapeFrom = " + type.getSimpleName() + ".class) failed: its constructor threw.",
          e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(
          "@FakeCsi(shapeFrom = "
              + type.getSimpleName()
              + ".class) failed: it has no constructor without parameters that can be called. Make"
              + " it a top-level or static class with one.",
          e);
    }
  }
}
