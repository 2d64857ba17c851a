package io.csi4j.volume.contend;

import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Processes that contend for volumes, what befalls them and their store, and what came of it. */
final class Contention {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final long TICK = TimeUnit.MILLISECONDS.toNanos(2);

  /** Longer than the deadline of those who contend. */
  private static final long STANDSTILL = TimeUnit.MILLISECONDS.toNanos(1_200);

  /**
   * How much of it.
   *
   * @param operations how many things all processes do together
   * @param mischief how often each thing befalls them: a kill of a process, a stop of a process, a
   *     kill of the server and a stop of the server, in turn
   */
  record Size(int processes, int volumes, int operations, int mischief, long seed) {}

  /**
   * What came of it.
   *
   * @param product of the store
   * @param wrong what the check found
   */
  record Report(
      String product,
      int operations,
      int kills,
      int pauses,
      int restarts,
      int standstills,
      int restores,
      long reads,
      long writes,
      long conflicts,
      long unknown,
      long uses,
      List<String> wrong) {

    /** Both, one after the other. */
    Report plus(Report next) {
      return new Report(
          product,
          operations + next.operations,
          kills + next.kills,
          pauses + next.pauses,
          restarts + next.restarts,
          standstills + next.standstills,
          restores + next.restores,
          reads + next.reads,
          writes + next.writes,
          conflicts + next.conflicts,
          unknown + next.unknown,
          uses + next.uses,
          Stream.concat(wrong.stream(), next.wrong.stream()).toList());
    }

    @Override
    public String toString() {
      return operations
          + " operations, "
          + kills
          + " processes killed, "
          + pauses
          + " stopped, "
          + product
          + " killed "
          + restarts
          + " times and stopped "
          + standstills
          + " times, put back to a backup "
          + restores
          + " times; "
          + reads
          + " reads, "
          + writes
          + " writes, of which "
          + conflicts
          + " were conflicts and "
          + unknown
          + " unknown; volumes used "
          + uses
          + " times";
    }
  }

  private final Size size;
  private final Path directory;
  private final Random random;
  private final ContendedStore kind;
  private final ContendedStore.Server server;
  private final AtomicInteger did = new AtomicInteger();
  private final List<ContenderProcess> now = new ArrayList<>();
  private final List<ContenderProcess> all = new ArrayList<>();
  private final int[] befell = new int[4];

  private Contention(ContendedStore kind, Size size, Path directory, ContendedStore.Server server) {
    this.kind = kind;
    this.size = size;
    this.directory = directory;
    this.server = server;
    this.random = new Random(size.seed());
  }

  /** Lets it happen, and checks it. */
  static Report run(ContendedStore kind, Size size, Path directory) {
    try (ContendedStore.Server server = kind.start(directory)) {
      return new Contention(kind, size, directory, server).run();
    }
  }

  private Report run() {
    try {
      for (int i = 0; i < size.processes(); i++) {
        start("p" + i, 0, size.operations() / size.processes());
      }
      int turns = 4 * size.mischief();
      for (int turn = 0; turn < turns; turn++) {
        await(size.operations() * (turn + 1L) / (turns + 1));
        mischief(turn % 4);
      }
      all.forEach(ContenderProcess::awaitEnd);
    } finally {
      now.forEach(ContenderProcess::kill);
    }
    look();
    return report();
  }

  private void start(String name, int life, int toDo) {
    ContenderProcess process =
        new ContenderProcess(
            kind,
            server.address(),
            directory,
            name,
            life,
            size.volumes(),
            toDo,
            random.nextLong(1L << 40),
            did::incrementAndGet);
    all.add(process);
    now.add(process);
  }

  /** Waits until all together have done so much, or nobody does anything any more. */
  private void await(long operations) {
    while (did.get() < operations && now.stream().anyMatch(ContenderProcess::isAlive)) {
      LockSupport.parkNanos(TICK);
    }
  }

  private void mischief(int kind) {
    List<ContenderProcess> alive = now.stream().filter(ContenderProcess::isAlive).toList();
    if (alive.isEmpty()) {
      // They were done sooner than they could be troubled.
      alive = goOn();
    }
    ContenderProcess victim = alive.get(random.nextInt(alive.size()));
    switch (kind) {
      case 0 -> {
        victim.kill();
        now.remove(victim);
        start(victim.name(), victim.life() + 1, victim.left());
      }
      case 1 -> {
        victim.pause();
        int begun = did.get();
        long end = System.nanoTime() + STANDSTILL;
        while (did.get() < begun + size.operations() / 50 && System.nanoTime() - end < 0) {
          LockSupport.parkNanos(TICK);
        }
        victim.resume();
      }
      case 2 -> {
        server.kill();
        server.start();
      }
      default -> {
        server.pause();
        long end = System.nanoTime() + STANDSTILL;
        while (System.nanoTime() - end < 0) {
          LockSupport.parkNanos(TICK);
        }
        server.resume();
      }
    }
    befell[kind]++;
  }

  /** Gives each of them more to do; returns them once they do it. */
  private List<ContenderProcess> goOn() {
    List<ContenderProcess> ended = List.copyOf(now);
    now.clear();
    for (ContenderProcess each : ended) {
      start(each.name(), each.life() + 1, size.operations() / size.processes());
    }
    await(did.get() + size.processes());
    return List.copyOf(now);
  }

  /** Reads all claims, when nobody changes them any more. */
  private void look() {
    try (HistoryFile history = new HistoryFile("end", directory.resolve("end.history"));
        RecordStore store = new RecordedStore(kind.open(server.address(), PATIENCE), history)) {
      for (int v = 0; v < size.volumes(); v++) {
        VolumeKey volume = VolumeKey.of("v" + v);
        if (!StoredClaims.in(store).claim(volume).volume().equals(volume)) {
          history.wrong("another volume was read than " + volume);
        }
      }
    }
  }

  private Report report() {
    History history = new History().with(lines(directory.resolve("end.history")));
    List<String> wrong = new ArrayList<>();
    for (ContenderProcess process : all) {
      List<String> lines = lines(process.history(directory));
      wrong.addAll(otherClock(process, lines));
      history.with(lines);
    }
    wrong.addAll(HistoryCheck.of(history));
    wrong.addAll(history.held);
    for (ContenderProcess process : now) {
      if (!process.isDone()) {
        wrong.add(process.name() + " ended before it was done");
      }
    }
    return new Report(
        kind.product(),
        did.get(),
        befell[0],
        befell[1],
        befell[2],
        befell[3],
        0,
        history.calls.values().stream().filter(call -> !call.isWrite).count(),
        history.calls.values().stream().filter(call -> call.isWrite).count(),
        ended(history, History.End.CONFLICT),
        ended(history, History.End.UNKNOWN),
        history.uses(),
        wrong);
  }

  static long ended(History history, History.End end) {
    return history.calls.values().stream().filter(call -> call.isWrite && call.end == end).count();
  }

  /** The check compares times of several processes: which have to be of one clock. */
  private static List<String> otherClock(ContenderProcess process, List<String> lines) {
    List<String> wrong = new ArrayList<>();
    long read = System.nanoTime();
    History alone = new History().with(lines);
    if (!lines.isEmpty() && (alone.first < process.started() || alone.last > read)) {
      wrong.add(process.name() + " does not have the clock of this process");
    }
    return wrong;
  }

  /** Without a last line that a kill has cut. */
  static List<String> lines(Path file) {
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
