package io.csi4j.volume.internal.journal;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.DiskException.Kind;
import io.csi4j.volume.internal.disk.FileLook;
import io.csi4j.volume.internal.journal.SegmentFiles.Segment;
import io.csi4j.volume.internal.journal.WriteTurns.Write;
import io.csi4j.volume.state.HostIdentity;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateEvent;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStore.Stored;
import io.csi4j.volume.state.StateValue;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store that appends each change to a segment. One of the callers writes for all waiting callers,
 * so that they share a sync. A write goes to one of these places:
 *
 * <ol>
 *   <li>the end of the segment, which has preallocated space. Before the space is used up, a new
 *       segment with the complete state is written in parallel, in steps that the writers do from
 *       time to time, and replaces the old one;
 *   <li>if the segment is full nevertheless, has failed, or was changed by another program: a new
 *       segment that is written immediately;
 *   <li>if that cannot be created: a release uses the space reserved for it, or stays in memory; an
 *       acquisition is refused.
 * </ol>
 */
public final class Journal implements StateStore {

  private static final System.Logger LOG = System.getLogger(Journal.class.getName());

  private static final EntryName END = new EntryName(EntryName.END, "end");
  private static final byte[] NOTHING = new byte[0];

  /** The space for changes in a segment that is created on a full disk. */
  private static final int SCANT_ROOM = 2 * 1024;

  /** A compaction begins when this fraction of the segment is left. */
  private static final int REST = 4;

  private final WriteTurns turns = new WriteTurns(this::writeAll, this::isMoreDue, this::doMore);
  private final Disk disk;
  private final Path directory;
  private final JournalSettings settings;
  private final SegmentFiles files;
  private final Ownership ownership;
  private final StateStore.Owner owner;
  private final @Nullable HostIdentity writtenOn;

  private LiveState live;

  /** The segment for the next record; null if the last segment must not be written any more. */
  private @Nullable Segment current;

  /** The next segment while it is written in parallel. */
  private @Nullable Compaction compaction;

  /** The remaining space of the last segment at which a compaction begins. */
  private int beginsAt;

  /** Whether the files were checked during this turn, and still belong to this journal. */
  private boolean isOurs;

  private int number;
  private long seq;

  /** Whether memory contains changes that no segment has. */
  private boolean ahead;

  private @Nullable JournalTrouble trouble;
  private StateEvent.@Nullable Repaired repair;
  private @Nullable StateException takenOver;
  private boolean closed;

  /** Distinguishes the opened directory from another one at the same path; null if not known. */
  private @Nullable Object identity;

  /** The time of the last change of names in the directory, as of the last check. */
  private long namesChanged;

  private Journal(JournalOpening opening, JournalOpening.Found found) {
    this.disk = opening.disk;
    this.directory = opening.directory;
    this.settings = opening.settings;
    this.files = opening.files;
    this.ownership = opening.ownership;
    this.owner = found.owner();
    this.writtenOn = found.replay().writtenOn();
    this.live = found.replay().live();
    this.number = found.newest();
    this.seq = found.replay().seq();
  }

  /** Opens the journal in this directory of this disk. */
  public static Journal open(Disk disk, Path directory, JournalSettings settings) {
    JournalOpening opening = new JournalOpening(disk, directory, settings);
    JournalOpening.Found found = opening.find();
    Journal journal = new Journal(opening, found);
    List<StateEvent> events = opening.events();
    boolean begun = false;
    try {
      journal.begin(found, events);
      journal.identify();
      begun = true;
    } finally {
      if (!begun) {
        opening.ownership.release();
      }
    }
    journal.tell(events);
    return journal;
  }

  private void identify() {
    try {
      identity = disk.look(directory).map(FileLook::identity).orElse(null);
    } catch (DiskException e) {
      LOG.log(System.Logger.Level.DEBUG, "The directory of the state could not be examined", e);
    }
  }

  private void begin(JournalOpening.Found found, List<StateEvent> events) {
    turns.begin();
    try {
      SegmentScan writable = found.writable();
      if (writable == null || !goOn(found.newest(), writable)) {
        ahead = true;
        rewrite(live, events);
      }
      if (current != null) {
        if (found.damaged()) {
          files
              .keepAside(found.newest(), owner.epoch())
              .ifPresent(file -> events.add(new StateEvent.SetAside(file)));
        }
        files.tidy();
        files.restoreBallast();
      }
      recordOwner();
      events.add(new StateEvent.Opened(owner, live.keys(), live.uncertainties().size()));
    } finally {
      turns.end();
    }
  }

  /** Continues an undamaged segment, with a header that raises the epoch. */
  private boolean goOn(int newest, SegmentScan scan) {
    Entry header = Header.of(newest, scan.length(), settings.host()).entry(seq + 1, owner.epoch());
    if (!ownership.isHeld() || scan.length() - scan.end() < header.size()) {
      return false;
    }
    Segment segment = null;
    try {
      segment = files.open(newest, scan);
      // A process that was killed may have deferred its last records.
      segment.sync();
      seq++;
      segment.append(List.of(header));
      use(segment);
      return true;
    } catch (DiskException e) {
      if (segment != null) {
        segment.close();
      }
      return false;
    }
  }

  private void recordOwner() {
    try {
      ownership.record(owner);
    } catch (DiskException e) {
      // The lock excludes other owners; the record only shows them who holds it.
      LOG.log(System.Logger.Level.DEBUG, "The owner of the state could not be recorded", e);
    }
  }

  @Override
  public LoadedState load() {
    return locked(
        () -> {
          checkOpen();
          return live.toLoaded(writtenOn);
        });
  }

  @Override
  public Stored put(StateKey key, StateValue value, Durability durability) {
    Objects.requireNonNull(durability, "durability");
    return write(key, Entry.unplaced(EntryName.of(key), Entry.PUT, value.bytes()), durability);
  }

  @Override
  public Stored remove(StateKey key) {
    return write(
        key, Entry.unplaced(EntryName.of(key), Entry.REMOVE, NOTHING), Durability.BEST_EFFORT);
  }

  @Override
  public Stored bury(StateKey volume, StateValue tombstone) {
    if (volume.kind() != StateKey.Kind.VOLUME) {
      throw new IllegalArgumentException("Only a volume can be buried, not " + volume);
    }
    EntryName grave = new EntryName(EntryName.TOMBSTONE, volume.id());
    return write(
        volume, Entry.unplaced(grave, Entry.BURY, tombstone.bytes()), Durability.BEST_EFFORT);
  }

  @Override
  public Stored settle() {
    return write(
        null, Entry.unplaced(LiveState.SETTLED, Entry.REMOVE, NOTHING), Durability.BEST_EFFORT);
  }

  @Override
  public StateStore.Capacity capacity() {
    return locked(
        () -> {
          checkOpen();
          if (trouble != null) {
            return new StateStore.Capacity.ReleasesOnly(trouble.reason(), trouble.text());
          }
          return new StateStore.Capacity.Free(roomForMore());
        });
  }

  /** Returns the number of bytes that acquisitions may still use. */
  private int roomForMore() {
    return current == null ? 0 : Math.max(0, current.room() - current.reserve());
  }

  @Override
  public StateStore.Owner owner() {
    return owner;
  }

  @Override
  public void close() {
    List<StateEvent> events = new ArrayList<>();
    turns.begin();
    try {
      if (closed) {
        return;
      }
      finish(events);
      closed = true;
      leave();
      forgetUnfinished();
      ownership.release();
    } finally {
      turns.end();
    }
    tell(events);
  }

  /**
   * Writes the changes that only memory has, and an end marker, unless another owner has the state.
   */
  private void finish(List<StateEvent> events) {
    try {
      checkUntouched(events, true);
      giveUpCompaction();
      if (ahead) {
        rewrite(live, events);
      }
      if (!append(Entry.unplaced(END, Entry.PUT, NOTHING))) {
        LOG.log(System.Logger.Level.DEBUG, "The closing record of the state could not be written");
        if (current != null) {
          current.sync();
        }
      }
    } catch (StateException e) {
      LOG.log(System.Logger.Level.DEBUG, "The state was closed by a process that had lost it", e);
    } catch (DiskException e) {
      LOG.log(System.Logger.Level.DEBUG, "The state could not be synced when it was closed", e);
    }
  }

  private Stored write(@Nullable StateKey key, Entry change, Durability durability) {
    Write mine = new Write(key, change, durability);
    turns.await(mine);
    tell(mine.events);
    return mine.result();
  }

  /** Afterwards, each write is done or has failed. */
  private void writeAll(List<Write> all) {
    isOurs = false;
    try {
      checkOpen();
      checkUntouched(all.get(0).events, false);
      isOurs = true;
      int done = 0;
      while (done < all.size()) {
        int together = appendTogether(all.subList(done, all.size()));
        if (together == 0) {
          writeAlone(all.get(done));
        }
        done += Math.max(1, together);
      }
    } catch (RuntimeException | Error e) {
      all.forEach(each -> each.failed(e));
    }
  }

  private void writeAlone(Write write) {
    try {
      write.done(written(write.key, write.change, write.isTaking(), write.events));
    } catch (StateException e) {
      write.failed(e);
    }
  }

  /**
   * Appends as many writes as fit, with one sync unless none of them waits for it, and returns
   * their number.
   */
  private int appendTogether(List<Write> writes) {
    Segment segment = current;
    // After a failure, a new segment is tried first, so that a recovery is noticed.
    if (segment == null || ahead || trouble != null) {
      return 0;
    }
    List<Entry> changes = new ArrayList<>();
    int room = segment.room();
    for (Write write : writes) {
      int size = write.change.size();
      if (room - (write.isTaking() ? segment.reserve() : 0) < size) {
        break;
      }
      room -= size;
      changes.add(write.change);
    }
    List<Write> fitting = writes.subList(0, changes.size());
    boolean isDeferred = fitting.stream().allMatch(Write::isDeferred);
    if (changes.isEmpty() || !append(segment, changes, isDeferred)) {
      return 0;
    }
    fitting.forEach(write -> write.done(isDeferred ? Stored.DEFERRED : Stored.DURABLE));
    return changes.size();
  }

  private Stored written(
      @Nullable StateKey key, Entry change, boolean taking, List<StateEvent> events) {
    if (rewrite(live.with(change), events)) {
      return Stored.DURABLE;
    }
    if (!taking && append(change)) {
      return Stored.DURABLE;
    }
    JournalTrouble why = Objects.requireNonNull(trouble, "trouble");
    if (taking) {
      throw new StateException(why.reason(), why.text(), why.cause());
    }
    live.apply(change);
    ahead = true;
    if (key != null) {
      events.add(new StateEvent.KeptInMemory(key, why.reason()));
    }
    return Stored.REMEMBERED;
  }

  /** Appends a change to the segment, if it has space. */
  private boolean append(Entry change) {
    Segment segment = current;
    return segment != null
        && segment.room() >= change.size()
        && append(segment, List.of(change), false);
  }

  private boolean append(Segment segment, List<Entry> changes, boolean isDeferred) {
    List<Entry> placed = new ArrayList<>();
    for (Entry change : changes) {
      seq++;
      placed.add(change.at(seq, owner.epoch()));
    }
    try {
      if (isDeferred) {
        segment.defer(placed);
      } else {
        segment.append(placed);
      }
    } catch (DiskException e) {
      // After a failed sync the contents of the medium are unknown, and another sync may report
      // success. So nothing more is written to this file.
      leave();
      repair = new StateEvent.Repaired(JournalTrouble.of(directory, e).reason(), segment.path);
      return false;
    }
    for (Entry change : changes) {
      if (!change.name().isOfTheFile()) {
        live.apply(change);
        if (compaction != null) {
          compaction.follow(change, roomForMore());
        }
      }
    }
    return true;
  }

  private boolean isMoreDue() {
    return isOurs && (files.hasLeftover() || isCompactionDue());
  }

  private void doMore(List<StateEvent> events) {
    isOurs = false;
    files.cutLeftover();
    if (isCompactionDue()) {
      compact(events);
    }
  }

  /** Whether a compaction should begin, or a step of it is due. */
  private boolean isCompactionDue() {
    Segment segment = current;
    // After a failure, the next intent immediately writes the complete state.
    if (segment == null || ahead || trouble != null) {
      return false;
    }
    return compaction == null ? segment.room() <= beginsAt : compaction.isDue(segment.isBehind());
  }

  /** Begins a compaction, or does a step of it; postponed if the disk fails. */
  private void compact(List<StateEvent> events) {
    Compaction running = compaction;
    compaction = null;
    try {
      if (running == null) {
        compaction = begin(live, ample(live), roomForMore());
      } else if (running.advance()) {
        takeOver(running, live, events);
      } else {
        compaction = running;
      }
    } catch (DiskException e) {
      if (running != null) {
        files.giveUp(running.segment);
      }
      if (current == null) {
        stop(JournalTrouble.of(directory, e), events);
      } else {
        LOG.log(System.Logger.Level.DEBUG, "A compaction of the state was postponed", e);
        beginsAt = (current.room() + current.reserve()) / 2;
      }
    }
  }

  private void giveUpCompaction() {
    if (compaction != null) {
      files.giveUp(compaction.segment);
      compaction = null;
    }
  }

  /** Leaves all other files as they are, because they may belong to another owner by now. */
  private void forgetUnfinished() {
    files.forgetLeftover();
    if (compaction != null) {
      compaction.segment.close();
      compaction = null;
    }
  }

  /** Writes the complete state to a new segment immediately. */
  private boolean rewrite(LiveState then, List<StateEvent> events) {
    giveUpCompaction();
    Compaction whole = null;
    try {
      if (!ownership.isHeld()) {
        acquireLate(events);
      }
      whole = whole(then);
      takeOver(whole, then, events);
      return true;
    } catch (DiskException e) {
      if (whole != null) {
        files.giveUp(whole.segment);
      }
      stop(JournalTrouble.of(directory, e), events);
      return false;
    }
  }

  private Compaction whole(LiveState then) throws DiskException {
    files.dropLeftover();
    try {
      return whole(then, ample(then));
    } catch (DiskException e) {
      if (e.kind() != Kind.NO_SPACE) {
        throw e;
      }
      files.releaseBallast();
      return whole(then, scant(then));
    }
  }

  private Compaction whole(LiveState then, int capacity) throws DiskException {
    Compaction whole = begin(then, capacity, 0);
    boolean done = false;
    try {
      whole.finish();
      done = true;
      return whole;
    } finally {
      if (!done) {
        files.giveUp(whole.segment);
      }
    }
  }

  private Compaction begin(LiveState then, int capacity, int room) throws DiskException {
    Segment next = files.begin(number + 1, capacity);
    Header header = Header.of(next.number, capacity, settings.host());
    return new Compaction(next, header, then, room, seq, owner.epoch());
  }

  private int ample(LiveState then) {
    return padded(Math.max(settings.segmentSize(), 2 * used(then)));
  }

  private int scant(LiveState then) {
    return padded(Math.min(ample(then), used(then) + SCANT_ROOM));
  }

  private long used(LiveState then) {
    return Header.of(0, 0, settings.host()).entry(0, 0).size() + then.bytes();
  }

  private static int padded(long capacity) {
    return Entry.padded((int) Math.min(SegmentFiles.MAX_SIZE, capacity));
  }

  /**
   * Continues in the new segment, which is complete and synced and has the current state in memory.
   * After a failure, it is not known which segment is found after a crash, unless the old one is
   * still in use.
   */
  private void takeOver(Compaction whole, LiveState then, List<StateEvent> events)
      throws DiskException {
    Segment next = whole.segment;
    files.name(next);
    number = next.number;
    seq = whole.seq();
    // From here on, the new segment may be the one that is found after a crash.
    leave();
    files.keepName(next);
    use(next);
    live = then;
    ahead = false;
    events.add(new StateEvent.Compacted(next.path, live.keys(), next.position()));
    files.tidy();
    files.restoreBallast();
    if (trouble != null) {
      events.add(new StateEvent.Recovered(trouble.reason()));
      trouble = null;
    }
    if (repair != null) {
      events.add(repair);
      repair = null;
    }
  }

  private void use(Segment segment) {
    current = segment;
    beginsAt = segment.capacity / REST;
  }

  /**
   * Takes the lock that a read-only disk did not provide, unless there was another writer
   * meanwhile.
   */
  private void acquireLate(List<StateEvent> events) throws DiskException {
    if (!ownership.acquire()) {
      throw new DiskException(Kind.DENIED, "another process has the lock", null);
    }
    long epoch = highestEpoch();
    if (epoch >= owner.epoch()) {
      refuseNewOwner(epoch, events);
    }
  }

  private long highestEpoch() throws DiskException {
    return files.scan().values().stream()
        .flatMap(scan -> scan.entries().stream())
        .mapToLong(Entry::epoch)
        .max()
        .orElse(0);
  }

  private void leave() {
    if (current != null) {
      current.close();
      current = null;
    }
  }

  private void stop(JournalTrouble found, List<StateEvent> events) {
    if (trouble == null || trouble.reason() != found.reason()) {
      events.add(new StateEvent.WritesStopped(found.reason(), found.text()));
    }
    trouble = found;
  }

  /**
   * Rejects writes to another directory than the opened one; returns whether the names in it may
   * have changed.
   */
  private boolean checkDirectory() {
    Object opened = identity;
    if (opened == null) {
      return true;
    }
    try {
      Optional<FileLook> now = disk.look(directory);
      if (now.filter(look -> !look.identity().equals(opened)).isPresent()) {
        throw new StateException(
            StateException.Reason.STATE_NOT_USABLE,
            "Writing to the state in "
                + JournalTrouble.shown(directory)
                + " failed: it is not the directory that was opened; something may be mounted "
                + "over it. Nothing was written. Unmount or remove what is there.");
      }
      long before = namesChanged;
      namesChanged = now.map(FileLook::modified).orElse(0L);
      return now.isEmpty() || namesChanged != before;
    } catch (DiskException e) {
      // If the check fails, the write is tried and reports what is wrong.
      LOG.log(System.Logger.Level.DEBUG, "The directory of the state could not be examined", e);
      return true;
    }
  }

  /**
   * Checks whether another program changed the files, and whether it was a new owner.
   *
   * @param isLast whether this is the last check before the end of all writes
   */
  private void checkUntouched(List<StateEvent> events, boolean isLast) {
    if (takenOver != null) {
      throw takenOver;
    }
    boolean mayHaveGone = checkDirectory();
    try {
      if (!ownership.isUntouched()) {
        long epoch = ownership.recorded().map(StateStore.Owner::epoch).orElse(0L);
        if (epoch > owner.epoch()) {
          refuseNewOwner(epoch, events);
        }
        recordOwner();
      }
      boolean isLookedAt = current != null && (isLast || mayHaveGone || current.isDue());
      if (current != null && isLookedAt && !current.isUntouched()) {
        long epoch = highestEpoch();
        if (epoch > owner.epoch()) {
          refuseNewOwner(epoch, events);
        }
        repair = new StateEvent.Repaired(StateException.Reason.JOURNAL_REPLACED, current.path);
        int replaced = current.number;
        leave();
        ahead = true;
        files
            .keepAside(replaced, owner.epoch())
            .ifPresent(file -> events.add(new StateEvent.SetAside(file)));
      }
    } catch (DiskException e) {
      // If the check fails, the write is tried and reports what is wrong.
      LOG.log(System.Logger.Level.DEBUG, "The state could not be examined", e);
    }
  }

  private void refuseNewOwner(long epoch, List<StateEvent> events) {
    String text =
        "Writing to the state in "
            + JournalTrouble.shown(directory)
            + " failed: another process took it over with epoch "
            + epoch
            + ", and this one has "
            + owner.epoch()
            + ". End one of the two; this one no longer writes.";
    takenOver =
        ownership
            .recorded()
            .map(other -> StateException.owned(StateException.Reason.STATE_TAKEN_OVER, text, other))
            .orElseGet(() -> new StateException(StateException.Reason.STATE_TAKEN_OVER, text));
    leave();
    forgetUnfinished();
    events.add(new StateEvent.TakenOver(text));
    throw takenOver;
  }

  private void checkOpen() {
    if (closed) {
      throw new StateException(
          StateException.Reason.STATE_CLOSED,
          "Using the state in "
              + JournalTrouble.shown(directory)
              + " failed: the store is closed. Open it again.");
    }
  }

  private <T> T locked(Supplier<T> action) {
    turns.begin();
    try {
      return action.get();
    } finally {
      turns.end();
    }
  }

  private void tell(List<StateEvent> events) {
    for (StateEvent event : events) {
      try {
        settings.listener().onEvent(event);
      } catch (RuntimeException e) {
        LOG.log(System.Logger.Level.WARNING, "A listener of the state failed", e);
      }
    }
  }
}
