package io.csi4j.volume.workload;

import static io.csi4j.volume.workload.PreflightFindings.quoted;

import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.OperatorCode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Whether tasks can see volumes where and how they want to.
 *
 * @param wanted what the workload wants
 * @param permission decides about mounts that reach the host
 * @param found where findings go
 */
record TaskCheck(
    WorkloadVolumes wanted, PropagationPermission permission, PreflightFindings found) {

  void check() {
    wanted.tasks().forEach(this::check);
  }

  void check(TaskVolumes task) {
    checkNames(task);
    checkPlaces(task);
    for (VolumeMount mount : task.mounts()) {
      wanted
          .volume(mount.volume())
          .flatMap(volume -> Propagating.refusal(permission, task.task(), volume, mount))
          .ifPresent(found::obstacle);
    }
  }

  private void checkNames(TaskVolumes task) {
    Set<VolumeAlias> told = new LinkedHashSet<>();
    for (VolumeMount mount : task.mounts()) {
      if (wanted.volume(mount.volume()).isEmpty() && told.add(mount.volume())) {
        found.obstacle(
            OperatorCode.MOUNT_MISSING,
            PreflightFindings.about(wanted, task.task()),
            "it refers to "
                + quoted(mount.volume())
                + ", and the workload asks for no such volume");
      }
    }
  }

  private void checkPlaces(TaskVolumes task) {
    Subject subject = PreflightFindings.about(wanted, task.task());
    List<VolumeMount> mounts = task.mounts().stream().distinct().toList();
    for (int i = 0; i < mounts.size(); i++) {
      for (int j = 0; j < mounts.size(); j++) {
        VolumeMount outer = mounts.get(i);
        VolumeMount inner = mounts.get(j);
        boolean isSame = outer.destination().equals(inner.destination());
        if (isSame && i < j) {
          found.obstacle(
              OperatorCode.DESTINATION_CONFLICT,
              subject.at(outer.destination()),
              outer.volume().equals(inner.volume())
                  ? "volume " + quoted(outer.volume()) + " would be there in two ways"
                  : "volumes "
                      + quoted(outer.volume())
                      + " and "
                      + quoted(inner.volume())
                      + " would be there");
        } else if (!isSame && inner.destination().isWithin(outer.destination())) {
          checkNested(subject, outer, inner);
        }
      }
    }
  }

  private void checkNested(Subject subject, VolumeMount outer, VolumeMount inner) {
    Optional<RequestedVolume> around = wanted.volume(outer.volume());
    String seen =
        "volume " + quoted(inner.volume()) + " would be inside of " + quoted(outer.volume());
    if (around.filter(it -> it.request().attachment() == AttachmentMode.BLOCK).isPresent()) {
      found.obstacle(
          OperatorCode.DESTINATION_CONFLICT,
          subject.at(inner.destination()),
          seen + ", which is a block device at " + outer.destination());
    } else if (around.filter(it -> it.request().readOnly()).isPresent() || outer.readOnly()) {
      found.remark(
          OperatorCode.DESTINATION_IN_READ_ONLY,
          subject.at(inner.destination()),
          seen + ", which is only read, at " + outer.destination());
    }
  }
}
