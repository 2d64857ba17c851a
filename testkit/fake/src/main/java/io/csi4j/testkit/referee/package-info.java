/**
 * The words of the referee: the {@link io.csi4j.testkit.referee.Duty duties} that the spec lays on
 * an orchestrator, their {@link io.csi4j.testkit.referee.Breach breaches}, and the {@link
 * io.csi4j.testkit.referee.Verdict verdict}.
 *
 * <p>{@link io.csi4j.testkit.Referee} judges. Duties have numbers, D-001 to D-564, that {@code
 * docs/duties.md} explains.
 */
@NullMarked
package io.csi4j.testkit.referee;

import org.jspecify.annotations.NullMarked;
