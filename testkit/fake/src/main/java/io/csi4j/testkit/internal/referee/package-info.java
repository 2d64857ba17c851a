/**
 * The rules of the referee. Each kind of duty has a small class that reads the events of the
 * journal in order.
 */
@NullMarked
package io.csi4j.testkit.internal.referee;

import org.jspecify.annotations.NullMarked;
