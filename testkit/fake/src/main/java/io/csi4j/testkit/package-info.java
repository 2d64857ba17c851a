/**
 * CSI plugins for testing an orchestrator. Each plugin is a real gRPC server on a real UNIX socket.
 *
 * <p>Start with {@link io.csi4j.testkit.FakeCsiPlugin}, which keeps all data in memory and obeys
 * the spec. The module {@code io.csi4j.testkit.hostpath} contains {@code HostPathPlugin}, which
 * really mounts. Both plugins extend {@link io.csi4j.testkit.TestPlugin}: they accept {@link
 * io.csi4j.testkit.fault.Fault faults}, keep a {@link io.csi4j.testkit.journal.CallJournal journal}
 * of their calls, and judge their caller through {@link io.csi4j.testkit.Referee}. Any orchestrator
 * that can connect to a UNIX socket can use the plugins, whatever its language. They are safe for
 * use by many threads.
 *
 * <p>The values that describe a plugin are in {@code io.csi4j.testkit.model}. Only {@code
 * io.csi4j.testkit.junit} uses JUnit, and only {@code io.csi4j.testkit.internal} uses gRPC and
 * protobuf. No package of this module uses the volume manager, because the volume manager is one of
 * the judged callers.
 */
@NullMarked
package io.csi4j.testkit;

import org.jspecify.annotations.NullMarked;
