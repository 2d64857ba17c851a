/** Text for people, escaped; bytes found in other bytes. Knows no mount. */
@NullMarked
package io.csi4j.mount.internal.text;

import org.jspecify.annotations.NullMarked;
