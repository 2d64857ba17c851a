package io.csi4j.volume.internal.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.identity.IdentityService.Readiness;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TroublesTest {

  private static final Duration LIMIT = Duration.ofSeconds(5);

  private static CsiFailure.Builder failure(StatusCode code) {
    return CsiFailure.builder(CsiEndpoint.of(Path.of("/run/csi.sock")), code, Outcome.SETTLED)
        .why("the reason");
  }

  private static PluginTrouble of(CsiException failed) {
    return PluginTrouble.of(failed, LIMIT);
  }

  @ParameterizedTest
  @CsvSource({
    "NO_SUCH_SOCKET, UNAVAILABLE, NO_SOCKET, PLUGIN_NOT_UP",
    "NOBODY_LISTENING, UNAVAILABLE, NOBODY_LISTENS, PLUGIN_SOCKET_STALE",
    "PERMISSION_DENIED, UNAVAILABLE, DENIED, PLUGIN_SOCKET_DENIED",
    "SYMLINK, UNAVAILABLE, DENIED, PLUGIN_SOCKET_DENIED",
    "UNSAFE_DIRECTORY, UNAVAILABLE, DENIED, PLUGIN_SOCKET_DENIED",
    "WRONG_PEER, UNAVAILABLE, DENIED, PLUGIN_SOCKET_DENIED",
    "NOT_A_SOCKET, UNAVAILABLE, DENIED, PLUGIN_NOT_UP",
    "PATH_TOO_LONG, INVALID_ARGUMENT, ERROR, PLUGIN_SOCKET_TOO_LONG",
    "NO_ANSWER, UNAVAILABLE, SILENT, PLUGIN_NOT_UP",
    "NO_ANSWER, DEADLINE_EXCEEDED, SILENT, PLUGIN_NOT_UP",
    "NOT_READY, OK, NOT_READY, PLUGIN_NOT_READY",
    "UNHEALTHY, INTERNAL, ERROR, PLUGIN_NOT_READY",
    "WRONG_PLUGIN, OK, REFUSED, PLUGIN_NAME_CHANGED",
    "WRONG_PLUGIN, INTERNAL, ERROR, PLUGIN_NAME_CHANGED",
    "NOT_GRPC, UNAVAILABLE, ERROR, PLUGIN_NOT_UP",
    "INTERRUPTED, CANCELLED, ERROR, PLUGIN_NOT_UP"
  })
  void whatStoodInTheWayIsTheReason(
      CsiConnectException.Reason met, StatusCode code, Reason reason, OperatorCode told) {
    assertThat(of(new CsiConnectException(failure(code).build(), met, null)))
        .isEqualTo(PluginTrouble.of(reason, told, "the reason"));
  }

  @Test
  void aNameThatWasNotToldInTimeIsNotAWrongOne() {
    assertThat(
            of(
                new CsiConnectException(
                    failure(StatusCode.DEADLINE_EXCEEDED).build(),
                    CsiConnectException.Reason.WRONG_PLUGIN,
                    null)))
        .isEqualTo(PluginTrouble.silent(LIMIT));
  }

  @ParameterizedTest
  @CsvSource({
    "DEADLINE_EXCEEDED, , SILENT, PLUGIN_NOT_UP, it did not answer within 5 s",
    "DEADLINE_EXCEEDED, mine, ERROR, PLUGIN_NOT_READY, the reason (DEADLINE_EXCEEDED: mine)",
    "INTERNAL, boom, ERROR, PLUGIN_NOT_READY, the reason (INTERNAL: boom)",
    "UNAVAILABLE, , ERROR, PLUGIN_NOT_UP, the reason (UNAVAILABLE)"
  })
  void aProbeThatFailsSaysWhy(
      StatusCode code, @Nullable String words, Reason reason, OperatorCode told, String text) {
    assertThat(
            of(
                new CsiTransientException(
                    failure(code).operation(CsiOperation.PROBE).pluginText(words).build(), null)))
        .isEqualTo(PluginTrouble.of(reason, told, text));
  }

  @Test
  void aLookAtTheSocketSaysMoreThanTheCallThatWasLost() {
    CsiException lost = new CsiTransientException(failure(StatusCode.UNAVAILABLE).build(), null);
    lost.addSuppressed(
        new CsiConnectException(
            failure(StatusCode.UNAVAILABLE).why("nobody listens").build(),
            CsiConnectException.Reason.NOBODY_LISTENING,
            null));

    assertThat(of(lost))
        .isEqualTo(
            PluginTrouble.of(
                Reason.NOBODY_LISTENS, OperatorCode.PLUGIN_SOCKET_STALE, "nobody listens"));
  }

  @Test
  void whatFailsOnThisSideIsToldByItsKindOnly() {
    assertThat(PluginTrouble.of(new IllegalStateException("who knows what"), LIMIT))
        .isEqualTo(
            PluginTrouble.of(
                Reason.ERROR,
                OperatorCode.PLUGIN_NOT_UP,
                "calling it failed on this side: java.lang.IllegalStateException"));
  }

  @Test
  @Tag("C19")
  @Tag("C20")
  void whoDoesNotSayWhetherItIsReadyIsReady() {
    assertThat(PluginTrouble.of(Readiness.READY)).isEmpty();
    assertThat(PluginTrouble.of(Readiness.ASSUMED_READY)).as("C20: silence is readiness").isEmpty();
    assertThat(PluginTrouble.of(Readiness.NOT_READY))
        .as("C19: not ready is not up")
        .contains(
            PluginTrouble.of(
                Reason.NOT_READY,
                OperatorCode.PLUGIN_NOT_READY,
                "it answers that it is not ready yet"));
  }
}
