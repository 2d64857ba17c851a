/**
 * The referee: judges a caller of CSI by what a plugin can see of it, against every duty that the
 * spec lays on an orchestrator.
 *
 * <p>Start with {@link io.csi4j.testkit.referee.Referee}. Duties have numbers, D-001 to D-536, that
 * {@code docs/duties.md} explains. A pure fold over the events of a journal; it calls nobody.
 */
@NullMarked
package io.csi4j.testkit.referee;

import org.jspecify.annotations.NullMarked;
