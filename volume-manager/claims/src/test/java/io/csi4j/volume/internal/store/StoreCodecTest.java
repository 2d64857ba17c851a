package io.csi4j.volume.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A store's own records are read and written as they always were. */
class StoreCodecTest {

  private static byte[] kept(String file, byte[] now) throws IOException {
    if (Boolean.getBoolean("csi4j.regenerate")) {
      Files.write(Path.of("src/test/resources/io/csi4j/volume/internal/store", file), now);
      return now;
    }
    try (InputStream in =
        Objects.requireNonNull(StoreCodecTest.class.getResourceAsStream(file), file)) {
      return in.readAllBytes();
    }
  }

  @Test
  void anIdentityIsReadAndWrittenAsItAlwaysWas() throws IOException {
    StoreIdentity identity = new StoreIdentity("local-0b5c1e9a");
    byte[] bytes = kept("identity-v1.bin", StoreCodec.encode(identity));

    assertThat(StoreCodec.identity(bytes, "the identity")).isEqualTo(identity);
    assertThat(StoreCodec.encode(identity)).isEqualTo(bytes);
  }

  @Test
  void theMarkOfAMoveIsReadAndWrittenAsItAlwaysWas() throws Exception {
    MoveMark mark = new MoveMark(new StoreIdentity("local-0b5c1e9a"), true, false);
    UUID write = new UUID(0x1122334455667788L, 0x99aabbccddeeff00L);
    byte[] bytes = kept("move-v1.bin", StoreCodec.encode(mark, write, UnknownFields.NONE));

    assertThat(StoreCodec.move(bytes))
        .isEqualTo(new ValueCodec.Decoded<>(mark, UnknownFields.NONE));
    assertThat(StoreCodec.encode(mark, write, UnknownFields.NONE)).isEqualTo(bytes);
  }

  @Test
  void aNewerFormatOfAnIdentityIsRefusedByItsNumber() {
    byte[] newer = new FieldWriter().number(1, 3).text(2, "what this version cannot know").bytes();

    assertThatExceptionOfType(RecordStoreException.class)
        .isThrownBy(() -> StoreCodec.identity(newer, "the mark under 'a\u202e'"))
        .withMessage(
            "Reading the mark under 'a\\u202e' failed: It has format 3, and this version reads"
                + " format 1. Run the csi4j version that wrote it, or a later one.")
        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.UNREADABLE));
  }

  @Test
  void aRecordOfOneHostIsReadAndWrittenAsItAlwaysWas() throws IOException {
    StoredRecord record =
        StoredRecord.of(
            RecordKey.of(Space.VOLUMES, VolumeKey.of("db-\ud83d\udcbe")),
            4294967301L,
            new byte[] {8, 1, 0, -1});
    byte[] bytes = kept("local-v3.bin", StoreCodec.local(record).bytes());

    assertThat(StoreCodec.local(StoreCodec.stateKey(record.key()), StateValue.of(bytes)))
        .isEqualTo(record);
    assertThat(StoreCodec.local(record).bytes()).isEqualTo(bytes);
  }

  @Test
  void theHighestVersionIsReadAndWrittenAsItAlwaysWas() throws IOException {
    byte[] bytes = kept("floor-v1.bin", StoreCodec.floor(1L << 40).bytes());

    assertThat(StoreCodec.floor(StateValue.of(bytes))).isEqualTo(1L << 40);
    assertThat(StoreCodec.floor(1L << 40).bytes()).isEqualTo(bytes);
  }

  @Test
  void anyBytesAreARecordUnderTheKeyWhereTheyStand() {
    long seed = 33;
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(40)];
      random.nextBytes(bytes);
      if (bytes.length > 1 && random.nextBoolean()) {
        bytes[0] = 8;
        bytes[1] = (byte) (1 + random.nextInt(4));
      }
      StateKey key = random.nextBoolean() ? StateKey.claim("x") : StateKey.catalog("x");

      StoredRecord record = StoreCodec.local(key, StateValue.of(bytes));

      assertThat(record.key().name()).as("seed %d", seed).isEqualTo(key.toString());
    }
  }
}
