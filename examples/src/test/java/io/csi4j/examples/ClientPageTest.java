package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerExpandVolumeRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.client.scripted.ScriptedPlugin;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Holds docs/client.md to what really compiles, runs and is said. */
@Isolated("Reads the output of the process.")
class ClientPageTest {

  private static final Page PAGE = Page.of("docs/client.md", "ClientSnippets.java");

  @TempDir Path directory;
  private ScriptedPlugin scripted;
  private final List<Object> told = new ArrayList<>();

  @BeforeEach
  void start() {
    scripted = ScriptedPlugin.start(directory.resolve("csi.sock"));
  }

  @AfterEach
  void stop() {
    scripted.close();
  }

  @Test
  void theFirstJavaBlockConnectsAndReadsInTenLines() throws IOException {
    MatchResult first = PAGE.blocks("java").get(0);
    assertThat(first.group(1)).isEqualTo("snippet: connect");
    assertThat(first.group(3).lines()).hasSizeLessThanOrEqualTo(10);
  }

  @Test
  void theMessageShownIsTheOneThatIsThrown() throws IOException {
    scripted.fail(
        CsiOperation.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED, "pool 'fast' has 3 GiB left");
    try (CsiPlugin plugin = CsiPlugin.connect(scripted.endpoint())) {
      ClientSnippets.outcome(plugin, request(), told::add, told::add, told::add);
    }
    String message = told.get(0).toString();
    assertThat(told).hasSize(2).endsWith("data");
    String shown =
        message
            .replace(directory.toString(), "/run/csi")
            .replaceAll(", [\\d.]+ m?s,", ", 12 ms,")
            .replaceAll("(.{1,100})(?: |$)", "$1\n")
            .strip();
    if (Page.regenerating()) {
      PAGE.regenerate(Map.of("message", shown + "\n"));
    }
    assertThat(PAGE.text("message")).as(PAGE.stale()).isEqualTo(shown);
  }

  @Test
  void theCommandShownStartsAProgramThatIsThere() throws IOException {
    assertThat(PAGE.text("command")).contains(ReadPlugin.class.getName() + " unix:///");
  }

  @Test
  void theTenLinesReadAPlugin() {
    assertThat(printed(scripted.endpoint().toString()).lines())
        .startsWith("scripted.csi4j.example 1.2.3")
        .anyMatch(line -> line.startsWith("offers [CREATE_DELETE_VOLUME, "))
        .endsWith("this node is node-1");
  }

  @Test
  void theTenLinesTellInOneLineWhyTheyCouldNot() {
    assertThat(printed("unix://" + directory).lines())
        .singleElement()
        .asString()
        .contains("there is a directory at");
  }

  private static String printed(String endpoint) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream both = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    System.setOut(both);
    System.setErr(both);
    try {
      ClientSnippets.main(new String[] {endpoint});
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void theOtherBlocksDoWhatTheySay() {
    try (CsiPlugin plugin = CsiPlugin.connect(scripted.endpoint(), ClientSnippets.policies())) {
      ClientSnippets.outcome(plugin, request(), told::add, told::add, told::add);
      CompletableFuture<?> made = ClientSnippets.async(plugin, request(), volume -> {});
      assertThat(made).succeedsWithin(Duration.ofSeconds(20));
      ClientSnippets.listing(plugin, told::add);
      ClientSnippets.stream(plugin, SnapshotId.of("snap-1"), told::add);
      ClientSnippets.policyOfACall(
          plugin,
          NodeStageVolumeRequest.builder(VolumeId.of("vol-1"), PluginPath.of("/staging"), use())
              .build());
      // The volume and one batch; the plugin lists nothing.
      assertThat(told).hasSize(2).endsWith(List.of());
    }
    assertThat(scripted.calls(CsiOperation.CREATE_VOLUME)).hasSize(2);
    assertThat(scripted.calls(CsiOperation.LIST_VOLUMES)).hasSize(1);
    assertThat(scripted.calls(CsiOperation.GET_METADATA_ALLOCATED)).hasSize(1);
    assertThat(scripted.calls(CsiOperation.NODE_STAGE_VOLUME)).hasSize(1);
  }

  @Test
  void whatIsNotOfferedIsNotSentAndNamed() {
    scripted.answer(
        CsiOperation.CONTROLLER_GET_CAPABILITIES, ScriptedPlugin.controllerCapabilities(List.of()));
    try (CsiPlugin plugin = CsiPlugin.connect(scripted.endpoint())) {
      ClientSnippets.capabilities(
          plugin,
          ControllerExpandVolumeRequest.builder(VolumeId.of("vol-1"), CapacityRange.atLeast(1))
              .build(),
          told::add);
    }
    assertThat(told).singleElement().asString().startsWith("missing: ").contains("EXPAND_VOLUME");
    assertThat(scripted.calls(CsiOperation.CONTROLLER_EXPAND_VOLUME)).isEmpty();
  }

  @Test
  void secretsAreShownAsTheBlockSays() {
    assertThat(ClientSnippets.secrets("hunter22", told::add).reveal()).containsValue("hunter22");
    assertThat(told).containsExactly("using Secrets{password=<redacted>}");
  }

  @Test
  void aPeerOfAnotherNameIsRefused() {
    assertThatThrownBy(
            () -> {
              try (CsiPlugin plugin =
                  CsiPlugin.connect(
                      scripted.endpoint(),
                      ClientSnippets.peer().toBuilder().deadline(Duration.ofSeconds(20)).build())) {
                told.add(plugin);
              }
            })
        .isInstanceOfSatisfying(
            CsiConnectException.class,
            refused ->
                assertThat(refused.reason())
                    .isIn(
                        CsiConnectException.Reason.WRONG_PLUGIN,
                        CsiConnectException.Reason.WRONG_PEER));
    assertThat(told).isEmpty();
  }

  private static VolumeCapability use() {
    return VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER);
  }

  private static CreateVolumeRequest request() {
    return CreateVolumeRequest.builder("data", List.of(use())).build();
  }
}
