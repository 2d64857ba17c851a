/**
 * Conformance suites: what a CSI plugin owes its callers, and what an orchestrator owes the plugins
 * that it calls.
 *
 * <p>For a plugin start with {@link io.csi4j.testkit.conformance.PluginConformance}: describe it as
 * a {@link io.csi4j.testkit.conformance.PluginUnderTest} and read the {@link
 * io.csi4j.testkit.conformance.ConformanceReport}. For an orchestrator start with {@link
 * io.csi4j.testkit.conformance.OrchestratorConformance}: implement {@link
 * io.csi4j.testkit.conformance.OrchestratorUnderTest} and read the {@link
 * io.csi4j.testkit.conformance.OrchestratorReport}.
 *
 * <p>{@link io.csi4j.testkit.conformance.PluginConformanceTest} and {@link
 * io.csi4j.testkit.conformance.OrchestratorConformanceTest} are the same as JUnit tests, and the
 * only types here that need JUnit. Values are immutable; a run is for one thread.
 */
@NullMarked
package io.csi4j.testkit.conformance;

import org.jspecify.annotations.NullMarked;
