package io.csi4j.client.internal.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.internal.proto.GetMetadataAllocatedResponse;
import io.csi4j.client.internal.proto.GetMetadataDeltaResponse;
import io.csi4j.client.metadata.BlockMetadataBatch;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MetadataCheckTest {

  private static final int FIXED = 1;
  private static final int VARIABLE = 2;

  private MetadataCheck check = new MetadataCheck(0);

  @Test
  void goodMessagesComeThroughAndMoveTheOffset() {
    var first = next(VARIABLE, 100, 0, 10, 20, 5);
    assertThat(first.get().type()).isEqualTo(BlockMetadataBatch.Type.VARIABLE_LENGTH);
    assertThat(first.get().volumeCapacityBytes()).isEqualTo(100);
    assertThat(first.get().ranges())
        .containsExactly(new BlockMetadataBatch.Range(0, 10), new BlockMetadataBatch.Range(20, 5));
    assertThat(check.nextOffset()).isEqualTo(25);
    assertThat(next(VARIABLE, 100).get().ranges()).isEmpty();
    assertThat(check.nextOffset()).isEqualTo(25);
    assertThat(next(VARIABLE, 100, 25, 75).get().ranges())
        .containsExactly(new BlockMetadataBatch.Range(25, 75));
    assertThat(check.nextOffset()).isEqualTo(100);
    assertThat(first.warnings()).isEmpty();
  }

  @Test
  void deltasAreCheckedTheSameWay() {
    var message = GetMetadataDeltaResponse.newBuilder().setBlockMetadataTypeValue(FIXED);
    message.addBlockMetadataBuilder().setByteOffset(8).setSizeBytes(4);
    var answer = MappedAnswer.of(findings -> check.next(message.build(), findings));
    assertThat(answer.get().type()).isEqualTo(BlockMetadataBatch.Type.FIXED_LENGTH);
    assertThat(answer.get().ranges()).containsExactly(new BlockMetadataBatch.Range(8, 4));
    assertThat(answer.warnings()).containsExactly("volume_capacity_bytes REQUIRED");
  }

  @Test
  void typeAndCapacityStayTheSameWithinAStream() {
    next(VARIABLE, 100, 0, 10).get();
    assertThat(next(FIXED, 99, 10, 10).violations())
        .containsExactly("block_metadata_type MISMATCH", "volume_capacity_bytes MISMATCH");
  }

  @Test
  void aContinuedStreamMayHaveAnotherTypeButNoOtherCapacity() {
    next(FIXED, 100, 0, 10).get();
    check = check.continued();
    assertThat(next(VARIABLE, 100, 5, 20).get().ranges())
        .containsExactly(new BlockMetadataBatch.Range(10, 15));
    check = check.continued();
    assertThat(check.nextOffset()).isEqualTo(25);
    assertThat(next(VARIABLE, 101, 25, 1).violations())
        .containsExactly("volume_capacity_bytes MISMATCH");
  }

  @Test
  void theFirstRangeIsClippedToWhatWasAskedFor() {
    check = new MetadataCheck(15);
    assertThat(next(FIXED, 100, 10, 10, 20, 10).get().ranges())
        .containsExactly(new BlockMetadataBatch.Range(15, 5), new BlockMetadataBatch.Range(20, 10));
  }

  @Test
  void aFirstRangeBeforeWhatWasAskedForIsRefused() {
    check = new MetadataCheck(20);
    assertThat(next(FIXED, 100, 10, 10).violations())
        .containsExactly("block_metadata[0] OUT_OF_RANGE");
    assertThat(check.nextOffset()).isEqualTo(20);
  }

  @Test
  void rangesAscendWithoutOverlapAlsoAcrossMessages() {
    assertThat(next(VARIABLE, 100, 10, 10, 19, 2).violations())
        .containsExactly("block_metadata[1] ORDER");
    check = new MetadataCheck(0);
    assertThat(next(VARIABLE, 100, 10, 10, 0, 5).violations())
        .containsExactly("block_metadata[1] ORDER");
    check = new MetadataCheck(0);
    next(VARIABLE, 100, 10, 10).get();
    assertThat(next(VARIABLE, 100, 15, 10).violations()).containsExactly("block_metadata[0] ORDER");
    assertThat(check.nextOffset()).isEqualTo(20);
  }

  @Test
  void impossibleNumbersAreRefused() {
    assertThat(next(VARIABLE, 100, -1, 5).violations())
        .containsExactly("block_metadata[0].byte_offset OUT_OF_RANGE");
    assertThat(next(VARIABLE, 100, 0, 0).violations())
        .containsExactly("block_metadata[0].size_bytes OUT_OF_RANGE");
    assertThat(next(VARIABLE, 100, 0, -5).violations())
        .containsExactly("block_metadata[0].size_bytes OUT_OF_RANGE");
    assertThat(next(VARIABLE, 100, 90, 11).violations())
        .containsExactly("block_metadata[0] OUT_OF_RANGE");
    check = new MetadataCheck(0);
    assertThat(next(VARIABLE, -1).violations())
        .containsExactly("volume_capacity_bytes OUT_OF_RANGE");
  }

  @Test
  void rangesBehindTheLastNumberAreRefused() {
    assertThat(next(VARIABLE, 0, 1, Long.MAX_VALUE).violations())
        .containsExactly("block_metadata[0] OUT_OF_RANGE");
    check = new MetadataCheck(0);
    assertThat(next(VARIABLE, 0, 0, 10, 20, Long.MAX_VALUE).violations())
        .containsExactly("block_metadata[1] OUT_OF_RANGE");
    check = new MetadataCheck(0);
    assertThat(next(VARIABLE, 0, 0, Long.MAX_VALUE).violations()).isEmpty();
  }

  @Test
  void rangesOfFixedLengthHaveOneLengthExceptAtTheEndOfTheVolume() {
    next(FIXED, 95, 0, 10).get();
    assertThat(next(FIXED, 95, 10, 20).violations())
        .containsExactly("block_metadata[0].size_bytes MISMATCH");
    assertThat(next(FIXED, 95, 10, 5).violations())
        .containsExactly("block_metadata[0].size_bytes MISMATCH");
    check = new MetadataCheck(0);
    next(FIXED, 95, 0, 10).get();
    assertThat(next(FIXED, 95, 80, 10, 90, 5).get().ranges()).hasSize(2);
  }

  @Test
  void withoutACapacityOnlyTheLastRangeMayBeShorter() {
    assertThat(next(FIXED, 0, 0, 10, 10, 5).violations()).isEmpty();
    assertThat(next(FIXED, 0, 15, 5).violations())
        .containsExactly("block_metadata[0].size_bytes MISMATCH");
  }

  @Test
  void unknownTypesAreReportedOnce() {
    var first = next(7, 100, 0, 10);
    assertThat(first.get().type()).isEqualTo(BlockMetadataBatch.Type.UNRECOGNIZED);
    assertThat(first.warnings()).containsExactly("block_metadata_type UNRECOGNIZED");
    assertThat(next(7, 100, 10, 5).warnings()).isEmpty();
    check = new MetadataCheck(0);
    assertThat(next(0, 100).warnings()).containsExactly("block_metadata_type REQUIRED");
  }

  @Test
  void whateverComesTheRangesDeliveredAscendFromTheOffset() {
    Random random = new Random(7);
    for (int run = 0; run < 5000; run++) {
      long end = random.nextInt(30);
      check = new MetadataCheck(end);
      for (int message = 0; message < 4; message++) {
        long[] numbers = new long[2 * random.nextInt(4)];
        for (int i = 0; i < numbers.length; i++) {
          numbers[i] =
              random.nextInt(20) == 0
                  ? random.nextLong()
                  : i % 2 == 0 ? end + random.nextInt(8) - 2 : 1 + random.nextInt(6);
        }
        var answer = next(random.nextInt(10) == 0 ? 1 : 2, 1000, numbers);
        if (answer.value().isEmpty()) {
          break;
        }
        for (BlockMetadataBatch.Range range : answer.get().ranges()) {
          assertThat(range.offset()).isGreaterThanOrEqualTo(end);
          assertThat(range.size()).isPositive();
          end = range.end();
        }
        assertThat(check.nextOffset()).isEqualTo(end);
      }
    }
  }

  private MappedAnswer<BlockMetadataBatch> next(int type, long capacity, long... numbers) {
    var message =
        GetMetadataAllocatedResponse.newBuilder()
            .setBlockMetadataTypeValue(type)
            .setVolumeCapacityBytes(capacity);
    for (int i = 0; i < numbers.length; i += 2) {
      message.addBlockMetadataBuilder().setByteOffset(numbers[i]).setSizeBytes(numbers[i + 1]);
    }
    return MappedAnswer.of(findings -> check.next(message.build(), findings));
  }
}
