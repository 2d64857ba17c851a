package io.csi4j.volume.controlplanes;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginClock;
import io.csi4j.testkit.model.PluginContents;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.PendingSnapshot;
import io.csi4j.volume.contend.ContendedStore;
import io.csi4j.volume.contend.ContenderProcess;
import io.csi4j.volume.contend.SilentLine;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.SnapshotName;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.controlplanes.ControlPlaneWork.Deed;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.StoredRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Control planes in processes of their own, the trouble that they have, and the outcome. */
final class ControlPlaneRound {

  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final long TICK = TimeUnit.MILLISECONDS.toNanos(5);

  /** The calls that change the storage system. */
  private static final Set<CsiOperation> CHANGING =
      Set.of(
          CsiOperation.CREATE_VOLUME,
          CsiOperation.DELETE_VOLUME,
          CsiOperation.CONTROLLER_EXPAND_VOLUME,
          CsiOperation.CONTROLLER_PUBLISH_VOLUME,
          CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
          CsiOperation.CREATE_SNAPSHOT,
          CsiOperation.DELETE_SNAPSHOT);

  /** The kinds of trouble, which come in turn. */
  private enum Trouble {
    PROCESS_KILLED,
    PROCESS_STOPPED,
    PROCESS_CUT_OFF,
    SERVER_KILLED,
    SERVER_STOPPED
  }

  /**
   * How much of it.
   *
   * @param operations how many operations all processes ask for together
   * @param mischief how often each kind of trouble comes
   */
  record Size(int processes, int volumes, int operations, int mischief, long seed) {}

  /**
   * The outcome.
   *
   * @param late how many volumes and snapshots a late call of a stopped process left
   * @param wrong what the check found
   */
  record Report(
      String product,
      int operations,
      int troubles,
      int created,
      int deleted,
      int uses,
      int takenOver,
      int late,
      List<String> wrong) {

    Report plus(Report next) {
      return new Report(
          product,
          operations + next.operations,
          troubles + next.troubles,
          created + next.created,
          deleted + next.deleted,
          uses + next.uses,
          takenOver + next.takenOver,
          late + next.late,
          Stream.concat(wrong.stream(), next.wrong.stream()).toList());
    }

    @Override
    public String toString() {
      return "%d operations; each of these %d times: a process killed, stopped, cut off, %s killed, stopped; %d volumes created, %d deleted, used %d times; %d requests met a takeover; %d left by late calls of stopped processes"
          .formatted(
              operations,
              troubles / Trouble.values().length,
              product,
              created,
              deleted,
              uses,
              takenOver,
              late);
    }
  }

  /** One control plane: all its lives, and its line to the store. */
  private static final class Plane {
    final String name;
    final SilentLine line;
    final List<ContenderProcess> lives = new ArrayList<>();

    Plane(String name, SilentLine line) {
      this.name = name;
      this.line = line;
    }

    ContenderProcess now() {
      return lives.get(lives.size() - 1);
    }
  }

  /** The time of the histories, for the journal of the plugin. */
  private static final class SharedClock implements PluginClock, AutoCloseable {
    private final ScheduledExecutorService timer =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread thread = new Thread(work, "plugin-clock");
              thread.setDaemon(true);
              return thread;
            });

    @Override
    public Instant now() {
      return Instant.ofEpochSecond(0, System.nanoTime());
    }

    @Override
    public void after(Duration delay, Runnable work) {
      var unused = timer.schedule(work, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
      timer.shutdownNow();
    }
  }

  private final ContendedStore kind;
  private final Size size;
  private final Path directory;
  private final ContendedStore.Server server;
  private final FakeCsiPlugin plugin;
  private final Random random;
  private final AtomicInteger did = new AtomicInteger();
  private final List<Plane> planes = new ArrayList<>();
  private final List<Long> resumed = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();

  private ControlPlaneRound(
      ContendedStore kind,
      Size size,
      Path directory,
      ContendedStore.Server server,
      FakeCsiPlugin plugin) {
    this.kind = kind;
    this.size = size;
    this.directory = directory;
    this.server = server;
    this.plugin = plugin;
    this.random = new Random(size.seed());
  }

  /** Plays one round, and checks it. */
  static Report play(ContendedStore kind, Size size, Path directory) {
    try (SharedClock clock = new SharedClock();
        FakeCsiPlugin plugin = plugin(size, clock);
        ContendedStore.Server server =
            kind.start(Files.createDirectory(directory.resolve("server")))) {
      return new ControlPlaneRound(kind, size, directory, server, plugin).play();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static FakeCsiPlugin plugin(Size size, SharedClock clock) {
    NodeId[] nodes =
        IntStream.range(1, size.processes())
            .mapToObj(i -> NodeId.of("cp" + i))
            .toArray(NodeId[]::new);
    return FakeCsiPlugin.builder()
        .nodes(NodeId.of("cp0"), nodes)
        .effects(NodeEffects.none())
        .clock(clock)
        .open();
  }

  private Report play() {
    faults();
    try {
      for (int i = 0; i < size.processes(); i++) {
        planes.add(new Plane("cp" + i, new SilentLine(server.address())));
        start(planes.get(i), size.operations() / size.processes());
      }
      int turns = Trouble.values().length * size.mischief();
      for (int turn = 0; turn < turns; turn++) {
        await(size.operations() * (turn + 1L) / (turns + 1));
        trouble(Trouble.values()[turn % Trouble.values().length]);
      }
      plugin.clearFaults();
      planes.forEach(each -> ended(each.now()));
    } finally {
      planes.forEach(each -> each.now().kill());
      planes.forEach(each -> each.line.close());
    }
    return report();
  }

  private void ended(ContenderProcess process) {
    if (!until(() -> !process.isAlive())) {
      wrong.add(process.name() + " did not come to its end");
    }
  }

  /** Some calls fail before their work, some after it, and some take longer. */
  private void faults() {
    long seed = size.seed();
    var unusedBefore =
        plugin.inject(
            Fault.fail(StatusCode.UNAVAILABLE, "not now"),
            some(call -> drawn(call.number(), seed) < 20));
    var unusedAfter =
        plugin.inject(
            Fault.applyThenFail(StatusCode.UNAVAILABLE, "the answer is lost"),
            some(call -> drawn(call.number(), seed) < 50));
    var unusedSlow =
        plugin.inject(
            Fault.delay(Duration.ofMillis(300)), some(call -> drawn(call.number(), seed) < 120));
  }

  private static When some(Predicate<RecordedCall> which) {
    return When.anyCall().where(call -> CHANGING.contains(call.operation()) && which.test(call));
  }

  /** A number below a thousand for each call. */
  private static int drawn(long call, long seed) {
    return new Random((seed * 1_000_003 + call) * 0x9E3779B97F4A7C15L).nextInt(1_000);
  }

  private void start(Plane plane, int toDo) {
    int life = plane.lives.size();
    Path history = directory.resolve(plane.name + "." + life + ".history");
    plane.lives.add(
        new ContenderProcess(
            ControlPlaneMain.class,
            plane.name,
            life,
            toDo,
            did::incrementAndGet,
            kind.getClass().getName(),
            plane.line.address(),
            plane.name,
            Integer.toString(life),
            plugin.endpoint().path().toString(),
            Integer.toString(size.volumes()),
            Integer.toString(toDo),
            Long.toString(random.nextLong(1L << 40)),
            history.toString()));
  }

  private boolean until(BooleanSupplier isSo) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!isSo.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      LockSupport.parkNanos(TICK);
    }
    return true;
  }

  /** Waits until all together have done so much, or none of them works any more. */
  private void await(long operations) {
    if (!until(
        () -> did.get() >= operations || planes.stream().noneMatch(each -> each.now().isAlive()))) {
      wrong.add("nothing was done for " + PATIENCE);
    }
  }

  private void trouble(Trouble trouble) {
    Plane victim = planes.get(random.nextInt(planes.size()));
    switch (trouble) {
      case PROCESS_KILLED -> {
        victim.now().kill();
        start(victim, Math.max(size.operations() / size.processes() / 2, victim.now().left()));
      }
      case PROCESS_STOPPED -> {
        victim.now().pause();
        outlive();
        resumed.add(System.nanoTime());
        victim.now().resume();
      }
      case PROCESS_CUT_OFF -> {
        victim.line.silent(true);
        outlive();
        victim.line.silent(false);
      }
      case SERVER_KILLED -> {
        server.kill();
        server.start();
      }
      case SERVER_STOPPED -> {
        server.pause();
        // Longer than the deadline of the processes.
        pass(Duration.ofMillis(1_500));
        server.resume();
      }
    }
  }

  /** Waits until the session of a process that does nothing has ended, and longer. */
  private static void outlive() {
    pass(ControlPlaneMain.EXPIRY.plusSeconds(3));
  }

  private static void pass(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(TICK);
    }
  }

  // ---- what came of it

  /**
   * Plays a server that is put back to a backup. From the restore until a person has settled the
   * store, no control plane writes to it, and none begins a call that changes the storage system.
   * Afterwards control planes that were started since go on.
   *
   * @return what is wrong
   */
  static List<String> playRestore(ContendedStore kind, Size size, Path directory) {
    try (SharedClock clock = new SharedClock();
        FakeCsiPlugin plugin = plugin(size, clock);
        ContendedStore.Server server =
            kind.start(Files.createDirectory(directory.resolve("server")))) {
      return new ControlPlaneRound(kind, size, directory, server, plugin).restore();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> restore() {
    int share = size.operations() / 4;
    try {
      for (int i = 0; i < size.processes(); i++) {
        planes.add(new Plane("cp" + i, new SilentLine(server.address())));
        start(planes.get(i), Integer.MAX_VALUE);
      }
      await(share);
      server.backUp();
      await(2L * share);
      planes.forEach(each -> each.now().pause());
      server.restore();
      long restored = System.nanoTime();
      try (RecordStore store = kind.open(server.address(), DEADLINE)) {
        if (store.readOnly().isEmpty()) {
          wrong.add("a store that was put back takes writes");
        }
        List<StoredRecord> found = records(store);
        planes.forEach(each -> each.now().resume());
        planes.get(0).now().kill();
        start(planes.get(0), Integer.MAX_VALUE);
        for (Plane each : planes) {
          if (!until(() -> wasRefused(each, restored))) {
            wrong.add(each.name + " was not refused by a store that was put back");
          }
        }
        outlive();
        planes.forEach(each -> each.now().kill());
        if (!records(store).equals(found)) {
          wrong.add("a store that was put back was written to before it was settled");
        }
        Instant late = Instant.ofEpochSecond(0, restored).plus(ControlPlaneMain.EXPIRY);
        plugin.journal().calls().stream()
            .filter(call -> CHANGING.contains(call.operation()) && call.began().isAfter(late))
            .forEach(call -> wrong.add(call + " was sent before the store was settled"));
        kind.settle(store);
      }
      int refused = did.get();
      planes.forEach(each -> start(each, share / size.processes()));
      planes.forEach(each -> ended(each.now()));
      if (did.get() < refused + share / 2) {
        wrong.add("after the store was settled there was no work");
      }
    } finally {
      planes.forEach(each -> each.now().kill());
      planes.forEach(each -> each.line.close());
    }
    boolean isMade =
        planes.stream()
            .flatMap(each -> lines(each.now().history(directory)).stream())
            .anyMatch(line -> line.startsWith("done"));
    if (!isMade) {
      wrong.add("after the store was settled no request was answered");
    }
    return wrong;
  }

  private boolean wasRefused(Plane plane, long since) {
    return lines(plane.now().history(directory)).stream()
        .map(line -> line.split("\t", -1))
        .anyMatch(
            words ->
                words[0].equals("failed")
                    && Long.parseLong(words[2]) > since
                    && words[4].contains("CLAIM_STORE_WENT_BACK"));
  }

  private static List<StoredRecord> records(RecordStore store) {
    return Stream.of(RecordKey.Space.CLAIMS, RecordKey.Space.VOLUMES)
        .flatMap(space -> store.scan(space, Optional.empty(), 1_000).records().stream())
        .toList();
  }

  private Report report() {
    Settled settled = settle();
    ControlPlaneCheck check = new ControlPlaneCheck(plugin.journal().events(), resumed);
    for (Plane plane : planes) {
      List<List<String>> lives =
          plane.lives.stream().map(life -> lines(life.history(directory))).toList();
      check.read(lives);
      if (!plane.now().isDone()) {
        wrong.add(plane.now().name() + " ended before it was done");
      }
    }
    wrong.addAll(check.wrong());
    int late = compare(settled, check);
    return new Report(
        kind.product(),
        did.get(),
        size.mischief() * Trouble.values().length,
        check.operations(each -> each.deed == Deed.CREATE && each.answer.isPresent()).size(),
        check.operations(each -> each.deed == Deed.DELETE && each.answer.isPresent()).size(),
        check.uses(),
        check.operations(each -> each.message.contains("VOLUME_TAKEN_OVER")).size(),
        late,
        List.copyOf(wrong));
  }

  /**
   * What is left when all work has ended.
   *
   * @param catalog the ids on record
   * @param contents of the plugin
   */
  private record Settled(Map<String, String> catalog, PluginContents contents) {}

  /** Opens one more control plane, waits for the end of all work, and reads what is left. */
  private Settled settle() {
    try (RecordStore store = kind.open(server.address(), DEADLINE);
        VolumeController last = ControlPlaneMain.open(store, "last", plugin.endpoint().path())) {
      List<VolumeKey> keys =
          IntStream.range(0, size.volumes()).mapToObj(ControlPlaneWork::key).toList();
      if (!until(() -> keys.stream().allMatch(key -> isAtRest(last, key)))) {
        wrong.add(
            "work goes on: "
                + keys.stream().map(last::record).flatMap(Optional::stream).toList()
                + ", changes "
                + keys.stream().map(last::changes).toList());
      }
      Map<String, String> catalog = new HashMap<>();
      for (VolumeKey key : keys) {
        last.record(key)
            .ifPresent(
                record ->
                    catalog.put(
                        key.id(), record.id().map(VolumeId::value).orElse("no id: " + record)));
      }
      return new Settled(catalog, plugin.contents());
    }
  }

  /** Whether nothing is to be done about a volume; what a killed process began is given up. */
  private static boolean isAtRest(VolumeController last, VolumeKey key) {
    try {
      Optional<CatalogEntry> record = last.record(key);
      for (PendingSnapshot pending : record.map(CatalogEntry::pendingSnapshots).orElse(List.of())) {
        var unused = last.dropSnapshot(key, SnapshotName.of(pending.name()));
      }
      return record.isEmpty()
          || (last.find(key).isPresent()
              && record.get().pendingSnapshots().isEmpty()
              && last.changes(key).stream()
                  .allMatch(
                      change ->
                          change.progress()
                              != io.csi4j.volume.catalog.VolumeChange.Progress.IN_PROGRESS));
    } catch (ControllerException notNow) {
      return false;
    }
  }

  /** Returns the number of volumes and snapshots that late calls have left. */
  private int compare(Settled settled, ControlPlaneCheck check) {
    Set<String> there = new HashSet<>();
    settled.contents().volumes().forEach(id -> there.add(id.value()));
    settled
        .catalog()
        .forEach(
            (key, id) -> {
              if (!there.remove(id)) {
                wrong.add("volume " + id + " of key " + key + " is not at the storage system");
              }
            });
    int without = there.size();
    there.removeAll(check.late());
    int late = without - there.size();
    there.forEach(id -> wrong.add("volume " + id + " at the storage system is on no record"));
    Set<String> snapshots = new HashSet<>();
    settled.contents().snapshots().stream().map(SnapshotId::value).forEach(snapshots::add);
    snapshots.removeAll(check.snapshots());
    without = snapshots.size();
    snapshots.removeAll(check.late());
    late += without - snapshots.size();
    snapshots.forEach(id -> wrong.add("snapshot " + id + " is known to none: " + check.story(id)));
    settled.contents().attached().forEach(each -> wrong.add("without a claim there is " + each));
    return late;
  }

  /** Without a last line that a kill has cut. */
  private static List<String> lines(Path file) {
    try {
      if (!Files.exists(file)) {
        return List.of();
      }
      String text = Files.readString(file);
      List<String> lines = text.lines().toList();
      return text.isEmpty() || text.endsWith("\n") ? lines : lines.subList(0, lines.size() - 1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
