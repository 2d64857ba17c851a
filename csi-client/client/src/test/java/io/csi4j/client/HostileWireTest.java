package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.identity.IdentityService.Readiness;
import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Violation;
import io.csi4j.client.scripted.RawHttp2Peer;
import io.csi4j.client.scripted.RawHttp2Peer.Script;
import io.csi4j.client.scripted.Watch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that speak HTTP/2, but not as they should: each call fails typed, and the next works. */
class HostileWireTest {

  private static final Script READY = out -> out.headers().message().trailers("grpc-status", "0");

  @TempDir Path directory;
  private RawHttp2Peer peer;
  private CsiPlugin plugin;

  @BeforeEach
  void connect() {
    Path socket = directory.resolve("csi.sock");
    peer = RawHttp2Peer.start(socket, RawHttp2Peer.introduction());
    plugin = CsiPlugin.connect(CsiEndpoint.of(socket));
    peer.script(READY);
  }

  @AfterEach
  void close() {
    plugin.close();
    peer.close();
    AgainstScriptedPlugin.eventually(() -> AgainstScriptedPlugin.ourThreads().isEmpty());
  }

  /** The failure of a probe that is answered like this; the one after it has to succeed. */
  private CsiException failure(Script script) {
    return failure(script, Duration.ofSeconds(20));
  }

  private CsiException failure(Script script, Duration deadline) {
    peer.script(script);
    CsiException failure =
        catchThrowableOfType(
            CsiException.class,
            () -> plugin.identity().with(policy -> policy.attemptDeadline(deadline)).probe());
    assertThat(failure.operation()).contains(CsiOperation.PROBE);
    assertThat(failure.outcome()).isEqualTo(Outcome.UNCERTAIN);
    assertThat(failure.attempts()).isEqualTo(1);
    assertThat(failure.getMessage()).doesNotContain("\n").hasSizeLessThan(4000);
    peer.script(READY);
    works();
    return failure;
  }

  private void works() {
    assertThat(plugin.identity().with(policy -> policy.attempts(3)).probe())
        .isEqualTo(Readiness.ASSUMED_READY);
  }

  @ParameterizedTest
  @ValueSource(strings = {"17", "-1", "99999999999", "text", ""})
  void aStatusThatDoesNotExistIsUnknown(String status) {
    CsiException failure =
        failure(
            out ->
                out.headers()
                    .message()
                    .trailers("grpc-status", status, "grpc-message", "what else"));
    assertThat(failure).isInstanceOf(CsiTransientException.class);
    assertThat(failure.code()).isEqualTo(StatusCode.UNKNOWN);
  }

  @Test
  void noStatusAtAllIsUnknown() {
    CsiException failure = failure(out -> out.headers().message().trailers("x-other", "1"));
    assertThat(failure).isInstanceOf(CsiTransientException.class);
    assertThat(failure.code()).isEqualTo(StatusCode.UNKNOWN);
  }

  @Test
  void anEndWithoutTrailersIsInternal() {
    CsiException failure = failure(out -> out.headers().message().end());
    assertThat(failure).isInstanceOf(CsiTransientException.class);
    assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
    assertThat(failure.failure().pluginText()).isEmpty();
  }

  @Test
  void twoAnswersAreNoAnswer() {
    CsiException failure =
        failure(out -> out.headers().message().message().trailers("grpc-status", "0"));
    assertThat(failure).isInstanceOf(CsiTransientException.class);
    assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
    assertThat(failure.failure().why()).contains("more than one message");
    assertThat(failure.failure().pluginText()).isEmpty();
  }

  @Test
  void okWithoutAnAnswerIsInternal() {
    CsiException failure = failure(out -> out.headers().trailers("grpc-status", "0"));
    assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
    assertThat(failure.failure().why()).isNotEmpty();
  }

  @Test
  void twoMegabytesOfTrailersFailTyped() {
    String much = "x".repeat(2 << 20);
    CsiException failure =
        failure(out -> out.headers().message().trailers("grpc-status", "0", "x-much", much));
    assertThat(failure).isInstanceOf(CsiTransientException.class);
    assertThat(failure.code()).isIn(StatusCode.INTERNAL, StatusCode.UNAVAILABLE);
  }

  @Test
  void aGoodbyeAfterEveryCallDoesNotHinderTheNext() {
    peer.script(
        out -> {
          out.headers().message().trailers("grpc-status", "0").goAway(0);
        });
    for (int i = 0; i < 20; i++) {
      works();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 11})
  void theTextOfAGoodbyeIsSeenNowhere(int error) {
    String canary = "canary-83fd\nand a second line";
    try (Watch watch = new Watch()) {
      peer.script(
          out -> out.headers().message().trailers("grpc-status", "0").goAway(error, canary));
      for (int i = 0; i < 5; i++) {
        watch.value("probe", plugin.identity().with(policy -> policy.attempts(3)).probe());
      }
      peer.script(out -> out.goAway(error, canary).hangUp());
      watch.thrown(
          "probe",
          catchThrowableOfType(
              CsiException.class,
              () -> plugin.identity().with(policy -> policy.attempts(1)).probe()));

      assertThat(watch.sightings().of(List.of("canary-83fd"))).isEmpty();
    }
    peer.script(READY);
  }

  @ParameterizedTest
  @CsvSource({"2,INTERNAL", "8,CANCELLED", "7,UNAVAILABLE", "11,UNAVAILABLE"})
  void aResetStreamFailsTyped(int error, StatusCode code) {
    CsiException failure = failure(out -> out.reset(error));
    assertThat(failure).isInstanceOf(CsiTransientException.class);
    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure.failure().pluginText()).isEmpty();
  }

  @Test
  void aPeerThatHangsUpInTheMiddleFailsTyped() {
    CsiException failure =
        failure(
            out -> {
              out.headers().data((byte) 0, (byte) 0);
              out.hangUp();
            });
    assertThat(failure).isInstanceOf(CsiTransientException.class);
    assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
  }

  @Test
  void dribbledBytesDoNotOutlastTheDeadline() {
    CsiException failure =
        failure(
            out -> {
              // Of a message of a hundred bytes, one after the other, and never all.
              out.headers().data((byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 100);
              for (int i = 0; i < 50; i++) {
                out.data((byte) 0);
              }
            },
            Duration.ofMillis(200));
    assertThat(failure).isInstanceOf(CsiTransientException.class);
    assertThat(failure.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"%FF%FE%00", "%", "%zz%1", "%0A%1B[31m", "\u00ff\u00fe", "%C0%AE"})
  void aTextThatIsNoTextIsEscaped(String text) {
    CsiException failure =
        failure(out -> out.headers().trailers("grpc-status", "13", "grpc-message", text));
    assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
    assertThat(failure.getMessage()).matches("[^\\p{Cntrl}]*");
  }

  @Test
  void deepNestingInUnknownFieldsIsRefusedOrPassedOverButNeverKills() {
    byte[] groups = new byte[200_000];
    // The start of a group of field 9, again and again.
    Arrays.fill(groups, (byte) (9 << 3 | 3));
    CsiException failure =
        failure(out -> out.headers().message(groups).trailers("grpc-status", "0"));
    assertThat(failure).isInstanceOf(CsiTransientException.class);
    assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
    assertThat(failure.failure().why()).contains("cannot be decoded");
  }

  @ParameterizedTest
  @CsvSource({"404,UNIMPLEMENTED", "503,UNAVAILABLE", "500,UNKNOWN"})
  void aWebServerFailsTyped(int status, StatusCode code) {
    peer.script(out -> out.trailers(":status", "" + status, "content-type", "text/html"));
    CsiException failure =
        catchThrowableOfType(CsiException.class, () -> plugin.identity().probe());
    assertThat(failure.code()).isEqualTo(code);
    peer.script(READY);
    works();
  }

  // ---- answers that are too much

  private static final int ANSWER = 4 << 20;

  private static CsiAnswerException tooMuch(CsiException failure) {
    assertThat(failure).isInstanceOf(CsiAnswerException.class);
    assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
    CsiAnswerException answer = (CsiAnswerException) failure;
    assertThat(answer.violations())
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.field()).isEqualTo("(answer)");
              assertThat(violation.rule()).isEqualTo(Violation.Rule.TOO_LARGE);
            });
    return answer;
  }

  /** {@code size} bytes of empty elements of the list that is field 1. */
  private static byte[] emptyElements(int size) {
    byte[] bytes = new byte[size / 2 * 2];
    for (int i = 0; i < bytes.length; i += 2) {
      bytes[i] = 1 << 3 | 2;
    }
    return bytes;
  }

  @Test
  void anAnswerOfVeryManyEmptyElementsIsNotBuiltAndToldAsWhatItIs() {
    peer.script(out -> out.headers().message(emptyElements(ANSWER)).trailers("grpc-status", "0"));
    CsiException failure =
        catchThrowableOfType(CsiException.class, () -> plugin.identity().getPluginCapabilities());

    assertThat(tooMuch(failure).failure().why())
        .isEqualTo(
            "the answer has so many parts that it would take more than 20971520 bytes of memory");
    assertThat(failure.advice())
        .isEqualTo(
            "Ask for fewer entries, or connect with a larger maxMessageBytes; an answer takes up to"
                + " five times that in memory.");
    assertThat(failure.outcome()).isEqualTo(Outcome.UNCERTAIN);
    assertThat(failure.attempts()).isEqualTo(1);
    peer.script(READY);
    works();
  }

  @Test
  void anAnswerLargerByOneByteIsToldAsTooLarge() {
    CsiException failure =
        failure(out -> out.headers().message(new byte[ANSWER + 1]).trailers("grpc-status", "0"));
    assertThat(tooMuch(failure).failure().why())
        .isEqualTo("the answer is larger than the 4194304 bytes that this connection takes");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void anAnswerThatClaimsToHaveGigabytesIsToldAsTooLargeAtOnce(int length) {
    CsiException failure = failure(out -> out.headers().prefix(false, length).data(new byte[1000]));
    assertThat(tooMuch(failure).failure().why())
        .isEqualTo("the answer is larger than the 4194304 bytes that this connection takes");
  }

  @Test
  void anAnswerThatUnpacksIntoTooMuchIsToldAsTooLarge() throws IOException {
    byte[] packed = gzip(new byte[ANSWER + 1]);
    assertThat(packed.length).isLessThan(10_000);
    CsiException failure =
        failure(
            out ->
                out.headers("grpc-encoding", "gzip")
                    .prefix(true, packed.length)
                    .data(packed)
                    .trailers("grpc-status", "0"));
    assertThat(tooMuch(failure).failure().why())
        .isEqualTo("the answer is larger than the 4194304 bytes that this connection takes");
  }

  @Test
  void anAnswerThatUnpacksIntoVeryManyPartsIsToldAsWhatItIs() throws IOException {
    byte[] packed = gzip(emptyElements(ANSWER));
    peer.script(
        out ->
            out.headers("grpc-encoding", "gzip")
                .prefix(true, packed.length)
                .data(packed)
                .trailers("grpc-status", "0"));
    CsiException failure =
        catchThrowableOfType(CsiException.class, () -> plugin.identity().getPluginCapabilities());
    assertThat(tooMuch(failure).failure().why()).contains("has so many parts");
    peer.script(READY);
    works();
  }

  private static byte[] gzip(byte[] content) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(content);
    }
    return packed.toByteArray();
  }

  @Test
  @DisplayName("hostile input 58: details of a status are neither parsed nor shown")
  void theDetailsOfAStatusAreNeitherParsedNorShown() {
    String canary = "canary-58a1";
    String details =
        Base64.getEncoder()
            .withoutPadding()
            .encodeToString((canary + "x".repeat(600_000)).getBytes(StandardCharsets.UTF_8));
    try (Watch watch = new Watch()) {
      CsiException failure =
          failure(
              out ->
                  out.headers()
                      .trailers(
                          "grpc-status",
                          "13",
                          "grpc-message",
                          "not now",
                          "grpc-status-details-bin",
                          details));
      watch.thrown("probe", failure);
      assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
      assertThat(failure.failure().pluginText()).contains("not now");
      assertThat(watch.sightings().of(List.of(canary, details.substring(0, 64)))).isEmpty();
    }
  }

  // ---- a plugin that wants calm

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPluginThatWantsCalmIsNotAStorageOutOfQuota(boolean goodbye) {
    CsiException failure =
        failure(
            out -> {
              if (goodbye) {
                // It served nothing of this stream, and says so.
                out.goAway(11).hangUp();
              } else {
                out.reset(11);
              }
            });
    assertThat(failure).isInstanceOf(CsiTransientException.class);
    assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
    assertThat(failure.failure().why())
        .startsWith(
            "the plugin ended the call because it is called too often (HTTP/2"
                + " ENHANCE_YOUR_CALM)");
    assertThat(failure.failure().pluginText()).isEmpty();
  }
}
