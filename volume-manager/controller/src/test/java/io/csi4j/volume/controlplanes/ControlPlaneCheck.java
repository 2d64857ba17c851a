package io.csi4j.volume.controlplanes;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import io.csi4j.volume.controlplanes.ControlPlaneWork.Deed;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Compares what control planes were asked and answered with what the storage system did:
 *
 * <ul>
 *   <li>A key has one volume at a time at the storage system.
 *   <li>A volume is deleted only for a request to delete its key, and never beside a use of it.
 *   <li>No request is answered with a volume that was deleted before it began.
 *   <li>No two workloads use a volume at a time.
 *   <li>At the end the catalog and the storage system have the same volumes and snapshots.
 * </ul>
 *
 * <p>A process that was stopped by the machine may send a call after another one has taken its work
 * over. So a volume, or a snapshot, that was made right after a process went on may be at the
 * storage system without a record; the page on claims says why nothing is lost by it.
 */
final class ControlPlaneCheck {

  /** How long a call may take from a process that goes on to the plugin. */
  private static final long LATE = TimeUnit.SECONDS.toNanos(3);

  /** An operation as it was asked for and answered; times in nanoseconds. */
  static final class Operation {
    final String number;
    final Deed deed;
    final String key;
    final long begun;
    long ended = Long.MAX_VALUE;
    Optional<String> answer = Optional.empty();
    String outcome = "";
    String message = "";

    Operation(String number, Deed deed, String key, long begun) {
      this.number = number;
      this.deed = deed;
      this.key = key;
      this.begun = begun;
    }

    boolean mayHaveChanged() {
      return !outcome.equals("REFUSED") && !outcome.equals("UNAVAILABLE");
    }

    /** Shows it with its times in milliseconds since a moment. */
    String since(long moment) {
      return number
          + " from "
          + millis(begun - moment)
          + " to "
          + (ended == Long.MAX_VALUE ? "?" : millis(ended - moment))
          + " "
          + answer.map(id -> "answered").orElse(outcome + " " + message);
    }

    @Override
    public String toString() {
      return number + " " + deed + " " + key;
    }
  }

  /** The life of a volume at the storage system. */
  private static final class Life {
    final String key;
    final boolean isLate;
    final long begun;
    final long made;
    String id = "";
    long deleted = Long.MAX_VALUE;

    Life(String key, boolean isLate, long begun, long made) {
      this.key = key;
      this.isLate = isLate;
      this.begun = begun;
      this.made = made;
    }
  }

  /** A use of a volume. */
  private record Use(String process, String key, String workload, long from, long to) {}

  private final Map<String, Operation> operations = new LinkedHashMap<>();
  private final List<Use> uses = new ArrayList<>();
  private final List<Life> lives = new ArrayList<>();
  private final Map<String, Life> named = new HashMap<>();
  private final Set<String> lateSnapshots = new HashSet<>();
  private final List<JournalEvent> journal;
  private final List<Long> resumed;
  private final List<String> wrong = new ArrayList<>();

  /**
   * Reads the journal of a plugin whose clock is {@link System#nanoTime}.
   *
   * @param resumed when processes that had been stopped went on
   */
  ControlPlaneCheck(List<JournalEvent> journal, List<Long> resumed) {
    this.resumed = resumed;
    this.journal = journal;
    for (JournalEvent event : journal) {
      if (event instanceof JournalEvent.Worked worked) {
        worked(worked.call(), nanos(worked.at()));
      } else if (event instanceof JournalEvent.Ended ended) {
        answered(ended.call());
      }
    }
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }

  private static long nanos(Instant at) {
    return TimeUnit.SECONDS.toNanos(at.getEpochSecond()) + at.getNano();
  }

  private boolean isLate(long at) {
    return resumed.stream().anyMatch(resume -> at >= resume && at - resume < LATE);
  }

  private void worked(RecordedCall call, long at) {
    WireMessage request = call.request();
    if (call.operation() == CsiOperation.CREATE_VOLUME) {
      String name = request.text("name");
      Life before = named.get(name);
      if (before == null || before.deleted != Long.MAX_VALUE) {
        long began = nanos(call.began());
        Life made = new Life(request.map("parameters").get("key"), isLate(began), began, at);
        if (before != null && !made.isLate) {
          wrong.add("the name of volume " + before.id + " was used for another volume");
        }
        named.put(name, made);
        lives.add(made);
      }
    } else if (call.operation() == CsiOperation.DELETE_VOLUME) {
      lives.stream()
          .filter(life -> life.id.equals(request.text("volume_id")))
          .filter(life -> life.deleted == Long.MAX_VALUE)
          .forEach(life -> life.deleted = at);
    }
  }

  private void answered(RecordedCall call) {
    if (call.answer().isEmpty()) {
      return;
    }
    WireMessage answer = call.answer().get();
    if (call.operation() == CsiOperation.CREATE_VOLUME) {
      Life life = named.get(call.request().text("name"));
      if (life.id.isEmpty()) {
        life.id = answer.message("volume").text("volume_id");
      }
    } else if (call.operation() == CsiOperation.CREATE_SNAPSHOT && isLate(nanos(call.began()))) {
      lateSnapshots.add(answer.message("snapshot").text("snapshot_id"));
    }
  }

  /** Reads what one process wrote; the next life of it ends its uses. */
  void read(List<List<String>> livesOfProcess) {
    for (int i = 0; i < livesOfProcess.size(); i++) {
      long end =
          i + 1 == livesOfProcess.size() || livesOfProcess.get(i + 1).isEmpty()
              ? Long.MAX_VALUE
              : Long.parseLong(livesOfProcess.get(i + 1).get(0).split("\t", -1)[2]);
      read(livesOfProcess.get(i), end);
    }
  }

  private void read(List<String> lines, long end) {
    Map<String, Use> open = new HashMap<>();
    for (String line : lines) {
      String[] words = line.split("\t", -1);
      long at = Long.parseLong(words[2]);
      switch (words[0]) {
        case "begins" ->
            operations.put(words[1], new Operation(words[1], Deed.valueOf(words[3]), words[4], at));
        case "done" -> {
          Operation operation = operations.get(words[1]);
          operation.ended = at;
          operation.answer = Optional.of(words[3]);
        }
        case "failed" -> {
          Operation operation = operations.get(words[1]);
          operation.ended = at;
          operation.outcome = words[3];
          operation.message = words[4];
        }
        case "uses" ->
            open.put(words[3] + words[4], new Use(words[1], words[3], words[4], at, end));
        case "leaves" -> {
          Use use = open.remove(words[3] + words[4]);
          uses.add(new Use(use.process(), use.key(), use.workload(), use.from(), at));
        }
        case "wrong" -> wrong.add(words[1] + ": " + words[3]);
        default -> {}
      }
    }
    uses.addAll(open.values());
  }

  /** All operations, in the order of their processes. */
  List<Operation> operations(Predicate<Operation> which) {
    return operations.values().stream().filter(which).toList();
  }

  int uses() {
    return uses.size();
  }

  /** What is at the storage system at the end, and was made by a late call. */
  Set<String> late() {
    Set<String> late = new HashSet<>(lateSnapshots);
    lives.stream().filter(life -> life.isLate).forEach(life -> late.add(life.id));
    return late;
  }

  /** Snapshots that were reported, and whose deletion was not. */
  Set<String> snapshots() {
    Set<String> known = new HashSet<>();
    operations(each -> each.deed == Deed.SNAPSHOT)
        .forEach(each -> each.answer.ifPresent(known::add));
    operations(each -> each.deed == Deed.DELETE_SNAPSHOT)
        .forEach(each -> each.answer.ifPresent(known::remove));
    return known;
  }

  /** Shows the calls about a snapshot, and what processes were asked for meanwhile. */
  String story(String snapshot) {
    Predicate<RecordedCall> isAbout =
        call ->
            call.request().text("snapshot_id").equals(snapshot)
                || call.answer()
                    .map(it -> it.message("snapshot").text("snapshot_id"))
                    .filter(snapshot::equals)
                    .isPresent();
    Set<String> names = new HashSet<>();
    List<RecordedCall> calls = new ArrayList<>();
    for (JournalEvent event : journal) {
      if (event instanceof JournalEvent.Ended ended) {
        RecordedCall call = ended.call();
        if (call.operation() == CsiOperation.CREATE_SNAPSHOT) {
          if (isAbout.test(call)) {
            names.add(call.request().text("name"));
          }
          calls.add(call);
        } else if (call.operation() == CsiOperation.DELETE_SNAPSHOT && isAbout.test(call)) {
          calls.add(call);
        }
      }
    }
    calls.removeIf(
        call ->
            call.operation() == CsiOperation.CREATE_SNAPSHOT
                && !names.contains(call.request().text("name")));
    long first = calls.stream().mapToLong(call -> nanos(call.began())).min().orElse(0);
    return calls.stream().map(call -> call + " at " + millis(nanos(call.began()) - first)).toList()
        + "; processes went on at "
        + resumed.stream().map(at -> millis(at - first)).toList()
        + "; asked for "
        + operations.values().stream()
            .filter(
                each ->
                    each.deed == Deed.SNAPSHOT
                        || each.deed == Deed.KEEP
                        || each.deed == Deed.DROP
                        || each.deed == Deed.DELETE_SNAPSHOT)
            .filter(each -> each.ended >= first)
            .limit(40)
            .map(each -> each.deed + " " + each.key + " " + each.since(first))
            .toList();
  }

  /** Returns what is wrong. */
  List<String> wrong() {
    oneVolumeForAKey();
    deletionsWereAskedFor();
    answersWereThere();
    oneUserAtATime();
    return wrong;
  }

  private void oneVolumeForAKey() {
    List<Life> all =
        lives.stream()
            .filter(life -> !life.isLate)
            .sorted(Comparator.comparing((Life life) -> life.key).thenComparing(life -> life.made))
            .toList();
    for (int i = 1; i < all.size(); i++) {
      Life before = all.get(i - 1);
      Life next = all.get(i);
      if (before.key.equals(next.key) && next.made < before.deleted) {
        wrong.add(
            "key "
                + next.key
                + " has volume "
                + before.id
                + " and volume "
                + next.id
                + " at the storage system at a time");
      }
    }
  }

  private void deletionsWereAskedFor() {
    for (Life life : lives) {
      if (life.deleted == Long.MAX_VALUE || life.isLate) {
        continue;
      }
      boolean isAskedFor =
          operations.values().stream()
              .anyMatch(
                  each ->
                      each.deed == Deed.DELETE
                          && each.key.equals(life.key)
                          && each.begun < life.deleted
                          && (each.mayHaveChanged()
                              ? each.ended > life.begun
                              : false || each.ended > life.deleted));
      if (!isAskedFor) {
        wrong.add(
            "volume "
                + life.id
                + " of key "
                + life.key
                + " was deleted without a request; those to delete it: "
                + operations(each -> each.deed == Deed.DELETE && each.key.equals(life.key)).stream()
                    .map(each -> each.since(life.begun))
                    .toList()
                + ", it was there from 0 to "
                + millis(life.deleted - life.begun));
      }
      uses.stream()
          .filter(use -> use.key().equals(life.key))
          .filter(use -> use.from() < life.deleted && life.deleted < use.to())
          .forEach(
              use ->
                  wrong.add(
                      "volume " + life.id + " was deleted while " + use.workload() + " used it"));
    }
  }

  private void answersWereThere() {
    Map<String, Life> byId = new HashMap<>();
    lives.forEach(life -> byId.put(life.id, life));
    for (Operation each : operations.values()) {
      if (each.answer.isEmpty()
          || each.answer.get().isEmpty()
          || (each.deed != Deed.CREATE && each.deed != Deed.EXPAND && each.deed != Deed.FIND)) {
        continue;
      }
      Life life = byId.get(each.answer.get());
      if (life == null || !life.key.equals(each.key)) {
        wrong.add(each + " was answered with " + each.answer.get() + ", no volume of this key");
      } else if (life.deleted < each.begun || life.made > each.ended) {
        wrong.add(each + " was answered with " + life.id + ", which was not there");
      }
    }
  }

  private void oneUserAtATime() {
    List<Use> sorted =
        uses.stream().sorted(Comparator.comparing(Use::key).thenComparing(Use::from)).toList();
    for (int i = 1; i < sorted.size(); i++) {
      Use before = sorted.get(i - 1);
      Use next = sorted.get(i);
      if (before.key().equals(next.key()) && next.from() < before.to()) {
        wrong.add(next.workload() + " used " + next.key() + " beside " + before.workload());
      }
    }
  }
}
