package io.csi4j.testkit.junit;

import io.csi4j.testkit.PluginShape;
import io.csi4j.testkit.ShapePreset;
import java.util.function.Supplier;

/**
 * Says what a plugin is, where a {@link ShapePreset} is not enough. Needs a constructor without
 * parameters.
 */
@FunctionalInterface
public interface ShapeSource extends Supplier<PluginShape> {}
