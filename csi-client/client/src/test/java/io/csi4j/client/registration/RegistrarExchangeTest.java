package io.csi4j.client.registration;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.internal.registration.WireFailure;
import io.csi4j.client.internal.transport.Connection;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.registration.RegistrarException.Call;
import io.csi4j.client.registration.RegistrarException.Reason;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegistrarExchangeTest {

  @TempDir Path directory;

  private RegistrarException failing(StatusCode code, boolean isOfThisSide) {
    CsiEndpoint socket = CsiEndpoint.of(directory.resolve("reg.sock"));
    ConnectOptions options = ConnectOptions.defaults();
    try (Connection connection = Connection.to(socket, options)) {
      RegistrarExchange<String, String> exchange =
          new RegistrarExchange<>(socket, options, connection, Call.GET_INFO, Function.identity());
      exchange.failed(
          new WireFailure(code, "channel closed", isOfThisSide, new ClosedChannelException()));
      return exchange
          .result()
          .handle((answer, failure) -> (RegistrarException) failure)
          .toCompletableFuture()
          .join();
    }
  }

  @Test
  void aCallThatWasNotWrittenWhenTheConnectionBrokeIsToldAsLost() {
    for (StatusCode code : new StatusCode[] {StatusCode.UNAVAILABLE, StatusCode.UNKNOWN}) {
      RegistrarException lost = failing(code, true);
      assertThat(lost.reason()).as("%s", code).isEqualTo(Reason.LOST);
      assertThat(lost.failure().why()).as("%s", code).contains("there is no socket");
    }
  }

  @Test
  void anUnknownErrorOfTheRegistrarIsItsAnswer() {
    RegistrarException failed = failing(StatusCode.UNKNOWN, false);
    assertThat(failed.reason()).isEqualTo(Reason.FAILED);
    assertThat(failed.failure().pluginText()).contains("channel closed");
  }
}
