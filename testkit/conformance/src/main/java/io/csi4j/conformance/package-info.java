/**
 * Conformance suites that check CSI plugins against the spec, orchestrators against their duties to
 * plugins, and record stores against their guarantees.
 *
 * <p>To check a plugin, start with {@link io.csi4j.conformance.PluginConformance}; for an
 * orchestrator, with {@link io.csi4j.conformance.OrchestratorConformance}; for a record store, with
 * {@link io.csi4j.conformance.RecordStoreChecks}. The package {@code io.csi4j.conformance.model}
 * contains the descriptions of the systems under test, and the reports.
 *
 * <p>{@link io.csi4j.conformance.PluginConformanceTest} and {@link
 * io.csi4j.conformance.OrchestratorConformanceTest} run the suites for plugins and orchestrators as
 * JUnit tests. Only these two types need JUnit. Values are immutable. Only one thread may use a run
 * at a time.
 */
@NullMarked
package io.csi4j.conformance;

import org.jspecify.annotations.NullMarked;
