package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.layout.VolumeLayout.StrayUse;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.recovery.Strays;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage.Part;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.Reconciliation;
import io.csi4j.volume.node.Reconciliation.Action;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.WantedUse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares the host's list of wanted uses with the volumes of the node, and mounts and releases
 * uses accordingly.
 */
final class HostList {

  /**
   * The time that the engine waits for the list after a start before it reports that the list is
   * missing.
   */
  private static final Duration SILENCE = Duration.ofMinutes(10);

  /**
   * One item of a plan, together with its volume.
   *
   * @param item the item
   * @param identity the volume, if it is known
   */
  record Planned(Reconciliation.Item item, Optional<VolumeIdentity> identity) {}

  private final EngineParts parts;
  private final List<MountPath> unknown;
  private final VolumeEngine engine;
  private volatile boolean heard;

  /**
   * Creates the object. The host has not passed its list yet.
   *
   * @param unknown the mounts that belong to no known volume
   */
  HostList(EngineParts parts, List<MountPath> unknown, VolumeEngine engine) {
    this.parts = parts;
    this.unknown = unknown;
    this.engine = engine;
  }

  /** Returns whether the host has passed its list. */
  boolean isHeard() {
    return heard;
  }

  /**
   * Returns the plan for the uses that were found at the start, if the host still wants only the
   * uses on this list.
   */
  List<Reconciliation.Item> plan(Collection<WantedUse> live) {
    return ofFound(live).stream().map(Planned::item).toList();
  }

  /**
   * Returns every difference from the list, except the release of a use whose mount was requested
   * from this process.
   */
  private List<Planned> ofFound(Collection<WantedUse> live) {
    return planned(live).stream()
        .filter(
            part ->
                part.item().action() != Reconciliation.Action.RELEASE
                    || part.item()
                        .usage()
                        .filter(usage -> engine.index.askedFor(usage) > 0)
                        .isEmpty())
        .toList();
  }

  /** Returns the uses that were found mounted at the start and have not been requested since. */
  private Set<VolumeUse> found() {
    Set<VolumeUse> uses = new TreeSet<>();
    for (VolumeQueue actor : engine.index.volumes()) {
      actor.view().record().stream()
          .flatMap(record -> record.targets().values().stream())
          .filter(target -> target.path().is(PathStatus.PRESENT))
          .map(TargetRecord::usage)
          .filter(usage -> engine.index.askedFor(usage) == 0)
          .forEach(uses::add);
    }
    return uses;
  }

  /** Refuses a list that contains none of the uses that were found mounted, if there are any. */
  void mustKeepSome(Collection<WantedUse> live) {
    Set<VolumeUse> found = found();
    if (!found.isEmpty() && live.stream().map(WantedUse::usage).noneMatch(found::contains)) {
      throw VolumeReport.refused(
          OperatorCode.LIST_TAKES_ALL,
          Subject.of("reconciling"),
          (found.size() == 1 ? "1 use was" : found.size() + " uses were")
              + " found mounted, and none of them is among the "
              + live.size()
              + " that are wanted");
    }
  }

  /**
   * Reports once if the start found mounted uses and the host has passed no list for a long time.
   */
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
          left + " of the uses that were found mounted have not been requested");
    }
  }

  private List<Planned> planned(Collection<WantedUse> live) {
    List<VolumeRecord> records = new ArrayList<>();
    engine.index.volumes().forEach(actor -> actor.view().record().ifPresent(records::add));
    return plan(parts.layout(), records, List.copyOf(live), unknown);
  }

  /**
   * Keeps the found uses that are on this list and releases the other found uses. Uses whose mount
   * was requested from this process are not released.
   */
  Reconciliation settleFound(Collection<WantedUse> live) {
    return perform(live, this::ofFound);
  }

  /** Keeps the uses on this list and releases all other uses. */
  Reconciliation reconcile(Collection<WantedUse> live) {
    engine.wanted.keepOnly(live.stream().map(WantedUse::usage).collect(Collectors.toSet()));
    return perform(live, this::planned);
  }

  /** Carries out a plan. From now on, unwanted uses are also removed by background work. */
  private Reconciliation perform(
      Collection<WantedUse> live, Function<Collection<WantedUse>, List<Planned>> planning) {
    long now = engine.newest();
    Map<VolumeUse, MountRequest> requests = new HashMap<>();
    for (WantedUse mount : live) {
      if (mount instanceof WantedUse.Requested wanted) {
        requests.put(wanted.usage(), wanted.request());
      }
    }
    List<Planned> planned = planning.apply(live);
    name(directories(live.stream().map(WantedUse::usage).toList()));
    heard = true;
    Run run =
        new Run(planned, part -> perform(part, requests, now), parts.settings().threads() * 4);
    run.start();
    remember(live);
    engine.index.volumes().forEach(VolumeQueue::wake);
    audit();
    Set<PluginId> plugins = new TreeSet<>();
    engine.index.volumes().forEach(actor -> plugins.add(actor.identity().plugin()));
    plugins.forEach(engine.watch::tellIfGone);
    for (Planned part : planned) {
      if (part.item().action() == Reconciliation.Action.WAIT_FOR_HOST) {
        tell(
            OperatorCode.REQUEST_NEEDED,
            part.item().usage().map(Subject.of("supervising a use")::by).orElseThrow(),
            part.item().reason().text());
      }
    }
    if (parts.state().load().uncertainties().isEmpty()) {
      return run;
    }
    // After the plan has been carried out, the uncertainties of the state are removed, because the
    // records have been compared with the mount table.
    run.done().thenRun(() -> parts.state().settle());
    return run;
  }

  /** Remembers the requests for existing mounts, in case the mounts must be repaired. */
  private void remember(Collection<WantedUse> live) {
    for (WantedUse mount : live) {
      if (mount instanceof WantedUse.Requested wanted) {
        MountRequest request = wanted.request();
        engine
            .index
            .volume(mount.usage())
            .filter(
                actor ->
                    new VolumeIdentity(request.plugin(), request.handle()).equals(actor.identity()))
            .ifPresent(actor -> actor.remember(engine.terms.applied(request)));
      }
    }
  }

  /** Restores the names of uses that are known only by their directories. */
  private void name(Map<String, VolumeUse> directories) {
    for (VolumeQueue actor : engine.index.volumes()) {
      Set<VolumeUse> left =
          actor.view().record().map(known -> known.targets().keySet()).orElse(Set.of());
      for (VolumeUse stray : left) {
        VolumeUse usage = named(stray, directories);
        if (!usage.equals(stray) && engine.index.lead(usage, actor)) {
          actor.name(usage);
        }
      }
    }
  }

  /** Finds mounts that have appeared since the start for uses that are not on record. */
  private void audit() {
    Map<MountPath, List<Sighting>> byVolume;
    try {
      List<Sighting> mounted = parts.kernel().beneath(parts.layout().volumes());
      byVolume = Strays.byVolume(parts.layout(), mounted);
      engine.foreign.unexpected(mounted).forEach(engine::tell);
    } catch (MountException e) {
      // Each operation reads the mounts again.
      return;
    }
    for (VolumeQueue actor : engine.index.volumes()) {
      List<Sighting> there = byVolume.get(parts.layout().volume(actor.identity()));
      // Only volumes with unrecorded mounts are checked again, because each check reads the mount
      // table.
      if (there != null && actor.view().record().filter(it -> hasStrays(it, there)).isPresent()) {
        actor.notice();
      }
      actor.inspect();
    }
    engine.tombstones.reappear(byVolume.keySet());
  }

  private boolean hasStrays(VolumeRecord record, List<Sighting> there) {
    return !Strays.with(parts.layout(), record, there).equals(record);
  }

  private CompletableFuture<?> perform(
      Planned part, Map<VolumeUse, MountRequest> requests, long now) {
    Optional<VolumeUse> usage = part.item().usage();
    return switch (part.item().action()) {
      case MOUNT -> engine.wanted.want(Objects.requireNonNull(requests.get(usage.orElseThrow())));
      case RELEASE -> engine.cleanUp(part.identity().orElseThrow(), usage, now);
      case WAIT_FOR_HOST, LEAVE -> CompletableFuture.completedFuture(UnmountOutcome.NOT_LAST);
    };
  }

  private void tell(OperatorCode code, Subject subject, String seen) {
    engine.tell(Messages.of(code, subject, seen));
  }

  // ---- the plan

  /**
   * Returns the plan that gives a node exactly the uses that its host wants. A pure function: it
   * depends only on its arguments and has no side effects.
   */
  static List<Planned> plan(
      VolumeLayout layout,
      List<VolumeRecord> records,
      List<WantedUse> live,
      List<MountPath> unknown) {
    Map<VolumeUse, WantedUse> wanted = new LinkedHashMap<>();
    live.forEach(mount -> wanted.put(mount.usage(), mount));
    Map<VolumeUse, VolumeRecord> known = new HashMap<>();
    Map<String, VolumeUse> directories = directories(wanted.keySet());
    for (VolumeRecord record : records) {
      for (VolumeUse usage : record.targets().keySet()) {
        known.put(named(usage, directories), record);
      }
    }
    List<Planned> items = new ArrayList<>();
    for (VolumeRecord record : records) {
      for (TargetRecord target : record.targets().values()) {
        boolean isWanted = wanted.containsKey(named(target.usage(), directories));
        if (!isWanted) {
          items.add(
              new Planned(
                  item(Action.RELEASE, layout, record, target.usage(), "the host does not want it"),
                  Optional.of(record.identity())));
        }
      }
      if (record.targets().isEmpty()) {
        items.add(
            new Planned(
                new Reconciliation.Item(
                    Action.RELEASE,
                    Optional.of(record.identity().plugin()),
                    Optional.empty(),
                    layout.staging(record.identity()).toPath(),
                    new Part("no workload uses the volume any more")),
                Optional.of(record.identity())));
      }
    }
    for (WantedUse mount : wanted.values()) {
      Optional<VolumeRecord> record = Optional.ofNullable(known.get(mount.usage()));
      boolean isThere =
          record
              .flatMap(found -> found.target(mount.usage()))
              .filter(target -> target.path().is(PathStatus.PRESENT))
              .isPresent();
      if (!isThere) {
        items.add(new Planned(missing(layout, record, mount), Optional.empty()));
      }
    }
    for (MountPath path : unknown) {
      items.add(
          new Planned(
              new Reconciliation.Item(
                  Action.LEAVE,
                  Optional.empty(),
                  Optional.empty(),
                  path.toPath(),
                  new Part("it is not known to which volume this mount belongs")),
              Optional.empty()));
    }
    return items;
  }

  /** Returns a map from the name of a use's directory to the use. */
  static Map<String, VolumeUse> directories(Collection<VolumeUse> uses) {
    Map<String, VolumeUse> directories = new HashMap<>();
    uses.forEach(usage -> directories.put(VolumeLayout.id(usage), usage));
    return directories;
  }

  /**
   * Returns the use itself. If the use is known only by its directory, returns the use with that
   * directory from the map, if there is one.
   */
  static VolumeUse named(VolumeUse usage, Map<String, VolumeUse> directories) {
    return StrayUse.directory(usage).map(directories::get).orElse(usage);
  }

  private static Reconciliation.Item missing(
      VolumeLayout layout, Optional<VolumeRecord> record, WantedUse mount) {
    String found =
        record
            .flatMap(known -> known.target(mount.usage()))
            .map(target -> "it is " + target.path().status())
            .orElse("it is not mounted");
    if (mount instanceof WantedUse.Requested wanted) {
      return new Reconciliation.Item(
          Action.MOUNT,
          Optional.of(wanted.request().plugin()),
          Optional.of(mount.usage()),
          layout
              .target(
                  new VolumeIdentity(wanted.request().plugin(), wanted.request().handle()),
                  mount.usage())
              .toPath(),
          new Part("the host wants it, and " + found));
    }
    Optional<PluginId> plugin = record.map(known -> known.identity().plugin());
    return new Reconciliation.Item(
        Action.WAIT_FOR_HOST,
        plugin,
        Optional.of(mount.usage()),
        record
            .map(known -> layout.target(known.identity(), mount.usage()))
            .orElse(layout.volumes())
            .toPath(),
        new Part("the host wants it, " + found + ", but mounting it needs the complete request"));
  }

  private static Reconciliation.Item item(
      Action action, VolumeLayout layout, VolumeRecord record, VolumeUse usage, String reason) {
    return new Reconciliation.Item(
        action,
        Optional.of(record.identity().plugin()),
        Optional.of(usage),
        layout.target(record.identity(), usage).toPath(),
        new Part(reason));
  }

  // ---- carrying out the plan

  /**
   * Carries out a plan. All plugins are handled in parallel, with a limited number of concurrent
   * items for each plugin.
   */
  static final class Run implements Reconciliation {

    /** Maximum number of failed items that {@link #toString} names. */
    private static final int NAMED = 5;

    private final List<Reconciliation.Item> plan;
    private final Function<Planned, CompletableFuture<?>> work;
    private final int atATime;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Optional<PluginId>, Queue<Planned>> waiting = new HashMap<>();
    private final CompletableFuture<Summary> done = new CompletableFuture<>();
    private int remaining;
    private int mounted;
    private int released;
    private final List<Left> left = new ArrayList<>();

    Run(List<Planned> planned, Function<Planned, CompletableFuture<?>> work, int atATime) {
      plan = planned.stream().map(Planned::item).toList();
      this.work = work;
      this.atATime = atATime;
      remaining = planned.size();
      for (Planned part : planned) {
        waiting.computeIfAbsent(part.item().plugin(), key -> new ArrayDeque<>()).add(part);
      }
    }

    void start() {
      if (plan.isEmpty()) {
        done.complete(new Summary(0, 0, 0, List.of()));
        return;
      }
      for (Optional<PluginId> plugin : List.copyOf(waiting.keySet())) {
        for (int i = 0; i < atATime; i++) {
          next(plugin);
        }
      }
    }

    /**
     * Runs items of a plugin until an item does not end immediately. The end of that item then runs
     * the next item. This is a loop instead of a recursion, because thousands of items may end
     * immediately.
     */
    private void next(Optional<PluginId> plugin) {
      boolean hasEnded = true;
      while (hasEnded) {
        Planned part = poll(plugin);
        if (part == null) {
          return;
        }
        // Two events compete: the item ends, and the call that started it returns. The later event
        // runs the next item.
        AtomicBoolean passed = new AtomicBoolean();
        work.apply(part)
            .whenComplete(
                (value, failure) -> {
                  ended(part.item(), failure);
                  if (passed.getAndSet(true)) {
                    next(plugin);
                  }
                });
        hasEnded = passed.getAndSet(true);
      }
    }

    private @Nullable Planned poll(Optional<PluginId> plugin) {
      lock.lock();
      try {
        Queue<Planned> queue = waiting.get(plugin);
        return queue == null ? null : queue.poll();
      } finally {
        lock.unlock();
      }
    }

    private void ended(Reconciliation.Item item, @Nullable Throwable failure) {
      List<Summary> end = new ArrayList<>(1);
      lock.lock();
      try {
        if (failure != null
            || item.action() == Action.WAIT_FOR_HOST
            || item.action() == Action.LEAVE) {
          left.add(left(item, failure));
        } else if (item.action() == Action.MOUNT) {
          mounted++;
        } else {
          released++;
        }
        if (--remaining == 0) {
          end.add(new Summary(mounted, released, left.size(), left));
        }
      } finally {
        lock.unlock();
      }
      end.forEach(done::complete);
    }

    private static Left left(Reconciliation.Item item, @Nullable Throwable failure) {
      return failure == null
          ? new Left(item, Optional.empty(), false)
          : new Left(
              item,
              WantedMounts.known(failure).map(VolumeException::operatorMessage),
              WantedMounts.goesOn(failure));
    }

    @Override
    public List<Reconciliation.Item> plan() {
      return plan;
    }

    @Override
    public int remaining() {
      lock.lock();
      try {
        return remaining;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public CompletionStage<Summary> done() {
      return done.minimalCompletionStage();
    }

    /**
     * Returns the progress and the failed items with their reasons: {@code Reconciliation[2 of 2
     * items tried: 0 mounted, 1 released, 1 not done (MOUNT db by web: CSI-302 PLUGIN_NOT_UP, tried
     * again in the background)]}.
     */
    @Override
    public String toString() {
      lock.lock();
      try {
        int items = plan.size();
        return "Reconciliation["
            + (items - remaining)
            + " of "
            + items
            + (items == 1 ? " item" : " items")
            + " tried: "
            + mounted
            + " mounted, "
            + released
            + " released, "
            + left.size()
            + " not done"
            + (left.isEmpty() ? "" : " " + named(left))
            + "]";
      } finally {
        lock.unlock();
      }
    }

    private static String named(List<Left> left) {
      String more = left.size() > NAMED ? "; and " + (left.size() - NAMED) + " more" : "";
      return left.stream()
          .limit(NAMED)
          .map(Run::phrase)
          .collect(Collectors.joining("; ", "(", more + ")"));
    }

    private static String phrase(Left each) {
      Reconciliation.Item item = each.item();
      return item.action()
          + " "
          + item.usage().map(VolumeUse::toString).orElseGet(item.path()::toString)
          + ": "
          + each.why().map(why -> why.code().label()).orElseGet(item.reason()::text)
          + (each.goesOn() ? ", tried again in the background" : "");
    }
  }
}
