/**
 * Conformance suites: what a CSI plugin owes its callers, what an orchestrator owes the plugins
 * that it calls, and what a store of records guarantees.
 *
 * <p>For a plugin start with {@link io.csi4j.conformance.PluginConformance}, for an orchestrator
 * with {@link io.csi4j.conformance.OrchestratorConformance}, for a store of records with {@link
 * io.csi4j.conformance.RecordStoreChecks}. The descriptions that a caller hands in and the reports
 * stand in {@code io.csi4j.conformance.model}.
 *
 * <p>{@link io.csi4j.conformance.PluginConformanceTest} and {@link
 * io.csi4j.conformance.OrchestratorConformanceTest} run the first two as JUnit tests. They are the
 * only types here that need JUnit. Values are immutable; a run is for one thread.
 */
@NullMarked
package io.csi4j.conformance;

import org.jspecify.annotations.NullMarked;
