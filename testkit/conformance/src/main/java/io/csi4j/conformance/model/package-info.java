/**
 * The words of the suites for plugins and orchestrators: the system under test, the cases and
 * scenarios, their results and reports.
 *
 * <p>A plugin is described as a {@link io.csi4j.conformance.model.PluginUnderTest} and judged in a
 * {@link io.csi4j.conformance.model.ConformanceReport}. An orchestrator is driven through a {@link
 * io.csi4j.conformance.model.OrchestratorUnderTest} and judged in an {@link
 * io.csi4j.conformance.model.OrchestratorReport}. Values are immutable. Nothing here runs a suite.
 */
@NullMarked
package io.csi4j.conformance.model;

import org.jspecify.annotations.NullMarked;
