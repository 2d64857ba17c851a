package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.identity.Readiness;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.scripted.RawHttp2Peer;
import io.csi4j.client.scripted.RawHttp2Peer.Script;
import io.csi4j.client.scripted.Watch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that speak HTTP/2, but not as they should: each call fails typed, and the next works. */
@Timeout(60)
class HostileWireTest {

  private static final Script READY = out -> out.headers().message().trailers("grpc-status", "0");

  @TempDir Path directory;
  private RawHttp2Peer peer;
  private CsiPlugin plugin;

  @BeforeEach
  void connect() {
    Path socket = directory.resolve("csi.sock");
    AtomicInteger asked = new AtomicInteger();
    // Ready when it is probed, and then, asked who it is, it does not say.
    Script introduction =
        out -> {
          if (asked.getAndIncrement() == 0) {
            READY.answer(out);
          } else {
            out.headers().trailers("grpc-status", "14");
          }
        };
    peer = RawHttp2Peer.start(socket, introduction);
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
  @CsvSource({"2,INTERNAL", "8,CANCELLED", "7,UNAVAILABLE", "11,RESOURCE_EXHAUSTED"})
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
}
