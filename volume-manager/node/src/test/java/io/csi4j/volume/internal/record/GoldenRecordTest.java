package io.csi4j.volume.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.state.StateValue;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Records of each format, written once and kept: they are read, and written, like this for ever.
 */
class GoldenRecordTest {

  /** A kept volume. */
  enum Golden {
    INTENDED("volume-v1-intended.bin"),
    USED("volume-v1-used.bin"),
    BLOCK("volume-v1-block.bin"),
    NEWER("volume-v1-newer.bin"),
    CONTEXTS("volume-v1-contexts.bin"),
    LEAVING("volume-v1-leaving.bin"),
    ABANDONED("volume-v1-abandoned.bin"),
    ANSWERED("volume-v1-answered.bin"),
    LABELLED("volume-v1-labelled.bin"),
    CLAIMED("volume-v2-claimed.bin");

    private final String file;

    Golden(String file) {
      this.file = file;
    }

    byte[] bytes() {
      return read(file);
    }

    VolumeRecord record() {
      return switch (this) {
        case INTENDED -> Records.intended();
        case USED -> Records.used();
        case BLOCK -> Records.block();
        case NEWER -> Records.newer();
        case CONTEXTS -> Records.withContexts();
        case LEAVING -> Records.leaving();
        case ABANDONED -> Records.abandoned();
        case ANSWERED -> Records.answered();
        case LABELLED -> Records.labelled();
        case CLAIMED -> Records.claimed();
      };
    }
  }

  private static byte[] read(String file) {
    try (InputStream in =
        Objects.requireNonNull(GoldenRecordTest.class.getResourceAsStream(file), file)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("G7")
  void isReadAndWrittenAsItAlwaysWas(Golden golden) throws MalformedRecordException {
    StateValue value = StateValue.of(golden.bytes());

    assertThat(RecordCodec.decodeVolume(value))
        .as("G7: a record of an older version is read")
        .isEqualTo(golden.record());
    assertThat(RecordCodec.encode(golden.record())).isEqualTo(value);
  }

  @Test
  void aTombstoneIsReadAndWrittenAsItAlwaysWas() throws MalformedRecordException {
    StateValue value = StateValue.of(read("tombstone-v1.bin"));

    assertThat(RecordCodec.decodeTombstone(value)).isEqualTo(Records.tombstone());
    assertThat(RecordCodec.encode(Records.tombstone())).isEqualTo(value);
  }

  @Test
  void aTombstoneSaysWhatAPersonHasAbandoned() throws MalformedRecordException {
    StateValue value = StateValue.of(read("tombstone-v1-abandoned.bin"));

    assertThat(RecordCodec.decodeTombstone(value)).isEqualTo(Records.abandonedTombstone());
    assertThat(RecordCodec.encode(Records.abandonedTombstone())).isEqualTo(value);
  }

  @Test
  void aDamagedTombstoneIsRefusedOrAnotherOne() {
    byte[] whole = read("tombstone-v1.bin");
    for (int bit = 0; bit < whole.length * 8; bit++) {
      byte[] flipped = whole.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      isReadOrRefused(flipped);
      isReadOrRefused(Arrays.copyOf(whole, bit / 8));
    }
  }

  private static void isReadOrRefused(byte[] bytes) {
    try {
      assertThat(RecordCodec.decodeTombstone(StateValue.of(bytes)).identity()).isNotNull();
    } catch (MalformedRecordException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }
}
