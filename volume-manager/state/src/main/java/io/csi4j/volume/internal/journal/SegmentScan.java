package io.csi4j.volume.internal.journal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The findings in the bytes of a segment. Never fails: each of the bytes is a part of a whole
 * record, of a gap, or of the empty rest.
 *
 * @param header the newest header; null when there is none that is whole
 * @param entries the whole records, in the order of the file
 * @param gaps the places between and after them that are damaged
 * @param end where the next record can be written, if there are no gaps
 * @param bytes the file
 */
record SegmentScan(
    @Nullable Header header, List<Entry> entries, List<Gap> gaps, int end, ByteBuffer bytes) {

  /**
   * A place where records cannot be read, or are missing.
   *
   * @param after the number of the record before it; -1 when there is none
   * @param bytes how long it is; 0 when records are missing without a trace
   * @param known whose records were there, as far as that can be told
   * @param complete whether those are all that were there
   * @param tail whether no whole record follows that was synced later
   */
  record Gap(long after, int bytes, List<Entry.Key> known, boolean complete, boolean tail) {}

  static SegmentScan of(byte[] bytes) {
    return new Scanner(bytes).scan();
  }

  /** Whether these are the bytes that it is about. */
  boolean isOf(byte[] others) {
    return bytes.equals(ByteBuffer.wrap(others));
  }

  /** How long the file is. */
  int length() {
    return bytes.capacity();
  }

  /** Whether the file is shorter than it was made. */
  boolean isTruncated() {
    return header != null && length() < header.capacity();
  }

  /** Whether it can be written on: nothing in it is damaged. */
  boolean isSound() {
    return header != null && gaps.isEmpty() && length() == header.capacity();
  }

  /** Whether the last record has this number, so that the next number can follow it. */
  boolean endsWith(long seq) {
    return !entries.isEmpty() && entries.get(entries.size() - 1).seq() == seq;
  }

  /** Whether a newer version wrote any of it. */
  boolean isNewer() {
    return header != null && header.isNewer();
  }

  /** Walks over the bytes. */
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

    /** The place of the last byte that is not zero; what follows was never written. */
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
     * Whether all records from there on were written before the one before was synced: a power cut
     * leaves any part of them.
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
        // Its number was looked at here; the next record is compared with it.
        last = next;
      }
    }

    /** Whether those that can be told leave room for no other. */
    private boolean isComplete(SortedMap<Long, Entry.Key> known, int bytes, @Nullable Entry next) {
      if (known.isEmpty() || last == null || known.firstKey() != last.seq() + 1) {
        return false;
      }
      boolean dense = known.lastKey() - known.firstKey() == known.size() - 1L;
      // No number follows a tail, so its length has to tell.
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
