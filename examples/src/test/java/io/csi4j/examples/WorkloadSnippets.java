package io.csi4j.examples;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.controller.JobVolumes;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.InvalidRequestException;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.workload.Preflight;
import io.csi4j.volume.workload.PropagationPermission;
import io.csi4j.volume.workload.ResolvedVolume;
import io.csi4j.volume.workload.TaskMounts;
import io.csi4j.volume.workload.TaskMounts.BindMount;
import io.csi4j.volume.workload.TaskName;
import io.csi4j.volume.workload.TaskRuntime;
import io.csi4j.volume.workload.VolumeMount;
import io.csi4j.volume.workload.VolumeRequest;
import io.csi4j.volume.workload.WorkloadVolumes;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** The code blocks of docs/workloads.md, each between a mark with its name and one that ends it. */
final class WorkloadSnippets {

  private WorkloadSnippets() {}

  /** What a runtime of containers has for mounts, whatever its API is. */
  interface Container {
    void bind(Path source, Path destination, List<String> options);

    void device(Path source, Path destination, String permissions);
  }

  static ResolvedVolume.Lookup lookup(
      Map<String, CatalogVolume> known, Function<VolumeSpec, SecretsProvider> secrets) {
    // snippet: lookup
    ResolvedVolume.Lookup volumes =
        (request, source) -> // "db", or "db[3]" if each instance has its own
        Optional.ofNullable(known.get(source))
                .map(volume -> ResolvedVolume.csi(volume, secrets.apply(volume.spec())));
    // end
    return volumes;
  }

  static WorkloadVolumes request(
      WorkloadId workload, TaskName task, ResolvedVolume.Lookup volumes) {
    // snippet: request
    VolumeRequest data =
        VolumeRequest.builder(
                "data", VolumeRequest.Type.CSI, "db") // its alias, its type, its source
            .accessMode("single-node-writer") // words of a job description, or enums
            .attachment(AttachmentMode.FILESYSTEM)
            .build();
    VolumeMount mount = VolumeMount.builder("data").destination("/var/lib/db").build();
    WorkloadVolumes wanted =
        WorkloadVolumes.builder(workload, volumes)
            .volume(data)
            .task(TaskRuntime.of(task, "containers"), mount)
            .build();
    // end
    return wanted;
  }

  static VolumeRequest ownership() {
    // snippet: ownership
    VolumeRequest data =
        VolumeRequest.builder("data", VolumeRequest.Type.CSI, "db")
            .accessMode("single-node-writer")
            .attachment("filesystem")
            .ownership(FileOwnership.ofGroup(2000)) // or builder().user(1000).group(1000)
            .build();
    // end
    return data;
  }

  static VolumeRequest created(PluginId plugin) {
    // snippet: created
    VolumeRequest scratch =
        VolumeRequest.builder("work", VolumeRequest.Type.CSI, "scratch") // its name in the job
            .accessMode("single-node-writer")
            .attachment("filesystem")
            .created(
                VolumeSpec.builder(plugin)
                    .capacity(CapacityRange.atLeast(1L << 30))
                    .ephemeral(true)) // without this it stays
            .build();
    // end
    return scratch;
  }

  static JobVolumes.Acquired acquire(
      JobVolumes volumes, VolumeRequest request, VolumeKey key, Placed placed) {
    // snippet: acquire
    JobVolumes.Acquired acquired = // key: JobVolumes.job(namespace, "render").volume("scratch")
        volumes.acquire(request.created().orElseThrow(), placed.claim(key, request));
    // end
    return acquired;
  }

  /** Where a task of a job runs, as the control plane knows it. */
  interface Placed {
    ClaimRequest claim(VolumeKey volume, VolumeRequest request);
  }

  static void wrong(Consumer<String> log) {
    try {
      VolumeRequest.builder("data", VolumeRequest.Type.CSI, "").attachment("folder").build();
    } catch (InvalidRequestException refused) {
      refused.violations().forEach(each -> log.accept(each.toString())); // all of them
    }
  }

  static void preflight(VolumeManager manager, WorkloadVolumes wanted, Consumer<String> log) {
    // snippet: preflight
    Preflight.Report report = Preflight.of(manager).check(wanted); // calls no plugin
    if (!report.isClear()) {
      for (OperatorMessage obstacle : report.obstacles()) {
        log.accept(obstacle.line());
      }
    }
    // end
  }

  static List<MountedVolume> claimed(
      ClaimCoordinator coordinator,
      List<ClaimRequest> requests,
      WorkloadVolumes wanted,
      VolumeManager manager) {
    // snippet: claimed
    List<ClaimGrant> grants = requests.stream().map(coordinator::acquire).toList();
    List<MountedVolume> mounted = wanted.claimed(grants).mountAll(manager);
    // end
    return mounted;
  }

  static TaskMounts handOver(
      VolumeManager manager,
      WorkloadVolumes wanted,
      TaskName task,
      PropagationPermission permission,
      Container container) {
    // snippet: hand over
    List<MountedVolume> mounted = wanted.mountAll(manager); // all of them, or none
    TaskMounts mounts = wanted.mountsFor(task, mounted, permission);
    mounts.share(manager.root(), Mounts.system()); // where a task wants more than private
    for (BindMount bind : mounts.binds()) { // what is outside comes before what is inside
      container.bind(bind.source().toPath(), bind.destination().toPath(), bind.options());
    }
    for (TaskMounts.Device device : mounts.devices()) {
      container.device(
          device.source().toPath(), device.destination().toPath(), device.permissions());
    }
    // end
    return mounts;
  }

  static void afterwards(VolumeManager manager, WorkloadVolumes wanted, Consumer<String> log) {
    // snippet: give back
    for (MountRequest request : wanted.mountRequests()) {
      try {
        manager.unmount(request.usage());
      } catch (VolumeException failed) { // the manager goes on with it
        log.accept(failed.getMessage());
      }
    }
    // end
  }

  static PropagationPermission permission(Map<WorkloadId, VolumeRequest.Type> trusted) {
    // snippet: permission
    PropagationPermission permission = wish -> wish.volume().type() == trusted.get(wish.workload());
    // end
    return permission;
  }

  static boolean place(
      Collection<RegisteredPlugin> plugins,
      Collection<VolumeStatus> volumes,
      WorkloadVolumes wanted) {
    // snippet: place
    boolean fits = Preflight.of(plugins, volumes).check(wanted).isClear();
    // end
    return fits;
  }
}
