package io.csi4j.testkit.junit;

import io.csi4j.testkit.model.PluginShape;
import java.util.function.Supplier;

/**
 * Supplies the shape of a plugin where a {@link io.csi4j.testkit.model.ShapePreset} is not enough.
 * An implementation needs a constructor without parameters.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface ShapeSource extends Supplier<PluginShape> {}
