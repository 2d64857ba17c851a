package io.csi4j.volume.node;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * One path of a volume, as it is on record and as a start would find it.
 *
 * @param volume the volume
 * @param use the use whose target it is; nothing for the staging path
 * @param path where it is on this host
 * @param recorded how far the volume is there, on record; {@link PathStatus#NONE} if no record
 *     knows the path
 * @param found the same after a start that has compared the record with the mount table
 * @param pending the call that the plugin may still be working on
 * @param mounted the mount on top at the path, in words, if there is one
 * @since 1.0
 */
public record ViewedPath(
    VolumeIdentity volume,
    Optional<VolumeUse> use,
    Path path,
    PathStatus recorded,
    PathStatus found,
    Optional<CsiOperation> pending,
    Optional<String> mounted) {

  /** Checks that all parts are there. */
  public ViewedPath {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(use, "use");
    Objects.requireNonNull(path, "path");
    Objects.requireNonNull(recorded, "recorded");
    Objects.requireNonNull(found, "found");
    Objects.requireNonNull(pending, "pending");
    Objects.requireNonNull(mounted, "mounted");
  }

  /** Returns a status of this path for people, such as {@link #recorded} or {@link #found}. */
  public String phrase(PathStatus status) {
    return use.isPresent() ? status.ofTarget() : status.ofStaging();
  }
}
