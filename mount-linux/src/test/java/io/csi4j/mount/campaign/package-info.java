/** Shares of long campaigns, for the tests of all modules. */
@NullMarked
package io.csi4j.mount.campaign;

import org.jspecify.annotations.NullMarked;
