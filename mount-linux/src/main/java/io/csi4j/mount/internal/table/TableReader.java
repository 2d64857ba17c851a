package io.csi4j.mount.internal.table;

import io.csi4j.mount.MountChanges;
import io.csi4j.mount.MountException;
import io.csi4j.mount.MountIdentity;
import io.csi4j.mount.MountRecord;
import io.csi4j.mount.MountRef;
import io.csi4j.mount.MountSnapshot;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Reads the whole table, and what came and went since.
 *
 * <p>Text is the fastest way to read every mount, but only lists of ids say which mounts are the
 * same as before. A first reading has both: the text between two equal lists of as many ids as it
 * has rows is about the mounts in those lists, in their order.
 */
public final class TableReader {

  /** Accepts every mount. */
  static final Predicate<MountRecord> ALL = record -> true;

  /** How often the text is read while mounts come and go before each is read by its id. */
  private static final int MOST_READINGS = 4;

  private final Kernel kernel;
  private final MountInfoReader text;
  private final MountIds ids;
  private final StatmountReader mounts;

  public TableReader(Kernel kernel) {
    this.kernel = kernel;
    this.text = new MountInfoReader(kernel);
    this.ids = new MountIds(kernel);
    this.mounts = new StatmountReader(kernel);
  }

  /**
   * The mounts that this accepts, with references as good as the kernel can give.
   *
   * @throws MountException if the table cannot be read
   */
  public MountSnapshot read(Predicate<MountRecord> filter) {
    if (!kernel.features().has(Feature.LISTMOUNT) || !kernel.features().has(Feature.STATMOUNT)) {
      return textSnapshot(text.read(), filter);
    }
    long[] before = ids.all();
    for (int reading = 1; reading <= MOST_READINGS; reading++) {
      RowsInOrder names = new RowsInOrder(before);
      TableRows rows = text.read(names);
      long[] after = ids.all(before.length);
      boolean isStill = Arrays.equals(before, after);
      if (isStill && rows.count() == after.length && isInOrder(rows.records())) {
        return snapshot(withParents(rows.records(), names), rows.skipped(), after, filter);
      }
      before = after;
    }
    return snapshot(mounts.records(before), 0, before, filter);
  }

  /** The table as text gives it: references are reusable numbers. */
  public TableRows text() {
    return text.read();
  }

  /** Whether the first and the last mount are those whose ids they got. */
  private boolean isInOrder(List<MountRecord> records) {
    return records.isEmpty()
        || (isItself(records.get(0)) && isItself(records.get(records.size() - 1)));
  }

  private boolean isItself(MountRecord record) {
    return mounts.textId(uniqueId(record)).equals(Optional.of(record.id()));
  }

  /** The records with those parents that come after their children, or are out of reach. */
  private List<MountRecord> withParents(List<MountRecord> records, RowsInOrder names) {
    List<MountRecord> complete = null;
    for (int i = 0; i < records.size(); i++) {
      MountRecord record = records.get(i);
      if (record.parentUniqueId().isEmpty()) {
        OptionalLong parent = names.uniqueParent(record.parentId());
        if (parent.isEmpty()) {
          parent = mounts.parent(uniqueId(record));
        }
        complete = complete == null ? new ArrayList<>(records) : complete;
        complete.set(i, withParent(record, parent));
      }
    }
    return complete == null ? records : complete;
  }

  private static MountRecord withParent(MountRecord record, OptionalLong parent) {
    return new MountRecord(
        record.ref(),
        record.id(),
        record.parentId(),
        parent,
        record.device(),
        record.root(),
        record.flags(),
        record.propagation(),
        record.type(),
        record.source(),
        record.options());
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

  /** Both lists are ascending, so one pass over them finds what only one of them has. */
  private MountChanges refresh(
      MountSnapshot before, long[] allBefore, Predicate<MountRecord> filter) {
    long[] all = ids.all(allBefore.length);
    List<MountRecord> added =
        mounts.records(IdLists.missing(all, allBefore)).stream().filter(filter).toList();
    long[] gone = IdLists.missing(allBefore, all);
    List<MountRecord> removed = new ArrayList<>();
    List<MountRecord> now = new ArrayList<>(before.records().size() + added.size());
    int nextAdded = 0;
    for (MountRecord record : before.records()) {
      long id = uniqueId(record);
      while (nextAdded < added.size() && uniqueId(added.get(nextAdded)) < id) {
        now.add(added.get(nextAdded++));
      }
      if (gone.length > 0 && Arrays.binarySearch(gone, id) >= 0) {
        removed.add(record);
      } else {
        now.add(record);
      }
    }
    now.addAll(added.subList(nextAdded, added.size()));
    MountSnapshot snapshot =
        MountSnapshot.of(now, before.skippedRows(), next -> refresh(next, all, filter));
    return new MountChanges(snapshot, added, removed);
  }

  private static long uniqueId(MountRecord record) {
    if (record.ref().identity() instanceof MountIdentity.Unique unique) {
      return unique.id();
    }
    throw new IllegalStateException("The mount " + record.ref() + " has no number of its own.");
  }

  private MountSnapshot textSnapshot(TableRows rows, Predicate<MountRecord> filter) {
    List<MountRecord> accepted = accepted(rows.records(), filter);
    Set<MountRef> known = refs(rows.records());
    return MountSnapshot.of(accepted, rows.skipped(), before -> refreshText(before, known, filter));
  }

  private MountChanges refreshText(
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
    return new MountChanges(snapshot, added, removed);
  }

  private static Set<MountRef> refs(List<MountRecord> records) {
    Set<MountRef> refs = new HashSet<>();
    records.forEach(record -> refs.add(record.ref()));
    return refs;
  }
}
