/**
 * The connection to one plugin, which node calls, probes and controllers share. Start at {@link
 * io.csi4j.volume.internal.link.PluginLink}. The callers of this package interpret the answers of a
 * plugin.
 */
@NullMarked
package io.csi4j.volume.internal.link;

import org.jspecify.annotations.NullMarked;
