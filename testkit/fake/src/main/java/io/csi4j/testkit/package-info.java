/**
 * CSI plugins to test an orchestrator against: each a real gRPC server on a real UNIX socket.
 *
 * <p>Start with {@link io.csi4j.testkit.FakeCsiPlugin}, which keeps everything in memory and obeys
 * the spec; {@code HostPathPlugin}, which really mounts, is in the module {@code
 * io.csi4j.testkit.hostpath}. Both are a {@link io.csi4j.testkit.TestPlugin}: they accept {@link
 * io.csi4j.testkit.fault.Fault faults}, keep a {@link io.csi4j.testkit.journal.CallJournal journal}
 * of their calls, and judge their caller through {@link io.csi4j.testkit.Referee}. An orchestrator
 * in any language that reaches a UNIX socket can use them. They are safe for use by many threads.
 *
 * <p>The values that describe a plugin are in {@code io.csi4j.testkit.model}. Only {@code
 * io.csi4j.testkit.junit} uses JUnit, and only {@code io.csi4j.testkit.internal} uses gRPC and
 * protobuf. No package here uses the volume manager: it is one of the callers that are judged.
 */
@NullMarked
package io.csi4j.testkit;

import org.jspecify.annotations.NullMarked;
