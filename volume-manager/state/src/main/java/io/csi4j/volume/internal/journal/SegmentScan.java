package io.csi4j.volume.internal.journal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The parsed contents of a segment. Never fails: each byte belongs to a complete record, a gap, or
 * the empty remainder.
 *
 * @param header the newest header; null if there is no complete one
 * @param entries the complete records, in the order of the file
 * @param gaps the damaged places between and after them
 * @param end the position of the next record, if there are no gaps
 * @param bytes the file
 */
record SegmentScan(
    @Nullable Header header, List<Entry> entries, List<Gap> gaps, int end, ByteBuffer bytes) {

  /**
   * A place where records are unreadable or missing.
   *
   * @param after the number of the record before it; -1 if there is none
   * @param bytes its length; 0 if records are missing without a trace
   * @param known the keys of the records there, as far as they can be determined
   * @param complete whether there were no other records
   * @param tail whether no complete record follows that was synced later
   */
  record Gap(long after, int bytes, List<Entry.Key> known, boolean complete, boolean tail) {}

  static SegmentScan of(byte[] bytes) {
    return new Scanner(bytes).scan();
  }

  /** Whether these bytes are the same. */
  boolean isOf(byte[] others) {
    return bytes.equals(ByteBuffer.wrap(others));
  }

  /** Returns the length of the file. */
  int length() {
    return bytes.capacity();
  }

  /** Whether the file is shorter than at its creation. */
  boolean isTruncated() {
    return header != null && length() < header.capacity();
  }

  /** Whether the segment can be continued because nothing is damaged. */
  boolean isSound() {
    return header != null && gaps.isEmpty() && length() == header.capacity();
  }

  /** Whether the last record has this number, so that the next number can follow. */
  boolean endsWith(long seq) {
    return !entries.isEmpty() && entries.get(entries.size() - 1).seq() == seq;
  }

  /** Whether a newer version wrote any record. */
  boolean isNewer() {
    return header != null && header.isNewer();
  }

  /** Parses the bytes. */
  private static final class Scanner {

    private final byte[] bytes;
    private final List<Entry> entries = new ArrayList<>();
    private final List<Gap> gaps = new ArrayList<>();
    private @Nullable Header header;
    private @Nullable Entry last;

    Scanner(byte[] bytes) {
      this.bytes = bytes;
    }

    SegmentScan scan() {
      int lastUsed = lastUsed();
      int at = 0;
      while (at <= lastUsed) {
        Entry entry = Entry.decode(bytes, at);
        if (entry == null) {
          int next = nextWhole(at + Entry.ALIGNMENT, lastUsed);
          if (isTorn(next, lastUsed)) {
            next = Entry.padded(lastUsed + 1);
          }
          damaged(at, next);
          at = next;
        } else {
          missing(entry);
          take(entry);
          at += entry.size();
        }
      }
      return new SegmentScan(header, entries, gaps, at, ByteBuffer.wrap(bytes));
    }

    private void take(Entry entry) {
      entries.add(entry);
      last = entry;
      Header found = Header.from(entry);
      if (found != null && !(header != null && header.isNewer())) {
        header = found;
      }
    }

    /** Returns the position of the last nonzero byte; the bytes after it were never written. */
    private int lastUsed() {
      int at = bytes.length - 1;
      while (at >= 0 && bytes[at] == 0) {
        at--;
      }
      return at;
    }

    private int nextWhole(int from, int lastUsed) {
      for (int at = from; at <= lastUsed; at += Entry.ALIGNMENT) {
        if (Entry.decode(bytes, at) != null) {
          return at;
        }
      }
      return Entry.padded(lastUsed + 1);
    }

    /**
     * Whether all records from there on were written before the previous one was synced: after a
     * power cut, any part of them may be missing.
     */
    private boolean isTorn(int from, int lastUsed) {
      for (int at = nextWhole(from, lastUsed); at <= lastUsed; ) {
        Entry entry = Entry.decode(bytes, at);
        if (entry == null) {
          at = nextWhole(at + Entry.ALIGNMENT, lastUsed);
        } else if (Entry.isTogether(bytes, at)) {
          at += entry.size();
        } else {
          return false;
        }
      }
      return true;
    }

    private void damaged(int from, int to) {
      SortedMap<Long, Entry.Key> known = new TreeMap<>();
      for (int at = from; at < to; at += Entry.ALIGNMENT) {
        Entry.Key key = Entry.key(bytes, at);
        if (key != null && (last == null || key.seq() > last.seq())) {
          known.putIfAbsent(key.seq(), key);
        }
      }
      Entry next = to < bytes.length ? Entry.decode(bytes, to) : null;
      gaps.add(
          new Gap(
              last == null ? -1 : last.seq(),
              to - from,
              List.copyOf(known.values()),
              isComplete(known, to - from, next),
              next == null));
      if (next != null) {
        // The number was checked here; the next record is compared with it.
        last = next;
      }
    }

    /** Whether the known records leave no space for others. */
    private boolean isComplete(SortedMap<Long, Entry.Key> known, int bytes, @Nullable Entry next) {
      if (known.isEmpty() || last == null || known.firstKey() != last.seq() + 1) {
        return false;
      }
      boolean dense = known.lastKey() - known.firstKey() == known.size() - 1L;
      // No number follows a tail, so only its length can show that.
      return next == null
          ? dense && known.values().stream().mapToInt(Entry.Key::size).sum() >= bytes
          : dense && next.seq() == known.lastKey() + 1;
    }

    private void missing(Entry entry) {
      if (last != null && entry.seq() > last.seq() + 1) {
        gaps.add(new Gap(last.seq(), 0, List.of(), false, false));
      }
    }
  }
}
