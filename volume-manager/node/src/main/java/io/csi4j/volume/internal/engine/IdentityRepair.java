package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.path.Finding;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeIdentity;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Writes identity files again that were found missing or damaged, of volumes that are remembered.
 * Trouble with the others is told to an operator.
 */
final class IdentityRepair {

  private static final Subject DOING = Subject.of("looking for directories of volumes");

  private final EngineParts parts;
  private final Map<MountPath, VolumeIdentity> remembered;

  IdentityRepair(EngineParts parts, Collection<VolumeRecord> volumes) {
    this.parts = parts;
    remembered =
        volumes.stream()
            .map(VolumeRecord::identity)
            .collect(Collectors.toMap(parts.layout()::who, identity -> identity));
  }

  /** Sees to one directory that does not say whose it is, and tells of it. */
  OperatorMessage of(PathProblem problem) {
    VolumeIdentity identity = remembered.get(problem.path());
    if (identity == null) {
      return told(problem);
    }
    try {
      Optional<Finding> finding = parts.directories().repairIdentity(identity);
      return finding.isEmpty()
          ? told(problem)
          : Messages.of(
              OperatorCode.SIDECAR_REPAIRED, DOING.at(problem.path()), finding.get().text());
    } catch (PathProblem again) {
      return told(again);
    }
  }

  private static OperatorMessage told(PathProblem problem) {
    return Messages.of(
        problem.kind().code(),
        DOING.at(problem.path()),
        problem.seen(),
        new OperatorMessage.Part(problem.advice()));
  }
}
