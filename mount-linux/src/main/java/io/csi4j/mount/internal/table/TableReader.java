package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.list.LazyList;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountSnapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Reads the whole table, and its changes since.
 *
 * <p>Text is the fastest way to read every mount, but only lists of ids identify the mounts that
 * are the same as before. A first reading uses both: if two lists of ids are equal and have as many
 * ids as the text between them has rows, the text describes the mounts of those lists, in their
 * order. In a slave mount namespace the text costs the square of its mounts, so each mount is read
 * by its id.
 */
public final class TableReader {

  /** Accepts every mount. */
  static final Predicate<MountRecord> ALL = record -> true;

  /** How often the text is read while mounts change, before each mount is read by its id. */
  private static final int MOST_READINGS = 4;

  private final Kernel kernel;
  private final MountInfoReader text;
  private final MountIds ids;
  private final StatmountReader mounts;

  public TableReader(Kernel kernel) {
    this(kernel, new MountInfoReader(kernel));
  }

  private TableReader(Kernel kernel, MountInfoReader text) {
    this.kernel = kernel;
    this.text = text;
    this.ids = new MountIds(kernel);
    this.mounts = new StatmountReader(kernel);
  }

  /**
   * Returns the mounts that match, with the best references of the kernel.
   *
   * @throws MountException if the table cannot be read
   */
  public MountSnapshot read(Predicate<MountRecord> filter) {
    if (!kernel.features().has(Feature.LISTMOUNT) || !kernel.features().has(Feature.STATMOUNT)) {
      return textSnapshot(text.read(), filter);
    }
    long[] before = ids.all();
    if (mounts.isQuickerThanText(before)) {
      return snapshot(mounts.records(before), 0, before, filter);
    }
    for (int reading = 1; reading <= MOST_READINGS; reading++) {
      ScannedRows rows = text.scan();
      long[] after = ids.all(before.length);
      if (Arrays.equals(before, after) && rows.count() == after.length && isInOrder(rows, after)) {
        return snapshot(records(rows, after), rows.skipped(), after, filter);
      }
      before = after;
    }
    return snapshot(mounts.records(before), 0, before, filter);
  }

  /** Returns the mount on top at a path without symbolic links; a hidden one is not returned. */
  Optional<MountRecord> at(MountPath path) {
    return read(record -> path.isWithin(record.path()))
        .holding(path)
        .filter(last -> last.path().equals(path));
  }

  /** Returns a reader of the mounts that another process sees, for which there is only text. */
  static TableReader of(Kernel kernel, long process) {
    return new TableReader(kernel, MountInfoReader.of(kernel, process));
  }

  /** Returns every mount from the text. */
  MountSnapshot readText() {
    return textSnapshot(text.read(), ALL);
  }

  /** Returns whether the first and the last mount are those of their ids. */
  private boolean isInOrder(ScannedRows rows, long[] all) {
    List<RowPage> pages = rows.pages();
    if (pages.isEmpty()) {
      return true;
    }
    RowPage last = pages.get(pages.size() - 1);
    return isItself(pages.get(0), 0, all) && isItself(last, last.rows() - 1, all);
  }

  private boolean isItself(RowPage page, int row, long[] all) {
    return mounts
        .textId(all[page.get(row, RowPage.PLACE)])
        .equals(Optional.of(page.get(row, RowPage.ID)));
  }

  /**
   * Returns the mounts of these rows. Missing parents are read now, since they may be gone later.
   */
  private List<MountRecord> records(ScannedRows rows, long[] all) {
    RowNames names = new RowsInOrder(rows, all, mounts::parent);
    return new LazyList<>(rows.size(), () -> rows.records(kernel.bootId(), names));
  }

  private MountSnapshot snapshot(
      List<MountRecord> records, int skipped, long[] all, Predicate<MountRecord> filter) {
    return MountSnapshot.of(
        accepted(records, filter), skipped, before -> refresh(before, all, filter));
  }

  private static List<MountRecord> accepted(
      List<MountRecord> records, Predicate<MountRecord> filter) {
    return filter == ALL ? records : records.stream().filter(filter).toList();
  }

  private MountSnapshot.Changes refresh(
      MountSnapshot before, long[] allBefore, Predicate<MountRecord> filter) {
    long[] all = ids.all(allBefore.length);
    List<MountRecord> added =
        mounts.records(missing(all, allBefore)).stream().filter(filter).toList();
    long[] gone = missing(allBefore, all);
    List<MountRecord> removed = new ArrayList<>();
    List<MountRecord> now =
        gone.length == 0 && added.isEmpty()
            ? before.records()
            : merged(before.records(), added, gone, removed);
    MountSnapshot snapshot =
        MountSnapshot.of(now, before.skippedRows(), next -> refresh(next, all, filter));
    return new MountSnapshot.Changes(snapshot, added, removed);
  }

  /**
   * Returns the mounts with the new ones and without the removed ones. All are ordered by number,
   * so the part between two changes is copied unchanged.
   *
   * @param removed receives the removed ones
   */
  private static List<MountRecord> merged(
      List<MountRecord> before, List<MountRecord> added, long[] gone, List<MountRecord> removed) {
    List<MountRecord> old = new ArrayList<>(before);
    List<MountRecord> now = new ArrayList<>(old.size() + added.size());
    int from = 0;
    int came = 0;
    int went = 0;
    while (came < added.size() || went < gone.length) {
      boolean isGone =
          came == added.size() || (went < gone.length && gone[went] < uniqueId(added.get(came)));
      long id = isGone ? gone[went++] : uniqueId(added.get(came));
      int to = place(old, from, id);
      now.addAll(old.subList(from, to));
      from = to;
      if (!isGone) {
        now.add(added.get(came++));
      } else if (to < old.size() && uniqueId(old.get(to)) == id) {
        removed.add(old.get(to));
        from++;
      }
    }
    now.addAll(old.subList(from, old.size()));
    return now;
  }

  /** Returns the index of the first mount whose number is not below this one. */
  private static int place(List<MountRecord> records, int from, long id) {
    int low = from;
    int high = records.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (uniqueId(records.get(middle)) < id) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static long uniqueId(MountRecord record) {
    if (record.ref().identity() instanceof MountRef.Identity.Unique unique) {
      return unique.id();
    }
    throw new IllegalStateException("The mount " + record.ref() + " has no unique id.");
  }

  private MountSnapshot textSnapshot(TableRows rows, Predicate<MountRecord> filter) {
    List<MountRecord> accepted = accepted(rows.records(), filter);
    Set<MountRef> known = refs(rows.records());
    return MountSnapshot.of(accepted, rows.skipped(), before -> refreshText(before, known, filter));
  }

  private MountSnapshot.Changes refreshText(
      MountSnapshot before, Set<MountRef> known, Predicate<MountRecord> filter) {
    TableRows rows = text.read();
    Map<MountRef, MountRecord> left = new HashMap<>();
    before.records().forEach(record -> left.put(record.ref(), record));
    List<MountRecord> now = new ArrayList<>();
    List<MountRecord> added = new ArrayList<>();
    for (MountRecord record : rows.records()) {
      MountRecord old = left.remove(record.ref());
      if (old != null) {
        now.add(old);
      } else if (!known.contains(record.ref()) && filter.test(record)) {
        now.add(record);
        added.add(record);
      }
    }
    Set<MountRef> knownNow = refs(rows.records());
    List<MountRecord> removed =
        before.records().stream().filter(record -> left.containsKey(record.ref())).toList();
    MountSnapshot snapshot =
        MountSnapshot.of(now, rows.skipped(), next -> refreshText(next, knownNow, filter));
    return new MountSnapshot.Changes(snapshot, added, removed);
  }

  private static Set<MountRef> refs(List<MountRecord> records) {
    Set<MountRef> refs = new HashSet<>();
    records.forEach(record -> refs.add(record.ref()));
    return refs;
  }

  /** Returns the ids of the first list that the second one lacks, ascending. */
  private static long[] missing(long[] from, long[] in) {
    long[] missing = new long[8];
    int count = 0;
    int other = 0;
    for (long id : from) {
      while (other < in.length && in[other] < id) {
        other++;
      }
      if (other == in.length || in[other] != id) {
        if (count == missing.length) {
          missing = Arrays.copyOf(missing, 2 * count);
        }
        missing[count++] = id;
      }
    }
    return Arrays.copyOf(missing, count);
  }
}
