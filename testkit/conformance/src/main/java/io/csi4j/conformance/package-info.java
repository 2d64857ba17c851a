/**
 * Conformance suites: they check CSI plugins against the spec, orchestrators against their duties
 * to plugins, and record stores against their guarantees.
 *
 * <p>For a plugin start with {@link io.csi4j.conformance.PluginConformance}, for an orchestrator
 * with {@link io.csi4j.conformance.OrchestratorConformance}, for a record store with {@link
 * io.csi4j.conformance.RecordStoreChecks}. The descriptions that a caller passes and the reports
 * are in {@code io.csi4j.conformance.model}.
 *
 * <p>{@link io.csi4j.conformance.PluginConformanceTest} and {@link
 * io.csi4j.conformance.OrchestratorConformanceTest} run the first two as JUnit tests. Only these
 * two types need JUnit. Values are immutable; only one thread may use a run at a time.
 */
@NullMarked
package io.csi4j.conformance;

import org.jspecify.annotations.NullMarked;
