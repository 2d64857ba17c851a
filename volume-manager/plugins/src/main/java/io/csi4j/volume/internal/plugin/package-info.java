/**
 * The registry of plugins, and the supervision of plugins. Start at {@link
 * io.csi4j.volume.internal.plugin.LivePluginRegistry}, whose decisions are in {@code Roster}, and
 * at {@link io.csi4j.volume.internal.plugin.Supervision}, which supervises one instance. A
 * supervision calls the plugin through {@link io.csi4j.volume.internal.plugin.Prober}, and {@link
 * io.csi4j.volume.internal.plugin.Vitals} determines the health. {@code StoredPlugins} stores the
 * registered instances.
 *
 * <p>This package makes no calls for volumes. The registry is safe for use by many threads; a
 * {@code Roster} is immutable.
 */
@NullMarked
package io.csi4j.volume.internal.plugin;

import org.jspecify.annotations.NullMarked;
