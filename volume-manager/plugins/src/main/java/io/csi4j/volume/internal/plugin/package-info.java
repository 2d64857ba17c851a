/**
 * The registry of plugins and the supervision of one. Start at {@link
 * io.csi4j.volume.internal.plugin.LivePluginRegistry}, whose decisions are in {@code RosterRules},
 * and at {@link io.csi4j.volume.internal.plugin.Supervision}, which is about one instance, asks
 * through {@link io.csi4j.volume.internal.plugin.Prober} and decides by {@link
 * io.csi4j.volume.internal.plugin.Vitals}. {@code StoredPlugins} remembers what is registered.
 *
 * <p>Calls for volumes do not belong here. The registry is safe for many threads; a roster does not
 * change.
 */
@NullMarked
package io.csi4j.volume.internal.plugin;

import org.jspecify.annotations.NullMarked;
