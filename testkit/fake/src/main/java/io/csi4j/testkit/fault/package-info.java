/**
 * Faults of a test plugin: {@link io.csi4j.testkit.fault.Fault} states what goes wrong, {@link
 * io.csi4j.testkit.fault.When} for which calls. {@link io.csi4j.testkit.TestPlugin#inject} takes
 * both and returns a {@link io.csi4j.testkit.fault.FaultRule}. A {@link
 * io.csi4j.testkit.fault.FaultScript} contains many faults, as text.
 */
@NullMarked
package io.csi4j.testkit.fault;

import org.jspecify.annotations.NullMarked;
