package io.csi4j.volume.sim;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.engine.EngineParts;
import io.csi4j.volume.internal.engine.VolumeEngine;
import io.csi4j.volume.internal.layout.VolumeDirectories;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.port.Claims;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.port.NodePlugins;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.sim.Seams.Seam;
import io.csi4j.volume.state.StateStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * All that is outside of the engine, with what can go wrong in it. One history happens in one
 * world; everything that is not certain is decided by its {@link Choices}.
 */
final class World implements SimKernel.View {

  /** A part of every secret. */
  static final String CANARY = "canary";

  private static final Map<CrashPoint, String> LABELS = labels();

  private final Setup setup;
  private final Choices choices;
  private final Findings findings;
  private final SimTime time;
  private final SimKernel kernel = new SimKernel();
  private final SimDisk disk;
  private final SimState state;
  private final VolumeLayout layout = new VolumeLayout(MountPath.of(SimDisk.ROOT));
  private final Map<PluginId, SimPlugin> plugins = new TreeMap<>();
  private final Map<MountPath, VolumeUse> targets = new TreeMap<>();
  private final Map<VolumeUse, MountPath> targetOf = new TreeMap<>();
  private final SimHost host;
  private final SimClaims claims;
  private final Watch watch;
  private final Map<CrashPoint, Integer> crashedAt = new EnumMap<>(CrashPoint.class);
  private final double crashDensity;
  private final double faultDensity;
  private int crashes;
  private int faults;
  private boolean quiet;
  private int lives;
  private int operations;
  private boolean diskFailed;
  private boolean rebooted;
  private boolean moved;

  /** Where histories meet; null when each goes on to its end. */
  private Crossroads crossroads;

  private boolean isJoined;
  private Seams seams = Seams.none();

  /** How far the history has got. */
  private List<Object> progress = new ArrayList<>();

  World(Setup setup, Choices choices, Findings findings) {
    this.setup = setup;
    this.choices = choices;
    this.findings = findings;
    crashes = setup.crashes();
    faults = setup.faults();
    crashDensity =
        setup.roams()
            ? new double[] {0.003, 0.01, 0.04}[choices.choose("density of crashes", 3)]
            : 0.1;
    faultDensity =
        setup.roams() ? new double[] {0.1, 0.3, 0.6}[choices.choose("density of faults", 3)] : 0.3;
    time =
        new SimTime(
            choices,
            setup.roams(),
            failure ->
                findings.violated("I12", "work of the engine has ended with " + words(failure)));
    disk = new SimDisk(this);
    state = new SimState(this);
    host = new SimHost(this);
    claims = setup.claims() ? new SimClaims(this) : null;
    for (Wanted wanted : Wanted.all(setup)) {
      MountPath target = layout.target(wanted.identity(), wanted.usage());
      targets.put(target, wanted.usage());
      targetOf.put(wanted.usage(), target);
      plugins.computeIfAbsent(
          wanted.identity().plugin(), id -> new SimPlugin(this, id, id.equals(Wanted.FAULTY)));
    }
    watch = all(Invariants.of(this));
  }

  private static Map<CrashPoint, String> labels() {
    Map<CrashPoint, String> labels = new EnumMap<>(CrashPoint.class);
    for (CrashPoint point : CrashPoint.values()) {
      labels.put(point, "crash at " + point);
    }
    return labels;
  }

  static String words(Throwable failure) {
    StackTraceElement[] stack = failure.getStackTrace();
    return failure + (stack.length > 0 ? " at " + stack[0] : "");
  }

  Setup setup() {
    return setup;
  }

  Choices choices() {
    return choices;
  }

  Findings findings() {
    return findings;
  }

  SimTime time() {
    return time;
  }

  SimKernel kernel() {
    return kernel;
  }

  SimDisk disk() {
    return disk;
  }

  SimState state() {
    return state;
  }

  SimHost host() {
    return host;
  }

  /** Only where the host claims what it mounts. */
  Optional<SimClaims> claims() {
    return Optional.ofNullable(claims);
  }

  /** Whether a claim of another node stands against a use by now. */
  boolean isFenced(VolumeUse usage) {
    return claims != null && !claims.isCurrent(usage);
  }

  Watch watch() {
    return watch;
  }

  VolumeLayout layout() {
    return layout;
  }

  Iterable<SimPlugin> plugins() {
    return plugins.values();
  }

  SimPlugin plugin(PluginId id) {
    return plugins.get(id);
  }

  /** At which points the host has crashed, or need not as that joins another, and how often. */
  Map<CrashPoint, Integer> crashedAt() {
    return crashedAt;
  }

  // ---- what is where

  Optional<VolumeUse> usageAt(MountPath target) {
    return Optional.ofNullable(targets.get(target));
  }

  MountPath target(VolumeUse usage) {
    return targetOf.get(usage);
  }

  String handle(VolumeUse usage) {
    return host.wanted(usage).identity().handle().value();
  }

  boolean isSingleWriter(String handle) {
    return host.all().stream()
        .anyMatch(it -> it.identity().handle().value().equals(handle) && it.isSingleWriter());
  }

  /** The use that an inline volume is for, by its name at the plugin; nothing for other volumes. */
  Optional<VolumeUse> inlineUse(String handle) {
    return host.all().stream()
        .filter(it -> it.request().isInline())
        .filter(it -> it.identity().handle().value().equals(handle))
        .map(Wanted::usage)
        .findFirst();
  }

  /** Whether the manager remembers the volume of a use. */
  boolean isOnRecord(VolumeUse usage) {
    return state.volumes().contains(layout.key(host.wanted(usage).identity()));
  }

  boolean isMounted(Path path) {
    return kernel.isMounted(MountPath.of(path));
  }

  /** What is left of volumes anywhere. */
  List<String> leaks() {
    List<String> leaks = new ArrayList<>();
    kernel.mounts().forEach(mount -> leaks.add("mount " + mount));
    plugins.values().forEach(it -> it.sessions().forEach(path -> leaks.add("session " + path)));
    state.volumes().forEach(key -> leaks.add("record " + key));
    if (leaks.isEmpty()) {
      disk.leftovers().forEach(path -> leaks.add("path " + path));
    }
    return leaks;
  }

  boolean isClean() {
    if (operations > 0 || !kernel.mounts().isEmpty() || !state.volumes().isEmpty()) {
      return false;
    }
    for (SimPlugin plugin : plugins.values()) {
      if (!plugin.sessions().isEmpty()) {
        return false;
      }
    }
    return disk.isClean();
  }

  // ---- what goes wrong

  boolean isQuiet() {
    return quiet;
  }

  /** The disk has failed: empty directories may be left until the next start. */
  void diskFails() {
    diskFailed = true;
  }

  /** Whether no operation has begun that has not ended, asked for or not. */
  boolean isIdle() {
    return operations == 0 && host.isIdle();
  }

  /** Whether nothing is left but empty directories that a failing disk has kept. */
  boolean needsStart() {
    return diskFailed
        && operations == 0
        && kernel.mounts().isEmpty()
        && state.volumes().isEmpty()
        && !disk.isClean();
  }

  /** Nothing goes wrong any more, and what went wrong is set right. */
  void calm() {
    quiet = true;
    kernel.blind(false);
    kernel.removeForeign();
    disk.medium().heal();
    plugins
        .values()
        .forEach(
            plugin -> {
              plugin.hang(false);
              plugin.down(false);
              plugin.unhealthy(false);
              plugin.recall();
              plugin.finishLate();
            });
  }

  private boolean crashIsPossible() {
    return !quiet && crashes > 0;
  }

  /**
   * The host crashes here, or not: its process alone, all of it, or the container of the process,
   * which then starts in another mount namespace that shows the same mounts.
   */
  void mayCrash(Life life, String label) {
    if (crashIsPossible()) {
      int kind = choices.rarely(label, 4, crashDensity);
      if (kind > 0) {
        rebooted = kind == 2;
        moved = kind == 3;
        crash(life);
      }
    }
  }

  /** Whether the host crashes while a plugin works on this call for it. */
  boolean mayCrashInFlight(SimPlugin.Call call) {
    return crashIsPossible()
        && !isCrashJoined(call)
        && choices.rarely("crash in flight", 2, crashDensity) == 1;
  }

  /**
   * Whether a history has crashed in this world before, as far as it outlives a crash, and with the
   * same still to be decided; then there is no need to crash here again.
   */
  private boolean isCrashJoined(Object what) {
    if (crossroads == null
        || claims != null
        || !choices.isPastScript()
        || !crossroads.wasCrashHere(this, what)) {
      return false;
    }
    choices.settled(String.valueOf(what));
    return true;
  }

  /** The host crashes. */
  void crash(Life life) {
    crashes--;
    findings.note(rebooted ? "REBOOT" : moved ? "CRASH AND MOVE" : "CRASH", life);
    end(life);
    throw new Life.Crash();
  }

  /** The host's process ends, and with it the host if that was decided. */
  void end(Life life) {
    life.die();
    watch.died();
    if (rebooted && state.deferred() > 0 && choices.choose("deferred writes are lost", 2) == 1) {
      state.cutPower();
    }
    state.endProcess();
    if (rebooted) {
      disk.cutPower(choices.chance(lives));
      kernel.reboot();
      plugins.values().forEach(SimPlugin::reboot);
      watch.moved();
      host.workloadsEnded();
    } else {
      disk.endProcess();
    }
    if (moved) {
      kernel.enterNamespace();
      host.workloadsEnded();
      watch.moved();
    }
    rebooted = false;
    moved = false;
  }

  /** The host is told to crash now, by a history that wants it. */
  void crashNow(Life life, boolean withReboot) {
    if (crashIsPossible()) {
      crashes--;
      rebooted = withReboot;
      findings.note(rebooted ? "REBOOT" : "CRASH", life);
      end(life);
    }
  }

  /** What goes wrong with this call. */
  Fault fault(SimPlugin.Call call) {
    if (quiet || faults == 0) {
      return Fault.NONE;
    }
    List<Fault> kinds = setup.roams() ? Fault.ALL : Fault.IN_DRILLS;
    Fault fault = kinds.get(choices.rarely("fault of " + call.verb(), kinds.size(), faultDensity));
    if (fault != Fault.NONE) {
      faults--;
    }
    return fault;
  }

  /** Which of some kinds of trouble comes, 0 for none; it counts. */
  int trouble(String label, int kinds) {
    if (quiet || faults == 0) {
      return 0;
    }
    int kind = choices.rarely(label, kinds, faultDensity);
    if (kind > 0) {
      faults--;
    }
    return kind;
  }

  /** Whether something else may go wrong, which then counts. */
  boolean takeFault() {
    if (quiet || faults == 0) {
      return false;
    }
    faults--;
    return true;
  }

  /** A call that nobody waits for has taken away what a workload uses; that was to be expected. */
  void tookFromWorkload(SimPlugin.Call call, boolean rogue) {
    // What a repair has not given back yet is nobody's, although it is mounted.
    VolumeUse usage =
        usageAt(call.path())
            .filter(host.holding()::contains)
            .filter(it -> !host.suspended().contains(it))
            .orElse(null);
    if (usage != null && rogue) {
      host.lost(usage);
    } else if (usage != null) {
      findings.violated(
          "I3", call + " was still going on, and took the volume from " + usage.workload());
    }
  }

  /** A plugin mounts where nobody asked it to; only a person can set that right. */
  void strayMount(SimPlugin.Call call) {
    kernel.mountForeign(MountPath.of(SimDisk.ROOT.resolve("v-" + call.volume())));
  }

  // ---- the engine

  /** Lets the history end where another one has gone on from the same world. */
  void joinAt(Crossroads where) {
    crossroads = where;
  }

  /** Whether it ended in that way. */
  boolean isJoined() {
    return isJoined;
  }

  /** Takes what a history adds to when it gets further. */
  void follow(List<Object> list) {
    progress = list;
  }

  /**
   * Histories may meet here: between two processes, or when the engine has done what it was asked
   * for.
   */
  void meet(String where) {
    if (setup.roams() || quiet) {
      return;
    }
    choices.restartJitter();
    if (claims != null) {
      // Each goes on to its end: what claims are worth changes with time.
      return;
    }
    if (crossroads != null && choices.isPastScript() && crossroads.wasHere(this)) {
      isJoined = true;
      throw new SimHost.Stop();
    }
    // The same history never meets itself.
    progress.add(where);
  }

  /** A process starts. */
  Life begin() {
    operations = 0;
    if (!setup.roams()) {
      choices.restartJitter();
    }
    Life life = new Life(++lives);
    findings.note("START", life);
    return life;
  }

  /** The engine of a process. */
  VolumeEngine open(Life life) {
    Disk view = seams.at(Seam.DISK, Disk.class, disk.of(life));
    VolumeDirectories directories = new VolumeDirectories(view, layout);
    prepare(directories);
    VolumeEngine engine =
        VolumeEngine.open(
            new EngineParts(
                seams.at(Seam.CLOCK, Clock.class, time.clock()),
                seams.at(Seam.SCHEDULER, Scheduler.class, time.scheduler(life)),
                seams.at(Seam.KERNEL, KernelMounts.class, kernel.table(life, this)),
                seams.at(Seam.PLUGINS, NodePlugins.class, plugins(life)),
                seams.at(Seam.STATE, StateStore.class, state.open(life, view, kernel.place())),
                directories,
                layout,
                ManagerSettings.defaults(),
                seams.at(Seam.CRASH_POINTS, CrashPoint.Listener.class, point -> at(life, point)),
                listener(life),
                seams.at(
                    Seam.CLAIMS,
                    Claims.class,
                    claims == null ? Claims.NONE : claims.seenBy(life))));
    seams.arm();
    return engine;
  }

  @SuppressWarnings("unchecked") // the listener is of events
  private Consumer<VolumeEvent> listener(Life life) {
    Consumer<VolumeEvent> told = event -> told(life, event);
    return seams.at(Seam.LISTENERS, Consumer.class, told);
  }

  /** Lets a seam of the engine tear. */
  void tear(Seams which) {
    seams = which;
  }

  /** Makes the root as a manager does before anything else; with a sound disk, if need be. */
  private void prepare(VolumeDirectories directories) {
    try {
      directories.prepareRoot();
    } catch (PathProblem problem) {
      findings.note("UNUSABLE", problem.kind());
      disk.medium().heal();
      try {
        directories.prepareRoot();
      } catch (PathProblem again) {
        throw new IllegalStateException(again);
      }
    }
  }

  private void at(Life life, CrashPoint point) {
    life.check();
    findings.note("AT", point);
    if (crashIsPossible()) {
      if (isCrashJoined("")) {
        crashedAt.merge(point, 1, Integer::sum);
        return;
      }
      try {
        mayCrash(life, LABELS.get(point));
      } catch (Life.Crash crash) {
        crashedAt.merge(point, 1, Integer::sum);
        throw crash;
      }
    }
  }

  private void told(Life life, VolumeEvent event) {
    if (!life.isDead()) {
      findings.note("EVENT", event);
      if (event instanceof VolumeEvent.Started) {
        operations++;
      } else if (event instanceof VolumeEvent.Ended ended) {
        operations--;
        if (ended.started().operation() == VolumeEvent.Operation.MOUNT
            && ended.failure().isPresent()) {
          // So the host learns of it, should it have cancelled what it asked for.
          ended.started().usage().ifPresent(host::lost);
        }
      } else if (event instanceof VolumeEvent.Noticed noticed
          && noticed.message().code() == OperatorCode.MOUNT_RESTORED) {
        String line = noticed.message().line();
        host.repaired(usage -> line.contains(target(usage).toString()));
      }
      watch.event(life, event);
    }
  }

  private NodePlugins plugins(Life life) {
    Map<PluginId, NodePlugin> seen = new TreeMap<>();
    plugins.forEach(
        (id, plugin) -> seen.put(id, seams.at(Seam.PLUGIN, NodePlugin.class, plugin.seenBy(life))));
    return new NodePlugins() {
      @Override
      public Optional<NodePlugin> find(PluginId id) {
        life.check();
        return Optional.ofNullable(seen.get(id));
      }

      @Override
      public Set<PluginId> known() {
        return new TreeSet<>(seen.keySet());
      }
    };
  }

  @Override
  public void lookedAt(MountPath path) {
    // What is mounted over the directory itself says nothing of what is mounted in it.
    if (!layout.volumes().isWithin(path)) {
      watch.lookedForMounts(path);
    }
  }

  @Override
  public void looked(MountPath directory) {
    watch.lookedForMounts(directory);
  }

  @Override
  public void unmountedByManager(MountPath path) {
    watch.unmounted(path);
  }

  @Override
  public void deadUnmountedByManager(MountPath path) {
    watch.deadUnmounted(path);
    plugins.values().forEach(it -> it.unmountedBySomebody(path));
  }

  /** One watch that tells all. */
  private static Watch all(List<Watch> watches) {
    return new Watch() {
      @Override
      public void sent(SimPlugin plugin, Life life, SimPlugin.Call call) {
        plugin.tell("SEND", call);
        watches.forEach(it -> it.sent(plugin, life, call));
      }

      @Override
      public void answered(SimPlugin plugin, Life life, SimPlugin.Call call, Answer answer) {
        watches.forEach(it -> it.answered(plugin, life, call, answer));
      }

      @Override
      public void rogue(SimPlugin.Call call) {
        watches.forEach(it -> it.rogue(call));
      }

      @Override
      public void takenAway(MountPath path) {
        watches.forEach(it -> it.takenAway(path));
      }

      @Override
      public void lookedForMounts(MountPath path) {
        watches.forEach(it -> it.lookedForMounts(path));
      }

      @Override
      public void unmounted(MountPath path) {
        watches.forEach(it -> it.unmounted(path));
      }

      @Override
      public void deadUnmounted(MountPath path) {
        watches.forEach(it -> it.deadUnmounted(path));
      }

      @Override
      public void looked(String what, Path path) {
        watches.forEach(it -> it.looked(what, path));
      }

      @Override
      public void deleted(Path path) {
        watches.forEach(it -> it.deleted(path));
      }

      @Override
      public void removed(Path path) {
        watches.forEach(it -> it.removed(path));
      }

      @Override
      public void written(String where, byte[] bytes) {
        watches.forEach(it -> it.written(where, bytes));
      }

      @Override
      public void told(VolumeUse usage, MountedVolume volume) {
        watches.forEach(it -> it.told(usage, volume));
      }

      @Override
      public void refreshed(VolumeUse usage, String context) {
        watches.forEach(it -> it.refreshed(usage, context));
      }

      @Override
      public void released(VolumeUse usage) {
        watches.forEach(it -> it.released(usage));
      }

      @Override
      public void failed(VolumeUse usage, Throwable failure) {
        watches.forEach(it -> it.failed(usage, failure));
      }

      @Override
      public void event(Life life, VolumeEvent event) {
        watches.forEach(it -> it.event(life, event));
      }

      @Override
      public void died() {
        watches.forEach(Watch::died);
      }

      @Override
      public void moved() {
        watches.forEach(Watch::moved);
      }

      @Override
      public void end() {
        watches.forEach(Watch::end);
      }
    };
  }
}
