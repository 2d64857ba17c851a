/** Shares of long campaigns, for the tests of this module and of those that depend on it. */
@NullMarked
package io.csi4j.mount.campaign;

import org.jspecify.annotations.NullMarked;
