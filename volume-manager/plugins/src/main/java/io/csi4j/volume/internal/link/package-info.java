/**
 * The connection to one plugin that node calls, probes and controllers share. Start at {@link
 * io.csi4j.volume.internal.link.PluginLink}. The meaning of an answer for a volume does not belong
 * here.
 */
@NullMarked
package io.csi4j.volume.internal.link;

import org.jspecify.annotations.NullMarked;
