/**
 * The words of the suites for plugins and orchestrators: the system under test, the cases, their
 * results and reports.
 *
 * <p>A plugin is described as a {@link io.csi4j.conformance.model.PluginUnderTest}, an orchestrator
 * is driven through a {@link io.csi4j.conformance.model.OrchestratorUnderTest}. Both are judged in
 * a {@link io.csi4j.conformance.model.ConformanceReport}, case by case in a {@link
 * io.csi4j.conformance.model.ConformanceRun}. Values are immutable.
 */
@NullMarked
package io.csi4j.conformance.model;

import org.jspecify.annotations.NullMarked;
