package io.csi4j.testkit.internal.backend;

import io.csi4j.client.internal.proto.BlockMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * The blocks of a snapshot without bytes: about half of them hold data, more with each snapshot,
 * and about a quarter changes from one to the next. The same volume and age give the same blocks.
 *
 * @param volume of which volume
 * @param size how large it was
 * @param age the number of the cut
 */
record SyntheticBlocks(String volume, long size, long age) {

  private static final int BLOCKS = 64;

  /** Returns the data, as ranges in ascending order. */
  List<BlockMetadata> allocated() {
    return ranges(block -> roll(block, 0) < 8 + Math.min(age, 4));
  }

  /** Returns what was written since an earlier snapshot of the same volume. */
  List<BlockMetadata> changedSince(SyntheticBlocks base) {
    return ranges(block -> at(block) >= base.size || roll(block, base.age * 31 + age) < 4);
  }

  /** A number from 0 to 15. */
  private int roll(int block, long salt) {
    long mixed = (volume.hashCode() * 31L + block + salt * 0x9E3779B9L) * 0xBF58476D1CE4E5B9L;
    return (int) (mixed >>> 60);
  }

  private long at(int block) {
    return block * blockSize();
  }

  private long blockSize() {
    return Math.max(4096, (size + BLOCKS - 1) / BLOCKS);
  }

  private List<BlockMetadata> ranges(IntPredicate wanted) {
    List<BlockMetadata> ranges = new ArrayList<>();
    long begin = -1;
    for (int block = 0; block <= BLOCKS; block++) {
      boolean in = block < BLOCKS && at(block) < size && wanted.test(block);
      if (in && begin < 0) {
        begin = at(block);
      } else if (!in && begin >= 0) {
        long end = Math.min(size, at(block));
        ranges.add(
            BlockMetadata.newBuilder().setByteOffset(begin).setSizeBytes(end - begin).build());
        begin = -1;
      }
    }
    return ranges;
  }
}
