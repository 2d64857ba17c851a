/**
 * A proxy between any orchestrator and any plugin, and a page that shows what went through it.
 *
 * <p>Start with {@link io.csi4j.testkit.proxy.CsiProxy}. It writes a {@link
 * io.csi4j.testkit.recording.Recording}; {@link io.csi4j.testkit.proxy.CallReport} shows its calls,
 * those of a recording, and those of a test plugin. Everything here is safe for use by many
 * threads.
 */
@NullMarked
package io.csi4j.testkit.proxy;

import org.jspecify.annotations.NullMarked;
