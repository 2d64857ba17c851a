package io.csi4j.testkit.internal.hostpath;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.internal.proto.BlockMetadata;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeContentSource;
import io.csi4j.client.internal.proto.VolumeHealth.VolumeHealthEntry;
import io.csi4j.client.internal.proto.VolumeHealthErrorType;
import io.csi4j.client.internal.proto.VolumeUsage;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.CleanupResult;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.testkit.internal.backend.Refusal;
import io.csi4j.testkit.internal.backend.State;
import io.csi4j.testkit.internal.backend.Storage;
import io.csi4j.testkit.internal.hostpath.Layout.StoredBytes;
import io.csi4j.testkit.model.PluginShape;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Volumes in a directory of the host, mounted for real. At the paths of the caller, only mounts of
 * the volume are removed.
 */
public final class HostPathStorage implements Storage, AutoCloseable {

  private static final System.Logger LOG = System.getLogger("io.csi4j.testkit.hostpath");

  /** Long enough for a process to exit, short enough for a waiting caller. */
  private static final UnmountPolicy PATIENTLY =
      UnmountPolicy.PLAIN.withBusyLimit(Duration.ofSeconds(2));

  /** Maximum number of mounts that {@link Mounts#cleanup} removes. */
  private static final int MAX_STACK = 64;

  private final Layout layout;
  private final DataLock lock;
  private final Mounts mounts;
  private final LoopDevices loops;
  private final StateFile file;
  private final VolumeMountIndex sight;
  private final VolumeFiles files;

  /** State that was loaded or saved last; never modified. */
  private volatile State known = State.empty();

  private HostPathStorage(
      Layout layout, DataLock lock, Mounts mounts, MountTable table, Programs programs) {
    this.layout = layout;
    this.lock = lock;
    this.mounts = mounts;
    loops = new LoopDevices(programs);
    file = new StateFile(layout);
    Tmpfs tmpfs = new Tmpfs(layout.data(), mounts, programs);
    sight = new VolumeMountIndex(table, tmpfs, loops);
    files = new VolumeFiles(layout, mounts, sight, tmpfs, loops, programs, PATIENTLY);
  }

  /**
   * Opens the volumes below {@code data}, which is created if it is missing.
   *
   * @throws IOException if the directory cannot be created or used, or another plugin uses it
   */
  public static HostPathStorage open(Path data, Mounts mounts, MountTable table)
      throws IOException {
    return open(data, mounts, table, Programs.system());
  }

  static HostPathStorage open(Path data, Mounts mounts, MountTable table, Programs programs)
      throws IOException {
    Layout layout = Layout.make(data);
    HostPathStorage storage =
        new HostPathStorage(layout, DataLock.take(layout), mounts, table, programs);
    boolean done = false;
    try {
      storage.files.clearWork();
      done = true;
      return storage;
    } catch (Refusal e) {
      throw new IOException(e.text(), e);
    } finally {
      if (!done) {
        storage.closeQuietly();
      }
    }
  }

  /** Returns the shape with everything that this storage supports. */
  public static PluginShape defaultShape() {
    return PluginShape.noAttach()
        .named(PluginName.of("hostpath.csi4j.example"))
        .without(
            PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS,
            PluginCapability.VOLUME_EXPANSION_OFFLINE)
        .without(ControllerCapability.VOLUME_CONDITION, ControllerCapability.MODIFY_VOLUME)
        .without(NodeCapability.VOLUME_CONDITION, NodeCapability.VOLUME_MOUNT_GROUP)
        .with(ControllerCapability.GET_VOLUME_HEALTH, ControllerCapability.LIST_VOLUME_HEALTH)
        .with(NodeCapability.GET_VOLUME_HEALTH);
  }

  @Override
  public String mark() {
    return UUID.randomUUID().toString().substring(0, 8) + "-";
  }

  @Override
  public State load() throws IOException {
    known = surviving(file.load());
    return known;
  }

  /** Releases the directory for other plugins. Mounts stay. */
  @Override
  public void close() throws IOException {
    lock.close();
  }

  /**
   * Closes the storage as {@link #close} does, for a caller that already has a failure to report.
   */
  public void closeQuietly() {
    try {
      close();
    } catch (IOException e) {
      // The end of the process releases the lock at the latest.
    }
  }

  /**
   * Returns the features that this machine does not support, each as a sentence with the reason.
   */
  public List<String> limits() {
    Path work = layout.work();
    List<String> limits = new ArrayList<>();
    try {
      MountPath probe = MountPath.of(work);
      mounts.bind(BindRequest.builder(probe, probe).build());
      mounts.unmount(probe, PATIENTLY);
    } catch (MountException e) {
      limits.add("Nothing can be staged or published here: " + e.getMessage());
    }
    loops
        .obstacle(work)
        .ifPresent(
            why ->
                limits.add(
                    "Raw devices are files, not block devices, because no loop device is"
                        + " available: "
                        + why));
    return limits;
  }

  @Override
  public void save(State state) throws IOException {
    file.save(state);
    known = state;
  }

  /** Returns a refusal that states what failed, why, and what to do next. */
  @Override
  public Refusal refusal(String doing, Exception failure) {
    if (failure instanceof MountException e) {
      return new Refusal(code(e.reason()), String.valueOf(e.getMessage()));
    }
    return failure instanceof IOException e
        ? new Refusal(StatusCode.INTERNAL, doing + " failed: " + why(e))
        : Storage.super.refusal(doing, failure);
  }

  private static StatusCode code(MountException.Reason reason) {
    return switch (reason) {
      case SYMLINK, OUTSIDE, WRONG_KIND, NOT_FOUND -> StatusCode.INVALID_ARGUMENT;
      case BUSY -> StatusCode.FAILED_PRECONDITION;
      case DEADLINE, INTERRUPTED -> StatusCode.ABORTED;
      case LIMIT, STUCK -> StatusCode.RESOURCE_EXHAUSTED;
      default -> StatusCode.INTERNAL;
    };
  }

  private static String why(IOException e) {
    if (!(e instanceof FileSystemException file)) {
      return SafeText.escape(String.valueOf(e.getMessage()));
    }
    String path = SafeText.quote(String.valueOf(file.getFile()));
    if (e instanceof NoSuchFileException) {
      return path + " is missing. Find out who removed it.";
    }
    if (e instanceof AccessDeniedException) {
      return "this process may not use " + path + ". Run the plugin as its owner.";
    }
    if (e instanceof FileAlreadyExistsException) {
      return path + " already exists. Find out who created it.";
    }
    String reason = file.getReason();
    return path + ": " + (reason == null ? "no reason is known" : SafeText.escape(reason)) + ".";
  }

  /** Parses a path of the caller. */
  private static MountPath path(String field, String text) throws Refusal {
    try {
      return MountPath.of(text);
    } catch (IllegalArgumentException e) {
      throw new Refusal(StatusCode.INVALID_ARGUMENT, field + ": " + e.getMessage());
    }
  }

  @Override
  public Map<String, String> context(CreateVolumeRequest asked) throws Refusal {
    return Map.of(Medium.KEY, medium(asked).word());
  }

  private Medium medium(CreateVolumeRequest asked) throws Refusal {
    boolean block = asked.getVolumeCapabilitiesList().stream().anyMatch(each -> each.hasBlock());
    Path work = layout.work();
    return Medium.asked(asked, block && loops.obstacle(work).isEmpty());
  }

  @Override
  public void create(Volume volume, CreateVolumeRequest asked) throws IOException, Refusal {
    String id = volume.getVolumeId();
    if (known.volumes().containsKey(id)) {
      return;
    }
    Medium medium = medium(asked);
    for (VolumeCapability capability : asked.getVolumeCapabilitiesList()) {
      Set<MountFlag> unused = MountWishes.of(capability, medium);
    }
    // Left by a call that was not answered, since the volume is unknown.
    Optional<StoredBytes> left = layout.volumeBytes(id);
    if (left.isPresent()) {
      files.delete(left.get());
    }
    files.create(id, medium, volume.getCapacityBytes(), source(asked));
  }

  private @Nullable StoredBytes source(CreateVolumeRequest asked) throws Refusal {
    VolumeContentSource source = asked.getVolumeContentSource();
    return switch (source.getTypeCase()) {
      case SNAPSHOT -> snapshotBytes(source.getSnapshot().getSnapshotId());
      case VOLUME -> volumeBytes(source.getVolume().getVolumeId());
      case TYPE_NOT_SET -> null;
    };
  }

  @Override
  public void delete(String volume) throws IOException, Refusal {
    Optional<StoredBytes> bytes = layout.volumeBytes(volume);
    if (bytes.isPresent()) {
      files.delete(bytes.get());
    }
  }

  @Override
  public void snapshot(String snapshot, String volume) throws IOException, Refusal {
    if (known.snapshots().containsKey(snapshot)) {
      return;
    }
    files.remove(layout.snapshot(snapshot));
    files.snapshot(snapshot, volumeBytes(volume));
  }

  @Override
  public void deleteSnapshot(String snapshot) throws IOException, Refusal {
    files.remove(layout.snapshot(snapshot));
  }

  @Override
  public void expand(String volume, long bytes) throws IOException, Refusal {
    files.expand(volumeBytes(volume), bytes);
  }

  @Override
  public void expandOnNode(String volume, String path, long bytes) throws IOException, Refusal {
    expand(volume, bytes);
  }

  @Override
  public void stage(NodeStageVolumeRequest asked) throws IOException, Refusal {
    StoredBytes volume = volumeBytes(asked.getVolumeId());
    Set<MountFlag> flags = MountWishes.of(asked.getVolumeCapability(), volume.medium());
    MountPath staging = path("staging_target_path", asked.getStagingTargetPath());
    if (volume.medium() == Medium.LOOP) {
      attach(volume, false);
    } else if (!volume.medium().isBlock()) {
      bind(MountPath.of(volume.content()), staging, flags, false);
    }
  }

  @Override
  public void unstage(String volume, String staging) throws IOException, Refusal {
    MountPath path = path("staging_target_path", staging);
    unmount(volume, path);
    detach(volume, false);
  }

  @Override
  public void publish(NodePublishVolumeRequest asked) throws IOException, Refusal {
    StoredBytes volume = volumeBytes(asked.getVolumeId());
    VolumeCapability capability = asked.getVolumeCapability();
    Set<MountFlag> flags = EnumSet.noneOf(MountFlag.class);
    flags.addAll(MountWishes.of(capability, volume.medium()));
    boolean readOnly = State.readOnly(asked);
    if (readOnly) {
      flags.add(MountFlag.READ_ONLY);
    }
    MountPath target = path("target_path", asked.getTargetPath());
    bind(source(volume, asked, readOnly), target, flags, true);
  }

  /** Returns the source to bind to the target: the staging path, or the volume itself. */
  private MountPath source(StoredBytes volume, NodePublishVolumeRequest asked, boolean readOnly)
      throws IOException, Refusal {
    if (volume.medium() == Medium.LOOP) {
      return MountPath.of(attach(volume, readOnly));
    }
    if (volume.medium() == Medium.FILE || asked.getStagingTargetPath().isEmpty()) {
      return MountPath.of(volume.content());
    }
    MountPath staging = path("staging_target_path", asked.getStagingTargetPath());
    if (!shows(volume, staging)) {
      throw Refusal.of(
          StatusCode.FAILED_PRECONDITION,
          "The volume %s cannot be published: it is not mounted at its staging path %s. Stage"
              + " it again.",
          volume.id(),
          staging);
    }
    return staging;
  }

  @Override
  public void unpublish(String volume, String target, boolean leaveTarget)
      throws IOException, Refusal {
    MountPath path = path("target_path", target);
    unmount(volume, path);
    if (!leaveTarget) {
      remove(path);
    }
    boolean staged = known.stagings().keySet().stream().anyMatch(on -> on.what().equals(volume));
    detach(volume, staged);
  }

  private Path attach(StoredBytes volume, boolean readOnly) throws IOException, Refusal {
    Optional<String> obstacle = loops.obstacle(layout.work());
    if (obstacle.isPresent()) {
      throw new Refusal(
          StatusCode.INTERNAL,
          ("The volume %s cannot be used: it was created for a loop device, but none is available:"
                  + " %s. Run the plugin with the permissions that it had then.")
              .formatted(SafeText.quote(volume.id()), obstacle.get()));
    }
    return loops.attach(volume.content(), readOnly);
  }

  /** Detaches the loop devices of a volume that is no longer used. */
  private void detach(String volume, boolean staged) throws IOException {
    Optional<StoredBytes> bytes = layout.volumeBytes(volume);
    if (bytes.isEmpty() || bytes.get().medium() != Medium.LOOP) {
      return;
    }
    for (LoopDevices.Loop loop : loops.of(bytes.get().content())) {
      boolean keeps = staged && !loop.readOnly();
      if (!keeps && !sight.isShown(loop.path())) {
        loops.detach(loop.path());
      }
    }
  }

  @Override
  public List<VolumeUsage> usage(Volume volume, String path) throws IOException, Refusal {
    return files.usage(volumeBytes(volume.getVolumeId()), volume.getCapacityBytes());
  }

  @Override
  public List<VolumeHealthEntry> health(String volume) {
    return layout.volumeBytes(volume).isPresent()
        ? List.of()
        : List.of(
            VolumeHealthEntry.newBuilder()
                .setStatus(VolumeHealthErrorType.DATA_LOSS)
                .setReason("BytesMissing")
                .setMessage("The directory or file that holds the volume is gone.")
                .build());
  }

  @Override
  public List<BlockMetadata> blocks(String snapshot, @Nullable String base)
      throws IOException, Refusal {
    return SparseFile.changedBlocks(device(snapshot), base == null ? null : device(base));
  }

  private Path device(String snapshot) throws Refusal {
    StoredBytes bytes = snapshotBytes(snapshot);
    if (!bytes.medium().isBlock()) {
      throw Refusal.of(
          StatusCode.INVALID_ARGUMENT,
          "The snapshot %s has no blocks: its volume is a filesystem. Request blocks of raw"
              + " devices only.",
          snapshot);
    }
    return bytes.content();
  }

  /** Returns the bytes of a volume, ready for use. */
  private StoredBytes volumeBytes(String id) throws Refusal {
    StoredBytes volume = layout.volumeBytes(id).orElseThrow(() -> missing("volume", id));
    State.StoredVolume saved = known.volumes().get(id);
    files.prepare(volume, saved == null ? 0 : saved.volume().getCapacityBytes());
    return volume;
  }

  private StoredBytes snapshotBytes(String id) throws Refusal {
    return layout.snapshotBytes(id).orElseThrow(() -> missing("snapshot", id));
  }

  private Refusal missing(String kind, String id) {
    return Refusal.of(
        StatusCode.INTERNAL,
        "The bytes of this "
            + kind
            + ", %s, are not in %s any more. Find out who removed them, and restore them, or"
            + " delete it.",
        id,
        layout.data());
  }

  /** Binds {@code source} to a path of the caller, which may be created if it is missing. */
  private void bind(MountPath source, MountPath target, Set<MountFlag> flags, boolean create)
      throws Refusal {
    refuseData(target);
    BindRequest.Builder request =
        BindRequest.builder(source, target).propagation(Propagation.PRIVATE).createTarget(create);
    flags.forEach(request::flag);
    mounts.bind(request.build());
  }

  private boolean shows(StoredBytes volume, MountPath at) throws IOException {
    return sight.at(at).filter(sight.shows(volume, sight.now())).isPresent();
  }

  /** Unmounts a volume at a path. Does nothing if the volume is not mounted there. */
  private void unmount(String id, MountPath at) throws IOException, Refusal {
    MountSnapshot now = sight.now();
    Predicate<MountRecord> ours = mount -> VolumeMountIndex.isFreeLoop(mount, now);
    for (StoredBytes volume : layout.tracesOf(id)) {
      ours = ours.or(sight.shows(volume, now));
    }
    for (int i = 0; i < MAX_STACK; i++) {
      Optional<MountRecord> top = sight.at(at);
      if (top.isEmpty()) {
        return;
      }
      if (!ours.test(top.get())) {
        throw Refusal.of(
            StatusCode.INTERNAL,
            "The volume %s cannot be removed from %s: something else is mounted there, %s."
                + " Unmount that first.",
            id,
            at,
            top.get());
      }
      mounts.unmount(top.get().ref(), PATIENTLY);
    }
    throw Refusal.of(
        StatusCode.INTERNAL,
        "The path %s has more than %s mounts. Find out who creates them.",
        at,
        MAX_STACK);
  }

  /** Removes the empty directory or file at which a volume was published. */
  private void remove(MountPath target) throws Refusal {
    refuseData(target);
    CleanupResult result = mounts.cleanup(target, PATIENTLY);
    if (result.problem().isPresent()) {
      throw result.problem().get();
    }
    if (result.outcome() == CleanupResult.Outcome.NOT_EMPTY) {
      throw Refusal.of(
          StatusCode.INTERNAL,
          "The target path %s cannot be removed: nothing is mounted there any more, and it is not"
              + " empty. Move its contents away.",
          target);
    }
  }

  /** Refuses a path of the caller that is inside the directory of the plugin, or would hide it. */
  private void refuseData(MountPath path) throws Refusal {
    MountPath data = MountPath.of(layout.data());
    if (path.isWithin(data) || data.isWithin(path)) {
      throw Refusal.of(
          StatusCode.INVALID_ARGUMENT,
          "The path %s cannot be used: the plugin has its own files in %s. Use one beside it.",
          path,
          data);
    }
  }

  /**
   * Returns a saved state without the stagings and publications whose mounts are gone, as after a
   * reboot, so that the caller must stage and publish again.
   */
  private State surviving(State saved) throws IOException {
    State state = saved.copy();
    MountSnapshot now = sight.now();
    for (var each = state.publications().values().iterator(); each.hasNext(); ) {
      var published = each.next();
      String target = published.getTargetPath();
      drop(each, isShown(published.getVolumeId(), target, now), "published", target);
    }
    for (var each = state.stagings().values().iterator(); each.hasNext(); ) {
      var staged = each.next();
      String path = staged.getStagingTargetPath();
      drop(each, isStaged(staged.getVolumeId(), path, now), "staged", path);
    }
    Set<String> strangers = Layout.names(layout.volumes());
    state.volumes().keySet().forEach(id -> strangers.remove(Layout.name(id)));
    if (!strangers.isEmpty()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "The directory {0} has unknown volumes, {1}, from interrupted calls. They can be removed"
              + " by hand.",
          layout.volumes(),
          new TreeSet<>(strangers));
    }
    return state;
  }

  private static void drop(Iterator<?> each, boolean isThere, String what, String path) {
    if (!isThere) {
      LOG.log(
          System.Logger.Level.WARNING,
          "A volume is no longer {0} at {1}: the mount is gone, as after a reboot.",
          what,
          SafeText.quote(path));
      each.remove();
    }
  }

  private boolean isStaged(String id, String path, MountSnapshot now) throws IOException {
    Optional<StoredBytes> volume = layout.volumeBytes(id);
    if (volume.isPresent() && volume.get().medium().isBlock()) {
      return volume.get().medium() == Medium.FILE || !loops.of(volume.get().content()).isEmpty();
    }
    return isShown(id, path, now);
  }

  private boolean isShown(String id, String path, MountSnapshot now) throws IOException {
    Optional<StoredBytes> volume = layout.volumeBytes(id);
    if (volume.isEmpty()) {
      return false;
    }
    Optional<MountRecord> top = now.at(MountPath.of(path));
    return top.filter(sight.shows(volume.get(), now)).isPresent();
  }
}
