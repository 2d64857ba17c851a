package io.csi4j.volume.workload;

import static io.csi4j.volume.workload.PreflightFindings.quoted;

import io.csi4j.client.model.Violation.Rule;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.OwnershipResult;
import io.csi4j.mount.model.Propagation;
import io.csi4j.volume.internal.names.Violations;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.InvalidRequestException;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.VolumeMounter;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.workload.TaskMounts.BindMount;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The volumes of a workload: the requested volumes, and the mounts of its tasks. Immutable.
 *
 * <pre>{@code
 * WorkloadVolumes wanted =
 *     WorkloadVolumes.builder(workload, volumes) // finds what the host knows of "db"
 *         .volume(
 *             VolumeRequest.builder("data", VolumeRequest.Type.CSI, "db")
 *                 .accessMode("single-node-writer")
 *                 .attachment("filesystem")
 *                 .build())
 *         .task(task, VolumeMount.builder("data").destination("/var/lib/db").build())
 *         .build();
 * List<MountedVolume> mounted = wanted.mountAll(manager);
 * }</pre>
 *
 * @since 1.0
 */
public final class WorkloadVolumes {

  private final WorkloadId workload;
  private final List<RequestedVolume> volumes;
  private final List<TaskVolumes> tasks;

  private WorkloadVolumes(
      WorkloadId workload, List<RequestedVolume> volumes, List<TaskVolumes> tasks) {
    this.workload = workload;
    this.volumes = List.copyOf(volumes);
    this.tasks = List.copyOf(tasks);
  }

  /**
   * Returns a builder for a workload without volumes.
   *
   * @param lookup finds the requested volumes
   */
  public static Builder builder(WorkloadId workload, ResolvedVolume.Lookup lookup) {
    return new Builder(workload, lookup);
  }

  /** Returns the workload. */
  public WorkloadId workload() {
    return workload;
  }

  /** Returns the requested volumes, in the order of the requests. */
  public List<RequestedVolume> volumes() {
    return volumes;
  }

  /**
   * Returns the requested volume with this alias; empty if the workload requests no such volume.
   */
  public Optional<RequestedVolume> volume(VolumeAlias alias) {
    return volumes.stream().filter(each -> each.alias().equals(alias)).findFirst();
  }

  /** Returns the tasks, in the order in which they were added. */
  public List<TaskVolumes> tasks() {
    return tasks;
  }

  /**
   * Returns these volumes with the claims that were granted for them. The mount requests then
   * contain the epochs of the claims, which the node checks before it mounts, and the publish
   * contexts.
   *
   * @param grants the granted claims; volumes without a grant are unchanged
   * @throws IllegalArgumentException if a grant is not for a requested volume of a plugin
   */
  public WorkloadVolumes claimed(Collection<ClaimGrant> grants) {
    Map<VolumeUse, ClaimGrant> open = new LinkedHashMap<>();
    grants.forEach(grant -> open.put(grant.usage(), grant));
    Set<VolumeUse> used = new HashSet<>();
    List<RequestedVolume> claimed = new ArrayList<>();
    for (RequestedVolume each : volumes) {
      Optional<ClaimGrant> grant =
          each.csi().isPresent() ? each.usage().map(open::get) : Optional.empty();
      grant.ifPresent(it -> used.add(it.usage()));
      claimed.add(grant.map(each::claimed).orElse(each));
    }
    open.keySet().removeAll(used);
    if (!open.isEmpty()) {
      throw new IllegalArgumentException(
          "The workload '"
              + workload
              + "' does not request these claimed volumes from a plugin: "
              + open.keySet());
    }
    return new WorkloadVolumes(workload, claimed, tasks);
  }

  /**
   * Returns the mount requests for the volume manager, without duplicates. Host volumes need no
   * mount request. If several requests are equal, a request with a {@linkplain
   * MountRequest#groupIfOffered group} is preferred. If the workload requests a volume twice, once
   * writable and once read-only, only the writable request is returned. Tasks that use the
   * read-only alias then mount the volume read-only ({@link #mountsFor}).
   */
  public List<MountRequest> mountRequests() {
    Map<MountRequest, MountRequest> each = new LinkedHashMap<>();
    volumes.stream()
        .flatMap(volume -> volume.mountRequest().stream())
        .forEach(
            request ->
                each.merge(
                    request,
                    request,
                    (one, equal) -> one.groupIfOffered().isPresent() ? one : equal));
    Collection<MountRequest> all = each.values();
    return all.stream()
        .filter(request -> all.stream().noneMatch(other -> isPartOf(request, other)))
        .toList();
  }

  /**
   * Whether a read-only request is covered by another request, which is equal except that it is
   * writable.
   */
  static boolean isPartOf(MountRequest request, MountRequest other) {
    return request.readOnly()
        && !other.readOnly()
        && other.toBuilder().readOnly(true).build().equals(request);
  }

  /**
   * Returns the wanted uses that the host passes to {@link
   * io.csi4j.volume.manager.VolumeManager#reconcile} while the workload runs.
   */
  public List<WantedUse> liveMounts() {
    return mountRequests().stream().<WantedUse>map(WantedUse.Requested::new).toList();
  }

  /**
   * Mounts all volumes of plugins in parallel, and blocks until they are mounted. A repeated call
   * returns the existing mounts. If a mount fails, all mounts that did not exist before the call
   * are released in the background. A mount whose release has begun does not count as existing. If
   * the caller only stopped waiting, no mount is released, and all mounts continue.
   *
   * <p>If a request specifies an {@linkplain VolumeRequest#ownership() owner of the files}, this
   * method changes the owner on this machine before it returns. {@link #mountAll(VolumeMounter,
   * Mounts, BiConsumer)} also reports the progress of the change.
   *
   * <p>Before mounting, this method makes the checks of {@link Preflight#anywhere}. If it finds an
   * obstacle, such as a volume that no task can use or that the host does not know, it mounts no
   * volume. Whether mounts may propagate to the host is only checked by {@link #mountsFor}.
   *
   * @return the mounted volumes, in the order of {@link #mountRequests}
   * @throws io.csi4j.volume.model.VolumeException for the first obstacle, with all other obstacles
   *     as suppressed exceptions; or for the first mount request that failed
   */
  public List<MountedVolume> mountAll(VolumeMounter mounter) {
    return mountAll(mounter, Mounts::system, (usage, progress) -> {});
  }

  /**
   * Mounts all volumes as {@link #mountAll(VolumeMounter)} does, and reports changes of file
   * owners.
   *
   * @param mounts the interface to the mounts of the mounter's machine
   * @param ownership a listener that receives the progress of changes of file owners, after every
   *     10,000 files and at the end. If it throws, this method fails with the same exception
   */
  public List<MountedVolume> mountAll(
      VolumeMounter mounter, Mounts mounts, BiConsumer<VolumeUse, OwnershipResult> ownership) {
    return mountAll(mounter, () -> mounts, ownership);
  }

  private List<MountedVolume> mountAll(
      VolumeMounter mounter,
      Supplier<Mounts> mounts,
      BiConsumer<VolumeUse, OwnershipResult> ownership) {
    Preflight.anywhere().permitting(wish -> true).check(this).orThrow();
    refuseNotCreated();
    List<MountRequest> requests = mountRequests();
    Set<VolumeUse> before =
        requests.stream()
            .map(MountRequest::usage)
            .filter(usage -> isThere(mounter, usage))
            .collect(Collectors.toSet());
    OwnershipChange change = new OwnershipChange(mounter, mounts, ownership);
    List<RequestedVolume> started =
        volumes.stream().filter(each -> each.usage().filter(before::contains).isEmpty()).toList();
    List<MountedVolume> mounted = new ArrayList<>();
    boolean isKept = false;
    try {
      started.forEach(change::announce);
      List<CompletableFuture<MountedVolume>> begun =
          requests.stream()
              .map(request -> mounter.async().mount(request).toCompletableFuture())
              .toList();
      for (int i = 0; i < begun.size(); i++) {
        mounted.add(end(mounter, requests.get(i), begun.get(i)));
      }
      volumes.forEach(volume -> change.make(volume, mounted));
      isKept = true;
      return List.copyOf(mounted);
    } catch (VolumeException failed) {
      isKept = failed.outcome() == Outcome.IN_PROGRESS;
      throw failed;
    } finally {
      started.forEach(change::withdraw);
      if (!isKept) {
        requests.stream()
            .map(MountRequest::usage)
            .filter(usage -> !before.contains(usage))
            .forEach(mounter.async()::unmount);
      }
    }
  }

  /** Whether a use exists and is not being released. */
  private static boolean isThere(VolumeMounter mounter, VolumeUse usage) {
    return mounter.status(usage.volume()).stream()
        .flatMap(status -> status.uses().stream())
        .anyMatch(use -> use.key().equals(usage) && use.status() != PathStatus.GOING);
  }

  /**
   * Rejects volumes that do not exist yet. The preflight check accepts a volume that will be
   * created for the job, but it cannot be mounted before it exists.
   */
  private void refuseNotCreated() {
    PreflightFindings missing = new PreflightFindings();
    for (RequestedVolume volume : volumes) {
      if (volume.found().isEmpty()) {
        missing.obstacle(
            OperatorCode.SOURCE_UNKNOWN,
            PreflightFindings.about(volume),
            "the volume "
                + quoted(volume.source())
                + " must be created for the job, but the host does not know it yet",
            "Acquire it first; the lookup must find it from then on");
      }
    }
    if (!missing.obstacles().isEmpty()) {
      throw PreflightFindings.refusal(missing.obstacles());
    }
  }

  /**
   * Waits for the end of a mount. If the mount is still running, makes the same request with the
   * blocking method, which waits for the running operation.
   */
  private static MountedVolume end(
      VolumeMounter mounter, MountRequest request, CompletableFuture<MountedVolume> begun) {
    if (!begun.isDone()) {
      return mounter.mount(request);
    }
    try {
      return begun.join();
    } catch (CompletionException ended) {
      if (ended.getCause() instanceof VolumeException failed) {
        throw failed;
      }
      throw ended;
    }
  }

  /**
   * Returns the mounts that the runtime of a task must make.
   *
   * @param task the task
   * @param mounted the volumes that the volume manager has mounted for this workload; all other
   *     volumes are ignored
   * @param permission decides about mounts that propagate to the host
   * @throws io.csi4j.volume.model.VolumeException if a volume is not mounted, if a mount is not
   *     permitted, or if the runtime of the task does not support the volume. If there are several
   *     reasons, all but the first are suppressed exceptions
   */
  public TaskMounts mountsFor(
      TaskName task, Collection<MountedVolume> mounted, PropagationPermission permission) {
    TaskVolumes wanted =
        tasks.stream()
            .filter(each -> each.task().equals(task))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "The workload '" + workload + "' has no task '" + task + "'."));
    PreflightFindings found = new PreflightFindings();
    TaskCheck check = new TaskCheck(this, permission, found);
    check.checkRuntime(wanted);
    check.check(wanted);
    Assembly assembly = new Assembly(wanted, mounted, found);
    wanted.mounts().forEach(assembly::add);
    if (!found.obstacles().isEmpty()) {
      throw PreflightFindings.refusal(found.obstacles());
    }
    return new TaskMounts(assembly.binds, assembly.devices);
  }

  /** Assembles the mounts for the runtime of a task. */
  private final class Assembly {

    private final TaskVolumes task;
    private final Map<VolumeUse, MountedVolume> mounted;
    private final PreflightFindings found;
    private final List<BindMount> binds = new ArrayList<>();
    private final List<TaskMounts.Device> devices = new ArrayList<>();

    Assembly(TaskVolumes task, Collection<MountedVolume> mounted, PreflightFindings found) {
      this.task = task;
      this.mounted =
          mounted.stream()
              .collect(Collectors.toMap(MountedVolume::usage, each -> each, (one, same) -> same));
      this.found = found;
    }

    void add(VolumeMount mount) {
      Optional<RequestedVolume> asked = volume(mount.volume());
      if (asked.isEmpty()) {
        // The check of the task has already reported the missing volume.
        return;
      }
      RequestedVolume volume = asked.get();
      Optional<MountedVolume> there =
          volume
              .host()
              .<MountedVolume>map(host -> host.forWorkload(workload))
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
        devices.add(new TaskMounts.Device(source, mount.destination(), readOnly));
        return;
      }
      if (there.readOnly()
          && mount.propagation() == Propagation.BIDIRECTIONAL
          && !mount.readOnly()
          && !volume.request().readOnly()) {
        found.obstacle(
            OperatorCode.PROPAGATION_REFUSED,
            subject().at(mount.destination()),
            "propagation 'bidirectional' needs a read-write volume, but "
                + quoted(volume.alias())
                + " is mounted read-only");
        return;
      }
      binds.add(
          new BindMount(
              source,
              mount.destination(),
              readOnly,
              mount.propagation(),
              isLabelled(there) ? Optional.empty() : mount.relabel()));
    }

    /**
     * Whether the volume is mounted with an SELinux label. All files then show this label and
     * cannot be relabelled.
     */
    private static boolean isLabelled(MountedVolume there) {
      return there instanceof MountedVolume.Filesystem files && files.selinuxLabel().isPresent();
    }

    private Subject subject() {
      return Subject.of(
          "giving volumes to task " + quoted(task.task()) + " of workload " + quoted(workload));
    }
  }

  @Override
  public String toString() {
    return "WorkloadVolumes[" + workload + ", " + volumes.size() + " volumes]";
  }

  /** Builder of a {@link WorkloadVolumes}. */
  public static final class Builder {

    private final WorkloadId workload;
    private final ResolvedVolume.Lookup lookup;
    private final List<VolumeRequest> requests = new ArrayList<>();
    private final List<TaskVolumes> tasks = new ArrayList<>();
    private OptionalInt instance = OptionalInt.empty();

    private Builder(WorkloadId workload, ResolvedVolume.Lookup lookup) {
      this.workload = Objects.requireNonNull(workload, "workload");
      this.lookup = Objects.requireNonNull(lookup, "lookup");
    }

    /**
     * Sets the number of the instance, which starts at zero. It is required if each instance has
     * its own volumes.
     */
    public Builder instance(int number) {
      instance = OptionalInt.of(number);
      return this;
    }

    /** Adds a request for a volume. */
    public Builder volume(VolumeRequest request) {
      requests.add(Objects.requireNonNull(request, "request"));
      return this;
    }

    /** Adds a task with its mounts. */
    public Builder task(TaskRuntime runtime, VolumeMount... mounts) {
      return task(runtime, List.of(mounts));
    }

    /** Adds a task with its mounts. */
    public Builder task(TaskRuntime runtime, Collection<VolumeMount> mounts) {
      tasks.add(new TaskVolumes(runtime, List.copyOf(mounts)));
      return this;
    }

    /**
     * Looks up the requested volumes, and returns the volumes of the workload.
     *
     * @throws InvalidRequestException with all violations
     */
    public WorkloadVolumes build() {
      Violations found = new Violations();
      Set<VolumeAlias> aliases = new HashSet<>();
      List<RequestedVolume> volumes = new ArrayList<>();
      for (VolumeRequest request : requests) {
        String field = "volume '" + ForeignText.of(request.alias().value()) + "'";
        if (!aliases.add(request.alias())) {
          found.add(field, Rule.MISMATCH, "is requested twice: give each volume its own name");
        } else if (request.perInstance() && instance.isEmpty()) {
          found.add(
              field,
              Rule.REQUIRED,
              "is one for each instance, but the number of the instance is missing: give it");
        } else {
          volumes.add(resolved(request, field, found));
        }
      }
      Set<TaskName> names = new HashSet<>();
      for (TaskVolumes task : tasks) {
        if (!names.add(task.task())) {
          found.add(
              "task '" + ForeignText.of(task.task().value()) + "'",
              Rule.MISMATCH,
              "is listed twice: give each task its own name");
        }
      }
      InvalidRequestException.check(
          "The workload '" + ForeignText.of(workload.value()) + "'", found.all());
      return new WorkloadVolumes(workload, volumes, tasks);
    }

    private RequestedVolume resolved(VolumeRequest request, String field, Violations found) {
      String source =
          instance.isPresent() ? request.sourceOf(instance.getAsInt()) : request.source();
      Optional<ResolvedVolume> volume = lookup.find(request, source);
      if (volume.isPresent() && volume.get().type() != request.type()) {
        found.add(
            field,
            Rule.MISMATCH,
            "is requested as a "
                + request.type().word()
                + " volume, but is not one: correct its type");
      }
      return new RequestedVolume(workload, request, source, volume);
    }
  }

  /**
   * A requested volume of a workload, with the result of the host's lookup.
   *
   * @param workload the workload
   * @param request the request
   * @param source the host's name for the volume of this instance of the workload
   * @param found the volume that the host has found; empty if the host has no such volume
   * @since 1.0
   */
  public record RequestedVolume(
      WorkloadId workload, VolumeRequest request, String source, Optional<ResolvedVolume> found) {

    /** Checks that all parts are set. */
    public RequestedVolume {
      Objects.requireNonNull(workload, "workload");
      Objects.requireNonNull(request, "request");
      Objects.requireNonNull(source, "source");
      Objects.requireNonNull(found, "found");
    }

    /** Returns the name with which tasks refer to the volume. */
    public VolumeAlias alias() {
      return request.alias();
    }

    /** Returns the workload's use of the volume; empty if the host has no such volume. */
    public Optional<VolumeUse> usage() {
      return found.map(volume -> VolumeUse.of(volume.key(), workload));
    }

    /** Returns the volume, if the host has found it and it belongs to a plugin. */
    public Optional<ResolvedVolume.Csi> csi() {
      return found.filter(ResolvedVolume.Csi.class::isInstance).map(ResolvedVolume.Csi.class::cast);
    }

    /**
     * Returns the volume with the workload's claim.
     *
     * @throws IllegalArgumentException if the claim is for another use than the request
     */
    RequestedVolume claimed(ClaimGrant grant) {
      Optional<ResolvedVolume> volume = csi().map(it -> it.claimed(grant));
      RequestedVolume claimed = new RequestedVolume(workload, request, source, volume);
      return claimed.mountRequest().map(comparedWithItsClaim -> claimed).orElseThrow();
    }

    /** Returns the directory, if the host has found it and it is a host volume. */
    public Optional<ResolvedVolume.Host> host() {
      return found
          .filter(ResolvedVolume.Host.class::isInstance)
          .map(ResolvedVolume.Host.class::cast);
    }

    /**
     * Returns the mount request for the volume manager; empty if the volume need not be mounted.
     */
    public Optional<MountRequest> mountRequest() {
      return csi().map(volume -> request.toMountRequest(volume, workload));
    }
  }

  /**
   * A task with its mounts.
   *
   * @param runtime the task and the capabilities of its runtime
   * @param mounts the mounts of the task
   * @since 1.0
   */
  public record TaskVolumes(TaskRuntime runtime, List<VolumeMount> mounts) {

    /** Copies the list. */
    public TaskVolumes {
      Objects.requireNonNull(runtime, "runtime");
      mounts = List.copyOf(mounts);
    }

    /** Returns the name of the task. */
    public TaskName task() {
      return runtime.task();
    }
  }
}
