package io.csi4j.volume.powercut;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The bytes of a disk in memory. Pages of zeros are not kept, and copies share their pages. */
final class DiskImage {

  private static final int PAGE = 4096;
  private static final byte[] ZEROS = new byte[PAGE];

  /** Bytes that are written to a file at once. */
  private static final int RUN = 1 << 20;

  private final long size;
  private final SortedMap<Long, byte[]> pages;

  private DiskImage(long size, SortedMap<Long, byte[]> pages) {
    this.size = size;
    this.pages = pages;
  }

  /** Reads an image file, whose size is a multiple of a page. */
  static DiskImage read(Path file) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
      DiskImage image = new DiskImage(open.length(), new TreeMap<>());
      byte[] run = new byte[RUN];
      for (long at = 0; at < image.size; at += RUN) {
        int length = (int) Math.min(RUN, image.size - at);
        open.readFully(run, 0, length);
        image.write(at, run, 0, length);
      }
      return image;
    }
  }

  /** An image that changes apart from this one. */
  DiskImage copy() {
    return new DiskImage(size, new TreeMap<>(pages));
  }

  long size() {
    return size;
  }

  void write(long position, byte[] bytes) {
    write(position, bytes, 0, bytes.length);
  }

  /** Writes a part of these bytes. */
  void write(long position, byte[] bytes, int from, int length) {
    for (int done = 0; done < length; ) {
      long number = (position + done) / PAGE;
      int within = (int) ((position + done) % PAGE);
      int part = Math.min(PAGE - within, length - done);
      byte[] before = pages.get(number);
      byte[] page = before == null ? new byte[PAGE] : before.clone();
      System.arraycopy(bytes, from + done, page, within, part);
      if (isZero(page)) {
        pages.remove(number);
      } else {
        pages.put(number, page);
      }
      done += part;
    }
  }

  private static boolean isZero(byte[] page) {
    return Arrays.mismatch(page, ZEROS) < 0;
  }

  byte[] read(long position, int length) {
    byte[] bytes = new byte[length];
    for (int done = 0; done < length; ) {
      int within = (int) ((position + done) % PAGE);
      int part = Math.min(PAGE - within, length - done);
      byte[] page = pages.getOrDefault((position + done) / PAGE, ZEROS);
      System.arraycopy(page, within, bytes, done, part);
      done += part;
    }
    return bytes;
  }

  /** Makes a file of it that was not there. */
  void save(Path file) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.setLength(size);
      byte[] run = new byte[RUN];
      int length = 0;
      long begin = 0;
      for (Map.Entry<Long, byte[]> page : pages.entrySet()) {
        long at = page.getKey() * PAGE;
        if (at != begin + length || length == RUN) {
          write(open, begin, run, length);
          begin = at;
          length = 0;
        }
        System.arraycopy(page.getValue(), 0, run, length, PAGE);
        length += PAGE;
      }
      write(open, begin, run, length);
    }
  }

  private static void write(RandomAccessFile open, long begin, byte[] run, int length)
      throws IOException {
    open.seek(begin);
    open.write(run, 0, length);
  }
}
