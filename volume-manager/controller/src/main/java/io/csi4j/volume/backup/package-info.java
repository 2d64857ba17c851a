/**
 * Parts of a backup that need no storage system: names of scheduled snapshots, and files that list
 * the changed blocks. {@link io.csi4j.volume.controller.SnapshotBackups} takes the snapshots;
 * nothing in this package copies data.
 */
@NullMarked
package io.csi4j.volume.backup;

import org.jspecify.annotations.NullMarked;
