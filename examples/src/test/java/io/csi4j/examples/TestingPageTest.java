package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiConditionException;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.conformance.PluginConformance;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.ShapePreset;
import io.csi4j.testkit.referee.DutyId;
import io.csi4j.testkit.referee.UnlawfulCallerException;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.UnmountOutcome;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds docs/testing-with-csi4j.md to what really compiles, runs and is said. */
class TestingPageTest {

  private static final Page PAGE = Page.of("docs/testing-with-csi4j.md", "TestingSnippets.java");

  @TempDir Path directory;
  private final List<String> told = new ArrayList<>();

  @Test
  void thePageLeavesCasesOutThatAreThere() {
    TestingSnippets.MyPluginTest suite = new TestingSnippets.MyPluginTest();

    assertThat(PluginConformance.cases().stream().filter(each -> !suite.includes(each)).toList())
        .isNotEmpty()
        .allMatch(each -> each.name().startsWith("groups/"));
  }

  /** Runs the first block. */
  @Nested
  class FifteenLines extends TestingSnippets.Plain {}

  /** Runs the block with the annotation. */
  @Nested
  class WithJUnit extends TestingSnippets.MountingTest {}

  /** Runs the block with a volume manager. */
  @Nested
  class WithAManager extends TestingSnippets.MyHostTest {}

  @Test
  void aManagerThatLooksIntoTheRunningKernelIsToldWhatToSayOfAFake() {
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly())) {
      fake.addVolume(TestingSnippets.VOLUME);
      assertThatExceptionOfType(VolumeException.class)
          .isThrownBy(() -> mount(fake, MountPolicy.defaults()))
          .withMessageContaining("for plain directories (fakes)")
          .withMessageContaining("requireMount(false)")
          .satisfies(
              refused -> assertThat(refused.code()).isEqualTo(OperatorCode.MOUNT_NOT_VISIBLE));

      mount(fake, MountPolicy.builder().requireMount(false).build());
      fake.assertLawful();
    }
  }

  @Test
  void aVolumeThatNobodyValidatedIsAdviceThatFailsNoTestAndNoneForTheNodeAlone()
      throws IOException {
    String row =
        Files.readString(Page.ROOT.resolve("docs/testing-with-csi4j.md"))
            .lines()
            .filter(line -> line.startsWith("| D-261 in `verdict().advice()`, which fails no test"))
            .findFirst()
            .orElseThrow();
    assertThat(row).contains("`ShapePreset.NODE_ONLY`");
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.noAttach());
        FakeCsiPlugin nodeOnly = FakeCsiPlugin.open(ShapePreset.NODE_ONLY.shape())) {
      for (FakeCsiPlugin each : List.of(fake, nodeOnly)) {
        each.addVolume(TestingSnippets.VOLUME);
        mount(each, MountPolicy.builder().requireMount(false).build());
        each.assertLawful();
      }

      assertThat(fake.verdict().advice()).contains(DutyId.of(261));
      assertThat(fake.verdict().describe()).contains("PluginShape.nodeOnly()");
      assertThat(nodeOnly.verdict().advice()).doesNotContain(DutyId.of(261));
    }
  }

  private void mount(FakeCsiPlugin fake, MountPolicy policy) {
    PluginId plugin = PluginId.of("fake.csi4j.example");
    VolumeUse usage = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web-1"));
    try (VolumeManager manager =
        VolumeManager.builder(directory.resolve("v"))
            .plugin(PluginBinding.builder(plugin, fake.nodeEndpoint()).policy(policy).build())
            .open()) {
      manager.mount(
          MountRequest.builder(plugin, usage, TestingSnippets.VOLUME, AccessMode.SINGLE_NODE_WRITER)
              .build());
      assertThat(manager.unmount(usage)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void theFirstBlockHasFifteenLines() throws IOException {
    assertThat(PAGE.blocks("java").get(0).group(3).lines()).hasSizeLessThanOrEqualTo(15);
  }

  @Test
  void theVerdictShownIsTheOneThatIsThrown() throws Exception {
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.noAttach());
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      fake.addVolume(TestingSnippets.VOLUME);
      MyOrchestrator mine = new MyOrchestrator(plugin, directory);
      mine.mount(TestingSnippets.VOLUME);
      assertThatExceptionOfType(CsiConditionException.class)
          .isThrownBy(() -> mine.unmountWrongly(TestingSnippets.VOLUME))
          .satisfies(
              refused -> assertThat(refused.code()).isEqualTo(StatusCode.FAILED_PRECONDITION));

      String shown = shown(fake);
      if (Page.regenerating()) {
        PAGE.regenerate(Map.of("verdict", shown + "\n"));
      }
      assertThat(PAGE.text("verdict")).as(PAGE.stale()).isEqualTo(shown);
    }
  }

  private String shown(FakeCsiPlugin fake) {
    try {
      fake.assertLawful();
    } catch (UnlawfulCallerException unlawful) {
      return String.valueOf(unlawful.getMessage())
          .replace(directory.toString(), "/run/mine")
          .replaceAll("after \\d+ ms", "after 3 ms")
          .replaceAll("(?s)\n  D-143 .*", "")
          .strip();
    }
    throw new AssertionError("lawful");
  }

  @Test
  void theOtherBlocksDoWhatTheySay() {
    try (FakeCsiPlugin fake = FakeCsiPlugin.open();
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      plugin.controller().createVolume(request());
      TestingSnippets.journal(fake, fake.contents().volumes().get(0), told::add);
      TestingSnippets.life(fake);
      TestingSnippets.faults(fake, TestingSnippets.VOLUME);
      fake.clearFaults();
      TestingSnippets.answers(fake);
      assertThat(
              plugin
                  .controller()
                  .publishVolume(
                      ControllerPublishVolumeRequest.builder(
                              VolumeId.of("v1"),
                              NodeId.of("node-1"),
                              VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER))
                          .build())
                  .publishContext()
                  .reveal())
          .isEqualTo(Map.of("device", "/dev/v1"));
      assertThat(told).last().asString().contains("CreateVolume");
      assertThat(fake.shape().vendorVersion()).isEqualTo("2.0.0");
      assertThat(fake.contents().volumes()).isEmpty();
    }
    assertThat(TestingSnippets.virtualTime(request()).capacityBytes()).hasValue(1L << 30);
  }

  @Test
  void thePluginThatMountsListensWhereItSays() {
    TestingSnippets.hostPath(
        directory.resolve("volumes"),
        endpoint -> {
          try (CsiPlugin plugin = CsiPlugin.connect(endpoint)) {
            told.add(plugin.identity().getPluginInfo().name().value());
          }
        });
    assertThat(told).containsExactly("hostpath.csi4j.example");
  }

  @Test
  void theScriptShownIsInTheHelpOfTheCommandLine() throws IOException {
    Properties help = new Properties();
    try (Reader table =
        Files.newBufferedReader(
            Page.ROOT.resolve(
                "testkit/cli/src/main/resources/io/csi4j/testkit/cli/help.properties"))) {
      help.load(table);
    }
    assertThat(PAGE.text("faults of the command line").lines())
        .isNotEmpty()
        .allMatch(line -> help.values().stream().anyMatch(text -> text.toString().contains(line)));
  }

  private static CreateVolumeRequest request() {
    return CreateVolumeRequest.builder(
            "data", List.of(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER)))
        .build();
  }
}
