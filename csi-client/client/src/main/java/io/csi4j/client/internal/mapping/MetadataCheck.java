package io.csi4j.client.internal.mapping;

import io.csi4j.client.internal.proto.BlockMetadata;
import io.csi4j.client.internal.proto.GetMetadataAllocatedResponse;
import io.csi4j.client.internal.proto.GetMetadataDeltaResponse;
import io.csi4j.client.metadata.BlockMetadataBatch;
import io.csi4j.client.model.Violation.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Checks the messages of one stream of block metadata in order, and remembers the offset at which a
 * new stream would continue. The stream ends at the first violation. Not thread-safe.
 *
 * <p>Throws {@link UnusableAnswerException} if the findings contain a violation.
 */
public final class MetadataCheck {

  private final long resumeOffset;
  private OptionalLong capacity;
  private boolean first = true;
  private int typeNumber;
  private long nextOffset;
  private long fixedSize;
  private boolean shorterSeen;

  private MetadataCheck(long resumeOffset, OptionalLong capacity) {
    this.resumeOffset = resumeOffset;
    this.nextOffset = resumeOffset;
    this.capacity = capacity;
  }

  /** Creates the check of a stream that was requested from {@code startingOffset}. */
  public MetadataCheck(long startingOffset) {
    this(startingOffset, OptionalLong.empty());
  }

  /**
   * Returns the check for a new stream that continues where this stream broke. The new stream may
   * have another type of ranges, but must report the same size of the volume.
   */
  public MetadataCheck continued() {
    return new MetadataCheck(nextOffset, capacity);
  }

  /** Returns the offset of the first byte that was not delivered yet. */
  public long nextOffset() {
    return nextOffset;
  }

  /** Checks the next message of a stream of allocated ranges. */
  public BlockMetadataBatch next(GetMetadataAllocatedResponse message, AnswerFindings findings) {
    return next(
        message.getBlockMetadataTypeValue(),
        message.getVolumeCapacityBytes(),
        message.getBlockMetadataList(),
        findings);
  }

  /** Checks the next message of a stream of changed ranges. */
  public BlockMetadataBatch next(GetMetadataDeltaResponse message, AnswerFindings findings) {
    return next(
        message.getBlockMetadataTypeValue(),
        message.getVolumeCapacityBytes(),
        message.getBlockMetadataList(),
        findings);
  }

  private BlockMetadataBatch next(
      int number, long bytes, List<BlockMetadata> ranges, AnswerFindings findings) {
    BlockMetadataBatch.Type type =
        switch (number) {
          case 1 -> BlockMetadataBatch.Type.FIXED_LENGTH;
          case 2 -> BlockMetadataBatch.Type.VARIABLE_LENGTH;
          default -> BlockMetadataBatch.Type.UNRECOGNIZED;
        };
    checkHead(number, type, bytes, findings);
    List<BlockMetadataBatch.Range> delivered = new ArrayList<>(ranges.size());
    long end = nextOffset;
    for (int i = 0; i < ranges.size() && findings.isUsable(); i++) {
      BlockMetadataBatch.Range range =
          new BlockMetadataBatch.Range(ranges.get(i).getByteOffset(), ranges.get(i).getSizeBytes());
      checkRange("block_metadata[" + i + "]", type, range, end, findings);
      if (findings.isUsable()) {
        end = range.end();
        long begin = Math.max(range.offset(), resumeOffset);
        delivered.add(new BlockMetadataBatch.Range(begin, end - begin));
      }
    }
    long reached = end;
    return findings.result(
        () -> {
          nextOffset = reached;
          return new MetadataResults.BlockMetadataBatchValue(type, bytes, List.copyOf(delivered));
        });
  }

  private void checkHead(
      int number, BlockMetadataBatch.Type type, long bytes, AnswerFindings findings) {
    if (first && type == BlockMetadataBatch.Type.UNRECOGNIZED) {
      findings.warning(
          "block_metadata_type",
          number == 0 ? Rule.REQUIRED : Rule.UNRECOGNIZED,
          "is " + number + "; known values are 1 and 2");
    }
    if (first) {
      typeNumber = number;
    } else if (number != typeNumber) {
      findings.violation(
          "block_metadata_type",
          Rule.MISMATCH,
          "is " + number + "; earlier in the stream it was " + typeNumber);
    }
    if (bytes < 0) {
      findings.violation("volume_capacity_bytes", Rule.OUT_OF_RANGE, AnswerRules.negative(bytes));
    } else if (capacity.isPresent() && capacity.getAsLong() != bytes) {
      findings.violation(
          "volume_capacity_bytes",
          Rule.MISMATCH,
          "is " + bytes + "; earlier it was " + capacity.getAsLong());
    } else if (capacity.isEmpty()) {
      capacity = OptionalLong.of(bytes);
      if (bytes == 0) {
        findings.warning("volume_capacity_bytes", Rule.REQUIRED, "is 0");
      }
    }
    first = false;
  }

  private void checkRange(
      String field,
      BlockMetadataBatch.Type type,
      BlockMetadataBatch.Range range,
      long end,
      AnswerFindings findings) {
    long limit = capacity.orElse(0);
    if (range.offset() < 0) {
      findings.violation(
          field + ".byte_offset", Rule.OUT_OF_RANGE, AnswerRules.negative(range.offset()));
    } else if (range.size() <= 0) {
      findings.violation(
          field + ".size_bytes",
          Rule.OUT_OF_RANGE,
          "is " + range.size() + "; it has to be above 0");
    } else if (range.offset() > Long.MAX_VALUE - range.size()
        || (limit > 0 && range.end() > limit)) {
      findings.violation(
          field,
          Rule.OUT_OF_RANGE,
          text(range)
              + " ends after the "
              + (limit > 0 ? limit : Long.MAX_VALUE)
              + " bytes of the volume");
    } else if (end == resumeOffset && range.end() <= end) {
      findings.violation(
          field,
          Rule.OUT_OF_RANGE,
          text(range) + " ends before the offset " + resumeOffset + ", the requested start");
    } else if (end != resumeOffset && range.offset() < end) {
      findings.violation(
          field,
          Rule.ORDER,
          text(range) + " begins before " + end + ", where the previous range ends");
    } else if (type == BlockMetadataBatch.Type.FIXED_LENGTH) {
      checkFixed(field + ".size_bytes", range, limit, findings);
    }
  }

  /**
   * Checks a range of fixed length. Only the last range may be shorter than the others, if the
   * volume ends there.
   */
  private void checkFixed(
      String field, BlockMetadataBatch.Range range, long limit, AnswerFindings findings) {
    if (fixedSize == 0) {
      fixedSize = range.size();
    } else if (shorterSeen || range.size() > fixedSize) {
      findings.violation(
          field,
          Rule.MISMATCH,
          "is " + range.size() + "; the previous ranges have a fixed length of " + fixedSize);
    } else if (range.size() < fixedSize) {
      shorterSeen = true;
      if (limit > 0 && range.end() != limit) {
        findings.violation(
            field,
            Rule.MISMATCH,
            "is "
                + range.size()
                + "; the previous ranges have a fixed length of "
                + fixedSize
                + ", and this one does not end with the volume");
      }
    }
  }

  private static String text(BlockMetadataBatch.Range range) {
    return "of " + range.size() + " bytes at " + range.offset();
  }
}
