package io.csi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.conformance.model.PluginUnderTest;
import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The suite passes against a plugin that really mounts. */
@MountTest
class HostPathConformanceTest {

  @Tag("campaign")
  @PlayedInShares
  @Test
  void thePluginThatMountsPasses(Scratch scratch) throws Exception {
    try (HostPathPlugin plugin = HostPathPlugin.builder(scratch.file("data")).open()) {
      PluginUnderTest.Builder builder =
          PluginUnderTest.builder(plugin.endpoint())
              .directory(Files.createDirectory(scratch.file("work")))
              .volumeBytes(16L << 20)
              .mutableParameters(Map.of("iops", "100"));
      VolumeCapability mount = VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER);
      ConformanceReport report =
          PluginConformance.run(
              (plugin.shape().blocks()
                      ? builder.capabilities(
                          mount, VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER))
                      : builder.capabilities(mount))
                  .build(),
              ConformanceListener.none());

      assertThat(report.clean()).as(report.text()).isTrue();
      assertThat(report.results(Outcome.SKIPPED))
          .as(report.text())
          .extracting(CaseResult::story)
          .noneMatch(story -> story.startsWith("nothing is mounted"));
      assertThat(plugin.contents().idle()).isTrue();
      assertThat(plugin.contents().volumes()).isEqualTo(List.of());
    }
  }
}
