package io.csi4j.conformance.internal.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.conformance.model.PluginUnderTest;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginPresenceTest {

  @TempDir Path directory;

  private static Reply reply(StatusCode code, boolean lost) {
    return new Reply(CsiOperation.PROBE, code, "", List.of(), Duration.ofMillis(1), lost);
  }

  @Test
  void aPluginThatDiedIsStartedAgainAlsoWhileItsProxyStillListens() throws Exception {
    CsiEndpoint proxy = CsiEndpoint.of(directory.resolve("proxy.sock"));
    PluginUnderTest plugin =
        PluginUnderTest.builder(proxy)
            .startsAt(CsiEndpoint.of(directory.resolve("csi.sock")))
            .command(List.of("/bin/sh", "-c", "echo started >>" + directory + "/starts; exit 9"))
            .build();
    try (ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        StartedPlugin started = new StartedPlugin(plugin, text -> text);
        RawPlugin socket = new RawPlugin(proxy)) {
      listening.bind(UnixDomainSocketAddress.of(proxy.path()));
      PluginPresence presence = new PluginPresence(plugin, started);
      started.start();
      presence.heard(reply(StatusCode.OK, false), socket);
      assertThatExceptionOfType(CaseEndedException.class)
          .isThrownBy(() -> presence.heard(reply(StatusCode.UNAVAILABLE, true), socket))
          .returns(Outcome.FAILED, CaseEndedException::outcome);

      assertThat(presence.begin("the next case")).isTrue();

      assertThat(started.hasEnded()).isTrue();
      assertThat(Files.readAllLines(directory.resolve("starts"))).hasSize(2);
    }
  }
}
