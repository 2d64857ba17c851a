package io.csi4j.volume.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateValue;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bytes of one record, at the limits of the format. */
class EntryTest {

  private static final EntryName NAME = EntryName.of(Fixture.A);
  private static final int ID_AT = 35;

  private static Entry put(int size) {
    return new Entry(7, 3, NAME, Entry.PUT, new byte[size]);
  }

  @Test
  void aRecordIsReadWhereTheFileEndsBehindItsLastByte() {
    byte[] bytes = put(2).encode();
    int end = ID_AT + 1 + 2;

    assertThat(bytes).hasSize(40);
    assertThat(Entry.decode(Arrays.copyOf(bytes, end), 0))
        .isNotNull()
        .satisfies(entry -> assertThat(entry.seq()).isEqualTo(7));
    assertThat(Entry.decode(Arrays.copyOf(bytes, end - 1), 0)).isNull();
  }

  @Test
  void aRecordTellsWhoseItIsWhereTheFileEndsBehindItsId() {
    byte[] bytes = put(2).encode();

    assertThat(Entry.key(Arrays.copyOf(bytes, ID_AT + 1), 0))
        .isEqualTo(new Entry.Key(7, NAME, Entry.PUT, 40));
    assertThat(Entry.key(Arrays.copyOf(bytes, ID_AT), 0)).isNull();
    assertThat(Entry.key(Arrays.copyOf(bytes, ID_AT - 1), 0)).isNull();
  }

  @Test
  void aRecordHasAtMost1024BytesMoreThanTheLargestValueNeeds() {
    int most =
        StateValue.MAX_SIZE + StateValue.MAX_AROUND + 1024 + StateKey.MAX_ID - NAME.id().length();

    assertThat(Entry.decode(put(most).encode(), 0))
        .isNotNull()
        .satisfies(entry -> assertThat(entry.value()).hasSize(most));
    assertThat(Entry.decode(put(most + 1).encode(), 0)).isNull();
  }

  @Test
  void bytesWithoutTheMagicNumberAreNoRecord() {
    for (int at = 0; at < 4; at++) {
      byte[] bytes = put(2).encode();
      // No check of the record covers its magic number.
      bytes[at] ^= 1;

      assertThat(Entry.decode(bytes, 0)).as("byte %s", at).isNull();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "-1,false",
    "0,true",
    "1,true",
    "4611686018427387904,true",
    "4611686018427387905,false",
    "-9223372036854775808,false"
  })
  void aNumberIsBetweenZeroAndTwoToThePowerOf62(long number, boolean expected) {
    assertThat(Entry.isNumber(number)).isEqualTo(expected);
    assertThat(Entry.decode(new Entry(number, 3, NAME, Entry.PUT, new byte[2]).encode(), 0) != null)
        .as("as a place in the order")
        .isEqualTo(expected);
    assertThat(Entry.decode(new Entry(7, number, NAME, Entry.PUT, new byte[2]).encode(), 0) != null)
        .as("as an epoch")
        .isEqualTo(expected);
  }

  @Test
  void theEpochCountsBeforeThePlaceInTheOrder() {
    Entry first = new Entry(9, 1, NAME, Entry.PUT, new byte[0]);
    Entry second = new Entry(2, 2, NAME, Entry.PUT, new byte[0]);
    Entry third = new Entry(3, 2, NAME, Entry.PUT, new byte[0]);

    assertThat(second.isAfter(first)).isTrue();
    assertThat(first.isAfter(second)).isFalse();
    assertThat(third.isAfter(second)).isTrue();
    assertThat(second.isAfter(third)).isFalse();
    assertThat(second.isAfter(second)).isFalse();
  }
}
