package io.csi4j.volume.workload;

import static io.csi4j.volume.workload.PreflightFindings.quoted;

import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whether the runtimes of a workload's tasks can take the volumes that it asks for: at least one of
 * them, and each that has to; for each type of volume by itself.
 */
final class RuntimeCheck {

  private enum Reading {
    CAN,
    CANNOT,
    UNREADABLE
  }

  private RuntimeCheck() {}

  static void check(WorkloadVolumes wanted, PreflightFindings found) {
    Set<VolumeType> types = EnumSet.noneOf(VolumeType.class);
    wanted.volumes().forEach(each -> types.add(each.request().type()));
    types.forEach(type -> check(wanted, type, found));
  }

  /** Whether the runtime of one task can take what it wants to see. */
  static void check(WorkloadVolumes wanted, TaskVolumes task, PreflightFindings found) {
    for (VolumeType type : VolumeType.values()) {
      if (!mounted(wanted, task, type).isEmpty()
          && read(wanted, task.runtime(), type, found) == Reading.CANNOT) {
        cannot(wanted, task, type, found);
      }
    }
  }

  private static void check(WorkloadVolumes wanted, VolumeType type, PreflightFindings found) {
    List<TaskVolumes> tasks = wanted.tasks();
    List<Reading> readings =
        tasks.stream().map(task -> read(wanted, task.runtime(), type, found)).toList();
    if (!tasks.isEmpty() && readings.stream().allMatch(Reading.CANNOT::equals)) {
      found.obstacle(
          OperatorCode.RUNTIME_CANNOT_MOUNT,
          Subject.of("checking workload " + quoted(wanted.workload())),
          "it asks for "
              + plural(type)
              + ", and none of its tasks can take any: "
              + tasks.stream().map(RuntimeCheck::where).collect(Collectors.joining(", ")));
      return;
    }
    for (int i = 0; i < tasks.size(); i++) {
      if (readings.get(i) == Reading.CANNOT) {
        cannot(wanted, tasks.get(i), type, found);
      }
    }
  }

  private static void cannot(
      WorkloadVolumes wanted, TaskVolumes task, VolumeType type, PreflightFindings found) {
    String volumes = mounted(wanted, task, type);
    if (!volumes.isEmpty()) {
      found.obstacle(
          OperatorCode.RUNTIME_CANNOT_MOUNT,
          subject(wanted, task.runtime()),
          "its runtime "
              + quoted(task.runtime().runtime())
              + " cannot take "
              + plural(type)
              + ", and it wants "
              + volumes);
    }
  }

  private static Reading read(
      WorkloadVolumes wanted, TaskRuntime runtime, VolumeType type, PreflightFindings found) {
    try {
      return runtime.mountSupport(type) == MountSupport.NONE ? Reading.CANNOT : Reading.CAN;
    } catch (RuntimeException failed) {
      found.obstacle(
          OperatorCode.RUNTIME_UNREADABLE,
          subject(wanted, runtime),
          "its runtime "
              + quoted(runtime.runtime())
              + " could not be asked about "
              + plural(type)
              + ": "
              + failed);
      return Reading.UNREADABLE;
    }
  }

  private static String mounted(WorkloadVolumes wanted, TaskVolumes task, VolumeType type) {
    return task.mounts().stream()
        .map(VolumeMount::volume)
        .distinct()
        .filter(alias -> wanted.volume(alias).filter(it -> it.request().type() == type).isPresent())
        .map(PreflightFindings::quoted)
        .collect(Collectors.joining(", "));
  }

  private static Subject subject(WorkloadVolumes wanted, TaskRuntime runtime) {
    return PreflightFindings.about(wanted, runtime.task());
  }

  private static String where(TaskVolumes task) {
    return quoted(task.task()) + " runs in " + quoted(task.runtime().runtime());
  }

  private static String plural(VolumeType type) {
    return type == VolumeType.CSI ? "CSI volumes" : "host volumes";
  }
}
