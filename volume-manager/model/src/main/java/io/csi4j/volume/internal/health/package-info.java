/**
 * The faults of volumes and storage that plugins reported, and their changes. Makes no calls and
 * has no threads.
 */
@NullMarked
package io.csi4j.volume.internal.health;

import org.jspecify.annotations.NullMarked;
