package io.csi4j.testkit.internal.hostpath;

import io.csi4j.client.internal.proto.BlockMetadata;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The blocks of a snapshot that hold data, or differ from an older one, found by reading both. */
final class ChangedBlocks {

  private ChangedBlocks() {}

  /**
   * The blocks, in order, each of {@link SparseFile#BLOCK} bytes but for the last of the file.
   *
   * @param base the file of the older snapshot; null for the blocks that are not all zeros
   */
  static List<BlockMetadata> of(Path snapshot, @Nullable Path base) throws IOException {
    try (FileChannel now = FileChannel.open(snapshot);
        FileChannel before = base == null ? null : FileChannel.open(base)) {
      ByteBuffer block = ByteBuffer.allocateDirect(SparseFile.BLOCK);
      ByteBuffer old = ByteBuffer.allocateDirect(SparseFile.BLOCK);
      List<BlockMetadata> blocks = new ArrayList<>();
      for (long offset = 0; SparseFile.fill(now, block); offset += SparseFile.BLOCK) {
        old.limit(0);
        boolean isShorter = before == null || !SparseFile.fill(before, old);
        // What lies beyond the end of the older one was zeros there.
        boolean differs = isShorter ? !SparseFile.isZero(block) : !block.equals(old);
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
