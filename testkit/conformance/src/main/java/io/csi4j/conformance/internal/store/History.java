package io.csi4j.conformance.internal.store;

import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The writes and reads of many callers on one key, with their start and end times from a counter.
 * Each write has a version, so the operations can be ordered by version. The check verifies that
 * this order does not contradict the order in real time.
 */
final class History {

  private record Look(long from, long to, There seen) {
    long version() {
      return seen.version();
    }
  }

  private record Made(long expected, Look look) {}

  private final AtomicLong moments = new AtomicLong();
  private final Queue<Look> looks = new ConcurrentLinkedQueue<>();
  private final Queue<Made> writes = new ConcurrentLinkedQueue<>();

  There read(RecordStore store, RecordKey key) {
    long from = moments.getAndIncrement();
    There seen = Scene.read(store, key);
    looks.add(new Look(from, moments.getAndIncrement(), seen));
    return seen;
  }

  WriteResult write(RecordStore store, There before, String next) {
    long from = moments.getAndIncrement();
    WriteResult result = store.write(before.next(next));
    long to = moments.getAndIncrement();
    if (result instanceof WriteResult.Written written) {
      Look look = new Look(from, to, There.among(written.now(), before.key()));
      looks.add(look);
      writes.add(new Made(before.version(), look));
    } else if (result instanceof WriteResult.Conflict conflict) {
      There there = There.among(conflict.now(), before.key());
      Scene.check(
          there.version() != before.version(),
          "A write that expected version "
              + before.version()
              + " was a conflict, although that version is current.");
      looks.add(new Look(from, to, there));
    }
    return result;
  }

  List<There> written() {
    return writes.stream()
        .map(made -> made.look().seen())
        .sorted(Comparator.comparingLong(There::version))
        .toList();
  }

  /**
   * Fails if the history is not linearizable: each operation must take effect at one moment between
   * its start and its end.
   */
  void check() {
    List<Made> chain = new ArrayList<>(writes);
    chain.sort(Comparator.comparingLong(made -> made.look().version()));
    long there = 0;
    for (Made made : chain) {
      Scene.check(
          made.expected() == there,
          "A write that expected version "
              + made.expected()
              + " succeeded, although the current version was "
              + there
              + ".");
      there = made.look().seen().version();
    }
    List<Look> inOrder = new ArrayList<>(looks);
    inOrder.sort(Comparator.comparingLong(Look::from));
    for (Look look : inOrder) {
      checkSeen(look, chain);
    }
    for (Look earlier : inOrder) {
      for (Look later : inOrder) {
        Scene.check(
            earlier.to() > later.from() || earlier.version() <= later.version(),
            "Version "
                + earlier.version()
                + " was seen, and afterwards "
                + later.version()
                + " by a later reader.");
      }
    }
  }

  private static void checkSeen(Look look, List<Made> chain) {
    if (look.version() == 0) {
      return;
    }
    Made made =
        chain.stream()
            .filter(each -> each.look().version() == look.version())
            .findFirst()
            .orElseThrow(
                () ->
                    new AssertionError(
                        "Version " + look.version() + " was seen, but never written."));
    Scene.check(
        Objects.equals(made.look().seen(), look.seen()),
        "Version " + look.version() + " was seen with other content than was written.");
    Scene.check(
        made.look().from() < look.to(),
        "Version " + look.version() + " was seen before it was written.");
  }
}
