package io.csi4j.volume.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators read. */
class MessagesTest {

  private static final Path GOLDEN =
      Path.of(
          System.getProperty("csi4j.root", "."),
          "volume-manager/model/src/test/resources/io/csi4j/volume/internal/text/operator-lines.txt");

  /** Lower case, no full stop inside or at the end: it stands in the middle of a sentence. */
  private static final Pattern CLAUSE = Pattern.compile("[a-z][^.]*[^. ]");

  private static final Pattern SENTENCE = Pattern.compile("[A-Z].*[^. ]");

  private static final Subject SUBJECT = OperatorLines.subject(OperatorCode.RPC_SLOW);

  @Test
  void theLineOfEveryCodeIsTheOneThatWasAgreed() throws IOException {
    String lines =
        Arrays.stream(OperatorCode.values())
            .map(OperatorLines::line)
            .collect(Collectors.joining("\n", "", "\n"));
    if (Boolean.getBoolean("csi4j.regenerate")) {
      Files.writeString(GOLDEN, lines);
    }
    assertThat(GOLDEN)
        .as(
            "read the difference as an operator would; then rewrite the file with: mvn test"
                + " -Dtest=MessagesTest -Dsurefire.failIfNoSpecifiedTests=false"
                + " -Dcsi4j.regenerate=true")
        .content(StandardCharsets.UTF_8)
        .isEqualTo(lines);
  }

  @ParameterizedTest
  @EnumSource(OperatorCode.class)
  void everyLineNamesCodeVolumePluginAndPathAndSaysWhatIsSafeAndWhatIsNext(OperatorCode code) {
    assertThat(OperatorLines.line(code))
        .startsWith("CSI-" + code.number() + " " + code.name() + ": ")
        .contains("volume 'vol-7f3' (shop/db-1 for workload 'web-1') of plugin 'hostpath.csi'")
        .contains(" at /var/lib/csi4j/p/k7x2/t: ")
        .contains("; " + code.safe() + ". ")
        .endsWith(" " + code.next() + ".")
        .doesNotContain("..")
        .hasSizeLessThan(500);
  }

  @ParameterizedTest
  @EnumSource(OperatorCode.class)
  void theLineOfAnAnswerIsShortAndHasOneAdvice(OperatorCode code) {
    String advice = "Check that it is running and that its socket is there";
    CsiFailure answer =
        CsiFailure.builder(
                CsiEndpoint.of(Path.of("/run/x.sock")), StatusCode.UNAVAILABLE, Outcome.UNCERTAIN)
            .operation(CsiOperation.NODE_STAGE_VOLUME)
            .why("the plugin cannot be reached, or says that it cannot serve now")
            .advice(advice + ".")
            .pluginText("storage is being updated")
            .build();
    for (OperatorMessage message :
        List.of(
            Messages.answered(code, OperatorLines.subject(code), answer),
            Messages.of(code, OperatorLines.subject(code), answer.why()))) {
      String line = message.line();
      assertThat(line).hasSizeLessThan(560).endsWith(". " + message.next() + ".");
      assertThat(line.split(Pattern.quote(message.next().text()), -1)).hasSize(2);
      boolean isOfTheAnswer = line.contains(advice);
      assertThat(line.contains(code.next())).isNotEqualTo(isOfTheAnswer);
      assertThat(line).doesNotContain("/run/x.sock");
    }
  }

  @ParameterizedTest
  @EnumSource(OperatorCode.class)
  void theTextsOfEveryCodeFitIntoTheLine(OperatorCode code) {
    assertThat(code.meaning()).matches(SENTENCE).doesNotContain(";").hasSizeLessThan(130);
    assertThat(code.safe()).matches(CLAUSE).hasSizeLessThan(130);
    assertThat(code.next()).matches(SENTENCE).hasSizeLessThan(170);
  }

  @Test
  void numbersAreUniqueAndInOrder() {
    assertThat(OperatorCode.values())
        .extracting(OperatorCode::number)
        .doesNotHaveDuplicates()
        .isSorted()
        .allSatisfy(number -> assertThat(number).isBetween(100, 999));
    assertThat(OperatorCode.MOUNT_NOT_VISIBLE.label()).isEqualTo("CSI-412 MOUNT_NOT_VISIBLE");
  }

  @Test
  void whatWasSeenStandsBetweenWhatWasDoneAndWhatIsSafe() {
    OperatorMessage message =
        Messages.of(
            OperatorCode.MOUNT_NOT_VISIBLE,
            SUBJECT,
            "the plugin said OK, and the mount table has nothing there. ");
    assertThat(message.toString())
        .isEqualTo(
            "CSI-412 MOUNT_NOT_VISIBLE: staging volume 'vol-7f3' (shop/db-1 for workload 'web-1')"
                + " of plugin 'hostpath.csi' at /var/lib/csi4j/p/k7x2/t: the plugin said OK, and"
                + " the mount table has nothing there; no workload got it. "
                + OperatorCode.MOUNT_NOT_VISIBLE.next()
                + ".");
  }

  @Test
  void whatHappensNextCanBeSaidBetterThanTheCodeDoes() {
    assertThat(
            Messages.of(
                    OperatorCode.RPC_STUCK,
                    Subject.of("closing"),
                    "no answer in 2 min",
                    new OperatorMessage.Part("It is tried again in 4 s (2 of 5)."))
                .line())
        .isEqualTo(
            "CSI-702 RPC_STUCK: closing: no answer in 2 min; "
                + OperatorCode.RPC_STUCK.safe()
                + ". It is tried again in 4 s (2 of 5).");
  }

  @Test
  void anAnswerOfThePluginBringsItsMeaningAndItsAdvice() {
    OperatorMessage message = answered("no such volume.");
    assertThat(message.seen().text())
        .isEqualTo("the disk is gone (INTERNAL to NodeStageVolume: no such volume)");
    assertThat(message.next().text()).isEqualTo("Bring it back");
    assertThat(message.line()).endsWith(". Bring it back.");
  }

  @Test
  void whatGoesOnByItselfTheCodeKnowsBetterThanTheAnswer() {
    CsiFailure silence =
        CsiFailure.builder(
                CsiEndpoint.of(Path.of("/run/x.sock")), StatusCode.UNAVAILABLE, Outcome.SETTLED)
            .why("nobody listens")
            .advice("Start the plugin, then connect again.")
            .build();
    assertThat(Messages.answered(OperatorCode.PLUGIN_NOT_UP, SUBJECT, silence).next().text())
        .isEqualTo(OperatorCode.PLUGIN_NOT_UP.next());
  }

  @Test
  void anAnswerToNoCallInParticularIsToldToo() {
    assertThat(
            Messages.answered(
                    OperatorCode.PLUGIN_NOT_UP,
                    SUBJECT,
                    CsiFailure.builder(
                            CsiEndpoint.of(Path.of("/run/x.sock")),
                            StatusCode.UNAVAILABLE,
                            Outcome.SETTLED)
                        .why("nobody listens")
                        .build())
                .seen()
                .text())
        .isEqualTo("nobody listens (UNAVAILABLE)");
  }

  @Test
  void aPluginThatGivesNoReasonIsReportedWithoutOne() {
    assertThat(answered("").seen().text())
        .isEqualTo("the disk is gone (INTERNAL to NodeStageVolume, but the plugin gave no reason)");
    assertThat(answered(" .").seen().text())
        .endsWith("NodeStageVolume, but the plugin gave no reason)");
  }

  @Test
  void aPluginThatDidNotAnswerIsNotSaidToHaveAnswered() {
    CsiFailure.Builder lost =
        CsiFailure.builder(
                CsiEndpoint.of(Path.of("/run/x.sock")), StatusCode.UNAVAILABLE, Outcome.UNCERTAIN)
            .operation(CsiOperation.NODE_UNPUBLISH_VOLUME)
            .why("the plugin cannot be reached");
    assertThat(seen(lost)).isEqualTo("the plugin cannot be reached (UNAVAILABLE)");
    assertThat(seen(lost.attempts(1)))
        .isEqualTo("the plugin cannot be reached (UNAVAILABLE, no answer to NodeUnpublishVolume)");
    assertThat(seen(lost.pluginText("starting")))
        .as("to another call, because of which this one was not sent")
        .isEqualTo("the plugin cannot be reached (UNAVAILABLE: starting)");
  }

  private static String seen(CsiFailure.Builder failure) {
    return Messages.answered(OperatorCode.PLUGIN_NOT_UP, SUBJECT, failure.build()).seen().text();
  }

  @Test
  void aPluginThatSaysFourMegabytesIsCutAndTheCutShows() {
    assertThat(answered("ab".repeat(2 << 20)).seen().text())
        .contains("abab…")
        .hasSizeBetween(1024, 1200);
    assertThat(Messages.of(OperatorCode.RPC_SLOW, SUBJECT, "x".repeat(5000)).seen().text())
        .isEqualTo("x".repeat(1024) + "… (5000 characters in all)");
  }

  @ParameterizedTest
  @CsvSource({
    "'a\nb\r\tc', 'a\\nb\\r\\tc'",
    "'a\u0000\u001b[31mb', 'a\\u0000\\u001b[31mb'",
    "'a\u202eb', 'a\\u202eb'",
    "'a\u2028b', 'a\\u2028b'",
    "'a\ud800b', 'a\\ud800b'",
    "'\udb40\udc01x', '\\U0e0001x'",
    "'Grüße 😀', 'Grüße 😀'"
  })
  void whatCannotBePrintedIsEscaped(String text, String printed) {
    assertThat(answered(text).seen().text()).endsWith(": " + printed + ")");
    assertThat(Messages.of(OperatorCode.RPC_SLOW, SUBJECT, text).seen().text()).isEqualTo(printed);
  }

  @Test
  void theCutFallsBetweenCharacters() {
    assertThat(ForeignText.of("a" + "😀".repeat(1024)))
        .startsWith("a😀")
        .contains("😀… (2049 characters in all)")
        .doesNotContain("\\u");
  }

  @Test
  void differencesBetweenMountOptionsAreNamedWithoutTheirValues() {
    Plan one = plan("password=canary-1");
    Plan two = plan("password=canary-2");
    assertThat(
            Messages.of(
                    OperatorCode.OPTIONS_DIFFER,
                    SUBJECT,
                    "these differ: " + one.differences(two) + " of " + one)
                .line())
        .contains("these differ: [mount flags (not shown, as they may hold secrets)]")
        .doesNotContain("canary");
  }

  private static Plan plan(String flag) {
    MountRequest request =
        MountRequest.builder(
                PluginId.of("hostpath.csi"),
                VolumeUse.of(VolumeKey.of("db-1"), WorkloadId.of("web-1")),
                VolumeId.of("vol-7f3"),
                AccessMode.SINGLE_NODE_WRITER)
            .requestOptions(MountOptions.none().withFlags(MountFlags.of(flag)))
            .build();
    return Plan.of(request, true, AccessMode.SINGLE_NODE_WRITER, "", "");
  }

  @Test
  void idsOfHostsAndPluginsCannotBreakTheLine() {
    Subject subject =
        Subject.of(
                "staging", new VolumeIdentity(PluginId.of("p\u202e"), VolumeId.of("a\nCSI-901 b")))
            .by(VolumeUse.of(VolumeKey.of("v\u2028"), WorkloadId.of("w\u2029")));
    assertThat(Messages.of(OperatorCode.RPC_SLOW, subject, "10 s").doing().text())
        .isEqualTo(
            "staging volume 'a\\nCSI-901 b' (default/v\\u2028 for workload 'w\\u2029') of plugin"
                + " 'p\\u202e'");
  }

  @Test
  void aSubjectMayBeAUseOfAVolumeThatIsNotKnown() {
    assertThat(
            Messages.of(
                    OperatorCode.NOT_MOUNTED,
                    Subject.of("reading")
                        .by(VolumeUse.of(VolumeKey.of("db-1"), WorkloadId.of("web-1"))),
                    "")
                .doing()
                .text())
        .isEqualTo("reading volume default/db-1 for workload 'web-1'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", ". ."})
  void withNothingSeenTheMeaningIsSaid(String seen) {
    assertThat(Messages.of(OperatorCode.MOUNT_LOST, SUBJECT, seen).seen().text())
        .isEqualTo("a volume was unmounted, but not by csi4j");
  }

  private static OperatorMessage answered(String words) {
    return Messages.answered(
        OperatorCode.FAILED_IN_DOUBT,
        SUBJECT,
        CsiFailure.builder(
                CsiEndpoint.of(Path.of("/run/x.sock")), StatusCode.INTERNAL, Outcome.UNCERTAIN)
            .operation(CsiOperation.NODE_STAGE_VOLUME)
            .why("the disk is gone")
            .advice("Bring it back.")
            .pluginText(words)
            .answered(true)
            .attempts(1)
            .build());
  }
}
