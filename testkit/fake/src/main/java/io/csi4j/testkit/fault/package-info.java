/**
 * Faults of a test plugin. A {@link io.csi4j.testkit.fault.Fault} describes what goes wrong, and a
 * {@link io.csi4j.testkit.fault.When} selects the affected calls. {@link
 * io.csi4j.testkit.TestPlugin#inject} takes both and returns a {@link
 * io.csi4j.testkit.fault.FaultRule}. A {@link io.csi4j.testkit.fault.FaultScript} contains many
 * faults as text.
 */
@NullMarked
package io.csi4j.testkit.fault;

import org.jspecify.annotations.NullMarked;
