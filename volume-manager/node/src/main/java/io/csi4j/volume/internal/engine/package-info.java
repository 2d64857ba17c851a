/**
 * The engine performs the steps that the lifecycle decides on, one operation of a volume at a time,
 * through the interfaces of package port. The entry type is {@code VolumeEngine}. Decisions about
 * steps belong to package lifecycle, not to this package.
 */
@NullMarked
package io.csi4j.volume.internal.engine;

import org.jspecify.annotations.NullMarked;
