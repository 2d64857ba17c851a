package io.csi4j.volume.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiConnectException.Reason;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.model.OperatorCode;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PluginAnswerTest {

  private static CsiFailure.Builder failure() {
    return CsiFailure.builder(
        CsiEndpoint.of(Path.of("/run/csi.sock")), StatusCode.UNAVAILABLE, Outcome.SETTLED);
  }

  private static OperatorCode code(CsiException cause) {
    return new PluginAnswer.Down("why", Optional.of(cause)).code();
  }

  @ParameterizedTest
  @CsvSource({
    "NO_SUCH_SOCKET, PLUGIN_NOT_UP",
    "NOT_A_SOCKET, PLUGIN_NOT_UP",
    "NOT_GRPC, PLUGIN_NOT_UP",
    "NO_ANSWER, PLUGIN_NOT_UP",
    "PATH_TOO_LONG, PLUGIN_SOCKET_TOO_LONG",
    "NOBODY_LISTENING, PLUGIN_SOCKET_STALE",
    "PERMISSION_DENIED, PLUGIN_SOCKET_DENIED",
    "WRONG_PEER, PLUGIN_SOCKET_DENIED",
    "SYMLINK, PLUGIN_SOCKET_DENIED",
    "UNSAFE_DIRECTORY, PLUGIN_SOCKET_DENIED",
    "NOT_READY, PLUGIN_NOT_READY",
    "UNHEALTHY, PLUGIN_NOT_READY",
    "WRONG_PLUGIN, PLUGIN_NAME_CHANGED"
  })
  void whatStandsInTheWayDecidesWhatAnOperatorIsTold(Reason reason, OperatorCode code) {
    assertThat(code(new CsiConnectException(failure().build(), reason, null))).isEqualTo(code);
  }

  @ParameterizedTest
  @CsvSource({
    "PROBE, still starting, PLUGIN_NOT_READY",
    "PROBE, , PLUGIN_NOT_UP",
    "NODE_GET_CAPABILITIES, no idea, CAPABILITIES_UNKNOWN",
    "NODE_GET_CAPABILITIES, , PLUGIN_NOT_UP"
  })
  void aPluginThatAnswersIsToldApartFromOneThatDoesNot(
      CsiOperation asked, @Nullable String words, OperatorCode code) {
    CsiFailure failure = failure().operation(asked).pluginText(words).build();

    assertThat(code(new CsiTransientException(failure, null))).isEqualTo(code);
  }

  @Test
  void withoutAnExceptionThePluginIsNotUp() {
    PluginAnswer.Down down = new PluginAnswer.Down("why");

    assertThat(down.code()).isEqualTo(OperatorCode.PLUGIN_NOT_UP);
    assertThat(down.cause()).isEmpty();
  }

  @Test
  void whatIsStatedGoesBeforeWhatTheExceptionSays() {
    PluginAnswer.Down down = new PluginAnswer.Down("silent", OperatorCode.PLUGIN_UNHEALTHY);

    assertThat(down.code()).isEqualTo(OperatorCode.PLUGIN_UNHEALTHY);
    assertThat(down.text()).isEqualTo("silent");
    assertThat(down.cause()).isEmpty();
  }
}
