package io.csi4j.volume.internal.journal;

import io.csi4j.volume.internal.journal.SegmentScan.Gap;
import io.csi4j.volume.state.HostIdentity;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.Uncertainty;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The combined contents of a journal's segments: the newest record of each key, and an uncertainty
 * for everything that may be missing. A pure function.
 *
 * @param live the state
 * @param found the new uncertainties, which the state also contains
 * @param seq the highest number of a record
 * @param epoch the highest epoch of a record
 * @param writtenOn the host of the last owner; null if no segment contains it
 */
record Replay(
    LiveState live,
    List<Uncertainty> found,
    long seq,
    long epoch,
    @Nullable HostIdentity writtenOn) {

  /** Combines the newest segment with the previous one, which replaces damaged records. */
  static Replay of(SegmentScan newest, @Nullable SegmentScan previous) {
    return new Replayer(newest, previous).replay();
  }

  /** Returns the result for a journal without segments. */
  static Replay ofNothing() {
    return new Replay(new LiveState(Map.of(), List.of()), List.of(), 0, 0, null);
  }

  /** The newest record of each key, including removals. */
  private static final class Newest {

    final Map<EntryName, Entry> records = new LinkedHashMap<>();
    final Set<StateKey> unordered = new HashSet<>();
    final Set<StateKey> unknownAction = new HashSet<>();
    long seq;
    long epoch;

    Newest(SegmentScan scan) {
      Entry before = null;
      for (Entry entry : scan.entries()) {
        if (before != null && (entry.seq() <= before.seq() || entry.epoch() < before.epoch())) {
          entry.name().key().ifPresent(unordered::add);
        }
        before = entry;
        seq = Math.max(seq, entry.seq());
        epoch = Math.max(epoch, entry.epoch());
        if (!entry.name().isOfTheFile()) {
          offer(entry);
        }
      }
    }

    private void offer(Entry entry) {
      if (entry.name().equals(LiveState.SETTLED)) {
        records.keySet().removeIf(name -> name.kind() == EntryName.DOUBT);
      } else if (entry.name().key().isPresent() && !isUnderstood(entry)) {
        unknownAction.add(entry.name().key().get());
      } else {
        if (entry.action() == Entry.BURY) {
          EntryName volume = new EntryName(EntryName.VOLUME, entry.name().id());
          keep(new Entry(entry.seq(), entry.epoch(), volume, Entry.REMOVE, new byte[0]));
        }
        keep(LiveState.plain(entry));
      }
    }

    private static boolean isUnderstood(Entry entry) {
      return entry.action() <= Entry.BURY
          && entry.value().length <= StateValue.MAX_SIZE + StateValue.MAX_AROUND;
    }

    private void keep(Entry entry) {
      Entry there = records.get(entry.name());
      if (there == null || entry.isAfter(there)) {
        records.put(entry.name(), entry);
      }
    }

    Set<StateKey> keys() {
      Set<StateKey> keys = new TreeSet<>();
      records.forEach(
          (name, entry) -> {
            if (entry.action() != Entry.REMOVE) {
              name.key().ifPresent(keys::add);
            }
          });
      return keys;
    }
  }

  /** Combines the segments. */
  private static final class Replayer {

    private final SegmentScan scan;
    private final @Nullable SegmentScan previous;
    private final Newest newest;
    private final List<Uncertainty> found = new ArrayList<>();

    Replayer(SegmentScan scan, @Nullable SegmentScan previous) {
      this.scan = scan;
      this.previous = previous;
      this.newest = new Newest(scan);
    }

    Replay replay() {
      Newest older = previous == null ? null : new Newest(previous);
      if (older != null) {
        fillIn(older);
      }
      if (scan.header() == null) {
        found.add(
            Uncertainty.aboutMoreThan(
                StateException.Reason.JOURNAL_DAMAGED,
                newest.keys(),
                "The newest segment has no valid header ("
                    + scan.length()
                    + " bytes). Reconcile everything with the mount table."));
      }
      if (scan.isTruncated()) {
        found.add(
            Uncertainty.aboutMoreThan(
                StateException.Reason.JOURNAL_TRUNCATED,
                newest.keys(),
                "The newest segment has "
                    + scan.length()
                    + " bytes, but was created with more. Reconcile everything with the mount "
                    + "table."));
      }
      scan.gaps().forEach(this::doubt);
      doubt(
          StateException.Reason.JOURNAL_ORDER,
          newest.unordered,
          "Records are in the wrong order. The one with the highest number is used; reconcile"
              + " these keys.");
      doubt(
          StateException.Reason.JOURNAL_DAMAGED,
          newest.unknownAction,
          "Records contain data that this version does not know. Reconcile these keys.");

      Map<EntryName, Entry> live = new LinkedHashMap<>();
      List<Uncertainty> doubts = new ArrayList<>();
      newest.records.forEach(
          (name, entry) -> {
            if (name.kind() == EntryName.DOUBT) {
              doubts.add(LiveState.decodeDoubt(entry.value()));
            } else if (entry.action() != Entry.REMOVE) {
              live.put(name, entry);
            }
          });
      doubts.addAll(found);
      return new Replay(
          new LiveState(live, doubts),
          List.copyOf(found),
          Math.max(newest.seq, older == null ? 0 : older.seq),
          Math.max(newest.epoch, older == null ? 0 : older.epoch),
          writtenOn());
    }

    private @Nullable HostIdentity writtenOn() {
      if (scan.header() != null) {
        return scan.header().host();
      }
      return previous == null || previous.header() == null ? null : previous.header().host();
    }

    /**
     * Takes records that the newest segment may have lost from the previous one, and marks them as
     * uncertain.
     */
    private void fillIn(Newest older) {
      boolean anything =
          scan.header() == null
              || scan.isTruncated()
              || scan.gaps().stream().anyMatch(gap -> !gap.tail() && !gap.complete());
      Set<EntryName> wanted = new HashSet<>();
      if (anything) {
        wanted.addAll(older.records.keySet());
      } else {
        scan.gaps().stream()
            .filter(gap -> !gap.tail())
            .flatMap(gap -> names(gap.known()))
            .forEach(wanted::add);
      }
      wanted.removeAll(newest.records.keySet());
      Set<StateKey> filled = new TreeSet<>();
      for (EntryName name : wanted) {
        Entry entry = older.records.get(name);
        if (entry != null && entry.action() != Entry.REMOVE) {
          newest.records.put(name, entry);
          name.key().ifPresent(filled::add);
        }
      }
      doubt(
          StateException.Reason.JOURNAL_DAMAGED,
          filled,
          "These keys are only in the segment before the damaged one, and may be outdated or "
              + "released. Reconcile them.");
    }

    private void doubt(Gap gap) {
      Set<StateKey> keys = new TreeSet<>();
      newest.records.forEach(
          (name, entry) -> {
            if (!gap.complete() && entry.seq() <= gap.after() && entry.action() != Entry.REMOVE) {
              name.key().ifPresent(keys::add);
            }
          });
      for (Entry.Key key : gap.known()) {
        names(List.of(key))
            .filter(name -> isNoNewerThan(key, newest.records.get(name)))
            .forEach(name -> name.key().ifPresent(keys::add));
      }
      StateException.Reason reason =
          gap.tail()
              ? StateException.Reason.JOURNAL_TAIL_DROPPED
              : StateException.Reason.JOURNAL_DAMAGED;
      String text = gap.tail() ? tailText(gap) : middleText(gap);
      found.add(
          gap.complete()
              ? Uncertainty.about(reason, keys, text)
              : Uncertainty.aboutMoreThan(reason, keys, text));
    }

    private static boolean isNoNewerThan(Entry.Key lost, @Nullable Entry there) {
      return there == null || there.seq() <= lost.seq();
    }

    private static String tailText(Gap gap) {
      return "The last "
          + gap.bytes()
          + " bytes are an incomplete record and were dropped; a crash while writing leaves such "
          + "bytes, and no work began because of them. A disk that loses synced data looks "
          + "the same:"
          + " reconcile these keys.";
    }

    private static String middleText(Gap gap) {
      return (gap.bytes() == 0 ? "Records" : gap.bytes() + " bytes of records")
          + " after number "
          + gap.after()
          + (gap.bytes() == 0 ? " are missing." : " are damaged.")
          + " Reconcile these keys with the mount table, and check the disk.";
    }

    private void doubt(StateException.Reason reason, Collection<StateKey> keys, String text) {
      if (!keys.isEmpty()) {
        found.add(Uncertainty.about(reason, keys, text));
      }
    }

    /** Returns the keys that a record changes. */
    private static Stream<EntryName> names(Collection<Entry.Key> keys) {
      return keys.stream()
          .flatMap(
              key ->
                  key.action() == Entry.BURY
                      ? Stream.of(key.name(), new EntryName(EntryName.VOLUME, key.name().id()))
                      : Stream.of(key.name()));
    }
  }
}
