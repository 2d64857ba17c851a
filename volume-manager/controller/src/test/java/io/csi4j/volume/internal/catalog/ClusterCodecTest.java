package io.csi4j.volume.internal.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.store.ValueCodec;
import io.csi4j.volume.store.StoreIdentity;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ClusterCodecTest {

  private static final ClusterRecord RECORD =
      new ClusterRecord(ClusterIdentity.of("abcdefghijk27"), new StoreIdentity("etcd-1"));

  /** Format, identity, store, and the halves of the mark. */
  private static final String GOLDEN =
      "0801"
          + "120d"
          + HexFormat.of().formatHex("abcdefghijk27".getBytes(StandardCharsets.US_ASCII))
          + "1a06"
          + HexFormat.of().formatHex("etcd-1".getBytes(StandardCharsets.US_ASCII))
          + "210300000000000000"
          + "290400000000000000";

  private final ClusterCodec codec = new ClusterCodec();

  private ValueCodec.Decoded<ClusterRecord> decoded(String hex) throws MalformedRecordException {
    return codec.decode(HexFormat.of().parseHex(hex));
  }

  @Test
  void theBytesOfTheFirstVersionAreReadForEver() throws MalformedRecordException {
    assertThat(decoded(GOLDEN).value()).isEqualTo(RECORD);
    assertThat(HexFormat.of().formatHex(codec.encode(RECORD, new UUID(3, 4), UnknownFields.NONE)))
        .isEqualTo(GOLDEN);
  }

  @Test
  void fieldsOfANewerVersionAreKept() throws MalformedRecordException {
    String newer = GOLDEN + "3a0178";
    ValueCodec.Decoded<ClusterRecord> read = decoded(newer);
    assertThat(read.value()).isEqualTo(RECORD);
    assertThat(HexFormat.of().formatHex(codec.encode(RECORD, new UUID(3, 4), read.newer())))
        .isEqualTo(newer);
  }

  @Test
  void anotherFormatAndWhatNoIdentityCanBeAreRefused() {
    for (String wrong :
        new String[] {
          "", "0802" + GOLDEN.substring(4), GOLDEN.replace("120d61", "120d41"), "08011a0161"
        }) {
      assertThatExceptionOfType(MalformedRecordException.class).isThrownBy(() -> decoded(wrong));
    }
  }
}
