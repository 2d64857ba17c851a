package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallCommandTest {

  @TempDir Path directory;

  private static Run call(FakeCsiPlugin plugin, String... more) {
    return call(plugin.endpoint(), more);
  }

  private static Run call(CsiEndpoint endpoint, String... more) {
    return Run.of(
        Stream.concat(
                Stream.of("plugin", "call", "--timeout", "2s", "--endpoint", endpoint.toString()),
                Stream.of(more))
            .toArray(String[]::new));
  }

  @Test
  void theAnswerIsJsonForAPersonAndOnOneLineForAProgram() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.nodeOnly())) {
      Run person = call(plugin, "nodegetinfo");
      Run program = call(plugin, "NodeGetInfo", "--json");

      assertThat(person.code()).isZero();
      assertThat(person.outLines()).containsExactly("{", "  \"node_id\": \"node-1\"", "}");
      assertThat(program.outLines()).containsExactly("{\"node_id\":\"node-1\"}");
      assertThat(program.err()).isEmpty();
    }
  }

  @Test
  void theRequestComesFromAFileToo() throws IOException {
    Path file = Files.writeString(directory.resolve("r.json"), "{\"volume_id\":\n\"vol-1\"}");
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      assertThat(call(plugin, "DeleteVolume", "--request", file.toString()).code()).isZero();
      assertThat(plugin.journal().calls(CsiOperation.DELETE_VOLUME)).hasSize(1);
    }
  }

  @Test
  void aFailureIsToldWithItsCodeItsOutcomeAndWhenToTryAgain() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.fail(StatusCode.FAILED_PRECONDITION, "in \u001b[31muse"),
          When.calling(CsiOperation.DELETE_VOLUME));
      Run run = call(plugin, "DeleteVolume", "{\"volume_id\": \"v\"}", "--json");

      assertThat(run.code()).isEqualTo(ExitCode.FAILED);
      assertThat(run.errLines())
          .singleElement()
          .asString()
          .contains("FAILED_PRECONDITION", "in \\u001b[31muse");
      assertThat(run.outLines())
          .singleElement()
          .asString()
          .startsWith(
              "{\"failed\":{\"call\":\"DeleteVolume\",\"code\":\"FAILED_PRECONDITION\","
                  + "\"outcome\":\"SETTLED\",\"retry\":\"AFTER_FIX\",\"answered\":true,")
          .contains("\"plugin_says\":");
    }
  }

  private static Run publish(FakeCsiPlugin plugin, Path secrets) {
    return call(
        plugin,
        "ControllerPublishVolume",
        "{\"volume_id\":\"v\",\"node_id\":\"node-1\",\"volume_capability\":{\"mount\":{},"
            + "\"access_mode\":{\"mode\":\"SINGLE_NODE_WRITER\"}}}",
        "--secrets",
        secrets.toString(),
        "--show-contexts",
        "--json");
  }

  @Test
  void secretsOfAFileReachThePluginAndNoOutput() throws IOException {
    Path secrets =
        Files.writeString(
            directory.resolve("secrets"),
            "key=common-word\n[ControllerPublishVolume]\nkey=open-sesame\n");
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.full())) {
      plugin.answer(
          CsiOperation.CONTROLLER_PUBLISH_VOLUME,
          request ->
              Map.of("publish_context", Map.of("echo", "-" + request.map("secrets").get("key"))));
      Run run = publish(plugin, secrets);

      assertThat(run.code()).as(run.err()).isZero();
      assertThat(run.outLines())
          .containsExactly("{\"publish_context\":{\"echo\":\"-<redacted>\"}}");
      assertThat(run.out() + run.err()).doesNotContain("sesame", "common-word");
    }
  }

  @Test
  void aFileOfSecretsThatDoesNotEndIsRefused() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.full())) {
      Run run = publish(plugin, Path.of("/dev/zero"));

      assertThat(run.code()).isEqualTo(ExitCode.USAGE);
      assertThat(run.errLines())
          .startsWith(
              "Reading the secrets '/dev/zero' failed: it has more than 8388608 bytes. Name the"
                  + " file itself, or make it shorter.");
    }
  }

  @Test
  void aSecretBehindALongTextIsTakenOutAndTheTextIsShownAsItIs() throws IOException {
    String before = "a \"text\" that goes on, ".repeat(100);
    Path secrets = Files.writeString(directory.resolve("secrets"), "key=open-sesame\n");
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.full())) {
      plugin.answer(
          CsiOperation.CONTROLLER_PUBLISH_VOLUME,
          request -> Map.of("publish_context", Map.of("echo", before + "open-sesame!")));

      Run run = publish(plugin, secrets);

      assertThat(run.code()).as(run.err()).isZero();
      assertThat(run.outLines())
          .containsExactly(
              "{\"publish_context\":{\"echo\":\""
                  + before.replace("\"", "\\\"")
                  + "<redacted>!\"}}");
    }
  }

  @Test
  void aCommandLineThatMakesNoSenseIsAnsweredWithWhatToWrite() {
    assertThat(Run.of("plugin", "call").err())
        .startsWith("The name of a call is missing. Write one, such as");
    assertThat(Run.of("plugin", "call", "NodeGetEverything").err())
        .startsWith("There is no call 'NodeGetEverything' in CSI 1.13. Print all calls with");
    assertThat(Run.of("plugin", "call", "Probe").code()).isEqualTo(ExitCode.USAGE);
    CsiEndpoint nowhere = CsiEndpoint.of(directory.resolve("none.sock"));
    Run wrong = call(nowhere, "DeleteVolume", "{\"volume\": \"hunter2\"}");
    assertThat(wrong.code()).isEqualTo(ExitCode.USAGE);
    assertThat(wrong.err()).contains("no field 'volume'", "--fields").doesNotContain("hunter2");
    assertThat(call(nowhere, "DeleteVolume", "{").code()).isEqualTo(ExitCode.USAGE);
    Run twice = call(nowhere, "DeleteVolume", "{}", "--request", "f");
    assertThat(twice.err()).startsWith("The request is given twice, as JSON and with --request.");
  }

  @Test
  void withoutAPluginTheConnectionIsWhatFails() {
    String nowhere = "unix://" + directory.resolve("none.sock");
    Run run =
        Run.of("plugin", "call", "--timeout", "100ms", "--endpoint", nowhere, "Probe", "--json");

    assertThat(run.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(run.out()).contains("\"call\":\"Probe\"");
    assertThat(run.err()).contains("there is no socket");
  }
}
