package io.csi4j.volume.powercut;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.Volume;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.node.Reconciliation;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.powercut.Crashes.Crash;
import io.csi4j.volume.powercut.Machine.Life;
import io.csi4j.volume.powercut.Machine.NotMounted;
import io.csi4j.volume.powercut.Recording.Scene;
import io.csi4j.volume.store.local.LocalStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The rig. In rounds, until its time is over, it records a host that works, cuts the power at
 * moments by chance, and looks at what is left; then it lets a host go on with one of these disks,
 * and cuts the power in that as well. In each round a disk that lies about its flushes has to be
 * caught.
 */
final class PowerCutRig {

  /** The sizes of journals' segments, one recording after the other. */
  private static final List<Integer> SEGMENTS = List.of(4096, 16384, 1 << 20);

  /** A recording ends with so many entries, or after so long. */
  private static final int ENTRIES = 6000;

  private static final long RECORDED = TimeUnit.SECONDS.toNanos(8);

  private static final int LIES_TRIED = 60;

  /** One of so many looks is thorough. */
  private static final int THOROUGH = 12;

  private static final int ENOUGH_WRONG = 20;

  private final Machine machine;
  private final FilesystemKind kind;
  private final Random random;
  private final Consumer<String> told;
  private final Verdict verdict = new Verdict();
  private final int cuts;
  private final long end;
  private int segment;
  private String options = "";

  /**
   * How much is done.
   *
   * @param budget no power is cut any more after so long
   * @param cuts how often the power is cut in the first recording of a round; half as often in the
   *     second, and a quarter in the third
   * @param seed of all that is by chance, but for the order of threads
   */
  record Measure(Duration budget, int cuts, long seed) {}

  private PowerCutRig(
      Machine machine, FilesystemKind kind, Measure measure, Consumer<String> told) {
    this.machine = machine;
    this.kind = kind;
    this.told = told;
    random = new Random(measure.seed());
    cuts = measure.cuts();
    end = System.nanoTime() + measure.budget().toNanos();
  }

  /**
   * Runs it.
   *
   * @param directory an empty directory, best a tmpfs
   * @param told is told of each recording, and of everything that is wrong
   */
  static Verdict run(Path directory, FilesystemKind kind, Measure measure, Consumer<String> told)
      throws IOException {
    // The rig tells what is wrong; what its parts notice after each cut is no news.
    Logger logger = Logger.getLogger("io.csi4j");
    Level before = logger.getLevel();
    logger.setLevel(Level.OFF);
    try (Machine machine = new Machine(directory, kind)) {
      PowerCutRig rig = new PowerCutRig(machine, kind, measure, told);
      for (int round = 0; rig.goesOn(); round++) {
        rig.options = kind.options().get(round % kind.options().size());
        rig.segment = SEGMENTS.get(round % SEGMENTS.size());
        rig.round();
      }
      if (!rig.verdict.isFairlyMounted()) {
        rig.wrong("The kernel does not mount too many of the disks: " + rig.verdict.did());
      }
      return rig.verdict;
    } finally {
      logger.setLevel(before);
    }
  }

  private boolean goesOn() {
    return System.nanoTime() < end && !isBroken();
  }

  private boolean isBroken() {
    return verdict.wrong().size() >= ENOUGH_WRONG;
  }

  private void round() throws IOException {
    Recording work = record(Scene.WORK, machine.emptyDisk(), new Ledger());
    catchTheLiar(work);
    Crash left = cut(work, cuts);
    if (isBroken()) {
      return;
    }
    Recording recovery = record(Scene.RECOVERY, left.image(), left.ledger().afterCrash());
    Crash again = cut(recovery, cuts / 2);
    if (isBroken()) {
      return;
    }
    Ledger withoutUses = again.ledger().afterCrash();
    withoutUses.forget("use ");
    cut(record(Scene.REBUILD, withoutState(again.image()), withoutUses), cuts / 4);
  }

  // ---- recording

  private Recording record(Scene scene, DiskImage base, Ledger before) throws IOException {
    DiskLog log = new DiskLog();
    Work work = new Work(log, random.nextLong());
    int from = 0;
    try (Life life = machine.start(base.copy(), log, options);
        Host host = host()) {
      HostPathPlugin plugin = host.plugin();
      CsiPlugin client = host.client(plugin);
      List<Volume> volumes = Host.volumes(client);
      if (scene == Scene.WORK) {
        host.mark(volumes);
        Machine.run("sync", "--file-system", machine.disk().toString());
        from = log.size();
      }
      VolumeManager manager = host.manager();
      LocalStore claims = host.claims();
      LocalStore catalog = host.catalog();
      manager.register(Host.binding(plugin));
      Set<Integer> mounted =
          scene == Scene.WORK ? Set.of() : reconcile(manager, volumes, before, log);
      int begun = log.size();
      work.mount(manager, volumes, mounted);
      work.claim(claims);
      VolumeController controller = host.controller(catalog, plugin);
      // A volume that was being deleted when the power was cut is refused until it is gone.
      if (!Inspection.eventually(() -> controller.pending().isEmpty())) {
        wrong("after a start the catalog still owes " + controller.pending());
      }
      work.provision(controller);
      long started = System.nanoTime();
      int enough = scene == Scene.WORK ? ENTRIES : Math.max(500, begun);
      while (log.size() < begun + enough && System.nanoTime() - started < RECORDED) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      }
      Recording recording = new Recording(scene, base, before, from, log.end());
      work.end();
      verdict.recorded(work);
      work.failures().forEach(failure -> wrong("On a healthy disk " + failure));
      told.accept(
          "%s on %s (%s), segments of %d bytes: %d entries, %d acknowledged"
              .formatted(
                  scene, kind, options, segment, recording.log().size(), work.acknowledged()));
      return recording;
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /** Goes on with some uses after a start, and gives them. */
  private Set<Integer> reconcile(
      VolumeManager manager, List<Volume> volumes, Ledger before, DiskLog log) throws IOException {
    Set<Integer> wanted = someUses(before);
    for (int use = 0; use < Host.USES; use++) {
      if (!before.promises(thing(use), value(use, wanted))) {
        log.say(Word.begun(thing(use), value(use, wanted)));
      }
    }
    try {
      Reconciliation.Summary summary =
          manager
              .reconcile(
                  wanted.stream()
                      .<WantedUse>map(use -> new WantedUse.Requested(Host.request(use, volumes)))
                      .toList())
              .done()
              .toCompletableFuture()
              .get(20, TimeUnit.SECONDS);
      for (int use = 0; use < Host.USES; use++) {
        log.say(
            summary.failed() == 0
                ? Word.done(thing(use), value(use, wanted))
                : Word.unknown(thing(use)));
      }
      return summary.failed() == 0 ? wanted : Set.of();
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new IOException(e);
    }
  }

  private static String thing(int use) {
    return Host.thing(Host.usage(use));
  }

  private static String value(int use, Set<Integer> wanted) {
    return wanted.contains(use) ? "mounted" : Word.GONE;
  }

  /** Most of the uses that are mounted, and some others. */
  private Set<Integer> someUses(Ledger ledger) {
    Set<Integer> uses = new TreeSet<>();
    for (int use = 0; use < Host.USES; use++) {
      if (random.nextInt(10) < (ledger.promises(thing(use), "mounted") ? 7 : 3)) {
        uses.add(use);
      }
    }
    return uses;
  }

  private Host host() {
    return new Host(machine.disk(), machine.sockets(), segment);
  }

  private DiskImage withoutState(DiskImage image) throws IOException {
    try (Life life = machine.start(image, options)) {
      // One that lost its state in the power cut could not tell whose the directories are.
      try (Host host = host()) {
        var unused = host.manager();
      }
      Path state = Files.createDirectories(Host.root(machine.disk()).resolve("state"));
      try (Stream<Path> all = Files.walk(state)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
      return life.end();
    }
  }

  // ---- cutting

  /** Cuts the power so often, and gives one of the disks that were left and are well. */
  private Crash cut(Recording recording, int times) throws IOException {
    Crashes crashes = Crashes.of(recording, random);
    Crash last = crashes.at(recording.from());
    for (int cut : cuts(recording, times)) {
      Crash crash = crashes.at(cut);
      boolean thorough = random.nextInt(THOROUGH) == 0;
      List<String> wrong;
      try {
        wrong = look(crash, thorough);
      } catch (NotMounted e) {
        if (crash.kept() == Crashes.Kept.TORN) {
          verdict.notMounted();
          continue;
        }
        wrong = List.of("the kernel does not mount it: " + e.getMessage());
      }
      verdict.looked(recording.scene(), thorough);
      wrong.forEach(each -> wrong(recording.scene() + " on " + kind + ", " + crash + ": " + each));
      if (wrong.isEmpty()) {
        last = crash;
      }
      if (!goesOn()) {
        break;
      }
    }
    return last;
  }

  private int[] cuts(Recording recording, int times) {
    int entries = recording.log().size() - recording.from();
    return IntStream.range(0, times)
        .map(i -> recording.from() + random.nextInt(entries))
        .sorted()
        .toArray();
  }

  private void catchTheLiar(Recording recording) throws IOException {
    Crashes crashes = Crashes.ofLyingDisk(recording, random);
    int looks = 0;
    for (int cut : cuts(recording, LIES_TRIED)) {
      Crash crash = crashes.at(cut);
      looks++;
      if (isCaught(crash)) {
        verdict.caught(true);
        told.accept("A disk that ignores flushes was caught at look " + looks);
        return;
      }
    }
    verdict.caught(false);
    wrong("A disk that ignores flushes was not caught in " + looks + " looks");
  }

  private boolean isCaught(Crash crash) throws IOException {
    try {
      return look(crash, false).stream().anyMatch(each -> each.contains("was acknowledged as"));
    } catch (NotMounted notEvenThat) {
      return false;
    }
  }

  private List<String> look(Crash crash, boolean thorough) throws IOException {
    try (Life life = machine.start(crash.image(), options)) {
      return thorough
          ? Inspection.lookThoroughly(host(), crash.ledger(), someUses(crash.ledger()))
          : Inspection.look(host(), crash.ledger());
    }
  }

  private void wrong(String what) {
    verdict.wrong().add(what);
    told.accept("WRONG: " + what);
  }
}
