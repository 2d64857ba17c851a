/**
 * The words that describe a test plugin: its {@link io.csi4j.testkit.model.PluginShape shape} with
 * presets and quirks, its {@link io.csi4j.testkit.model.PluginClock clock}, its {@link
 * io.csi4j.testkit.model.PluginContents contents}.
 *
 * <p>All values are immutable. Nothing here starts a plugin or knows of one.
 */
@NullMarked
package io.csi4j.testkit.model;

import org.jspecify.annotations.NullMarked;
