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
 * Writes the complete state to a new segment, in steps between which writers continue in the
 * previous segment. The new segment gets the state, in which a key that changes meanwhile has its
 * old or its new value; then its full length; then every change since the beginning, in order, so
 * that the last record of a key is the newest.
 *
 * <p>The file is not read before it has its final name, and it is renamed only when all of it is
 * synced. Not thread-safe.
 */
final class Compaction {

  /** The maximum number of bytes per write. */
  private static final int PIECE = 64 * 1024;

  /** The minimum number of steps in which a segment is written. */
  private static final int STEPS = 16;

  /** The minimum number of bytes that are written for each byte of a change. */
  private static final int PACE = 8;

  /** The maximum number of steps that are postponed by writes that do not wait for the medium. */
  private static final int PATIENCE = 8;

  final Segment segment;
  private final Iterator<Entry> state;
  private final Queue<Entry> changes = new ArrayDeque<>();
  private final int piece;
  private final int spare;
  private final long epoch;
  private long seq;

  /** The length of the file, if it is longer than its records. */
  private int length;

  private long changed;
  private long due;

  /**
   * Begins to write an empty segment.
   *
   * @param room the space for changes in the previous segment, in bytes, if changes are to follow
   * @param seq the number that precedes the first record
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
   * Adds a change that was appended to the previous segment, which has this much space left. The
   * less space is left, the more bytes are written, so that the compaction ends before the space is
   * used up.
   */
  void follow(Entry change, int room) {
    changes.add(change);
    changed += change.size();
    long pace = Math.max(PACE, left() / Math.max(1, room - spare) + 1);
    due += pace * change.size();
  }

  /** The number of bytes that are not written yet. */
  private long left() {
    return segment.capacity - Math.max(segment.position(), length) + changed;
  }

  /** Whether a step is due; it is postponed if no caller waits for the medium anyway. */
  boolean isDue(boolean isDeferred) {
    return due > 0 && due >= Math.min(left(), (isDeferred ? PATIENCE : 1) * (long) piece);
  }

  /** Writes and syncs the bytes that are due, and returns whether the segment is complete. */
  boolean advance() throws DiskException {
    write(due);
    due = 0;
    segment.sync();
    return !hasMore();
  }

  /** Writes and syncs all remaining bytes. */
  void finish() throws DiskException {
    write(Long.MAX_VALUE);
    segment.sync();
  }

  /** Returns the number of the last record. */
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
      // Not marked as records that are synced together: damage among them is not a torn end.
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
