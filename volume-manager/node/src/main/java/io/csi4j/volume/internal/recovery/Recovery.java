package io.csi4j.volume.internal.recovery;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.layout.VolumeDirectories;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.layout.VolumeLayout.StrayUse;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.lifecycle.Inspection;
import io.csi4j.volume.internal.path.StateCodes;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.record.RecordCodec;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Tombstone;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateValue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Determines the volumes at a start from three sources: records, directories and mounts. No source
 * is trusted alone.
 */
public final class Recovery {

  static final String DOING = "finding volumes again";

  /** The text of the notice about a refresh that had not ended when the last process ended. */
  public static final String REFRESHED =
      "it was being refreshed when the last process ended, so it is unknown which contexts are "
          + "in force";

  private final VolumeLayout layout;

  /** The directory that contains the directories of the volumes. */
  private final MountPath top;

  private final Found found;
  private final Map<MountPath, List<Sighting>> mounted;
  private final Map<MountPath, List<Sighting>> byVolume;
  private final Map<VolumeIdentity, VolumeRecord> volumes = new TreeMap<>();
  private final Map<VolumeIdentity, Tombstone> tombstones = new TreeMap<>();
  private final Set<VolumeIdentity> appeared = new HashSet<>();
  private final List<VolumeUse> adopted = new ArrayList<>();
  private final List<OperatorMessage> findings = new ArrayList<>();
  private final Set<MountPath> explained = new HashSet<>();
  private int rebooted;
  private int moved;

  private Recovery(VolumeLayout layout, Found found) {
    this.layout = layout;
    top = layout.volumes();
    this.found = found;
    byVolume = Strays.byVolume(layout, found.mounted());
    mounted = found.mounted().stream().collect(Collectors.groupingBy(Sighting::path));
  }

  /** Combines the three sources. */
  public static Recovered of(VolumeLayout layout, Found found) {
    return new Recovery(layout, found).run();
  }

  private Recovered run() {
    LoadedState state = found.remembered().state();
    state.uncertainties().forEach(doubt -> find(StateCodes.of(doubt.reason()), doubt.text()));
    findings.addAll(found.remembered().unreadable());
    found
        .remembered()
        .volumes()
        .forEach(
            (name, record) ->
                volumes.put(
                    record.identity(),
                    remembered(
                        record, layout.home(name), state.isDoubtful(StateKey.volume(name)))));
    found
        .remembered()
        .tombstones()
        .forEach(tombstone -> tombstones.put(tombstone.identity(), tombstone));
    tombstones.values().forEach(this::late);
    found.directories().forEach(this::ownerless);
    if (rebooted > 0) {
      find(
          OperatorCode.REBOOT_DETECTED,
          "the host was rebooted since " + volumes(rebooted) + " last seen");
    }
    if (moved > 0) {
      find(
          OperatorCode.NAMESPACE_CHANGED,
          "this process is in another mount namespace than the one in which "
              + volumes(moved)
              + " last seen");
    }
    return new Recovered(
        List.copyOf(volumes.values()),
        List.copyOf(tombstones.values()),
        adopted,
        uses(PathStatus.IN_DOUBT),
        uses(PathStatus.GOING),
        unknown(),
        appeared,
        findings);
  }

  private static String volumes(int count) {
    return count + (count == 1 ? " volume was" : " volumes were");
  }

  private List<VolumeUse> uses(PathStatus status) {
    return volumes.values().stream()
        .flatMap(record -> record.targets().values().stream())
        .filter(target -> target.path().is(status))
        .map(TargetRecord::usage)
        .toList();
  }

  /** Returns the record of a volume after it was compared with the mounts. */
  private VolumeRecord remembered(VolumeRecord record, VolumeLayout.Home home, boolean isDoubtful) {
    Place place = found.place();
    boolean isElsewhere = !record.place().equals(place);
    if (isElsewhere && !record.isEmpty()) {
      if (record.place().boot().equals(place.boot())) {
        moved++;
      } else {
        rebooted++;
      }
    }
    boolean isBelieved = !isElsewhere && !isDoubtful;
    boolean mayBeOlder = !isElsewhere && isDoubtful;
    VolumeIdentity identity = record.identity();
    MountPath stagingPath = home.staging();
    Set<MountPath> targets = new HashSet<>();
    VolumeRecord now =
        record
            .at(place)
            .withStaging(
                seen(
                    newest(
                        record.staging(),
                        stagingPath,
                        mayBeOlder,
                        Subject.of(DOING, identity).at(stagingPath)),
                    stagingPath,
                    isBelieved,
                    OperatorCode.STAGING_LOST,
                    Subject.of(DOING, identity).at(stagingPath)));
    for (TargetRecord target : record.targets().values()) {
      MountPath path = home.target(target.usage());
      tellIfOlder(record, target, path);
      Subject subject = Subject.of(DOING, identity).by(target.usage()).at(path);
      PathRecord seen =
          seen(
              newest(target.path(), path, mayBeOlder, subject),
              path,
              isBelieved,
              OperatorCode.MOUNT_LOST,
              subject);
      if (seen.is(PathStatus.PRESENT)) {
        adopted.add(target.usage());
        tellIfRefreshed(seen, subject);
      }
      targets.add(path);
      now = now.withTarget(target.with(seen));
      // Publications before the last boot have certainly ended. All publications of a target have
      // ended if the target was present without a pending call.
      boolean isAnswered =
          record.isAnswered(target.usage())
              || !record.place().boot().equals(place.boot())
              || (target.path().is(PathStatus.PRESENT) && target.path().pending().isEmpty());
      now = now.withAnswered(target.usage(), isAnswered && !seen.is(PathStatus.PRESENT));
    }
    return withStrays(now, home, targets);
  }

  /** Reports a refresh that had not ended when the last process ended. */
  private void tellIfRefreshed(PathRecord path, Subject subject) {
    if (path.awaits(Verb.PUBLISH)) {
      findings.add(Messages.of(OperatorCode.REFRESH_IN_DOUBT, subject, REFRESHED));
    }
  }

  /**
   * Reports a record that is older than the mounts. The record of a publish call is always written
   * before the call, so a target that is mounted without this record proves that the record was
   * lost.
   */
  private void tellIfOlder(VolumeRecord record, TargetRecord target, MountPath path) {
    boolean wasNeverAsked =
        target.path().is(PathStatus.IN_DOUBT)
            && target.path().pending().isEmpty()
            && target.path().evidence().isEmpty()
            && record.staging().awaits(Verb.STAGE);
    if (wasNeverAsked && mounted.containsKey(path)) {
      findings.add(
          Messages.of(
              OperatorCode.JOURNAL_OLDER_THAN_KERNEL,
              Subject.of(DOING, record.identity()).by(target.usage()).at(path),
              "it is mounted, but its record says only that it is about to be staged"));
    }
  }

  /**
   * Returns a path as recorded, or as uncertain if the record is older than the present mount. The
   * record is older if it says that a mount is being released, and a newer mount of the same
   * content is at the path. In this case the record of the newer mount was lost, and the host's
   * list decides about it.
   */
  private PathRecord newest(PathRecord path, MountPath at, boolean mayBeOlder, Subject subject) {
    Optional<Evidence> top = Inspection.top(mounted.getOrDefault(at, List.of()));
    boolean isLeaving =
        path.is(PathStatus.GOING) || path.awaits(Verb.UNPUBLISH) || path.awaits(Verb.UNSTAGE);
    boolean isOlder =
        mayBeOlder
            && isLeaving
            && path.evidence()
                .filter(
                    seen ->
                        top.filter(now -> now.looksLike(seen) && !now.ref().equals(seen.ref()))
                            .isPresent())
                .isPresent();
    if (!isOlder) {
      return path;
    }
    findings.add(
        Messages.of(
            OperatorCode.JOURNAL_OLDER_THAN_KERNEL,
            subject,
            "the mount there is not the recorded one, which is being released"));
    return new PathRecord(PathStatus.IN_DOUBT, Optional.empty(), top);
  }

  private VolumeRecord withStrays(VolumeRecord record) {
    VolumeLayout.Home home = layout.home(record.identity());
    return withStrays(record, home, Strays.targets(home, record));
  }

  /** Returns the record of a volume, extended by mounted uses that are not on record. */
  private VolumeRecord withStrays(
      VolumeRecord record, VolumeLayout.Home home, Set<MountPath> targets) {
    VolumeRecord now =
        Strays.with(home, record, targets, byVolume.getOrDefault(home.path(), List.of()));
    explained.addAll(targets);
    if (now.targets().size() > record.targets().size()) {
      explained.addAll(Strays.targets(home, now));
    }
    return now;
  }

  private PathRecord seen(
      PathRecord path, MountPath at, boolean isBelieved, OperatorCode lost, Subject subject) {
    explained.add(at);
    if (!path.is(PathStatus.PRESENT)) {
      return path;
    }
    Optional<Evidence> before = path.evidence();
    List<Sighting> stack = mounted.getOrDefault(at, List.of());
    Optional<Evidence> top =
        stack.isEmpty() ? Optional.empty() : Optional.of(stack.get(stack.size() - 1).evidence());
    if (before.isPresent() && Inspection.isForeign(path, stack)) {
      Failure foreign = Inspection.foreign(stack);
      findings.add(Messages.of(foreign.code(), subject, foreign.seen()));
      return path.as(PathStatus.IN_DOUBT);
    }
    if (!isBelieved) {
      return path.as(PathStatus.IN_DOUBT);
    }
    if (before.isEmpty()) {
      return path;
    }
    if (top.isEmpty()) {
      findings.add(Messages.of(lost, subject, "it was mounted, but nothing is mounted now"));
      return path.as(PathStatus.IN_DOUBT);
    }
    // A pending call stays, because the plugin may be working on a refresh.
    return new PathRecord(PathStatus.PRESENT, path.pending(), top);
  }

  /**
   * Handles a released volume whose mounts have appeared again because an abandoned call was
   * executed late. If the host was rebooted after the release, such mounts would no longer be
   * visible; so if a call may have been executed late, the volume is released again anyway. If a
   * newer record may have been lost, the mounts may be in use, and the host's list decides.
   */
  private void late(Tombstone tombstone) {
    VolumeIdentity identity = tombstone.identity();
    if (volumes.containsKey(identity)) {
      return;
    }
    boolean mayBeHidden =
        tombstone.isUnsettled() && !tombstone.place().boot().equals(found.place().boot());
    if (mayBeHidden || byVolume.containsKey(layout.volume(identity))) {
      explained.add(layout.staging(identity));
      appeared.add(identity);
      VolumeRecord late = late(tombstone, found.place());
      LoadedState state = found.remembered().state();
      if (state.mayMissKeys() || state.isDoubtful(StateKey.tombstone(layout.key(identity).id()))) {
        for (TargetRecord use : late.targets().values()) {
          late = late.withTarget(use.with(use.path().as(PathStatus.IN_DOUBT)));
        }
      }
      volumes.put(identity, withStrays(late));
    }
  }

  /**
   * Returns the record for the volume of a tombstone. The complete volume must be released again.
   */
  public static VolumeRecord late(Tombstone tombstone, Place place) {
    VolumeRecord record = VolumeRecord.fresh(tombstone.identity(), tombstone.plan(), place);
    boolean isRebooted = !tombstone.place().boot().equals(place.boot());
    for (VolumeUse usage : tombstone.targets()) {
      record =
          record
              .withTarget(going(usage))
              .withAnswered(usage, isRebooted || tombstone.isAnswered(usage));
    }
    return record.withStaging(doubtful(tombstone.plan()));
  }

  /** Handles a directory whose volume is not on record. */
  private void ownerless(VolumeDirectories.Found directory) {
    VolumeIdentity identity = directory.identity();
    if (volumes.containsKey(identity)) {
      return;
    }
    Plan plan =
        Optional.ofNullable(tombstones.get(identity))
            .map(Tombstone::plan)
            .orElseGet(() -> Plan.unknown(identity));
    VolumeRecord record =
        VolumeRecord.fresh(identity, plan, found.place()).withStaging(doubtful(plan));
    explained.add(layout.staging(identity));
    for (String use : directory.uses()) {
      VolumeUse usage = StrayUse.of(identity, use);
      record = record.withTarget(going(usage));
      explained.add(layout.target(identity, usage));
    }
    volumes.put(identity, withStrays(record));
    if (!tombstones.containsKey(identity)) {
      findings.add(
          Messages.of(
              OperatorCode.STATE_REBUILT,
              Subject.of(DOING, identity).at(layout.volume(identity)),
              "it has a directory but no record"));
    }
  }

  private static TargetRecord going(VolumeUse usage) {
    return new TargetRecord(usage, false, PathRecord.NONE.as(PathStatus.GOING));
  }

  private static PathRecord doubtful(Plan plan) {
    return plan.staged() ? PathRecord.NONE.as(PathStatus.IN_DOUBT) : PathRecord.NONE;
  }

  /**
   * Returns the mounts below the root that are neither at a path of a volume nor below such a path.
   */
  private List<MountPath> unknown() {
    List<MountPath> paths = new ArrayList<>();
    for (MountPath path :
        mounted.keySet().stream().filter(path -> !isExplained(path)).sorted().toList()) {
      paths.add(path);
      findings.add(
          Messages.of(
              OperatorCode.UNKNOWN_MOUNT,
              Subject.of(DOING).at(path),
              "it is mounted below the root, but neither a record nor a directory names its "
                  + "volume"));
    }
    return paths;
  }

  private boolean isExplained(MountPath path) {
    for (MountPath at = path; at.isWithin(top); at = at.parent()) {
      if (explained.contains(at)) {
        return true;
      }
      if (at.equals(top)) {
        return false;
      }
    }
    return false;
  }

  private void find(OperatorCode code, String seen) {
    findings.add(Messages.of(code, Subject.of(DOING), seen));
  }

  // ---- input and result

  /**
   * The input of the recovery: the three sources when a manager is opened.
   *
   * @param remembered the records
   * @param directories the directories, and their volumes
   * @param mounted the mounts below the root
   * @param place the boot and the mount namespace of this process
   */
  public record Found(
      Remembered remembered,
      List<VolumeDirectories.Found> directories,
      List<Sighting> mounted,
      Place place) {

    /** Copies the lists. */
    public Found {
      directories = List.copyOf(directories);
      mounted = List.copyOf(mounted);
    }
  }

  /**
   * The result of the recovery.
   *
   * @param volumes the records of the volumes
   * @param tombstones the tombstones of released volumes
   * @param adopted the uses that are still mounted as recorded
   * @param inDoubt the uses that may or may not be mounted
   * @param going the uses whose release had begun
   * @param unknown the mounts below the root that belong to no known volume
   * @param late the volumes that must be released again, because mounts may have appeared after
   *     their release
   * @param findings the findings that concern an operator
   */
  public record Recovered(
      List<VolumeRecord> volumes,
      List<Tombstone> tombstones,
      List<VolumeUse> adopted,
      List<VolumeUse> inDoubt,
      List<VolumeUse> going,
      List<MountPath> unknown,
      Set<VolumeIdentity> late,
      List<OperatorMessage> findings) {

    /** Copies the lists. */
    public Recovered {
      volumes = List.copyOf(volumes);
      tombstones = List.copyOf(tombstones);
      adopted = List.copyOf(adopted);
      inDoubt = List.copyOf(inDoubt);
      going = List.copyOf(going);
      unknown = List.copyOf(unknown);
      late = Set.copyOf(late);
      findings = List.copyOf(findings);
    }
  }

  /**
   * The records of a state, decoded once. For each record that cannot be read, there is a message
   * with the reason.
   */
  public static final class Remembered implements VolumeDirectories.Owners {

    private final LoadedState state;
    private final Map<String, VolumeRecord> volumes = new LinkedHashMap<>();
    private final Map<String, Tombstone> tombstones = new LinkedHashMap<>();
    private final List<OperatorMessage> unreadable = new ArrayList<>();

    private Remembered(LoadedState state) {
      this.state = state;
      state.values().forEach(this::read);
    }

    /** Returns the records of this state. */
    public static Remembered of(LoadedState state) {
      return new Remembered(state);
    }

    private void read(StateKey key, StateValue value) {
      try {
        if (key.kind() == StateKey.Kind.VOLUME) {
          VolumeRecord record = RecordCodec.decodeVolume(value);
          if (!VolumeLayout.id(record.identity()).equals(key.id())) {
            throw new MalformedRecordException("it is that of " + record.identity());
          }
          volumes.put(key.id(), record);
        } else if (key.kind() == StateKey.Kind.TOMBSTONE) {
          tombstones.put(key.id(), RecordCodec.decodeTombstone(value));
        }
      } catch (MalformedRecordException e) {
        unreadable.add(
            Messages.of(
                OperatorCode.RECORD_UNREADABLE,
                Subject.of(DOING),
                "the record " + key + " cannot be read: " + e.getMessage()));
      }
    }

    /** Returns the state from which the records were read. */
    LoadedState state() {
      return state;
    }

    /** Returns the records of volumes, by the names of their directories. */
    public Map<String, VolumeRecord> volumes() {
      return Collections.unmodifiableMap(volumes);
    }

    /** Returns the tombstones of released volumes. */
    public Collection<Tombstone> tombstones() {
      return Collections.unmodifiableCollection(tombstones.values());
    }

    /** Returns whether a volume is on record. */
    public boolean isOnRecord(VolumeIdentity identity) {
      return volumes.containsKey(VolumeLayout.id(identity));
    }

    /** Returns whether the state has a value for this key, even one that cannot be read. */
    public boolean hasKey(StateKey key) {
      return state.values().containsKey(key);
    }

    /** Returns whether a volume has a tombstone and no record. */
    public boolean isBuried(VolumeIdentity identity) {
      return !isOnRecord(identity) && tombstones.containsKey(VolumeLayout.id(identity));
    }

    /** Returns whether the record or tombstone of this volume was written in another boot. */
    public boolean isOfOtherBoot(VolumeIdentity identity, Place now) {
      String directory = VolumeLayout.id(identity);
      VolumeRecord record = volumes.get(directory);
      Tombstone tombstone = tombstones.get(directory);
      Place then = record != null ? record.place() : tombstone != null ? tombstone.place() : now;
      return !then.boot().equals(now.boot());
    }

    /** Returns messages about the records that cannot be read. */
    List<OperatorMessage> unreadable() {
      return unreadable;
    }

    @Override
    public Optional<VolumeIdentity> of(String directory) {
      return Optional.ofNullable(volumes.get(directory)).map(VolumeRecord::identity);
    }

    @Override
    public Optional<VolumeIdentity> before(String directory) {
      return Optional.ofNullable(tombstones.get(directory)).map(Tombstone::identity);
    }
  }
}
