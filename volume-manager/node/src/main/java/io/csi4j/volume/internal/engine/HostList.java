package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.engine.Reconciling.Planned;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.recovery.Strays;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.CleanupPlan;
import io.csi4j.volume.node.LiveMount;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.Reconciliation;
import io.csi4j.volume.node.Release;
import io.csi4j.volume.node.VolumeEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The list of the host, compared with what there is, and brought about. */
final class HostList {

  /** How long after a start a host is waited for in silence. */
  private static final Duration SILENCE = Duration.ofMinutes(10);

  private final EngineParts parts;
  private final VolumeIndex index;
  private final Tombstones tombstones;
  private final PluginWatch watch;
  private final UnexpectedMounts unexpected;
  private final List<MountPath> unknown;
  private final VolumeEngine engine;
  private volatile boolean heard;

  /**
   * A list that the host has not given yet.
   *
   * @param unknown mounts of unknown volumes
   */
  HostList(
      EngineParts parts,
      VolumeIndex index,
      Tombstones tombstones,
      PluginWatch watch,
      UnexpectedMounts unexpected,
      List<MountPath> unknown,
      VolumeEngine engine) {
    this.parts = parts;
    this.index = index;
    this.tombstones = tombstones;
    this.watch = watch;
    this.unexpected = unexpected;
    this.unknown = unknown;
    this.engine = engine;
  }

  /** Whether the host has said what it wants. */
  boolean isHeard() {
    return heard;
  }

  /** Returns the plan for a host that still wants these of the uses that were found. */
  CleanupPlan plan(Collection<LiveMount> live) {
    return new CleanupPlan(ofFound(live).stream().map(Planned::item).toList());
  }

  /** All that is not as wanted, without what this process was asked to mount. */
  private List<Planned> ofFound(Collection<LiveMount> live) {
    return planned(live).stream()
        .filter(
            part ->
                part.item().action() != CleanupPlan.Action.RELEASE
                    || part.item().usage().filter(usage -> index.askedFor(usage) > 0).isEmpty())
        .toList();
  }

  /** The uses that were found mounted and were not asked for since. */
  private Set<UsageKey> found() {
    Set<UsageKey> uses = new TreeSet<>();
    for (VolumeQueue actor : index.volumes()) {
      actor.view().record().stream()
          .flatMap(record -> record.targets().values().stream())
          .filter(target -> target.path().is(PathStatus.PRESENT))
          .map(TargetRecord::usage)
          .filter(usage -> index.askedFor(usage) == 0)
          .forEach(uses::add);
    }
    return uses;
  }

  /** Refuses a list on which nothing is of what was found mounted. */
  void mustKeepSome(Collection<LiveMount> live) {
    Set<UsageKey> found = found();
    if (!found.isEmpty() && live.stream().map(LiveMount::usage).noneMatch(found::contains)) {
      throw Results.refused(
          OperatorCode.LIST_TAKES_ALL,
          Subject.of("reconciling"),
          (found.size() == 1 ? "1 use was" : found.size() + " uses were")
              + " found mounted, and none of them is among the "
              + live.size()
              + " that are wanted");
    }
  }

  /** Says so, once, when the host has not been heard of long after a start that found something. */
  void awaitHost() {
    if (!found().isEmpty()) {
      parts.scheduler().after(SILENCE, this::tellIfSilent);
    }
  }

  private void tellIfSilent() {
    int left = found().size();
    if (!heard && left > 0) {
      tell(
          OperatorCode.HOST_NOT_HEARD,
          Subject.of("waiting for the host"),
          left + " of the uses that were found mounted have not been asked for");
    }
  }

  private List<Planned> planned(Collection<LiveMount> live) {
    List<VolumeRecord> records = new ArrayList<>();
    index.volumes().forEach(actor -> actor.view().record().ifPresent(records::add));
    return Reconciling.plan(parts.layout(), records, List.copyOf(live), unknown);
  }

  /**
   * The host still wants these of what was found: all other of that goes, and nothing that this
   * process was asked to mount.
   */
  Reconciliation settleFound(Collection<LiveMount> live) {
    return perform(live, this::ofFound);
  }

  /** The host wants these, and no others. */
  Reconciliation reconcile(Collection<LiveMount> live) {
    engine.keepOnly(live.stream().map(LiveMount::usage).collect(Collectors.toSet()));
    return perform(live, this::planned);
  }

  /** Does it. From now on what is not wanted is also taken away in the background. */
  private Reconciliation perform(
      Collection<LiveMount> live, Function<Collection<LiveMount>, List<Planned>> planning) {
    long now = engine.newest();
    Map<UsageKey, MountRequest> requests = new HashMap<>();
    for (LiveMount mount : live) {
      if (mount instanceof LiveMount.Wanted wanted) {
        requests.put(wanted.usage(), wanted.request());
      }
    }
    List<Planned> planned = planning.apply(live);
    name(Reconciling.directories(live.stream().map(LiveMount::usage).toList()));
    heard = true;
    ReconcileRun run =
        new ReconcileRun(
            planned, part -> perform(part, requests, now), parts.settings().threads() * 4);
    run.start();
    remember(live);
    index.volumes().forEach(VolumeQueue::wake);
    audit();
    Set<PluginId> plugins = new TreeSet<>();
    index.volumes().forEach(actor -> plugins.add(actor.identity().plugin()));
    plugins.forEach(watch::tellIfGone);
    for (Planned part : planned) {
      if (part.item().action() == CleanupPlan.Action.WAIT_FOR_HOST) {
        tell(
            OperatorCode.REQUEST_NEEDED,
            part.item().usage().map(Subject.of("looking after a use")::by).orElseThrow(),
            part.item().reason().text());
      }
    }
    if (parts.state().load().doubts().isEmpty()) {
      return run;
    }
    // Records of which the state was in doubt were compared with the world, and are written again.
    run.done().thenRun(() -> parts.state().settle());
    return run;
  }

  /** Keeps how uses are wanted that are there already, in case they must be made again. */
  private void remember(Collection<LiveMount> live) {
    for (LiveMount mount : live) {
      if (mount instanceof LiveMount.Wanted wanted) {
        MountRequest request = wanted.request();
        index
            .volume(mount.usage())
            .filter(
                actor ->
                    new VolumeIdentity(request.plugin(), request.handle()).equals(actor.identity()))
            .ifPresent(actor -> actor.remember(request));
      }
    }
  }

  /** Gives uses of which only the directory is left their names again. */
  private void name(Map<String, UsageKey> directories) {
    for (VolumeQueue actor : index.volumes()) {
      Set<UsageKey> left =
          actor.view().record().map(known -> known.targets().keySet()).orElse(Set.of());
      for (UsageKey stray : left) {
        UsageKey usage = Reconciling.named(stray, directories);
        if (!usage.equals(stray) && index.lead(usage, actor)) {
          actor.name(usage);
        }
      }
    }
  }

  /** Notices mounts that have appeared since the start for uses that are not on record. */
  private void audit() {
    Map<MountPath, List<Sighting>> byVolume;
    try {
      List<Sighting> mounted = parts.kernel().beneath(parts.layout().volumes());
      byVolume = Strays.byVolume(parts.layout(), mounted);
      unexpected.among(mounted).forEach(it -> parts.events().accept(new VolumeEvent.Noticed(it)));
    } catch (MountException e) {
      // Each operation looks for itself.
      return;
    }
    for (VolumeQueue actor : index.volumes()) {
      List<Sighting> there = byVolume.get(parts.layout().volume(actor.identity()));
      // Only those look once more for themselves that have to: one look costs a look at the table.
      if (there != null && actor.view().record().filter(it -> hasStrays(it, there)).isPresent()) {
        actor.notice();
      }
      actor.inspect();
    }
    tombstones.reappear(byVolume.keySet());
  }

  private boolean hasStrays(VolumeRecord record, List<Sighting> there) {
    return !Strays.with(parts.layout(), record, there).equals(record);
  }

  private CompletableFuture<?> perform(
      Planned part, Map<UsageKey, MountRequest> requests, long now) {
    Optional<UsageKey> usage = part.item().usage();
    return switch (part.item().action()) {
      case MOUNT -> engine.want(Objects.requireNonNull(requests.get(usage.orElseThrow())));
      case RELEASE -> engine.cleanUp(part.identity().orElseThrow(), usage, now);
      case WAIT_FOR_HOST, LEAVE -> CompletableFuture.completedFuture(Release.NOT_LAST);
    };
  }

  private void tell(OperatorCode code, Subject subject, String seen) {
    parts.events().accept(new VolumeEvent.Noticed(Messages.of(code, subject, seen)));
  }
}
