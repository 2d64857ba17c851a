/**
 * The gRPC server of a test plugin: its sockets, its lifecycle (stop, start, freeze, upgrade), and
 * the handling of each call from fault injection to the answer. Start with {@link
 * io.csi4j.testkit.internal.server.PluginCore}.
 *
 * <p>Each plugin has one event loop, which receives and records calls, and worker threads, on which
 * the backend does the work. A waiting call occupies no thread. This package implements gRPC
 * directly on netty's HTTP/2, because grpc-java's server refuses to send answers that break the
 * protocol.
 *
 * <p>Other modules of the testkit use this package. The host path plugin starts a {@code
 * PluginCore}, and the proxy uses the sockets, threads, gates and faults of a plugin. The package
 * also contains a client, {@code RawCalls}, with which replays and the conformance suite call a
 * plugin. Hosts do not use this package.
 */
@NullMarked
package io.csi4j.testkit.internal.server;

import org.jspecify.annotations.NullMarked;
