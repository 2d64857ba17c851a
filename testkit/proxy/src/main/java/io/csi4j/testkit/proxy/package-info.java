/**
 * Tools for any orchestrator and any plugin. Start with {@link io.csi4j.testkit.proxy.CsiProxy},
 * which passes calls on between the two and writes a {@link io.csi4j.testkit.recording.Recording}.
 * {@link io.csi4j.testkit.proxy.CallReplay} replays one against a plugin, a {@link
 * io.csi4j.testkit.proxy.RecordedPlugin} answers from one, {@link
 * io.csi4j.testkit.proxy.CallReport} shows the calls of a proxy, of a recording or of a test
 * plugin, and {@link io.csi4j.testkit.proxy.JsonCall} makes a single call from JSON.
 *
 * <p>All classes of this package are safe for use by many threads.
 */
@NullMarked
package io.csi4j.testkit.proxy;

import org.jspecify.annotations.NullMarked;
