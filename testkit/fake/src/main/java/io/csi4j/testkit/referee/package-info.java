/**
 * The values of the referee: the {@link io.csi4j.testkit.referee.Duty duties} of an orchestrator
 * under the spec, their {@link io.csi4j.testkit.referee.Breach breaches}, and the {@link
 * io.csi4j.testkit.referee.Verdict verdict}.
 *
 * <p>{@link io.csi4j.testkit.Referee} judges the calls. The duties are numbered D-001 to D-564;
 * {@code docs/duties.md} explains them.
 */
@NullMarked
package io.csi4j.testkit.referee;

import org.jspecify.annotations.NullMarked;
