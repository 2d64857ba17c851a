package io.csi4j.volume.internal.fields;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The behaviour that every codec of records has in common: damaged bytes are refused or are another
 * record, and never the one that they were.
 *
 * @param <R> a record
 */
public interface CodecContract<R> {

  /** A value, which a sample may have and no message may show. */
  String HIDDEN = "s3cr3t";

  /** Records of every kind. */
  List<R> records();

  /** Records as some version has written them, to be damaged. */
  List<byte[]> samples();

  byte[] encode(R record);

  R decode(byte[] bytes) throws MalformedRecordException;

  /** The number of formats that this version reads. */
  int formats();

  /** Whether bytes that can be read are always written in the same way again. */
  default boolean isCanonical() {
    return true;
  }

  /** Fails unless a record that was read is the one that was written. */
  default void isSame(R read, R written) {
    assertThat(read).isEqualTo(written);
  }

  @Test
  default void everyRecordComesBackAsItWasWritten() throws MalformedRecordException {
    List<R> records = records();
    assertThat(records).isNotEmpty();
    for (R record : records) {
      byte[] bytes = encode(record);
      R read = decode(bytes);
      isSame(read, record);
      assertThat(encode(read)).isEqualTo(bytes);
    }
  }

  @Test
  default void cutOffAnywhereItIsRefusedOrAnotherRecord() {
    for (byte[] sample : samples()) {
      for (int length = 0; length < sample.length; length++) {
        isRefusedOrAnotherRecord(Arrays.copyOf(sample, length), sample);
      }
    }
  }

  @Test
  default void withAnyBitFlippedItIsRefusedOrAnotherRecord() {
    for (byte[] sample : samples()) {
      for (int bit = 0; bit < sample.length * 8; bit++) {
        byte[] flipped = sample.clone();
        flipped[bit / 8] ^= (byte) (1 << bit % 8);
        isRefusedOrAnotherRecord(flipped, sample);
      }
    }
  }

  @Test
  default void randomBytesAreRefusedOrAnotherRecord() {
    Random random = new Random(7);
    List<byte[]> samples = samples();
    for (int i = 0; i < 20_000; i++) {
      byte[] sample = samples.get(i % samples.size());
      byte[] bytes = Arrays.copyOf(sample, random.nextInt(sample.length + 50));
      for (int changes = 1 + random.nextInt(8); changes > 0 && bytes.length > 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      isRefusedOrAnotherRecord(bytes, sample);
    }
  }

  @Test
  default void aFieldOfANewerVersionIsKept() throws MalformedRecordException {
    for (byte[] sample : samples()) {
      byte[] newer = new FieldWriter().fields(sample).text(100_000, "new").bytes();
      assertThat(encode(decode(newer))).isEqualTo(newer);
    }
  }

  @Test
  default void aNewerFormatIsRefusedByItsNumber() {
    int newer = formats() + 1;
    byte[] known = samples().get(0);
    byte[] rest = Arrays.copyOfRange(known, 2, known.length);

    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> decode(new FieldWriter().number(1, newer).fields(rest).bytes()))
        .withMessage(
            "It has format %d, and this version reads format %s.",
            newer, formats() == 1 ? "1" : "1 to " + formats());
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> decode(rest))
        .withMessage("It does not say its format.");
  }

  private void isRefusedOrAnotherRecord(byte[] bytes, byte[] sample) {
    try {
      byte[] written = encode(decode(bytes));
      boolean isAnother = !Arrays.equals(written, sample) || Arrays.equals(bytes, sample);
      if (!isAnother || (isCanonical() && !Arrays.equals(written, bytes))) {
        throw new AssertionError("It is written otherwise: " + HexFormat.of().formatHex(bytes));
      }
    } catch (MalformedRecordException e) {
      assertThat(e.getMessage()).isNotBlank().doesNotContain(HIDDEN);
    }
  }
}
