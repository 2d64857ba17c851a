package io.csi4j.volume.contend;

import io.csi4j.volume.contend.Contention.Report;
import io.csi4j.volume.contend.Contention.Size;
import io.csi4j.volume.contend.History.End;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.StoredRecord;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * A server that is put back to a backup while processes contend. Half of them go on as they are,
 * the others are started again. From the moment of the restore until a person has settled the store
 * nobody may write anything or begin to use a volume; afterwards the processes that were started
 * since have to go on, without another start.
 */
final class RestoredBackup {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long TICK = TimeUnit.MILLISECONDS.toNanos(2);

  private final Size size;
  private final Path directory;
  private final Random random;
  private final ContendedStore kind;
  private final ContendedStore.Server server;
  private final AtomicInteger did = new AtomicInteger();
  private final List<ContenderProcess> before = new ArrayList<>();
  private final List<ContenderProcess> since = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();
  private long restored;
  private long settled;
  private int refused;

  private RestoredBackup(
      ContendedStore kind, Size size, Path directory, ContendedStore.Server server) {
    this.kind = kind;
    this.size = size;
    this.directory = directory;
    this.server = server;
    this.random = new Random(size.seed());
  }

  /** Lets it happen, and checks it. */
  static Report run(ContendedStore kind, Size size, Path directory) {
    try (ContendedStore.Server server = kind.start(directory)) {
      return new RestoredBackup(kind, size, directory, server).run();
    }
  }

  private Report run() {
    int share = size.operations() / size.processes();
    try {
      for (int i = 0; i < size.processes(); i++) {
        before.add(start(i, 0));
      }
      until(before, "did something", each -> each.did() > share / 2);
      server.backUp();
      until(before, "went on", each -> each.did() > share);
      putBack();
      for (int i = 1; i < size.processes(); i += 2) {
        since.add(start(i, 1));
      }
      until(since, "went on after the store was settled", each -> each.did() > refused + share);
    } finally {
      before.forEach(ContenderProcess::kill);
      since.forEach(ContenderProcess::kill);
    }
    return report();
  }

  /** From the restore until a person has settled the store, when nobody uses anything any more. */
  private void putBack() {
    // An operator takes the mark away before anybody reaches the copy.
    before.forEach(ContenderProcess::pause);
    restored = System.nanoTime();
    server.restore();
    try (HistoryFile history = new HistoryFile("found", directory.resolve("found.history"));
        RecordStore store = kind.open(server.address(), PATIENCE)) {
      if (store.readOnly().isEmpty()) {
        wrong.add("a store that was put back takes writes");
      }
      List<StoredRecord> found = claims(store);
      found.forEach(history::found);
      before.forEach(ContenderProcess::resume);
      List<ContenderProcess> waiting = new ArrayList<>();
      for (int i = 0; i < size.processes(); i++) {
        if (i % 2 == 0) {
          before.get(i).kill();
          since.add(start(i, 1));
        } else {
          waiting.add(before.get(i));
        }
      }
      waiting.addAll(since);
      until(waiting, "was refused", each -> !history(each).held.isEmpty());
      before.forEach(ContenderProcess::kill);
      if (!claims(store).equals(found)) {
        wrong.add("a store that was put back was written to before it was settled");
      }
      settled = System.nanoTime();
      refused = since.stream().mapToInt(ContenderProcess::did).max().orElse(0);
      kind.settle(store);
    }
  }

  private List<StoredRecord> claims(RecordStore store) {
    return IntStream.range(0, size.volumes())
        .mapToObj(v -> store.read(ClaimCodec.key(VolumeKey.of("v" + v))))
        .flatMap(Optional::stream)
        .toList();
  }

  private ContenderProcess start(int number, int life) {
    return new ContenderProcess(
        kind,
        server.address(),
        directory,
        "p" + number,
        life,
        size.volumes(),
        Integer.MAX_VALUE,
        random.nextLong(1L << 40),
        did::incrementAndGet);
  }

  private History history(ContenderProcess process) {
    return new History().with(Contention.lines(process.history(directory)));
  }

  /** Waits for each of them; what does not come in a long time is wrong. */
  private void until(
      List<ContenderProcess> processes, String what, Predicate<ContenderProcess> isSo) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    for (ContenderProcess each : processes) {
      while (!isSo.test(each)) {
        if (System.nanoTime() - end > 0) {
          wrong.add("it was waited in vain until " + each.name() + " " + what);
          return;
        }
        LockSupport.parkNanos(TICK);
      }
    }
  }

  private Report report() {
    History first = new History();
    for (ContenderProcess process : before) {
      List<String> lines = Contention.lines(process.history(directory));
      first.with(lines.stream().filter(line -> at(line) < restored).toList());
      history(process).calls.values().forEach(this::untouched);
    }
    wrong.addAll(HistoryCheck.of(first));
    wrong.addAll(first.held);
    History next = new History().with(Contention.lines(directory.resolve("found.history")));
    since.forEach(process -> next.with(Contention.lines(process.history(directory))));
    wrong.addAll(HistoryCheck.of(next));
    next.calls.values().forEach(this::untouched);
    next.deeds.stream()
        .filter(deed -> deed.kind().equals("uses") && deed.at() < settled)
        .forEach(deed -> wrong.add(deed + " was begun before the store was settled"));
    return new Report(
        kind.product(),
        did.get(),
        before.size(),
        0,
        1,
        0,
        1,
        reads(first) + reads(next),
        writes(first) + writes(next),
        Contention.ended(first, End.CONFLICT) + Contention.ended(next, End.CONFLICT),
        Contention.ended(first, End.UNKNOWN) + Contention.ended(next, End.UNKNOWN),
        first.uses() + next.uses(),
        wrong);
  }

  private static long at(String line) {
    return Long.parseLong(line.split("\t", -1)[2]);
  }

  private static long reads(History history) {
    return history.calls.values().stream().filter(call -> !call.isWrite).count();
  }

  private static long writes(History history) {
    return history.calls.values().stream().filter(call -> call.isWrite).count();
  }

  /** Nobody writes before the store is settled. */
  private void untouched(History.Call call) {
    if (call.end == End.WRITTEN && call.from > restored && call.to < settled) {
      wrong.add(call + " was made before the store was settled");
    }
  }
}
