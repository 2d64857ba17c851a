package io.csi4j.volume.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.RandomFields;
import io.csi4j.volume.internal.wire.Envelopes;
import io.csi4j.volume.internal.wire.WireParts;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.model.WireException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims, health and refusals cross between versions, and nothing hostile does harm. */
class WireTest {

  private static final String FOLDER =
      "volume-manager/model/src/test/resources/io/csi4j/volume/wire/v1";

  /** A value that crosses, and how. */
  private record Crossing<T>(
      T value,
      Function<T, ClusterMessage> writing,
      Function<ClusterMessage, T> reading,
      Function<Random, T> random) {

    ClusterMessage written() {
      return writing.apply(value);
    }
  }

  enum Golden {
    CLAIM_GRANT,
    NODE_RECEIPT,
    STANDING_QUESTION,
    STANDING_QUESTION_CLUSTER,
    CLAIM_STANDING,
    VOLUME_QUESTION,
    VOLUME_QUESTION_CLUSTER,
    VOLUME_VERDICT,
    VOLUME_HEALTH,
    REFUSAL;

    private Crossing<?> crossing() {
      return switch (this) {
        case CLAIM_GRANT ->
            new Crossing<ClaimGrant>(
                WireSamples.grant(),
                Wire::grant,
                Wire::grant,
                random ->
                    WireSamples.grant(random, WireSamples.use(random), WireSamples.node(random)));
        case NODE_RECEIPT ->
            new Crossing<>(
                WireSamples.receipt(), Wire::receipt, Wire::receipt, WireSamples::receipt);
        case STANDING_QUESTION ->
            new Crossing<ClaimQuestion>(
                ClaimQuestion.of(ClaimEpoch.of(WireSamples.grant())),
                Wire::standingQuestion,
                Wire::standingQuestion,
                WireTest::question);
        case STANDING_QUESTION_CLUSTER ->
            new Crossing<ClaimQuestion>(
                new ClaimQuestion(ClaimEpoch.of(WireSamples.grant()), Optional.of("cluster-7")),
                Wire::standingQuestion,
                Wire::standingQuestion,
                WireTest::question);
        case CLAIM_STANDING ->
            new Crossing<ClaimStanding>(
                new ClaimStanding.Stale(9), Wire::standing, Wire::standing, WireSamples::standing);
        case VOLUME_QUESTION ->
            new Crossing<ClaimQuestion>(
                ClaimQuestion.of(ClaimEpoch.of(WireSamples.grant())),
                Wire::volumeQuestion,
                Wire::volumeQuestion,
                WireTest::question);
        case VOLUME_QUESTION_CLUSTER ->
            new Crossing<ClaimQuestion>(
                new ClaimQuestion(ClaimEpoch.of(WireSamples.grant()), Optional.of("cluster-7")),
                Wire::volumeQuestion,
                Wire::volumeQuestion,
                WireTest::question);
        case VOLUME_VERDICT ->
            new Crossing<VolumeVerdict>(
                new VolumeVerdict.Gone(WireSamples.message()),
                Wire::verdict,
                Wire::verdict,
                WireSamples::verdict);
        case VOLUME_HEALTH ->
            new Crossing<>(WireSamples.health(), Wire::health, Wire::health, WireSamples::health);
        case REFUSAL ->
            new Crossing<>(
                WireSamples.refusal(),
                Wire::refusal,
                Wire::refusal,
                random ->
                    new SentRefusal(
                        WireSamples.message(random),
                        RandomFields.one(random, ChangeOutcome.values())));
      };
    }

    /** Returns the kind of the message; others of a kind have a field that was added later. */
    private String kind() {
      return name().replace("_CLUSTER", "");
    }
  }

  private static ClaimQuestion question(Random random) {
    return new ClaimQuestion(
        WireSamples.claim(random),
        random.nextBoolean() ? Optional.of(RandomFields.name(random)) : Optional.empty());
  }

  private static void isRefused(OperatorCode code, String seen, Runnable reading) {
    assertThatExceptionOfType(WireException.class)
        .isThrownBy(reading::run)
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(code))
        .satisfies(refused -> assertThat(refused.operatorMessage().seen().text()).isEqualTo(seen));
  }

  // ---- versions

  @Test
  void anOlderVersionReadsAQuestionThatNamesAClusterAsAClaim() {
    ClaimEpoch claim = ClaimEpoch.of(WireSamples.grant());
    ClaimQuestion question = new ClaimQuestion(claim, Optional.of("cluster-7"));

    byte[] message = Wire.standingQuestion(question).encode();

    assertThat(Envelopes.<ClaimEpoch>read(message, "STANDING_QUESTION", WireParts::claim))
        .isEqualTo(claim);
  }

  @ParameterizedTest
  @EnumSource
  void isReadAndWrittenAsVersion1DidIt(Golden golden) throws IOException {
    isKept(golden, golden.crossing());
  }

  private static <T> void isKept(Golden golden, Crossing<T> crossing) throws IOException {
    ClusterMessage kept = GoldenMessages.kept(FOLDER, golden.name(), crossing.written());
    assertThat(kept.kind().name()).isEqualTo(golden.kind());
    assertThat(crossing.reading().apply(kept)).isEqualTo(crossing.value());
    assertThat(kept)
        .hasToString("ClusterMessage[" + golden.kind() + ", " + kept.encode().length + " bytes]");
  }

  @ParameterizedTest
  @EnumSource
  void everyValueComesBackAsItWasWritten(Golden golden) {
    comesBack(golden.crossing());
  }

  private static <T> void comesBack(Crossing<T> crossing) {
    for (int seed = 0; seed < 1000; seed++) {
      T value = crossing.random().apply(new Random(seed));
      ClusterMessage message = ClusterMessage.decode(crossing.writing().apply(value).encode());
      assertThat(crossing.reading().apply(message)).as("seed %d", seed).isEqualTo(value);
      assertThat(message.json()).startsWith("{\n").endsWith("\n}");
    }
  }

  @Test
  void fieldsOfANewerVersionAreKeptAtEveryDepthWhenTheMessageIsPassedOn() {
    ClusterMessage grant = Wire.grant(WireSamples.grant());
    byte[] newer = NewerWire.with(grant, "claim_grant.hint", "near");
    newer = NewerWire.with(ClusterMessage.decode(newer), "claim_grant.use.region", "eu");
    newer = NewerWire.with(ClusterMessage.decode(newer), "trace", "t-1");

    ClusterMessage passedOn = ClusterMessage.decode(ClusterMessage.decode(newer).encode());

    assertThat(Wire.grant(passedOn)).isEqualTo(WireSamples.grant());
    assertThat(passedOn.encode()).isEqualTo(newer);
    assertThat(NewerWire.at(passedOn, "claim_grant.hint")).isEqualTo("near");
    assertThat(NewerWire.at(passedOn, "claim_grant.use.region")).isEqualTo("eu");
    assertThat(NewerWire.at(passedOn, "trace")).isEqualTo("t-1");
    assertThat(passedOn.json())
        .contains("\"unknownFields\": [31]")
        .contains("\"unknownFields\": [20]")
        .contains("\"unknownFields\": [9]");
  }

  @ParameterizedTest
  @EnumSource
  void aNewerVersionReadsWhatThisOneWrites(Golden golden) {
    ClusterMessage message = golden.crossing().written();
    assertThat(NewerWire.read(message).toByteArray()).isEqualTo(message.encode());
  }

  @Test
  void aNewerVersionFindsNothingInFieldsThatThisOneDoesNotWrite() {
    ClusterMessage grant = Wire.grant(WireSamples.grant());
    assertThat(NewerWire.at(grant, "claim_grant.hint")).isEqualTo("");
    assertThat(NewerWire.at(grant, "claim_grant.use.region")).isEqualTo("");
  }

  @ParameterizedTest
  @CsvSource({"claim_grant.must, ClaimGrant, 1000", "claim_grant.use.must, Use, 1007"})
  void aCriticalFieldOfANewerVersionIsPassedOnAndNotUsed(String path, String part, int number) {
    byte[] newer = NewerWire.with(Wire.grant(WireSamples.grant()), path, "so");
    ClusterMessage message = ClusterMessage.decode(newer);

    assertThat(message.kind()).isEqualTo(ClusterMessage.Kind.CLAIM_GRANT);
    assertThat(message.encode()).isEqualTo(newer);
    isRefused(
        OperatorCode.MESSAGE_FROM_NEWER_VERSION,
        "its part "
            + part
            + " has the critical field "
            + number
            + ", which this csi4j does not know",
        () -> Wire.grant(message));
  }

  @Test
  void aWayToClaimThatOnlyANewerVersionKnowsIsNotGuessed() {
    byte[] newer = NewerWire.with(Wire.grant(WireSamples.grant()), "claim_grant.mode", "APPEND");
    ClusterMessage message = ClusterMessage.decode(newer);

    assertThat(message.encode()).isEqualTo(newer);
    assertThat(message.json()).contains("\"mode\": 3");
    isRefused(
        OperatorCode.MESSAGE_FROM_NEWER_VERSION,
        "it has the value 3 of ClaimMode, which this csi4j does not know",
        () -> Wire.grant(message));
  }

  @Test
  void aKindThatOnlyANewerVersionKnowsIsPassedOn() {
    byte[] newer = NewerWire.forecast("monday");
    ClusterMessage message = ClusterMessage.decode(newer);

    assertThat(message.kind()).isEqualTo(ClusterMessage.Kind.UNRECOGNIZED);
    assertThat(message.encode()).isEqualTo(newer);
    assertThat(message.json()).isEqualTo("{\n  \"version\": 1,\n  \"unknownFields\": [30]\n}");
    isRefused(
        OperatorCode.MESSAGE_FROM_NEWER_VERSION,
        "it is of a kind that this csi4j does not know",
        () -> Wire.grant(message));
  }

  @Test
  void anotherVersionOfTheFormIsRefusedByItsNumber() {
    isRefused(
        OperatorCode.MESSAGE_FROM_NEWER_VERSION,
        "it has version 2, but this csi4j reads version 1",
        () -> ClusterMessage.decode(new FieldWriter().number(1, 2).text(5, "?").bytes()));
    isRefused(
        OperatorCode.MESSAGE_UNREADABLE,
        "it does not say its version",
        () -> ClusterMessage.decode(new byte[0]));
  }

  @Test
  void aCodeThatOnlyANewerVersionKnowsKeepsItsTexts() {
    FieldWriter message =
        new FieldWriter()
            .number(1, 4242)
            .text(2, "VOLUME_MELTED")
            .text(3, "mounting volume 'db'")
            .text(4, "it is too hot")
            .text(5, "nothing was changed")
            .text(6, "Cool it");
    FieldWriter refusal = new FieldWriter().part(1, message).number(2, 77);
    byte[] bytes = new FieldWriter().number(1, 1).part(13, refusal).bytes();

    SentRefusal read = Wire.refusal(ClusterMessage.decode(bytes));

    assertThat(read.outcome()).as("nothing is settled").isEqualTo(ChangeOutcome.UNCERTAIN);
    assertThat(read.message().line())
        .isEqualTo(
            "CSI-974 CODE_OF_NEWER_VERSION: mounting volume 'db': it is too hot; its code is"
                + " CSI-4242 VOLUME_MELTED; nothing was changed. Cool it.");
  }

  // ---- hostile bytes

  @ParameterizedTest
  @EnumSource
  void damagedBytesAreRefusedInOneLineOrReadAsAnotherMessage(Golden golden) {
    byte[] sample = golden.crossing().written().encode();
    for (int length = 0; length < sample.length; length++) {
      isHarmless(golden, Arrays.copyOf(sample, length), sample);
    }
    for (int bit = 0; bit < sample.length * 8; bit++) {
      byte[] flipped = sample.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      isHarmless(golden, flipped, sample);
    }
    Random random = new Random(7);
    for (int i = 0; i < 5_000; i++) {
      byte[] bytes = Arrays.copyOf(sample, random.nextInt(sample.length + 50));
      for (int changes = 1 + random.nextInt(8); changes > 0 && bytes.length > 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      isHarmless(golden, bytes, sample);
    }
  }

  private static void isHarmless(Golden golden, byte[] bytes, byte[] sample) {
    try {
      ClusterMessage message = ClusterMessage.decode(bytes);
      boolean isAnother = !message.json().equals(ClusterMessage.decode(sample).json());
      if (message.kind().name().equals(golden.name())) {
        Object value = golden.crossing().reading().apply(message);
        isAnother |= !value.equals(golden.crossing().value());
      }
      assertThat(isAnother || Arrays.equals(bytes, sample)).isTrue();
    } catch (WireException refused) {
      assertThat(refused.code())
          .isIn(OperatorCode.MESSAGE_UNREADABLE, OperatorCode.MESSAGE_FROM_NEWER_VERSION);
      assertThat(refused.getMessage()).doesNotContain("\n", WireSamples.HIDDEN);
      assertThat(bytes).isNotEqualTo(sample);
    }
  }

  @Test
  void aMessageThatIsTooLargeIsNeitherReadNorWritten() {
    String seen = "it has 4194305 bytes, and at most 4194304 are read or written";
    isRefused(
        OperatorCode.MESSAGE_TOO_LARGE,
        seen,
        () -> ClusterMessage.decode(new byte[ClusterMessage.MAX_SIZE + 1]));

    ReasonText because = new ReasonText("x".repeat(ClusterMessage.MAX_SIZE));
    assertThatExceptionOfType(WireException.class)
        .isThrownBy(() -> Wire.standing(new ClaimStanding.Unknown(because)))
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(OperatorCode.MESSAGE_TOO_LARGE));
  }

  @ParameterizedTest
  @CsvSource({
    "3200, 131070", // parts that are empty
    "f20100, 131070", // parts that only a newer version knows
    "f00101, 131070", // numbers that only a newer version knows
    "7b7c, 65535" // groups, where start and end count
  })
  void aMessageOfManySmallFieldsIsRefusedBeforeObjectsAreMadeOfThem(String field, int most) {
    ClusterMessage largest = ClusterMessage.decode(reportOf(field, most));

    assertThat(largest.kind()).isEqualTo(ClusterMessage.Kind.NODE_REPORT);
    for (int count : List.of(most + 1, 1 << 20)) {
      isRefused(
          OperatorCode.MESSAGE_TOO_LARGE,
          "it has more than 131072 fields",
          () -> ClusterMessage.decode(reportOf(field, count)));
    }
  }

  private static byte[] reportOf(String field, int count) {
    byte[] report = HexFormat.of().parseHex(field.repeat(count));
    return new FieldWriter().number(1, 1).part(2, new FieldWriter().fields(report)).bytes();
  }

  @Test
  void aMessageOfTooManyFieldsIsNotWritten() {
    NodeReceipt receipt = WireSamples.receipt();
    NodeReceipt looking =
        new NodeReceipt(
            receipt.usage(),
            receipt.epoch(),
            receipt.node(),
            receipt.boot(),
            Collections.nCopies(1 << 17, Path.of("/t")),
            receipt.staging());
    isRefused(
        OperatorCode.MESSAGE_TOO_LARGE,
        "it has more than 131072 fields",
        () -> Wire.receipt(looking));
  }

  @Test
  void groupsWithoutEndAreNotFollowed() {
    byte[] groups = new byte[4000];
    Arrays.fill(groups, (byte) (5 << 3 | 3));
    groups[0] = 8;
    groups[1] = 1;
    isRefused(
        OperatorCode.MESSAGE_UNREADABLE,
        "it is not a protobuf message, or is nested too deeply",
        () -> ClusterMessage.decode(groups));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0801 3a00 0801", // the version twice
        "8801 01 3a00", // the number of a field in more bytes than it needs
        "0801 3a00 4200", // two contents
        "0801 5200 5200", // the same content twice
        "0801 4204 0801 1000", // a number that is zero
        "4200 0801" // the version last
      })
  void bytesThatOtherReadersMayTakeOtherwiseAreRefused(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
    isRefused(
        OperatorCode.MESSAGE_UNREADABLE,
        hex.startsWith("0801")
            ? "its bytes differ from what csi4j writes for it"
            : "it does not say its version",
        () -> ClusterMessage.decode(bytes));
  }

  @Test
  void aMessageWithoutContentIsRefused() {
    isRefused(
        OperatorCode.MESSAGE_UNREADABLE,
        "it has no content",
        () -> ClusterMessage.decode(new byte[] {8, 1}));
  }

  @Test
  void aMessageOfAnotherKindIsRefusedByBothKinds() {
    isRefused(
        OperatorCode.MESSAGE_UNREADABLE,
        "it is a NODE_RECEIPT, where a CLAIM_GRANT is expected",
        () -> Wire.grant(Wire.receipt(WireSamples.receipt())));
  }

  @Test
  void whatIsMissingOrNotValidIsNamedWithoutItsValue() {
    byte[] empty = HexFormat.of().parseHex("08012a00");
    isRefused(
        OperatorCode.MESSAGE_UNREADABLE,
        "its content is wrong: Field 1 is missing",
        () -> Wire.grant(ClusterMessage.decode(empty)));
    FieldWriter key = new FieldWriter().text(1, "shop").text(2, "db");
    FieldWriter grant =
        new FieldWriter()
            .part(1, new FieldWriter().part(1, key).text(2, "web-1"))
            .text(2, "n1")
            .number(4, 1);
    byte[] withoutEpoch = new FieldWriter().number(1, 1).part(5, grant).bytes();
    isRefused(
        OperatorCode.MESSAGE_UNREADABLE,
        "a value in the CLAIM_GRANT is not valid",
        () -> Wire.grant(ClusterMessage.decode(withoutEpoch)));
    byte[] standing = HexFormat.of().parseHex("08014200");
    isRefused(
        OperatorCode.MESSAGE_UNREADABLE,
        "its content is wrong: a value of ClaimStanding.Standing is missing",
        () -> Wire.standing(ClusterMessage.decode(standing)));
  }

  // ---- what is never shown

  @Test
  void contextsAndMountFlagsCrossAndAreNotShown() {
    ClusterMessage message = Wire.grant(WireSamples.grant());
    assertThat(Wire.grant(message).context().reveal().get("devicePath"))
        .isEqualTo("/dev/" + WireSamples.HIDDEN);
    assertThat(message.json() + message)
        .contains("\"devicePath\": \"<redacted>\"", "\"flag\": \"<redacted>\"")
        .doesNotContain(WireSamples.HIDDEN);
  }

  @Test
  void textsOfAPeerAreMadeFitForOneLine() {
    OperatorMessage.Part part = new OperatorMessage.Part("a\nb\u001b[31m");
    OperatorMessage message = WireSamples.message();
    SentRefusal refusal =
        new SentRefusal(
            new OperatorMessage(
                message.code(), part, message.seen(), message.safe(), message.next()),
            ChangeOutcome.HELD);
    ClusterMessage crossed = Wire.refusal(refusal);
    assertThat(Wire.refusal(crossed).message().doing().text()).isEqualTo("a\\nb\\u001b[31m");
    assertThat(crossed.json()).contains("\"doing\": \"a\\u000ab\\u001b[31m\"");
    ReasonText because = new ReasonText("a\nb\u001b[31m");
    assertThat(Wire.standing(Wire.standing(new ClaimStanding.Unknown(because))))
        .isEqualTo(new ClaimStanding.Unknown(new ReasonText("a\\nb\\u001b[31m")));
    assertThat(Wire.verdict(Wire.verdict(new VolumeVerdict.Unknown(because))))
        .isEqualTo(new VolumeVerdict.Unknown(new ReasonText("a\\nb\\u001b[31m")));
  }

  // ---- values

  @Test
  void aWayToUseAVolumeThatIsLeftOpenIsNotWritten() {
    ClaimGrant grant = WireSamples.grant();
    ClaimGrant open =
        new ClaimGrant(
            grant.usage(),
            grant.node(),
            grant.epoch(),
            ClaimMode.READ,
            grant.context(),
            Optional.of(
                new VolumeCapability(
                    AccessMode.SINGLE_NODE_WRITER, new VolumeCapability.AccessType.Unspecified())),
            false);
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> Wire.grant(open))
        .withMessageStartingWith("A capability lacks its access mode or access type: ");
  }

  @ParameterizedTest
  @CsvSource({"REFUSED, REFUSED", "IN_PROGRESS, UNCERTAIN", "HELD, HELD"})
  void aFailureOfANodeSaysWhatTheCallerDoesNext(
      VolumeException.Outcome outcome, ChangeOutcome next) {
    VolumeException failed = new VolumeException(outcome, WireSamples.message(), null, null);
    assertThat(SentRefusal.of(failed)).isEqualTo(new SentRefusal(WireSamples.message(), next));
  }

  @Test
  void everyKindThatIsKnownHasAKeptMessage() {
    List<String> here = Arrays.stream(Golden.values()).map(Golden::kind).distinct().toList();
    List<String> onNodes =
        List.of("NODE_REPORT", "NODE_ORDERS", "MOUNT_REQUEST", "VOLUME_LIST", "UNRECOGNIZED");
    assertThat(Arrays.stream(ClusterMessage.Kind.values()).map(Enum::name))
        .containsAll(here)
        .containsAll(onNodes)
        .hasSize(here.size() + onNodes.size());
  }
}
