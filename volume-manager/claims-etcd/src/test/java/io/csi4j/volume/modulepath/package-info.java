/** The volume manager as a module, beside libraries that are none. */
package io.csi4j.volume.modulepath;
