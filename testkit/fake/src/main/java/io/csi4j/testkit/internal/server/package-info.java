/**
 * The gRPC side of a test plugin: sockets, the way of a call through faults to the backend and
 * back, and the plugin's life (stop, start, freeze, upgrade). Start with {@link
 * io.csi4j.testkit.internal.server.PluginCore}.
 *
 * <p>Each plugin has one event loop, on which calls come in and are written down, and workers, on
 * which the backend does their work. A call that waits holds no thread. gRPC is spoken by hand over
 * netty's HTTP/2, for the sake of answers that grpc-java's own server refuses to send.
 *
 * <p>Other modules of the testkit see this package: the plugin that really mounts starts a {@code
 * PluginCore}, and the proxy has the sockets, threads, gates and faults of a plugin. The other end
 * is here, too: {@code RawCalls}, by which replays and the conformance suite call a plugin. No host
 * sees it.
 */
@NullMarked
package io.csi4j.testkit.internal.server;

import org.jspecify.annotations.NullMarked;
