package io.csi4j.testkit.internal.hostpath;

import io.csi4j.client.internal.proto.BlockMetadata;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Handles files in which blocks of zeros occupy no space. */
final class SparseFile {

  /** Number of bytes that are compared together. */
  static final int BLOCK = 64 << 10;

  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(BLOCK).asReadOnlyBuffer();

  /** The length of a device is a multiple of this. */
  private static final long SECTOR = 4096;

  private SparseFile() {}

  /** Returns the length of a device that holds this number of bytes. */
  static long deviceLength(long bytes) throws IOException {
    if (bytes < 0 || bytes > Long.MAX_VALUE - SECTOR) {
      throw new IOException("A device cannot have " + bytes + " bytes. Request fewer.");
    }
    return Math.max(SECTOR, (bytes + SECTOR - 1) / SECTOR * SECTOR);
  }

  /** Extends a file with zeros to at least this length. */
  static void grow(Path file, long length) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      if (open.length() < length) {
        open.setLength(length);
        open.getFD().sync();
      }
    }
  }

  /** Copies the rest of a channel to a new file, without writing blocks of zeros. */
  static void copy(SeekableByteChannel from, Path to) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(to.toFile(), "rw")) {
      FileChannel out = open.getChannel();
      ByteBuffer block = ByteBuffer.allocateDirect(BLOCK);
      long position = 0;
      while (fill(from, block)) {
        int read = block.remaining();
        if (!isZero(block)) {
          for (long at = position; block.hasRemaining(); ) {
            at += out.write(block, at);
          }
        }
        position += read;
      }
      open.setLength(position);
    }
  }

  /** Reads the next complete block, or the rest of the last one; returns false at the end. */
  static boolean fill(ReadableByteChannel from, ByteBuffer block) throws IOException {
    block.clear();
    while (block.hasRemaining() && from.read(block) >= 0) {
      // A read may return less than a block.
    }
    block.flip();
    return block.hasRemaining();
  }

  static boolean isZero(ByteBuffer block) {
    return block.equals(ZEROS.slice(0, block.remaining()));
  }

  /**
   * Returns the blocks of a snapshot that hold data, or that differ from an older snapshot;
   * compares the files, and returns blocks of {@link #BLOCK} bytes in order, except for the last
   * block of the file.
   *
   * @param base the file of the older snapshot; null for the blocks that are not all zeros
   */
  static List<BlockMetadata> changedBlocks(Path snapshot, @Nullable Path base) throws IOException {
    try (FileChannel now = FileChannel.open(snapshot);
        FileChannel before = base == null ? null : FileChannel.open(base)) {
      ByteBuffer block = ByteBuffer.allocateDirect(BLOCK);
      ByteBuffer old = ByteBuffer.allocateDirect(BLOCK);
      List<BlockMetadata> blocks = new ArrayList<>();
      for (long offset = 0; fill(now, block); offset += BLOCK) {
        old.limit(0);
        boolean isShorter = before == null || !fill(before, old);
        // Beyond the end of the older snapshot, its content counts as zeros.
        boolean differs = isShorter ? !isZero(block) : !block.equals(old);
        if (differs) {
          blocks.add(
              BlockMetadata.newBuilder()
                  .setByteOffset(offset)
                  .setSizeBytes(block.remaining())
                  .build());
        }
      }
      return blocks;
    }
  }
}
