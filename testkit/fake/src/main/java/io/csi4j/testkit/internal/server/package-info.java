/**
 * The gRPC side of a test plugin: sockets, the path of a call through faults to the backend and
 * back, and the plugin's lifecycle (stop, start, freeze, upgrade). Start with {@link
 * io.csi4j.testkit.internal.server.PluginCore}.
 *
 * <p>Each plugin has one event loop, which receives and records calls, and workers, on which the
 * backend does the work. A waiting call holds no thread. gRPC is implemented by hand on netty's
 * HTTP/2, because grpc-java's server refuses to send unlawful answers.
 *
 * <p>Other modules of the testkit use this package: the plugin that really mounts starts a {@code
 * PluginCore}, and the proxy uses the sockets, threads, gates and faults of a plugin. The package
 * also contains a client: replays and the conformance suite call a plugin with {@code RawCalls}.
 * Hosts do not use this package.
 */
@NullMarked
package io.csi4j.testkit.internal.server;

import org.jspecify.annotations.NullMarked;
