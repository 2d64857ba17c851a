/**
 * What is behind an open manager: its parts put together, waiting for callers, the order in which
 * it ends. Begin with {@link io.csi4j.volume.internal.manager.OpenedManager}.
 */
@NullMarked
package io.csi4j.volume.internal.manager;

import org.jspecify.annotations.NullMarked;
