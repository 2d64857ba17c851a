/**
 * Short programs that show how to use csi4j. The first argument of {@code ReadPlugin}, {@code
 * ProvisionVolume} and {@code CountCalls} is the endpoint of a plugin; {@code ListMounts} needs a
 * path, and {@code Quickstart} an empty directory. Read each program from top to bottom.
 *
 * <p>This module is not published, and no other module depends on it. The tests of this module also
 * check the boundaries between all modules, because it depends on all of them.
 */
@NullMarked
package io.csi4j.examples;

import org.jspecify.annotations.NullMarked;
