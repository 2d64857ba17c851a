package io.csi4j.volume.internal.journal;

import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.DiskException.Kind;
import io.csi4j.volume.internal.journal.SegmentFiles.Segment;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The writing of the whole state to a new segment, in steps between which writers go on in the
 * segment before. The new one gets the state, in which a key that changes meanwhile has its old
 * value or its new one; then its full length; then every change since the beginning, in order, so
 * that the last record of a key is the newest.
 *
 * <p>Nothing reads the file before it has its name, and it gets that when all of it is synced. Not
 * safe for several threads.
 */
final class Compaction {

  /** The most bytes that are written at once. */
  private static final int PIECE = 64 * 1024;

  /** A segment is written in so many steps at least. */
  private static final int STEPS = 16;

  /** The bytes that follow each byte of a change, at least. */
  private static final int PACE = 8;

  /** So many steps are put off by writers who do not wait for the medium. */
  private static final int PATIENCE = 8;

  final Segment segment;
  private final Iterator<Entry> state;
  private final Queue<Entry> changes = new ArrayDeque<>();
  private final int piece;
  private final int spare;
  private final long epoch;
  private long seq;

  /** How long the file is, where that is more than its records. */
  private int length;

  private long changed;
  private long due;

  /**
   * To an empty segment.
   *
   * @param room how many bytes of changes there is room for in the segment before, if there are to
   *     be any
   * @param seq the number before that of the first record
   */
  Compaction(Segment segment, Header header, LiveState live, int room, long seq, long epoch) {
    this.segment = segment;
    this.state = Stream.concat(Stream.of(header.entry(0, epoch)), live.records()).iterator();
    this.piece = Math.min(PIECE, segment.capacity / STEPS);
    this.spare = room / 4;
    this.seq = seq;
    this.epoch = epoch;
  }

  /**
   * Takes in a change that was appended to the segment before, which has room for so many more
   * bytes. The less room, the more has to follow, so that this ends while some is to spare.
   */
  void follow(Entry change, int room) {
    changes.add(change);
    changed += change.size();
    long pace = Math.max(PACE, left() / Math.max(1, room - spare) + 1);
    due += pace * change.size();
  }

  /** The bytes that are not written yet. */
  private long left() {
    return segment.capacity - Math.max(segment.position(), length) + changed;
  }

  /** Whether a step is due; later if nobody waits for the medium anyway. */
  boolean isDue(boolean isDeferred) {
    return due > 0 && due >= Math.min(left(), (isDeferred ? PATIENCE : 1) * (long) piece);
  }

  /** Writes and syncs what is due, and tells whether the segment is whole. */
  boolean advance() throws DiskException {
    write(due);
    due = 0;
    segment.sync();
    return !hasMore();
  }

  /** Writes and syncs all that is left. */
  void finish() throws DiskException {
    write(Long.MAX_VALUE);
    segment.sync();
  }

  /** The number of the last record. */
  long seq() {
    return seq;
  }

  private boolean hasMore() {
    return state.hasNext() || length < segment.capacity || !changes.isEmpty();
  }

  private void write(long bytes) throws DiskException {
    for (long left = bytes; left > 0 && hasMore(); ) {
      int most = (int) Math.min(left, piece);
      left -= state.hasNext() || length == segment.capacity ? writeRecords(most) : extend(most);
    }
  }

  private int extend(int most) throws DiskException {
    int from = Math.max(segment.position(), length);
    length = Math.min(segment.capacity, from + most);
    segment.extend(from, length);
    return length - from;
  }

  private int writeRecords(int most) throws DiskException {
    ByteArrayOutputStream some = new ByteArrayOutputStream(2 * most);
    for (Entry next = next(); next != null; next = some.size() < most ? next() : null) {
      seq++;
      // Not as records that are synced together: damage among them is no torn end.
      some.writeBytes(next.at(seq, epoch).encode());
    }
    if (some.size() > segment.room()) {
      throw new DiskException(Kind.NO_SPACE, "the state outgrew its new segment", null);
    }
    segment.write(some.toByteArray());
    return some.size();
  }

  private @Nullable Entry next() {
    if (state.hasNext()) {
      return state.next();
    }
    Entry change = length == segment.capacity ? changes.poll() : null;
    changed -= change == null ? 0 : change.size();
    return change;
  }
}
