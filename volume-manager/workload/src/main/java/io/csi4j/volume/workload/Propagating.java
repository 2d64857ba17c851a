package io.csi4j.volume.workload;

import static io.csi4j.volume.workload.PreflightFindings.quoted;

import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import java.util.Optional;

/** Whether a volume may show mounts to its task or its host. */
final class Propagating {

  private Propagating() {}

  /** Why it may not, if it may not. */
  static Optional<OperatorMessage> refusal(
      PropagationPermission permission, TaskName task, RequestedVolume volume, VolumeMount mount) {
    if (mount.propagation() == MountPropagation.PRIVATE) {
      return Optional.empty();
    }
    Subject subject =
        Subject.of(
                "checking volume "
                    + quoted(volume.alias())
                    + " for task "
                    + quoted(task)
                    + " of workload "
                    + quoted(volume.workload()))
            .at(mount.destination());
    if (volume.request().attachment() == AttachmentMode.BLOCK) {
      return Optional.of(
          Messages.of(
              OperatorCode.PROPAGATION_REFUSED,
              subject,
              "propagation '"
                  + mount.propagation().word()
                  + "' is wanted of a block device, which has no mounts below it",
              new OperatorMessage.Part("Use private for block devices")));
    }
    return mount.propagation() == MountPropagation.BIDIRECTIONAL
        ? reason(permission, task, volume, mount)
            .map(why -> Messages.of(OperatorCode.PROPAGATION_REFUSED, subject, why))
        : Optional.empty();
  }

  private static Optional<String> reason(
      PropagationPermission permission, TaskName task, RequestedVolume volume, VolumeMount mount) {
    if (volume.request().readOnly() || mount.readOnly()) {
      return Optional.of(
          "propagation 'bidirectional' needs a volume that is read-write, and "
              + (mount.readOnly() ? "the task" : "the workload")
              + " wants only to read it");
    }
    try {
      return permission.permits(
              new PropagationPermission.Wish(volume.workload(), task, volume.request()))
          ? Optional.empty()
          : Optional.of(
              "the host does not permit propagation 'bidirectional' for this "
                  + (volume.request().type() == VolumeType.CSI ? "CSI" : "host")
                  + " volume");
    } catch (RuntimeException failed) {
      return Optional.of(
          "the host could not decide whether it permits propagation 'bidirectional': " + failed);
    }
  }
}
