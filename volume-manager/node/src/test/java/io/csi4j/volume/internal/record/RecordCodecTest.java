package io.csi4j.volume.internal.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.internal.fields.CodecContract;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateValue;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records become bytes and records again, and whatever is not one is refused by name. */
class RecordCodecTest implements CodecContract<VolumeRecord> {

  @Override
  public List<VolumeRecord> records() {
    return IntStream.range(0, 3_000).mapToObj(seed -> Records.random(new Random(seed))).toList();
  }

  @Override
  public List<byte[]> samples() {
    return Arrays.stream(GoldenRecordTest.Golden.values())
        .map(GoldenRecordTest.Golden::bytes)
        .toList();
  }

  @Override
  public byte[] encode(VolumeRecord record) {
    return RecordCodec.encode(record).bytes();
  }

  @Override
  public VolumeRecord decode(byte[] bytes) throws MalformedRecordException {
    return RecordCodec.decodeVolume(StateValue.of(bytes));
  }

  @Override
  public int formats() {
    return 2;
  }

  private static VolumeRecord decoded(FieldWriter bytes) throws MalformedRecordException {
    return RecordCodec.decodeVolume(StateValue.of(bytes.bytes()));
  }

  private static void refused(FieldWriter bytes, String message) {
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> decoded(bytes))
        .withMessage(message);
  }

  /** The fields that every volume has, and no uses. */
  private static FieldWriter smallest() {
    return new FieldWriter().fields(RecordCodec.encode(fresh()).bytes());
  }

  private static VolumeRecord fresh() {
    return VolumeRecord.fresh(Records.IDENTITY, Records.used().plan(), Records.PLACE);
  }

  /** A host has thousands of records. */
  @Test
  void aUseIsReadOnceAndSoAreTextsThatAreEqual() throws MalformedRecordException {
    StateValue value = RecordCodec.encode(Records.withContexts());
    VolumeRecord read = RecordCodec.decodeVolume(value);
    VolumeRecord again = RecordCodec.decodeVolume(value);

    assertThat(again.place().boot()).isNotEmpty().isSameAs(read.place().boot());
    VolumeUse usage = Records.usage("db-1", "web-1");
    assertThat(read.contexts().keySet())
        .filteredOn(usage::equals)
        .singleElement()
        .isSameAs(read.target(usage).orElseThrow().usage());
  }

  @Test
  void everyTombstoneIsReadAsItWasWritten() throws MalformedRecordException {
    Random random = new Random(2);
    for (int i = 0; i < 1000; i++) {
      Tombstone tombstone = Records.randomTombstone(random);
      StateValue value = RecordCodec.encode(tombstone);
      assertThat(RecordCodec.decodeTombstone(value)).as("tombstone %d", i).isEqualTo(tombstone);
      assertThat(RecordCodec.encode(tombstone)).as("tombstone %d", i).isEqualTo(value);
    }
  }

  @Test
  void equalRecordsHaveEqualBytesInWhateverOrderTheirUsesCame() {
    VolumeRecord used = Records.used();
    VolumeRecord other = fresh().withStaging(used.staging());
    for (TargetRecord target :
        List.copyOf(used.targets().values()).stream()
            .sorted((a, b) -> b.usage().compareTo(a.usage()))
            .toList()) {
      other = other.withTarget(target);
    }

    assertThat(other).isEqualTo(used);
    assertThat(RecordCodec.encode(other)).isEqualTo(RecordCodec.encode(used));
  }

  @Test
  @Tag("G9")
  void whatANewerVersionWroteOutlivesEveryChange() throws MalformedRecordException {
    VolumeRecord newer = RecordCodec.decodeVolume(RecordCodec.encode(Records.newer()));
    VolumeRecord changed =
        newer
            .without(Records.usage("db-1", "web-1"))
            .withStaging(newer.staging().as(PathStatus.IN_DOUBT))
            .at(new Place("another boot", 7));

    VolumeRecord read = RecordCodec.decodeVolume(RecordCodec.encode(changed));

    assertThat(read).isEqualTo(changed);
    assertThat(read.unknown())
        .as("G9: what a newer version wrote is kept")
        .isEqualTo(Records.newer().unknown())
        .isNotEqualTo(UnknownFields.NONE);
  }

  @Test
  void whatANewerVersionWroteInATombstoneIsPassedOver() throws MalformedRecordException {
    byte[] bytes = RecordCodec.encode(Records.tombstone()).bytes();
    FieldWriter newer = new FieldWriter().fields(bytes).text(9, "new").number(12, 1);

    assertThat(RecordCodec.decodeTombstone(StateValue.of(newer.bytes())))
        .isEqualTo(Records.tombstone());
  }

  @Test
  void whatIsNoLabelIsRefused() {
    FieldWriter plan = new FieldWriter().flag(1, true).number(3, 1).text(7, "no label");

    refused(
        new FieldWriter()
            .number(1, 1)
            .part(2, new FieldWriter().text(1, "ebs").text(2, "vol-1"))
            .part(3, plan)
            .part(4, new FieldWriter().text(1, "boot"))
            .part(5, new FieldWriter()),
        "The label of SELinux is not valid.");
  }

  @Test
  void theNumberOfAFormatHasNoSign() {
    refused(
        new FieldWriter().number(1, -1),
        "It has format 18446744073709551615, and this version reads format 1 to 2.");
  }

  @Test
  void aRecordWithoutOneOfItsPartsIsRefused() {
    refused(new FieldWriter().number(1, 1), "Field 2 is missing.");
  }

  @Test
  void namesThatCannotBeAreRefusedAndNotShown() {
    FieldWriter noPlugin = new FieldWriter().text(2, "vol-1");
    FieldWriter withNul = new FieldWriter().text(1, "p").text(2, "a\0b");
    FieldWriter control = new FieldWriter().text(1, "p\nq").text(2, "v");
    for (FieldWriter identity : List.of(noPlugin, withNul, control)) {
      refused(new FieldWriter().number(1, 1).part(2, identity), "The identity is not valid.");
    }
  }

  @Test
  void usesOutOfOrderOrTwiceAreRefused() {
    FieldWriter a = target("a");
    FieldWriter b = target("b");
    String message = "The uses are not in order, or one is listed twice.";

    refused(smallest().part(6, b).part(6, a), message);
    refused(smallest().part(6, a).part(6, a), message);
  }

  private static FieldWriter target(String workload) {
    FieldWriter usage = new FieldWriter().text(1, "n").text(2, "v").text(3, workload);
    return new FieldWriter().part(1, usage).part(3, new FieldWriter());
  }

  @Test
  void answeredUsesAreInOrderAndEachIsThereOnce() throws MalformedRecordException {
    FieldWriter a = new FieldWriter().text(1, "n").text(2, "v").text(3, "a");
    FieldWriter b = new FieldWriter().text(1, "n").text(2, "v").text(3, "b");

    assertThat(decoded(smallest().part(10, a).part(10, b)).answered()).hasSize(2);
    refused(smallest().part(10, b).part(10, a), "The answered uses are not in order.");
    refused(smallest().part(10, a).part(10, a), "The answered uses are not in order.");
  }

  @Test
  void aFieldThatIsKnownIsNeverTakenForANewerOne() {
    refused(
        smallest().number(6, 1), "A field is out of order or has an invalid number after field 5.");
    refused(
        smallest().part(6, target("a")).number(2, 1),
        "A field is out of order or has an invalid number after field 6.");
    refused(
        smallest().text(11, "x").text(8, "y"),
        "A field is out of order or has an invalid number after field 11.");
  }

  @Test
  void onlyARecordWithAClaimHasTheFormatOfClaims() throws MalformedRecordException {
    VolumeRecord plain = fresh().withTarget(use("a"));
    VolumeRecord claimed = fresh().withTarget(use("a").under(new ClaimMark(7, true)));
    byte[] format1 = RecordCodec.encode(plain).bytes();
    byte[] format2 = RecordCodec.encode(claimed).bytes();

    assertThat(format1[1]).isEqualTo((byte) 1);
    assertThat(format2[1]).isEqualTo((byte) 2);
    assertThat(RecordCodec.decodeVolume(StateValue.of(format2)).target(use("a").usage()))
        .contains(use("a").under(new ClaimMark(7, true)));
    format1[1] = 2;
    refused(new FieldWriter().fields(format1), "It has the format for claims, but no claim.");
    format2[1] = 1;
    refused(
        new FieldWriter().fields(format2),
        "Field 3, or the one after it, is followed by unexpected data.");
  }

  @Test
  void aClaimThatCannotBeIsRefused() {
    byte[] plain = smallest().bytes();
    byte[] rest = Arrays.copyOfRange(plain, 2, plain.length);

    refused(
        new FieldWriter().number(1, 2).fields(rest).part(6, target("a").flag(5, true)),
        "The claim is not valid.");
    refused(
        new FieldWriter().number(1, 2).fields(rest).part(6, target("a").number(4, -1)),
        "The claim is not valid.");
  }

  private static TargetRecord use(String workload) {
    return new TargetRecord(Records.usage("db-1", workload), false, PathRecord.NONE);
  }

  @Test
  void aNewFieldInsideOfAPartNeedsANewFormat() {
    refused(
        smallest().part(6, target("a").text(4, "new")),
        "Field 3, or the one after it, is followed by unexpected data.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00", // field number 0
        "3b", // a group, which begins and
        "3c", // ends
        "3a05", // a length beyond the end
        "3affffffffffffffffff01", // a length beyond all ends
        "3af5ffffffffffffffff01", // a length that would lead back to its own field
        "388000", // a zero in two bytes
        "38ffffffffffffffffff02", // more than 64 bits
        "39010203", // eight bytes, cut off
        "3d010203", // four bytes, cut off
        "80808080", // a tag without an end
        "f8ffffffff0f00" // a field number beyond the last
      })
  void whatProtobufDoesNotWriteIsRefused(String hex) {
    FieldWriter broken = smallest().fields(HexFormat.of().parseHex(hex));

    assertThatExceptionOfType(MalformedRecordException.class).isThrownBy(() -> decoded(broken));
  }

  @Test
  void everyFormOfProtobufIsKeptInAnUnknownField() throws MalformedRecordException {
    byte[] fields =
        HexFormat.of()
            .parseHex(
                "5800"
                    + "590102030405060708"
                    + "5d01020304"
                    + "5a03616263"
                    + "58ffffffffffffffffff01");

    assertThat(decoded(smallest().fields(fields)).unknown()).isEqualTo(UnknownFields.of(fields));
  }

  @Test
  void aTextOfNegativeLengthIsRefused() {
    byte[] text = HexFormat.of().parseHex("0affffffffffffffffff01");

    refused(
        new FieldWriter().number(1, 1).part(2, new FieldWriter().fields(text)),
        "Field 1, or the one after it, is cut off.");
  }

  @Test
  void textThatIsNotUtf8IsRefused() {
    byte[] bytes = smallest().bytes();
    String latin = new String(bytes, StandardCharsets.ISO_8859_1);
    bytes[latin.indexOf("vol-1")] = (byte) 0xff;

    refused(new FieldWriter().fields(bytes), "Field 2, or the one after it, is not UTF-8.");
  }

  @Test
  void twoHundredUsesOfUsualLengthFitAndTooManyAreRefusedWithTheirNumber() {
    VolumeRecord record = fresh();
    int fit = 0;
    while (true) {
      VolumeRecord more =
          record.withTarget(
              new TargetRecord(
                  Records.usage(
                      "postgres-data-%04d".formatted(fit),
                      "3f7c1a52-8d0e-4b7a-9a55-%012d".formatted(fit)),
                  false,
                  PathRecord.present(
                          Optional.of(
                              new Evidence(
                                  "unique:4711",
                                  "nfs4",
                                  "storage.example:/export/volumes/postgres",
                                  "/tenant-a/postgres-data",
                                  false)))
                      .working(Verb.UNPUBLISH, "812@1699999999999")));
      try {
        assertThat(RecordCodec.encode(more).size()).isLessThanOrEqualTo(StateValue.MAX_SIZE);
      } catch (StateException e) {
        assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_VALUE_TOO_LARGE);
        assertThat(e)
            .hasMessageContaining("volume 'vol-1' of plugin 'hostpath.csi.example'")
            .hasMessageContaining("with " + (fit + 1) + " uses")
            .hasMessageContaining("at most 65536");
        break;
      }
      record = more;
      fit++;
    }

    assertThat(fit).isBetween(200, 400);
  }

  @Test
  void aRecordHoldsNoMountFlagButOnlyADigestOfAll() {
    String secret = "password=hunter2-canary";
    Plan plan = plan(Records.IDENTITY, "noatime", secret);

    byte[] bytes =
        RecordCodec.encode(VolumeRecord.fresh(Records.IDENTITY, plan, Records.PLACE)).bytes();

    assertThat(new String(bytes, StandardCharsets.ISO_8859_1))
        .contains(plan.flags())
        .doesNotContain("hunter2", "password", "noatime");
    assertThat(plan.flags()).matches("[0-9a-f]{32}");
  }

  @Test
  void theDigestOfFlagsTellsThemApartAndIsAnotherOneForEachVolume() {
    VolumeIdentity twin =
        new VolumeIdentity(PluginId.of("hostpath.csi.example"), VolumeId.of("vol-2"));

    assertThat(plan(Records.IDENTITY, "a", "b")).isEqualTo(plan(Records.IDENTITY, "a", "b"));
    assertThat(
            List.of(
                plan(Records.IDENTITY, "a", "b").flags(),
                plan(Records.IDENTITY, "b", "a").flags(),
                plan(Records.IDENTITY, "ab").flags(),
                plan(Records.IDENTITY, "a\0b").flags(),
                plan(Records.IDENTITY).flags(),
                plan(twin, "a", "b").flags()))
        .doesNotHaveDuplicates()
        .doesNotContain("");
  }

  private static Plan plan(VolumeIdentity identity, String... flags) {
    MountRequest request =
        MountRequest.builder(
                identity.plugin(),
                Records.usage("db-1", "web-1"),
                identity.handle(),
                AccessMode.SINGLE_NODE_WRITER)
            .requestOptions(MountOptions.none().withFlags(MountFlags.of(flags)))
            .build();
    return Plan.of(request, true, AccessMode.SINGLE_NODE_WRITER, "", "");
  }
}
