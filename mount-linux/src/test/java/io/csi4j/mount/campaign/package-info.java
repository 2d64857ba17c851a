/**
 * Shares of long campaigns, and a look at what takes long, for the tests of this module and of
 * those that depend on it.
 */
@NullMarked
package io.csi4j.mount.campaign;

import org.jspecify.annotations.NullMarked;
