/**
 * What is known of plugins, how they are watched over, and who is told of it. Begin with {@link
 * io.csi4j.volume.internal.plugin.LivePluginRegistry}, whose decisions are in {@code RosterRules},
 * and with {@link io.csi4j.volume.internal.plugin.Supervision}, which is about one instance, asks
 * through {@link io.csi4j.volume.internal.plugin.Prober} and decides by {@link
 * io.csi4j.volume.internal.plugin.Vitals}. Calls for volumes do not belong here. The registry is
 * safe for many threads; a roster does not change.
 */
@NullMarked
package io.csi4j.volume.internal.plugin;

import org.jspecify.annotations.NullMarked;
