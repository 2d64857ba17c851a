/**
 * The values of the suites for plugins and orchestrators: the system under test, the cases, the
 * results and the reports.
 *
 * <p>A {@link io.csi4j.conformance.model.PluginUnderTest} describes a plugin, and a {@link
 * io.csi4j.conformance.model.OrchestratorUnderTest} drives an orchestrator. A {@link
 * io.csi4j.conformance.model.ConformanceRun} runs the cases, and a {@link
 * io.csi4j.conformance.model.ConformanceReport} contains their results. Values are immutable.
 */
@NullMarked
package io.csi4j.conformance.model;

import org.jspecify.annotations.NullMarked;
