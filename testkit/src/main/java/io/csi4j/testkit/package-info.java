/**
 * The room for plugins to test against. It holds no type in this version.
 *
 * <p>Here belong a fake plugin on a real UNIX socket, the journal of its calls, the faults it can
 * be told to make, the referee that judges its caller against the duties of the spec, and a plugin
 * that really mounts. JUnit is known to {@code io.csi4j.testkit.junit} and {@code
 * io.csi4j.testkit.conformance} alone, gRPC and protobuf to {@code io.csi4j.testkit.internal}. The
 * volume manager is unknown here: it is one of those who are judged.
 */
@NullMarked
package io.csi4j.testkit;

import org.jspecify.annotations.NullMarked;
