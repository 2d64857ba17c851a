/**
 * The values that describe a test plugin: its {@link io.csi4j.testkit.model.PluginShape shape} with
 * presets and quirks, its {@link io.csi4j.testkit.model.PluginClock clock}, and its {@link
 * io.csi4j.testkit.model.PluginContents contents}.
 *
 * <p>All values are immutable. No type of this package starts or refers to a plugin.
 */
@NullMarked
package io.csi4j.testkit.model;

import org.jspecify.annotations.NullMarked;
