/**
 * Short programs that show csi4j at work: {@code ReadPlugin}, {@code ProvisionVolume} and {@code
 * CountCalls} are started with the endpoint of a plugin, {@code ListMounts} with a path, {@code
 * Quickstart} with an empty directory. Each reads from top to bottom.
 *
 * <p>Nothing in here is published, and nothing else depends on it. The checks of the boundaries
 * between the modules live beside the programs' tests, because this module sees all the others.
 */
@NullMarked
package io.csi4j.examples;

import org.jspecify.annotations.NullMarked;
