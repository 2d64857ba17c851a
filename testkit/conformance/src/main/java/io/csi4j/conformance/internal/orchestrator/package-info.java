/**
 * The scenarios of the suite for orchestrators. Start with {@link
 * io.csi4j.conformance.internal.orchestrator.Scenarios}. The class {@link
 * io.csi4j.conformance.internal.orchestrator.Play} implements the steps of a scenario.
 */
@NullMarked
package io.csi4j.conformance.internal.orchestrator;

import org.jspecify.annotations.NullMarked;
