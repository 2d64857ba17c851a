package io.csi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.conformance.model.PluginUnderTest;
import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The suite passes against every fake that claims to conform, and the fake is empty afterwards. */
class PresetsTest {

  private static final VolumeId EXISTING = VolumeId.of("made-by-others");
  private static final VolumeCapability MOUNT =
      VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER);
  private static final VolumeCapability BLOCK =
      VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER);

  /** Shapes that claim to conform; what each skips, and why, is in {@code skipped.txt}. */
  static Stream<Arguments> shapes() {
    return Stream.of(
        Arguments.of("full", PluginShape.full()),
        Arguments.of("full113", PluginShape.full113()),
        Arguments.of(
            "full113 with a place",
            PluginShape.full113().topologies(Topology.of(Map.of("zone", "z1")))),
        Arguments.of("separateSockets", PluginShape.separateSockets()),
        Arguments.of("nodeOnly", PluginShape.nodeOnly()),
        Arguments.of("noStaging", PluginShape.noStaging()),
        Arguments.of("noAttach", PluginShape.noAttach()),
        Arguments.of("attachRequired", PluginShape.attachRequired()),
        Arguments.of("blockOnly", PluginShape.blockOnly()),
        Arguments.of("csiSanity", PluginShape.csiSanity()),
        Arguments.of("plain", PluginShape.plain()),
        Arguments.of(
            "full with a place", PluginShape.full().topologies(Topology.of(Map.of("zone", "z1")))));
  }

  static PluginUnderTest described(FakeCsiPlugin plugin) {
    PluginUnderTest.Builder builder =
        PluginUnderTest.builder(plugin.endpoint())
            .node(plugin.nodeEndpoint())
            .mutableParameters(
                Map.of(
                    plugin.shape().mutableParameters().stream().findFirst().orElse("iops"), "100"));
    if (plugin.shape().controllerCapabilities().isEmpty()) {
      plugin.addVolume(EXISTING);
      builder.existingVolume(EXISTING, VolumeContext.empty());
    }
    return (plugin.shape().filesystems()
            ? builder.capabilities(MOUNT, BLOCK)
            : builder.capabilities(BLOCK))
        .build();
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest(name = "{0}")
  @MethodSource("shapes")
  void aFakeThatConformsPasses(String name, PluginShape shape) throws IOException {
    assertThat(shape.conforms()).as(name).isTrue();
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(shape)) {
      ConformanceReport report =
          PluginConformance.run(described(plugin), ConformanceListener.none());

      assertThat(report.clean()).as(report.text()).isTrue();
      assertThat(report.results(Outcome.ADVICE)).as(report.text()).isEmpty();
      assertThat(skipped(report)).isEqualTo(expectedSkips().get(name));
      assertThat(plugin.contents().idle()).isTrue();
      assertThat(plugin.contents().snapshots()).isEmpty();
      assertThat(plugin.contents().groups()).isEmpty();
      assertThat(plugin.contents().volumes()).isSubsetOf(EXISTING);
    }
  }

  @Tag("campaign")
  @PlayedInShares
  @Test
  void aFakeThatSpeaksBothReleasesIsAdvisedOfNothing() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.full112And113())) {
      ConformanceReport report =
          PluginConformance.run(described(plugin), ConformanceListener.none());

      assertThat(report.clean()).as(report.text()).isTrue();
      assertThat(report.results(Outcome.ADVICE)).as(report.text()).isEmpty();
    }
  }

  /** How many cases were skipped for each reason. */
  private static Map<String, Long> skipped(ConformanceReport report) {
    return report.results(Outcome.SKIPPED).stream()
        .collect(Collectors.groupingBy(CaseResult::story, TreeMap::new, Collectors.counting()));
  }

  /** The name of a shape, and below it a number of cases before each reason. */
  private static Map<String, Map<String, Long>> expectedSkips() throws IOException {
    Map<String, Map<String, Long>> expected = new HashMap<>();
    Map<String, Long> reasons = new TreeMap<>();
    try (InputStream in = PresetsTest.class.getResourceAsStream("skipped.txt")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (String line : text.lines().toList()) {
        if (line.startsWith("  ")) {
          String[] parts = line.strip().split(" ", 2);
          reasons.put(parts[1], Long.valueOf(parts[0]));
        } else {
          reasons = new TreeMap<>();
          expected.put(line, reasons);
        }
      }
    }
    return expected;
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @EnumSource
  void aLawfulQuirkFailsNothing(Quirk quirk) {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.full().with(quirk))) {
      ConformanceReport report =
          PluginConformance.run(described(plugin), ConformanceListener.none());

      assertThat(report.count(Outcome.FAILED) == 0).as(report.text()).isEqualTo(quirk.lawful());
      if (!quirk.lawful()) {
        assertThat(report.results(Outcome.FAILED))
            .extracting(each -> each.about().name())
            .contains(caughtBy(quirk));
      }
    }
  }

  private static String caughtBy(Quirk quirk) {
    return switch (quirk) {
      case CONFIRMED_LEFT_OUT, CONFIRMED_LEFT_OUT_WITH_MESSAGE, ONLY_ACCESS_MODE_CONFIRMED ->
          "controller/validate/what-it-was-made-for-is-confirmed";
      case TARGET_LEFT_BEHIND -> "node/unpublish/removes-the-target-path";
      case TARGET_NEVER_MADE -> "node/publish/makes-a-directory-for-a-filesystem";
      case SECOND_DELETE_INTERNAL -> "controller/delete/again-succeeds";
      case FAILURES_UNKNOWN_AND_SILENT -> "status/a-refusal-says-why";
      default -> throw new AssertionError(quirk + " is lawful");
    };
  }

  @Test
  void theSuiteHasAtLeastAsManyCasesAsItsPeers() {
    assertThat(PluginConformance.cases()).hasSizeGreaterThan(200);
    List<String> groups =
        PluginConformance.cases().stream().map(ConformanceCase::group).distinct().toList();
    assertThat(groups)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.asList(
                "identity",
                "controller",
                "topology",
                "snapshots",
                "groups",
                "node",
                "metadata",
                "concurrency",
                "status"));
  }
}
