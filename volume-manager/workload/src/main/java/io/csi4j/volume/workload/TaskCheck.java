package io.csi4j.volume.workload;

import static io.csi4j.volume.workload.PreflightFindings.quoted;

import io.csi4j.mount.model.Propagation;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.workload.WorkloadVolumes.RequestedVolume;
import io.csi4j.volume.workload.WorkloadVolumes.TaskVolumes;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Checks whether the volumes of a workload can be mounted in its tasks as requested, and whether
 * the runtimes of the tasks support the volumes. For each type of requested volume, at least one
 * runtime must support the type. In addition, each runtime whose task mounts a volume of the type
 * must support it.
 *
 * @param wanted the volumes of the workload
 * @param permission decides about mounts that propagate to the host
 * @param found receives the findings
 */
record TaskCheck(
    WorkloadVolumes wanted, PropagationPermission permission, PreflightFindings found) {

  // ---- support by runtimes

  private enum Reading {
    CAN,
    CANNOT,
    UNREADABLE
  }

  /** Checks the runtimes of all tasks. */
  void checkRuntimes() {
    Set<VolumeRequest.Type> types = EnumSet.noneOf(VolumeRequest.Type.class);
    wanted.volumes().forEach(each -> types.add(each.request().type()));
    types.forEach(this::checkRuntimes);
  }

  /** Checks whether the runtime of one task supports the volumes that the task mounts. */
  void checkRuntime(TaskVolumes task) {
    for (VolumeRequest.Type type : VolumeRequest.Type.values()) {
      if (!mounted(task, type).isEmpty() && read(task.runtime(), type) == Reading.CANNOT) {
        cannot(task, type);
      }
    }
  }

  private void checkRuntimes(VolumeRequest.Type type) {
    List<TaskVolumes> tasks = wanted.tasks();
    List<Reading> readings = tasks.stream().map(task -> read(task.runtime(), type)).toList();
    if (!tasks.isEmpty() && readings.stream().allMatch(Reading.CANNOT::equals)) {
      found.obstacle(
          OperatorCode.RUNTIME_CANNOT_MOUNT,
          Subject.of("checking workload " + quoted(wanted.workload())),
          "it requests "
              + plural(type)
              + ", but none of its tasks can use them: "
              + tasks.stream().map(TaskCheck::where).collect(Collectors.joining(", ")));
      return;
    }
    for (int i = 0; i < tasks.size(); i++) {
      if (readings.get(i) == Reading.CANNOT) {
        cannot(tasks.get(i), type);
      }
    }
  }

  private void cannot(TaskVolumes task, VolumeRequest.Type type) {
    String volumes = mounted(task, type);
    if (!volumes.isEmpty()) {
      found.obstacle(
          OperatorCode.RUNTIME_CANNOT_MOUNT,
          PreflightFindings.about(wanted, task.runtime().task()),
          "its runtime "
              + quoted(task.runtime().runtime())
              + " cannot take "
              + plural(type)
              + ", but the task requests "
              + volumes);
    }
  }

  private Reading read(TaskRuntime runtime, VolumeRequest.Type type) {
    try {
      return runtime.takes(type) ? Reading.CAN : Reading.CANNOT;
    } catch (RuntimeException failed) {
      found.obstacle(
          OperatorCode.RUNTIME_UNREADABLE,
          PreflightFindings.about(wanted, runtime.task()),
          "its runtime "
              + quoted(runtime.runtime())
              + " could not be asked about "
              + plural(type)
              + ": "
              + failed);
      return Reading.UNREADABLE;
    }
  }

  private String mounted(TaskVolumes task, VolumeRequest.Type type) {
    return task.mounts().stream()
        .map(VolumeMount::volume)
        .distinct()
        .filter(alias -> wanted.volume(alias).filter(it -> it.request().type() == type).isPresent())
        .map(PreflightFindings::quoted)
        .collect(Collectors.joining(", "));
  }

  private static String where(TaskVolumes task) {
    return quoted(task.task()) + " runs in " + quoted(task.runtime().runtime());
  }

  private static String plural(VolumeRequest.Type type) {
    return type == VolumeRequest.Type.CSI ? "CSI volumes" : "host volumes";
  }

  // ---- mounts of tasks

  /** Checks the names, destinations and propagation of a task's mounts. */
  void check(TaskVolumes task) {
    checkNames(task);
    checkPlaces(task);
    for (VolumeMount mount : task.mounts()) {
      wanted
          .volume(mount.volume())
          .flatMap(volume -> refusal(task.task(), volume, mount))
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
                + ", but the workload requests no such volume");
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
                  ? "volume " + quoted(outer.volume()) + " would be mounted there in two ways"
                  : "volumes "
                      + quoted(outer.volume())
                      + " and "
                      + quoted(inner.volume())
                      + " would both be mounted there");
        } else if (!isSame && inner.destination().isWithin(outer.destination())) {
          checkNested(subject, outer, inner);
        }
      }
    }
  }

  private void checkNested(Subject subject, VolumeMount outer, VolumeMount inner) {
    Optional<RequestedVolume> around = wanted.volume(outer.volume());
    String seen = "volume " + quoted(inner.volume()) + " would be inside " + quoted(outer.volume());
    if (around.filter(it -> it.request().attachment() == AttachmentMode.BLOCK).isPresent()) {
      found.obstacle(
          OperatorCode.DESTINATION_CONFLICT,
          subject.at(inner.destination()),
          seen + ", which is a block device at " + outer.destination());
    } else if (around.filter(it -> it.request().readOnly()).isPresent() || outer.readOnly()) {
      found.remark(
          OperatorCode.DESTINATION_IN_READ_ONLY,
          subject.at(inner.destination()),
          seen + ", which is read-only, at " + outer.destination());
    }
  }

  /** Returns why the propagation of a mount is refused, if it is refused. */
  private Optional<OperatorMessage> refusal(
      TaskName task, RequestedVolume volume, VolumeMount mount) {
    if (mount.propagation() == Propagation.PRIVATE) {
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
                  + PropagationWords.of(mount.propagation())
                  + "' is requested for a block device, which has no mounts below it",
              new OperatorMessage.Part("Use private for block devices")));
    }
    return mount.propagation() == Propagation.BIDIRECTIONAL
        ? reason(task, volume, mount)
            .map(why -> Messages.of(OperatorCode.PROPAGATION_REFUSED, subject, why))
        : Optional.empty();
  }

  private Optional<String> reason(TaskName task, RequestedVolume volume, VolumeMount mount) {
    if (volume.request().readOnly() || mount.readOnly()) {
      return Optional.of(
          "propagation 'bidirectional' needs a read-write volume, but "
              + (mount.readOnly() ? "the task" : "the workload")
              + " wants only to read it");
    }
    try {
      return permission.permits(
              new PropagationPermission.Request(volume.workload(), task, volume.request()))
          ? Optional.empty()
          : Optional.of(
              "the host does not permit propagation 'bidirectional' for this "
                  + (volume.request().type() == VolumeRequest.Type.CSI ? "CSI" : "host")
                  + " volume");
    } catch (RuntimeException failed) {
      return Optional.of(
          "the host could not decide whether it permits propagation 'bidirectional': " + failed);
    }
  }
}
