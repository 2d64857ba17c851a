package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.DeleteVolumeRequest;
import io.csi4j.client.controller.ListVolumesRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands {@code proxy}, {@code replay} and {@code report}. */
class ProxyTest {

  @TempDir Path directory;

  private String file(String name) {
    return directory.resolve(name).toString();
  }

  private String socket(String name) {
    return CsiEndpoint.of(directory.resolve(name)).toString();
  }

  /** Makes a volume and deletes it again through a proxy, which records it. */
  private Run recorded(FakeCsiPlugin plugin, String... more) {
    List<String> words =
        new java.util.ArrayList<>(
            List.of(
                "proxy",
                "--listen",
                socket("p.sock"),
                "--plugin",
                plugin.endpoint().toString(),
                "--record",
                file("calls.jsonl")));
    words.addAll(List.of(more));
    Run run = Run.serving(words.toArray(String[]::new));
    try (CsiPlugin client = CsiPlugin.connect(CsiEndpoint.of(directory.resolve("p.sock")))) {
      Volume made =
          client
              .controller()
              .createVolume(
                  CreateVolumeRequest.builder(
                          "v", List.of(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER)))
                      .build());
      assertThat(made.id().value()).isNotEmpty();
      assertThat(client.controller().listVolumes(ListVolumesRequest.builder().build()).entries())
          .isNotEmpty();
    }
    return run.ended();
  }

  @Test
  void theCallsArePassedRecordedJudgedAndShown() throws IOException {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      Run run = recorded(plugin, "--judge", "--new-plugin", "--report", file("calls.html"));

      assertThat(run.code()).isZero();
      assertThat(run.outLines().get(0))
          .isEqualTo(
              "Forwarding calls from "
                  + socket("p.sock")
                  + " to "
                  + plugin.endpoint()
                  + ". End it with Ctrl-C.");
      assertThat(run.out()).contains("No answer of the plugin breaks the spec.");
      assertThat(Files.readString(directory.resolve("calls.html"))).contains("Calls by volume");
      assertThat(Files.readAllLines(directory.resolve("calls.jsonl")))
          .anyMatch(line -> line.contains("/csi.v1.Controller/CreateVolume"));
    }
  }

  @Test
  void aPluginThatIsNotThereIsToldAndPassedToWhenItIs() throws IOException {
    Path socket = directory.resolve("later.sock");
    try (Run run =
        Run.serving(
            "proxy", "--listen", socket("p.sock"), "--plugin", CsiEndpoint.of(socket).toString())) {
      assertThat(run.outLines().get(1))
          .isEqualTo("The plugin does not listen yet. The proxy listens as soon as it does.");
      assertThat(directory.resolve("p.sock")).doesNotExist();
      try (FakeCsiPlugin later = FakeCsiPlugin.builder().socket(socket).open();
          CsiPlugin client = CsiPlugin.connect(CsiEndpoint.of(directory.resolve("p.sock")))) {
        assertThat(client.identity().getPluginInfo().name()).isEqualTo(later.shape().name());
      }
    }
  }

  @Test
  void aPluginThatBreaksTheSpecIsTheExitCode() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      var unused =
          plugin.answer(
              CsiOperation.LIST_VOLUMES,
              asked ->
                  Map.of(
                      "entries",
                      List.of(
                          Map.of(
                              "volume",
                              Map.of(
                                  "volume_id",
                                  "v",
                                  "volume_context",
                                  Map.of("k", "x".repeat(5000)))))));

      Run run = recorded(plugin, "--judge");

      assertThat(run.code()).isEqualTo(1);
      assertThat(run.out())
          .contains(
              "ListVolumes breaks the spec: entries[0].volume.volume_context has 5001 bytes; the"
                  + " spec"
                  + " allows 4096.");
    }
  }

  @Test
  void theVerdictAndAFailedRecordingAreToldAlsoIfThePageCannotBeWritten() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      Run run =
          Run.serving(
              "proxy",
              "--listen",
              socket("p.sock"),
              "--plugin",
              plugin.endpoint().toString(),
              "--record",
              "/dev/full",
              "--report",
              "/dev/full",
              "--judge");
      try (CsiPlugin client = CsiPlugin.connect(CsiEndpoint.of(directory.resolve("p.sock")))) {
        assertThat(client.controller().listVolumes(ListVolumesRequest.builder().build()).entries())
            .isEmpty();
      }

      assertThat(run.ended().code()).isEqualTo(ExitCode.NO_CONNECTION);
      assertThat(run.out()).contains("No answer of the plugin breaks the spec.");
      assertThat(run.err())
          .contains(
              "The recording is incomplete, because writing failed: /dev/full.",
              "Writing the report failed, so it is incomplete.");
    }
  }

  @Test
  void aRecordingIsPlayedAgainstAPlugin() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        FakeCsiPlugin other = FakeCsiPlugin.open()) {
      assertThat(recorded(plugin).code()).isZero();

      Run same = Run.of("replay", file("calls.jsonl"), "--against", other.endpoint().toString());
      assertThat(same.code()).isZero();
      assertThat(same.out()).contains("CreateVolume: as recorded, OK", "calls ended as recorded.");

      other.close();
      Run gone = Run.of("replay", file("calls.jsonl"), "--against", other.endpoint().toString());
      assertThat(gone.code()).isEqualTo(1);
      assertThat(gone.out()).contains("ended with UNAVAILABLE (14); recorded was OK");
    }
  }

  @Test
  void aDifferenceThatMayComeFromAValueThatWasLeftOutIsToldApart() {
    Secrets secrets = Secrets.of(Map.of("token", "hunter2-x"));
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        FakeCsiPlugin other = FakeCsiPlugin.open()) {
      Run proxy =
          Run.serving(
              "proxy",
              "--listen",
              socket("p.sock"),
              "--plugin",
              plugin.endpoint().toString(),
              "--record",
              file("calls.jsonl"));
      try (CsiPlugin client = CsiPlugin.connect(CsiEndpoint.of(directory.resolve("p.sock")))) {
        client
            .controller()
            .deleteVolume(DeleteVolumeRequest.builder(VolumeId.of("v")).secrets(secrets).build());
      }
      assertThat(proxy.ended().code()).isZero();
      var refused =
          other.inject(
              Fault.fail(StatusCode.UNAUTHENTICATED, "a wrong token"),
              When.calling(CsiOperation.DELETE_VOLUME));
      String[] words = {"replay", file("calls.jsonl"), "--against", other.endpoint().toString()};

      Run run = Run.of(words);
      refused.close();
      Run accepted = Run.of(words);

      assertThat(run.code()).isEqualTo(ExitCode.FAILED);
      assertThat(run.outLines())
          .containsExactly(
              "#1 Probe: as recorded, OK",
              "#2 GetPluginInfo: as recorded, OK",
              "#3 DeleteVolume of 'v': differs, with UNAUTHENTICATED (16)",
              "    ended with UNAUTHENTICATED (16); recorded was OK",
              "    perhaps because it was sent without the values of secrets, which the recording"
                  + " leaves out",
              "1 of 3 calls did not end as recorded.",
              "1 of these may differ because of values that the recording leaves out. To keep them,"
                  + " record again with: csi4j plugin proxy --record FILE --record-secrets");
      assertThat(accepted.outLines()).last().asString().endsWith(" calls ended as recorded.");
    }
  }

  @Test
  void aRecordingIsPlayedAsAPlugin() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      assertThat(recorded(plugin).code()).isZero();
    }
    try (Run run = Run.serving("replay", file("calls.jsonl"), "--listen", socket("r.sock"));
        CsiPlugin client = CsiPlugin.connect(CsiEndpoint.of(directory.resolve("r.sock")))) {
      assertThat(client.controller().listVolumes(ListVolumesRequest.builder().build()).entries())
          .hasSize(1);
      assertThat(run.out())
          .startsWith("Replaying a recording of ")
          .contains(" calls on " + socket("r.sock") + ". End it with Ctrl-C.");
    }
  }

  @Test
  void aRecordingBecomesAPage() throws IOException {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      assertThat(recorded(plugin).code()).isZero();
    }
    Run run = Run.of("report", file("calls.jsonl"));

    assertThat(run.code()).isZero();
    assertThat(run.out().strip()).isEqualTo("Wrote " + file("calls.jsonl.html"));
    assertThat(Files.readString(directory.resolve("calls.jsonl.html"))).contains("Recorded calls");
  }

  @Test
  void aLineOfARecordingThatNoCallHasIsRefusedBeforeItIsRead() throws IOException {
    Files.writeString(directory.resolve("long"), "\n" + "x".repeat((16 << 20) + 1));

    Run run = Run.of("replay", file("long"), "--listen", socket("a"));

    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.errLines())
        .startsWith(
            "Reading the recording '"
                + file("long")
                + "' failed: line 2 has more than 16777216 bytes. Name a file that 'csi4j plugin"
                + " proxy --record' wrote.");
  }

  @Test
  void whatMakesNoSenseIsSaid() throws IOException {
    Files.writeString(directory.resolve("odd"), "{}\n");

    Run odd = Run.of("report", file("odd"));
    assertThat(odd.code()).isEqualTo(2);
    assertThat(odd.err()).contains("odd:1: no recorded call: The field method must be a text.");
    assertThat(Run.of("replay", file("odd")).code()).isEqualTo(2);
    assertThat(Run.of("proxy", "--listen", socket("a")).code()).isEqualTo(2);
    Run nowhere =
        Run.of(
            "proxy",
            "--listen",
            socket("a"),
            "--plugin",
            socket("b"),
            "--record",
            file("none/calls.jsonl"));
    assertThat(nowhere.code()).isEqualTo(4);
    assertThat(nowhere.err()).contains("Name a file in a directory that exists");
  }

  @Test
  void serveAndCheckWriteAPageToo() throws IOException {
    Run served =
        Run.serving("serve", "--endpoint", socket("s.sock"), "--report", file("served.html"));
    try (CsiPlugin client = CsiPlugin.connect(CsiEndpoint.of(directory.resolve("s.sock")))) {
      assertThat(client.controller().listVolumes(ListVolumesRequest.builder().build()).entries())
          .isEmpty();
    }
    assertThat(served.ended().code()).isZero();
    assertThat(Files.readString(directory.resolve("served.html"))).contains("ListVolumes");

    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      Run checked =
          Run.of(
              "check",
              "--endpoint",
              plugin.endpoint().toString(),
              "--only",
              "identity/*",
              "--report",
              file("checked.html"));
      assertThat(checked.code()).isZero();
      assertThat(Files.readString(directory.resolve("checked.html")))
          .contains("GetPluginInfo")
          .doesNotContain("Duties of the caller");
    }
  }
}
