package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.model.PluginId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds the README to what really compiles, runs and is said. */
class ReadmeTest {

  private static final Path ROOT = Page.ROOT;
  private static final Page PAGE = Page.of("README.md", "ReadmeSnippets.java");
  private static final String STALE = PAGE.stale();

  @TempDir Path directory;
  private final List<Object> told = new ArrayList<>();

  // ---- the page

  @Test
  void everyJavaBlockIsARegionOfASourceThatIsCompiled() throws IOException {
    Map<String, String> regions = PAGE.regions();
    if (Page.regenerating()) {
      PAGE.regenerate(regions);
    }
    assertThat(PAGE.javaBlocks()).as(STALE).isEqualTo(regions);
  }

  @Test
  void aStrangerReadsItToTheEnd() throws IOException {
    assertThat(Files.readAllLines(PAGE.file())).hasSizeLessThanOrEqualTo(150);
  }

  @Test
  void theCommandsShownAreThere() throws IOException {
    assertThat(PAGE.text("command of the quickstart")).isEqualTo("examples/quickstart");
    assertThat(ROOT.resolve("examples/quickstart")).isExecutable();
    assertThat(PAGE.text("command of the installation")).isEqualTo("mvn -q install -Pfast");
    assertThat(Files.readString(ROOT.resolve("pom.xml"))).contains("<id>fast</id>");
  }

  @Test
  void everyModuleHasAPageInItsFolder() throws IOException {
    List<Path> modules =
        Pattern.compile("<module>([^<]+)</module>")
            .matcher(Files.readString(ROOT.resolve("pom.xml")))
            .results()
            .map(module -> module.group(1))
            .filter(module -> !module.startsWith("examples/strangers/"))
            .map(ROOT::resolve)
            .toList();
    assertThat(modules).hasSizeGreaterThan(10);
    assertThat(modules).allSatisfy(module -> assertThat(module.resolve("README.md")).exists());
  }

  // ---- the code

  @Test
  void theVolumeBlockTellsWhyAWorkloadDidNotGetAVolumeThatIsNotMounted() throws IOException {
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.noAttach());
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      ReadmeSnippets.volumes(
          Files.createDirectory(directory.resolve("v")),
          PluginId.of("fake"),
          fake.endpoint(),
          List.of(),
          plugin.controller().createVolume(request()),
          told::add,
          told::add);
    }
    assertThat(told)
        .singleElement()
        .asString()
        .startsWith("REFUSED CSI-412 MOUNT_NOT_VISIBLE: ")
        .contains("'web-1'");
  }

  @Test
  void theFakePluginTellsWhatItWasAskedAndThatTheCallerIsLawful() {
    ReadmeSnippets.fakePlugin(request(), told::add);

    assertThat(told)
        .singleElement()
        .asString()
        .contains("CreateVolume", "ABORTED")
        .doesNotContain("DeleteVolume");
  }

  private static VolumeCapability use() {
    return VolumeCapability.mount(AccessMode.SINGLE_NODE_SINGLE_WRITER);
  }

  private static CreateVolumeRequest request() {
    return CreateVolumeRequest.builder("data", List.of(use())).build();
  }
}
