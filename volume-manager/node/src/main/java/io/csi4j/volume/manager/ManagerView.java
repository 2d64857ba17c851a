package io.csi4j.volume.manager;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.engine.StartInventory;
import io.csi4j.volume.internal.layout.VolumeDirectories;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.path.StateCodes;
import io.csi4j.volume.internal.plugin.StoredPlugins;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.real.SystemKernelMounts;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Tombstone;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.recovery.Recovery;
import io.csi4j.volume.internal.recovery.Recovery.Found;
import io.csi4j.volume.internal.recovery.Recovery.Recovered;
import io.csi4j.volume.internal.recovery.Recovery.Remembered;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.RecoveryReport;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.Uncertainty;
import io.csi4j.volume.state.journal.JournalView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The directory of a manager at one moment, read without opening a manager: nothing is written or
 * locked, no plugin is called, and no mounted directory is read. The manager may be running, in
 * this process or another, and the state may be damaged.
 *
 * <pre>{@code
 * ManagerView view = ManagerView.read(root);
 * view.volumes().forEach(log); // what is on record
 * view.pending().forEach(log); // the calls that are still to be sent to plugins
 * view.troubles().forEach(log); // what stands in their way, and since when
 * view.start().findings().forEach(log); // what a start would report to an operator
 * }</pre>
 *
 * @param root the directory of the manager
 * @param journal the state in that directory
 * @param volumes the volumes on record, in order; their health is always empty, because it is not
 *     recorded
 * @param givenBack the released volumes, unless they are on record again; the manager remembers
 *     them in case a late mount of them appears
 * @param paths each path of each volume that is on record now or would be after a start
 * @param pending the calls that are pending after a start
 * @param start the findings that a start in this process would make before the manager acts on them
 * @param moving the volumes whose records a running manager kept changing while this method read
 *     them. The data about such a volume may mix two moments
 * @param plugins the instances of plugins on record, grouped by plugin, the newest first; their
 *     health is not recorded
 * @param claims the claims on record under which volumes are used
 * @param troubles the obstacles of volumes, the oldest first, as the manager last wrote them to its
 *     file
 * @since 1.0
 */
public record ManagerView(
    Path root,
    JournalView journal,
    List<VolumeStatus> volumes,
    List<VolumeIdentity> givenBack,
    List<VolumePath> paths,
    List<PendingCall> pending,
    RecoveryReport start,
    List<VolumeIdentity> moving,
    List<RegisteredPlugin> plugins,
    List<Claim> claims,
    List<Trouble> troubles) {

  /** Maximum number of attempts to read the directory while a manager changes it. */
  private static final int LOOKS = 20;

  /** Copies the lists. */
  public ManagerView {
    volumes = List.copyOf(volumes);
    givenBack = List.copyOf(givenBack);
    paths = List.copyOf(paths);
    pending = List.copyOf(pending);
    moving = List.copyOf(moving);
    plugins = List.copyOf(plugins);
    claims = List.copyOf(claims);
    troubles = List.copyOf(troubles);
  }

  /**
   * Reads the directory of a manager, and the mounts that this process sees. If this process is not
   * in the manager's mount namespace, this method finds every use uncertain, as a start would.
   *
   * @param root the directory that was passed to {@link VolumeManager#open}
   * @throws VolumeException if there is neither a state nor a directory of a volume, if a newer
   *     version wrote the state, or if the state or the mount table cannot be read
   */
  public static ManagerView read(Path root) {
    return read(root, SystemKernelMounts.system());
  }

  /** Returns the operator code for the reason why the state cannot be read. */
  public static OperatorCode code(StateException.Reason reason) {
    return StateCodes.of(reason);
  }

  /** Reads the directory, and compares it with these mounts. */
  static ManagerView read(Path root, KernelMounts kernel) {
    VolumeLayout layout = new VolumeLayout(MountPath.of(real(root)));
    try {
      return read(layout, kernel);
    } catch (StateException | MountException problem) {
      throw new VolumeException(
          Outcome.REFUSED, OpenedManager.message(reading(layout), problem), null, problem);
    }
  }

  private static Subject reading(VolumeLayout layout) {
    return Subject.of("reading the volume manager").at(layout.root());
  }

  private static ManagerView read(VolumeLayout layout, KernelMounts kernel) {
    VolumeDirectories directories = new VolumeDirectories(new RealDisk(), layout);
    // The state, the mounts and the directories are read one after the other while a manager may be
    // running. If the state is the same before and after, all three belong to one moment.
    JournalView after = journal(layout, directories);
    for (int look = 1; ; look++) {
      JournalView journal = after;
      List<Sighting> mounted = kernel.beneath(layout.volumes());
      List<PathProblem> damaged = new ArrayList<>();
      List<VolumeDirectories.Found> found =
          directories(directories, Remembered.of(journal.state()), damaged);
      List<Trouble> troubles = troubles(directories);
      after = journal(layout, directories);
      boolean isOneMoment = journal.state().values().equals(after.state().values());
      if (isOneMoment || look == LOOKS) {
        List<VolumeIdentity> moving =
            isOneMoment ? List.of() : moving(journal.state(), after.state());
        return view(layout, journal, mounted, kernel.place(), found, damaged, troubles, moving);
      }
    }
  }

  /** Returns the volumes that differ between two states. */
  private static List<VolumeIdentity> moving(LoadedState before, LoadedState after) {
    Map<String, VolumeRecord> then = Remembered.of(before).volumes();
    Map<String, VolumeRecord> now = Remembered.of(after).volumes();
    return Stream.concat(then.values().stream(), now.values().stream())
        .map(VolumeRecord::identity)
        .distinct()
        .filter(
            volume -> {
              StateKey key = StateKey.volume(VolumeLayout.id(volume));
              return !before.value(key).equals(after.value(key));
            })
        .sorted()
        .toList();
  }

  private static ManagerView view(
      VolumeLayout layout,
      JournalView journal,
      List<Sighting> mounted,
      Place place,
      List<VolumeDirectories.Found> found,
      List<PathProblem> damaged,
      List<Trouble> troubles,
      List<VolumeIdentity> moving) {
    Map<VolumeIdentity, OperatorMessage> messages =
        troubles.stream().collect(Collectors.toMap(Trouble::volume, Trouble::message, (a, b) -> a));
    Remembered remembered = Remembered.of(journal.state());
    Recovered recovered = Recovery.of(layout, new Found(remembered, found, mounted, place));
    return new ManagerView(
        layout.root().toPath(),
        journal,
        remembered.volumes().values().stream()
            .map(record -> status(layout, record, messages))
            .toList(),
        remembered.tombstones().stream()
            .map(Tombstone::identity)
            .filter(volume -> !remembered.volumes().containsKey(VolumeLayout.id(volume)))
            .sorted()
            .toList(),
        paths(layout, remembered.volumes().values(), recovered.volumes(), mounted),
        recovered.volumes().stream().flatMap(record -> pending(record).stream()).toList(),
        new RecoveryReport(
            recovered.volumes().size(),
            recovered.adopted(),
            recovered.inDoubt(),
            recovered.going(),
            StartInventory.findings(recovered, damaged),
            Duration.ZERO),
        moving,
        StoredPlugins.known(journal.state(), Instant.now()),
        remembered.volumes().values().stream().flatMap(ManagerView::claims).toList(),
        troubles.stream()
            .filter(it -> remembered.volumes().containsKey(VolumeLayout.id(it.volume())))
            .toList());
  }

  /**
   * Returns the troubles that the manager wrote to its file. Volumes in the file may no longer
   * exist.
   */
  private static List<Trouble> troubles(VolumeDirectories directories) {
    return directories.trouble().stream()
        .map(entry -> new Trouble(entry.volume(), entry.message(), entry.since()))
        .toList();
  }

  /** Returns the path without symbolic links, as the mount table shows it. */
  private static Path real(Path root) {
    try {
      return root.toRealPath();
    } catch (IOException e) {
      return root.toAbsolutePath().normalize();
    }
  }

  private static JournalView journal(VolumeLayout layout, VolumeDirectories directories) {
    Path state = layout.state().toPath();
    try {
      return JournalView.read(state);
    } catch (StateException e) {
      boolean isGone =
          e.reason() == StateException.Reason.STATE_MISSING
              || e.reason() == StateException.Reason.STATE_NOT_USABLE;
      if (!isGone) {
        throw e;
      } else if (!hasVolumes(directories)) {
        throw noManager(layout, e);
      }
      Uncertainty missing =
          Uncertainty.aboutMoreThan(
              StateException.Reason.STATE_MISSING, List.of(), String.valueOf(e.getMessage()));
      return new JournalView(
          state,
          new LoadedState(new TreeMap<>(), List.of(missing), Optional.empty()),
          Optional.empty(),
          false,
          List.of());
    }
  }

  /**
   * Returns an exception that says that this is not the directory of a manager. If the state exists
   * but was refused, returns the refusal.
   */
  private static RuntimeException noManager(VolumeLayout layout, StateException refusal) {
    Path root = layout.root().toPath();
    Path state = root.resolve("state");
    if (refusal.reason() == StateException.Reason.STATE_NOT_USABLE && !Files.notExists(state)) {
      return refusal;
    }
    String why =
        Files.notExists(root)
            ? "there is no such directory"
            : Files.notExists(state)
                ? "it has no directory 'state' and no directory of a volume"
                : "its directory 'state' has no journal, and it has no directory of a volume";
    return new VolumeException(
        Outcome.REFUSED,
        Messages.of(
            OperatorCode.ROOT_NOT_USABLE,
            reading(layout),
            why,
            new OperatorMessage.Part("Give the directory that the manager was opened with")),
        null,
        refusal);
  }

  private static boolean hasVolumes(VolumeDirectories directories) {
    try {
      return directories.hasVolumes();
    } catch (PathProblem unreadable) {
      return false;
    }
  }

  private static List<VolumeDirectories.Found> directories(
      VolumeDirectories directories, Remembered remembered, List<PathProblem> damaged) {
    try {
      return directories.scan(remembered, damaged::add);
    } catch (PathProblem problem) {
      damaged.add(problem);
      return List.of();
    }
  }

  private static VolumeStatus status(
      VolumeLayout layout, VolumeRecord record, Map<VolumeIdentity, OperatorMessage> troubles) {
    return new VolumeStatus(
        record.identity().plugin(),
        record.identity().handle(),
        record.staging().status(),
        record.targets().values().stream()
            .map(
                target ->
                    new VolumeStatus.Use(
                        target.usage(),
                        target.path().status(),
                        target.readOnly(),
                        layout.target(record.identity(), target.usage()).toPath()))
            .toList(),
        record.leaving().map(List::of).orElse(List.of()),
        record.abandoned(),
        record.plan().mode(),
        Optional.of(record.plan().fsType()).filter(type -> !type.isEmpty()),
        record.plan().block(),
        Optional.ofNullable(troubles.get(record.identity())),
        VolumeHealth.well());
  }

  private static List<VolumePath> paths(
      VolumeLayout layout,
      Collection<VolumeRecord> recorded,
      List<VolumeRecord> found,
      List<Sighting> mounted) {
    Map<VolumeIdentity, VolumeRecord> before =
        recorded.stream().collect(Collectors.toMap(VolumeRecord::identity, Function.identity()));
    // If several mounts are on one path, the topmost comes last and wins.
    Map<MountPath, String> words = new HashMap<>();
    mounted.forEach(seen -> words.put(seen.path(), seen.evidence().words()));
    List<VolumePath> paths = new ArrayList<>();
    for (VolumeRecord after : found) {
      VolumeIdentity identity = after.identity();
      Optional<VolumeRecord> known = Optional.ofNullable(before.get(identity));
      if (after.plan().staged()) {
        paths.add(
            viewed(
                identity,
                Optional.empty(),
                layout.staging(identity),
                known.map(VolumeRecord::staging),
                after.staging(),
                words));
      }
      for (TargetRecord target : after.targets().values()) {
        paths.add(
            viewed(
                identity,
                Optional.of(target.usage()),
                layout.target(identity, target.usage()),
                known.flatMap(record -> record.target(target.usage())).map(TargetRecord::path),
                target.path(),
                words));
      }
    }
    return paths;
  }

  private static VolumePath viewed(
      VolumeIdentity identity,
      Optional<VolumeUse> use,
      MountPath path,
      Optional<PathRecord> recorded,
      PathRecord found,
      Map<MountPath, String> words) {
    return new VolumePath(
        identity,
        use,
        path.toPath(),
        recorded.map(PathRecord::status).orElse(PathStatus.NONE),
        found.status(),
        found.pending().map(pending -> pending.verb().operation()),
        Optional.ofNullable(words.get(path)));
  }

  /** Returns the claims of the uses of a volume. */
  private static Stream<Claim> claims(VolumeRecord record) {
    return record.targets().values().stream()
        .filter(target -> target.claim().isClaimed())
        .map(target -> claim(record, target));
  }

  static Claim claim(VolumeRecord record, TargetRecord target) {
    return new Claim(
        record.identity(), target.usage(), target.claim().epoch(), target.claim().confirmed());
  }

  /** Returns the pending calls of a volume, in the order in which they are sent. */
  static List<PendingCall> pending(VolumeRecord record) {
    List<PendingCall> pending = new ArrayList<>();
    for (TargetRecord target : record.targets().values()) {
      if (record.abandoned().containsKey(target.usage())) {
        continue;
      }
      if (target.path().is(PathStatus.GOING)) {
        pending.add(
            call(
                record,
                Optional.of(target.usage()),
                Verb.UNPUBLISH,
                true,
                "its release has begun"));
      } else if (target.path().is(PathStatus.IN_DOUBT)) {
        pending.add(
            call(
                record,
                Optional.of(target.usage()),
                Verb.UNPUBLISH,
                false,
                "it may be published, but the mount table does not show whether it is"));
      }
    }
    boolean isLeft = record.targets().isEmpty() && !record.staging().is(PathStatus.NONE);
    if (isLeft || record.staging().is(PathStatus.GOING)) {
      pending.add(
          call(record, Optional.empty(), Verb.UNSTAGE, true, "no workload has it any more"));
    }
    return pending;
  }

  private static PendingCall call(
      VolumeRecord record, Optional<VolumeUse> use, Verb verb, boolean certain, String why) {
    return new PendingCall(record.identity(), use, verb.operation(), certain, why);
  }

  /**
   * A call that the manager must still send to a plugin before this node has released a volume.
   *
   * @param volume the volume
   * @param use the use that the call ends; empty for the staging of the volume
   * @param call the call
   * @param certain true if the call is certainly pending; false if it is pending only when the host
   *     no longer wants the use
   * @param why the reason, as a clause without a full stop
   * @since 1.0
   */
  public record PendingCall(
      VolumeIdentity volume,
      Optional<VolumeUse> use,
      CsiOperation call,
      boolean certain,
      String why) {

    /** Checks that no component is null. */
    public PendingCall {
      Objects.requireNonNull(volume, "volume");
      Objects.requireNonNull(use, "use");
      Objects.requireNonNull(call, "call");
      Objects.requireNonNull(why, "why");
    }

    /** Returns the call for people, without the volume. */
    public String phrase() {
      return call.rpcName()
          + use.map(of -> " for " + of.phrase()).orElse("")
          + ", as "
          + why
          + (certain ? "" : "; not if the host still wants it");
    }
  }

  /**
   * The problem of a volume: the last failure of a call or of other work on it.
   *
   * @param volume the volume
   * @param message the message for an operator
   * @param since the time at which the trouble began, with this code or another code
   * @since 1.0
   */
  public record Trouble(VolumeIdentity volume, OperatorMessage message, Instant since) {

    /** Checks that no component is null. */
    public Trouble {
      Objects.requireNonNull(volume, "volume");
      Objects.requireNonNull(message, "message");
      Objects.requireNonNull(since, "since");
    }
  }

  /**
   * The claim of a use, as this node has recorded it.
   *
   * @param volume the volume
   * @param use the use
   * @param epoch the epoch of the claim, at least 1
   * @param confirmed whether the claim store has confirmed the claim to this node at least once
   * @since 1.0
   */
  public record Claim(VolumeIdentity volume, VolumeUse use, long epoch, boolean confirmed) {

    /** Checks that no component is null. */
    public Claim {
      Objects.requireNonNull(volume, "volume");
      Objects.requireNonNull(use, "use");
    }

    /** Returns the claim for people. */
    public String phrase() {
      return volume
          + ", "
          + use.phrase()
          + ": epoch "
          + epoch
          + (confirmed ? ", confirmed here once" : ", not confirmed here yet");
    }
  }

  /**
   * One path of a volume: its recorded state, and the state that a start would find.
   *
   * @param volume the volume
   * @param use the use that this target path belongs to; empty for the staging path
   * @param path the path on this host
   * @param recorded the recorded state; {@link PathStatus#NONE} if the path is not on record
   * @param found the state that a start would find when it compares the record with the mount table
   * @param pending the call that the plugin may still be working on
   * @param mounted a description of the mount on top at the path, if there is one
   * @since 1.0
   */
  public record VolumePath(
      VolumeIdentity volume,
      Optional<VolumeUse> use,
      Path path,
      PathStatus recorded,
      PathStatus found,
      Optional<CsiOperation> pending,
      Optional<String> mounted) {

    /** Checks that no component is null. */
    public VolumePath {
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
}
