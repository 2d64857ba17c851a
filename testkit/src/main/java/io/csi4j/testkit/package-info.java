/**
 * CSI plugins to test an orchestrator against: each a real gRPC server on a real UNIX socket.
 *
 * <p>Start with {@link io.csi4j.testkit.FakeCsiPlugin}, which keeps everything in memory and obeys
 * the spec, or with {@link io.csi4j.testkit.HostPathPlugin}, which really mounts. Both are a {@link
 * io.csi4j.testkit.TestPlugin}: they take {@link io.csi4j.testkit.Fault faults}, keep a {@link
 * io.csi4j.testkit.journal.CallJournal journal} of their calls, and judge their caller through
 * {@link io.csi4j.testkit.referee.Referee}. Whatever is here is usable by an orchestrator in any
 * language that reaches a UNIX socket, and safe for use by many threads.
 *
 * <p>JUnit is known to {@code io.csi4j.testkit.junit} and {@code io.csi4j.testkit.conformance}
 * alone, gRPC and protobuf to {@code io.csi4j.testkit.internal}. The volume manager is unknown
 * here: it is one of those who are judged.
 */
@NullMarked
package io.csi4j.testkit;

import org.jspecify.annotations.NullMarked;
