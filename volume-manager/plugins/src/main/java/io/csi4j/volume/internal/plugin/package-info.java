/**
 * Registry of plugins and supervision of one plugin. Start at {@link
 * io.csi4j.volume.internal.plugin.LivePluginRegistry}, whose decisions are in {@code RosterRules},
 * and at {@link io.csi4j.volume.internal.plugin.Supervision}, which supervises one instance, asks
 * through {@link io.csi4j.volume.internal.plugin.Prober} and decides by {@link
 * io.csi4j.volume.internal.plugin.Vitals}. {@code StoredPlugins} stores the registered instances.
 *
 * <p>Calls for volumes do not belong here. The registry is safe for use by many threads; a roster
 * is immutable.
 */
@NullMarked
package io.csi4j.volume.internal.plugin;

import org.jspecify.annotations.NullMarked;
