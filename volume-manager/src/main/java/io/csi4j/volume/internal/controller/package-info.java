/**
 * Calls to the controllers of plugins, and the operations that are made of them. Start at {@link
 * io.csi4j.volume.internal.controller.Controllers}, through which every call goes: it finds an
 * instance that is ready, and lets calls wait for each other.
 *
 * <p>Nothing here knows of nodes' paths or of mounts. Safe for many threads.
 */
@NullMarked
package io.csi4j.volume.internal.controller;

import org.jspecify.annotations.NullMarked;
