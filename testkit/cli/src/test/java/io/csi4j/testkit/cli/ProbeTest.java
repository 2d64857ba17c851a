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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProbeTest {

  @TempDir Path directory;

  private static Run probe(CsiEndpoint endpoint, String... more) {
    return Run.of(
        Stream.concat(Stream.of("probe", "--endpoint", endpoint.toString()), Stream.of(more))
            .toArray(String[]::new));
  }

  /** A look where nothing answers. */
  private static Run inVain(CsiEndpoint endpoint) {
    return probe(endpoint, "--timeout", "100ms");
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
              "node limit|8 volumes",
              "topology|{zone=a}");
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
          .anyMatch(line -> line.endsWith(" 0 (an entry without a capability)"))
          .noneMatch(line -> line.endsWith(" 0 (unknown to CSI 1.13)"))
          .anyMatch(line -> line.endsWith(" (unknown to CSI 1.13)"));
    }
  }

  @Test
  void aMissingSocketIsToldApartFromOneThatNobodyListensOn() throws IOException {
    Path socket = directory.resolve("csi.sock");
    Run missing = inVain(CsiEndpoint.of(socket));
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
    }
    Run dead = inVain(CsiEndpoint.of(socket));
    Files.delete(socket);
    Files.writeString(socket, "");
    Run file = inVain(CsiEndpoint.of(socket));

    assertThat(missing.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(missing.errLines())
        .hasSize(2)
        .last()
        .asString()
        .contains("there is no socket", "Start the plugin");
    assertThat(dead.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(dead.errLines()).singleElement().asString().contains("no process listens");
    assertThat(file.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(file.errLines()).hasSize(2).last().asString().contains("a regular file");
  }

  @Test
  void aPathWithoutSocketIsNamedBeforeItIsWaitedFor() {
    CsiEndpoint nowhere = CsiEndpoint.of(directory.resolve("csi.sock"));
    Run probe = inVain(nowhere);
    Run check = Run.of("check", "--timeout", "200ms", "--endpoint", nowhere.toString());

    assertThat(probe.errLines())
        .first()
        .isEqualTo(
            "There is no socket at "
                + nowhere
                + ". Waiting up to 0.1 s for a plugin to create"
                + " one.");
    assertThat(check.errLines())
        .first()
        .isEqualTo(
            "There is no socket at "
                + nowhere
                + ". Waiting up to 0.2 s for a plugin to create"
                + " one.");
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

  @Test
  void oneQuestionThatFailsHidesNoOtherAnswer() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.nodeOnly())) {
      plugin.inject(
          Fault.fail(StatusCode.INTERNAL, "no name today"),
          When.calling(CsiOperation.GET_PLUGIN_INFO));
      plugin.inject(
          Fault.fail(StatusCode.INTERNAL, "no node"), When.calling(CsiOperation.NODE_GET_INFO));
      Run table = probe(plugin.endpoint());
      Run json = probe(plugin.endpoint(), "--json");

      assertThat(table.code()).isEqualTo(ExitCode.FAILED);
      assertThat(table.outLines().stream().map(line -> line.replaceAll("  +", "|")))
          .contains("name|unknown", "ready|yes", "node|STAGE_UNSTAGE_VOLUME")
          .noneMatch(line -> line.startsWith("node id|"));
      assertThat(table.errLines()).hasSize(2).first().asString().contains("no name today");
      assertThat(table.errLines()).last().asString().contains("NodeGetInfo", "no node");
      assertThat(json.code()).isEqualTo(ExitCode.FAILED);
      assertThat(json.outLines())
          .singleElement()
          .asString()
          .startsWith("{\"endpoint\":")
          .contains("\"ready\":true,\"capabilities\":{\"plugin\":[],\"node\":[\"STAGE_UNSTAGE_")
          .contains("\"failures\":[\"");
    }
  }

  @Test
  void aQuestionThatIsNotAnsweredIsWaitedForInItsOwnTime() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.nodeOnly())) {
      // Loads the classes of the program, which takes longer than an answer.
      assertThat(probe(plugin.endpoint()).code()).isZero();
      plugin.inject(Fault.hang(), When.calling(CsiOperation.NODE_GET_CAPABILITIES));
      Run run = probe(plugin.endpoint(), "--timeout", "1500ms");

      assertThat(run.code()).isEqualTo(ExitCode.FAILED);
      assertThat(run.errLines()).singleElement().asString().contains("NodeGetCapabilities");
      assertThat(run.outLines().stream().map(line -> line.replaceAll("  +", "|")))
          .contains("ready|yes", "node|unknown", "node id|node-1");
    }
  }
}
