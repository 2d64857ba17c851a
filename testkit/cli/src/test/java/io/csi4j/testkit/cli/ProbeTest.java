package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Topology;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProbeTest {

  @TempDir Path directory;

  private static Run probe(CsiEndpoint endpoint, String... more) {
    return Run.of(
        java.util.stream.Stream.concat(
                java.util.stream.Stream.of(
                    "probe", "--timeout", "2s", "--endpoint", endpoint.toString()),
                java.util.stream.Stream.of(more))
            .toArray(String[]::new));
  }

  @Test
  void theTableTellsWhoItIsWhatItOffersAndTheNode() {
    PluginShape shape = PluginShape.attachRequired().topologies(Topology.of(Map.of("zone", "a")));
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(shape)) {
      Run run = probe(plugin.endpoint());

      assertThat(run.err()).isEmpty();
      assertThat(run.code()).isZero();
      assertThat(run.outLines().stream().map(line -> line.replaceAll("  +", "|")))
          .contains(
              "name|fake.csi4j.example",
              "version|1.0.0",
              "endpoint|" + plugin.endpoint(),
              "ready|yes",
              "plugin|CONTROLLER_SERVICE",
              "controller|CREATE_DELETE_VOLUME",
              "|EXPAND_VOLUME",
              "group|CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT",
              "node|STAGE_UNSTAGE_VOLUME",
              "node id|node-1",
              "node takes|8 volumes",
              "node is at|{zone=a}");
    }
  }

  @Test
  void theJsonIsOneObjectOnOneLine() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.nodeOnly())) {
      Run run = probe(plugin.endpoint(), "--json");

      assertThat(run.code()).isZero();
      assertThat(run.outLines())
          .singleElement()
          .asString()
          .startsWith("{\"name\":\"fake.csi4j.example\",\"version\":\"1.0.0\",\"manifest\":{")
          .contains("\"ready\":true,\"capabilities\":{\"plugin\":[],\"node\":[\"STAGE_UNSTAGE_")
          .endsWith("\"node\":{\"id\":\"node-1\"}}");
    }
  }

  @Test
  void whatIsNotServedHereAndWhatNobodyKnowsIsSaid() {
    PluginShape shape = PluginShape.full().with(Quirk.SEPARATE_SOCKETS, Quirk.UNKNOWN_CAPABILITY);
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(shape)) {
      Run run = probe(plugin.endpoint());

      assertThat(run.err()).isEmpty();
      assertThat(run.outLines())
          .contains("node        not served here")
          .anyMatch(line -> line.endsWith(" (unknown to CSI 1.12)"));
    }
  }

  @Test
  void aMissingSocketIsToldApartFromOneThatNobodyListensOn() throws IOException {
    Path socket = directory.resolve("csi.sock");
    Run missing = probe(CsiEndpoint.of(socket));
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
    }
    Run dead = probe(CsiEndpoint.of(socket));
    Files.delete(socket);
    Files.writeString(socket, "");
    Run file = probe(CsiEndpoint.of(socket));

    assertThat(missing.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(missing.errLines())
        .singleElement()
        .asString()
        .contains("there is no socket", "Start the plugin");
    assertThat(dead.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(dead.errLines()).singleElement().asString().contains("no process listens");
    assertThat(file.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(file.errLines()).singleElement().asString().contains("a regular file");
  }

  @Test
  void aPluginThatFailsIsToldApartFromOneThatIsNotReached() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.fail(StatusCode.INTERNAL, "no \u001b[31mcolour\nplease"),
          When.calling(CsiOperation.GET_PLUGIN_CAPABILITIES));
      Run run = probe(plugin.endpoint());

      assertThat(run.code()).isEqualTo(ExitCode.FAILED);
      assertThat(run.errLines())
          .singleElement()
          .asString()
          .contains("INTERNAL", "no \\u001b[31mcolour\\nplease");
    }
  }
}
