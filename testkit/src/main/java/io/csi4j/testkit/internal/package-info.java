/** The inside of the testkit; nothing here is for users. */
@NullMarked
package io.csi4j.testkit.internal;

import org.jspecify.annotations.NullMarked;
