package io.csi4j.volume.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.InvalidProtocolBufferException;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.PublishContext;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.internal.claims.Claims.Marked;
import io.csi4j.volume.internal.claims.proto.ClaimProto;
import io.csi4j.volume.internal.fields.CodecContract;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.store.ValueCodec;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Claims become bytes and claims again, and whatever is none is refused by name. */
class ClaimCodecTest implements CodecContract<Marked> {

  private static final Claim.Use USE =
      new Claim.Use(AccessMode.MULTI_NODE_MULTI_WRITER, AttachmentMode.FILESYSTEM);

  /** A kept claim. */
  enum Golden {
    FREE("claim-v1-free.bin"),
    USED("claim-v1-used.bin"),
    HELD("claim-v1-held.bin"),
    MOUNTED("claim-v2-mounted.bin"),
    TOLD("claim-v3-told.bin"),
    NEWER("claim-v1-newer.bin");

    private final String file;

    Golden(String file) {
      this.file = file;
    }

    byte[] bytes() {
      return read(file);
    }

    Marked record() {
      return switch (this) {
        case FREE -> Claims.free();
        case USED -> Claims.used();
        case HELD -> Claims.held();
        case MOUNTED -> Claims.mounted();
        case TOLD -> Claims.told();
        case NEWER -> Claims.newer();
      };
    }
  }

  @Override
  public List<Marked> records() {
    return IntStream.range(0, 5_000).mapToObj(seed -> Claims.random(new Random(seed))).toList();
  }

  @Override
  public List<byte[]> samples() {
    return Arrays.stream(Golden.values()).map(Golden::bytes).toList();
  }

  @Override
  public byte[] encode(Marked record) {
    return encoded(record);
  }

  @Override
  public Marked decode(byte[] bytes) throws MalformedRecordException {
    return decoded(bytes);
  }

  private static byte[] encoded(Marked record) {
    return StoredClaims.withVersion(
        new ClaimCodec().encode(record.claim(), record.mark(), record.newer()), record.version());
  }

  private static Marked decoded(byte[] bytes) throws MalformedRecordException {
    ValueCodec.Decoded<Claim> read = new ClaimCodec().decode(bytes);
    try {
      return new Marked(
          read.value(),
          StoredClaims.mark(StateValue.of(bytes)),
          ClaimProto.Claim.parseFrom(bytes).getVersion(),
          read.newer());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @Override
  public int formats() {
    return 3;
  }

  private static byte[] read(String file) {
    try (InputStream in =
        Objects.requireNonNull(ClaimCodecTest.class.getResourceAsStream(file), file)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] kept(String file, byte[] now) throws IOException {
    if (Boolean.getBoolean("csi4j.regenerate")) {
      Files.write(Path.of("src/test/resources/io/csi4j/volume/internal/claims", file), now);
      return now;
    }
    return read(file);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("G7")
  void isReadAndWrittenAsItAlwaysWas(Golden golden) throws Exception {
    byte[] bytes = kept(golden.file, encoded(golden.record()));

    assertThat(decoded(bytes))
        .as("G7: a claim of an older version is read")
        .isEqualTo(golden.record());
    assertThat(encoded(golden.record())).isEqualTo(bytes);
  }

  @Test
  void equalContextsHaveEqualBytesWhateverTheirOrder() {
    assertThat(encoded(attached(Map.of("a", "1", "b", "2", "c", "3"))))
        .isEqualTo(encoded(attached(new TreeMap<>(Map.of("c", "3", "b", "2", "a", "1")))));
  }

  private static Marked attached(Map<String, String> context) {
    ClaimHolder holder =
        Claims.holder("w", new ClaimHolder.Attachment.Attached(PublishContext.of(context)));
    return new Marked(Claims.claim(1, USE, holder), Claims.TOKEN, 0, UnknownFields.NONE);
  }

  @Test
  void aContextThatWouldNotComeBackIsNotWritten() {
    for (Map<String, String> context : List.of(Map.of("\ud800", ""), Map.of("k", "\udc00"))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> encoded(attached(context)))
          .withMessage(
              "An entry of the publish context is not valid Unicode, and would change when it is "
                  + "stored. Pass it as the plugin returned it.");
    }
  }

  @Test
  void whatCannotBeAClaimIsRefusedAndNotShown() {
    FieldWriter volume = new FieldWriter().text(1, "n").text(2, "v");
    FieldWriter mark = new FieldWriter().number(1, 1).number(2, 2);
    FieldWriter use = new FieldWriter().number(1, 1).number(2, 1);

    refused(begun().bytes(), "Field volume is missing.");
    refused(begun().part(2, volume).bytes(), "Field mark is missing.");
    refused(
        begun().part(2, new FieldWriter().text(1, "n\n").text(2, "v")).part(3, mark).bytes(),
        "The volume is not valid.");
    refused(
        begun().part(2, volume).part(3, mark).part(6, new FieldWriter().number(2, 1)).bytes(),
        "The use is not valid.");
    refused(
        begun().part(2, volume).part(3, mark).part(6, new FieldWriter().number(1, 1)).bytes(),
        "The attachment 0 is not known.");
    refused(begun().part(2, volume).part(3, mark).part(6, use).bytes(), "The claim is not valid.");
    refused(
        held().part(7, holder("b", 1)).part(7, holder("a", 1)).bytes(),
        "The holders are not sorted, or one is listed twice.");
    refused(
        held().part(7, holder("a", 1)).part(7, holder("a", 1)).bytes(),
        "The holders are not sorted, or one is listed twice.");
    refused(
        held().part(7, holder("a", 4)).bytes(), "The state of its attachment, 4, is not known.");
    refused(
        held().part(7, holder("a", 3, "k", "j")).bytes(),
        "The publish context is not sorted, or has a key twice.");
    refused(
        held().part(7, holder("a", 3, "k", "k")).bytes(),
        "The publish context is not sorted, or has a key twice.");
    refused(
        held().part(7, holder("a", 1, "k")).bytes(),
        "It has a publish context, but is not attached.");
    refused(
        new FieldWriter().number(1, 2).part(2, volume).part(3, mark).bytes(),
        "It has format 2, and nothing that needs it.");
    refused(
        new FieldWriter().number(1, 3).part(2, volume).part(3, mark).bytes(),
        "It has format 3, and nothing that needs it.");
    refused(
        held().part(7, holder("a", 1).part(9, new FieldWriter())).bytes(),
        "It has format 1, and mount options, which need format 2.");
    refused(
        held().part(7, told("csi.storage.k8s.io/pod.uid", "u-1")).bytes(),
        "It has format 1, and facts of a workload, which need format 3.");
    refused(
        held().part(7, told("csi.storage.k8s.io/pod.uid", "u\n1")).bytes(),
        "The holder is not valid.");
    refused(held().part(7, told("pool", "fast")).bytes(), "The holder is not valid.");
    refused(
        held()
            .part(7, told("csi.storage.k8s.io/pod.uid", "u-1", "csi.storage.k8s.io/pod.name", "a"))
            .bytes(),
        "The keys of a map are not sorted.");
    refused(
        held().part(7, holder("a", 1)).part(8, new FieldWriter()).number(5, 1).bytes(),
        "From byte 13 on, it differs from what this version writes.");
  }

  @Test
  @Tag("D-42")
  void aHolderWithoutAModeIsNoReader() {
    FieldWriter forgotten =
        new FieldWriter()
            .text(1, "a")
            .text(2, "n1")
            .number(5, 1)
            .number(6, 1)
            .part(7, new FieldWriter())
            .part(8, new FieldWriter().number(1, 1));

    refused(held().part(7, forgotten).bytes(), "The mode 0 is not known.");
  }

  private static FieldWriter begun() {
    return new FieldWriter().number(1, 1);
  }

  private static FieldWriter held() {
    return begun()
        .part(2, new FieldWriter().text(1, "n").text(2, "v"))
        .part(3, new FieldWriter())
        .number(5, 9)
        .part(6, new FieldWriter().number(1, 1).number(2, 1));
  }

  private static FieldWriter holder(String workload, int attached, String... keys) {
    FieldWriter how = new FieldWriter().number(1, attached);
    for (String key : keys) {
      how.part(2, new FieldWriter().text(1, key));
    }
    return new FieldWriter()
        .text(1, workload)
        .text(2, "n1")
        .number(4, 1)
        .number(5, 1)
        .number(6, 1)
        .part(7, new FieldWriter())
        .part(8, how);
  }

  private static FieldWriter told(String... entries) {
    FieldWriter facts = new FieldWriter();
    for (int i = 0; i < entries.length; i += 2) {
      facts.part(1, new FieldWriter().text(1, entries[i]).text(2, entries[i + 1]));
    }
    return holder("a", 1).part(10, facts);
  }

  private static void refused(byte[] bytes, String message) {
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> decoded(bytes))
        .withMessage(message);
  }

  @Test
  void aClaimOfTooManyHoldersIsRefusedWithTheirNumber() {
    RecordStoreException refusal =
        catchThrowableOfType(RecordStoreException.class, () -> encoded(crowd(2_000)));

    assertThat(refusal.reason()).isEqualTo(Reason.TOO_LARGE);
    assertThat(refusal)
        .hasMessageStartingWith(
            "Writing the claim of volume 'tenant-a/db-1' failed: with 2000 holders it takes ")
        .hasMessageEndingWith(
            " bytes, but at most 65536 are stored. Let fewer workloads hold it, or use shorter"
                + " names.");
    assertThat(encoded(crowd(1_000)).length).isLessThanOrEqualTo(ClaimCodec.MAX_SIZE);
  }

  private static Marked crowd(int holders) {
    ClaimHolder[] crowd =
        IntStream.range(0, holders)
            .mapToObj(
                i -> Claims.holder("w-%04d".formatted(i), new ClaimHolder.Attachment.InDoubt()))
            .toArray(ClaimHolder[]::new);
    return new Marked(Claims.claim(1, USE, crowd), Claims.TOKEN, 0, UnknownFields.NONE);
  }

  @Test
  void theContextIsInTheBytesAndNowhereElse() {
    Marked record = attached(Map.of("lun", "7-canary"));

    assertThat(new String(encoded(record), StandardCharsets.UTF_8)).contains("lun", "7-canary");
    assertThat(record.toString()).contains("lun").doesNotContain("7-canary");
  }
}
