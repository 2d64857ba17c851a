package io.csi4j.volume.workload;

import static io.csi4j.volume.workload.PreflightFindings.quoted;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.node.MountedVolume;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Puts together what the runtime of a task is handed. */
final class Assembly {

  private final WorkloadVolumes wanted;
  private final TaskVolumes task;
  private final Map<UsageKey, MountedVolume> mounted;
  private final PreflightFindings found = new PreflightFindings();
  private final List<BindMount> binds = new ArrayList<>();
  private final List<TaskDevice> devices = new ArrayList<>();

  private Assembly(WorkloadVolumes wanted, TaskVolumes task, Collection<MountedVolume> mounted) {
    this.wanted = wanted;
    this.task = task;
    this.mounted =
        mounted.stream()
            .collect(Collectors.toMap(MountedVolume::usage, each -> each, (one, same) -> same));
  }

  /**
   * The mounts of a task, from what is mounted for its workload.
   *
   * @throws io.csi4j.volume.model.VolumeException if one is missing or may not be
   */
  public static TaskMounts of(
      WorkloadVolumes wanted,
      TaskVolumes task,
      Collection<MountedVolume> mounted,
      PropagationPermission permission) {
    Assembly assembly = new Assembly(wanted, task, mounted);
    RuntimeCheck.check(wanted, task, assembly.found);
    new TaskCheck(wanted, permission, assembly.found).check(task);
    task.mounts().forEach(assembly::add);
    if (!assembly.found.obstacles().isEmpty()) {
      throw PreflightRefusals.of(assembly.found.obstacles());
    }
    return new TaskMounts(assembly.binds, assembly.devices);
  }

  private void add(VolumeMount mount) {
    Optional<RequestedVolume> asked = wanted.volume(mount.volume());
    if (asked.isEmpty()) {
      // The check of the task has told.
      return;
    }
    RequestedVolume volume = asked.get();
    Optional<MountedVolume> there =
        volume
            .host()
            .<MountedVolume>map(host -> host.forWorkload(wanted.workload()))
            .or(() -> volume.usage().map(mounted::get));
    if (there.isEmpty()) {
      found.obstacle(
          OperatorCode.MOUNT_MISSING,
          subject(),
          "volume "
              + quoted(volume.alias())
              + " is not mounted for it: "
              + volume
                  .found()
                  .map(ResolvedVolume::key)
                  .map(key -> "nothing was handed over for " + key)
                  .orElse("the host knows no volume " + quoted(volume.source())));
      return;
    }
    add(mount, volume, there.get());
  }

  private void add(VolumeMount mount, RequestedVolume volume, MountedVolume there) {
    MountPath source = MountPath.of(there.path());
    boolean readOnly = mount.readOnly() || volume.request().readOnly() || there.readOnly();
    if (there instanceof MountedVolume.BlockDevice) {
      devices.add(new TaskDevice(source, mount.destination(), readOnly));
      return;
    }
    if (there.readOnly() && isRefusedReadOnly(mount, volume)) {
      found.obstacle(
          OperatorCode.PROPAGATION_REFUSED,
          subject().at(mount.destination()),
          "propagation 'bidirectional' needs a volume that is read-write, and "
              + quoted(volume.alias())
              + " is mounted read-only");
      return;
    }
    binds.add(
        new BindMount(source, mount.destination(), readOnly, mount.propagation(), mount.relabel()));
  }

  private static boolean isRefusedReadOnly(VolumeMount mount, RequestedVolume volume) {
    return mount.propagation() == MountPropagation.BIDIRECTIONAL
        && !mount.readOnly()
        && !volume.request().readOnly();
  }

  private Subject subject() {
    return Subject.of(
        "giving volumes to task "
            + quoted(task.task())
            + " of workload "
            + quoted(wanted.workload()));
  }
}
