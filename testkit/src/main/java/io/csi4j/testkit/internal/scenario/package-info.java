/**
 * The scenarios of the suite for orchestrators. Start with {@link
 * io.csi4j.testkit.internal.scenario.Scenarios}; what a scenario can do stands in {@link
 * io.csi4j.testkit.internal.scenario.Play}.
 */
@NullMarked
package io.csi4j.testkit.internal.scenario;

import org.jspecify.annotations.NullMarked;
