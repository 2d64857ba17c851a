/**
 * Parts of a backup that need no storage system: the names of snapshots that a schedule cuts, and
 * files of the blocks that changed. The snapshots are cut by {@link
 * io.csi4j.volume.controller.SnapshotBackups}; nothing here copies data.
 */
@NullMarked
package io.csi4j.volume.backup;

import org.jspecify.annotations.NullMarked;
