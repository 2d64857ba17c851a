/**
 * The values of the suites for plugins and orchestrators: the system under test, the cases, their
 * results and reports.
 *
 * <p>A {@link io.csi4j.conformance.model.PluginUnderTest} describes a plugin, and a {@link
 * io.csi4j.conformance.model.OrchestratorUnderTest} drives an orchestrator. A {@link
 * io.csi4j.conformance.model.ConformanceRun} judges both case by case, and a {@link
 * io.csi4j.conformance.model.ConformanceReport} contains the results. Values are immutable.
 */
@NullMarked
package io.csi4j.conformance.model;

import org.jspecify.annotations.NullMarked;
