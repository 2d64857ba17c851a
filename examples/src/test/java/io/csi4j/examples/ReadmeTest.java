package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.AccessMode;
import io.csi4j.client.CapacityRange;
import io.csi4j.client.CsiConnectException;
import io.csi4j.client.CsiOperation;
import io.csi4j.client.CsiPlugin;
import io.csi4j.client.PluginPath;
import io.csi4j.client.SnapshotId;
import io.csi4j.client.StatusCode;
import io.csi4j.client.VolumeCapability;
import io.csi4j.client.VolumeId;
import io.csi4j.client.controller.ControllerExpandVolumeRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.client.scripted.ScriptedPlugin;
import io.csi4j.mount.MountPath;
import io.csi4j.mount.MountProbe;
import io.csi4j.mount.UnmountResult;
import io.csi4j.testkit.mount.MemoryKernel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds the README to what really compiles, runs and is said. */
class ReadmeTest {

  private static final Path ROOT = Path.of(System.getProperty("csi4j.root", ".."));
  private static final Path README = ROOT.resolve("README.md");
  private static final Path SNIPPETS =
      ROOT.resolve("examples/src/test/java/io/csi4j/examples/ReadmeSnippets.java");

  private static final String STALE =
      "README.md is stale; rewrite its blocks with: mvn test -Dtest=ReadmeTest"
          + " -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true";

  private static final Pattern BLOCK =
      Pattern.compile("(?m)^(?:<!-- (\\w[^>]*?) -->\n)?```(\\w*)\n((?s:.*?))^```$");
  private static final Pattern REGION =
      Pattern.compile("(?m)^( *)// snippet: (.*)\n((?s:.*?))^ *// end$");

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

  // ---- the page

  @Test
  void everyJavaBlockIsARegionOfASourceThatIsCompiled() throws IOException {
    Map<String, String> regions = regions();
    if (Boolean.getBoolean("csi4j.regenerate")) {
      regenerate(regions);
    }
    Map<String, String> blocks = new LinkedHashMap<>();
    blocks("java").forEach(block -> blocks.put(String.valueOf(block.group(1)), block.group(3)));
    assertThat(blocks).as(STALE).isEqualTo(regions);
  }

  @Test
  void theFirstJavaBlockConnectsAndReadsInTenLines() throws IOException {
    MatchResult first = blocks("java").get(0);
    assertThat(first.group(1)).isEqualTo("snippet: connect");
    assertThat(first.group(3).lines()).hasSizeLessThanOrEqualTo(10);
  }

  @Test
  void theMessageShownIsTheOneThatIsThrown() throws IOException {
    scripted.fail(
        CsiOperation.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED, "pool 'fast' has 3 GiB left");
    try (CsiPlugin plugin = CsiPlugin.connect(scripted.endpoint())) {
      ReadmeSnippets.outcome(plugin, request(), told::add, told::add, told::add);
    }
    String message = told.get(0).toString();
    assertThat(told).hasSize(2).endsWith("data");
    String shown =
        message
            .replace(directory.toString(), "/run/csi")
            .replaceAll(", [\\d.]+ m?s,", ", 12 ms,")
            .replace(" Free", "\nFree");
    if (Boolean.getBoolean("csi4j.regenerate")) {
      regenerate(Map.of("message", shown + "\n"));
    }
    assertThat(text("message")).as(STALE).isEqualTo(shown);
  }

  @Test
  void theCommandShownStartsAProgramThatIsThere() throws IOException {
    assertThat(text("command")).contains(ReadPlugin.class.getName() + " unix:///");
    assertThat(text("command of mounts")).contains(ListMounts.class.getName() + " /");
  }

  @Test
  void everyLinkOfEveryPageLeadsToAFile() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) {
      Pattern.compile("\\]\\(([^)#]+)[^)]*\\)")
          .matcher(Files.readString(page))
          .results()
          .map(link -> link.group(1))
          .filter(link -> !Files.exists(page.resolveSibling(link)))
          .forEach(link -> broken.add(page.getFileName() + " -> " + link));
    }
    assertThat(broken).isEmpty();
  }

  private static void regenerate(Map<String, String> contents) throws IOException {
    String page = Files.readString(README);
    for (Map.Entry<String, String> each : contents.entrySet()) {
      Pattern block =
          Pattern.compile(
              "(?m)^(<!-- " + Pattern.quote(each.getKey()) + " -->\n```\\w*\n)(?s:.*?)^```$");
      page =
          block
              .matcher(page)
              .replaceFirst(
                  found -> Matcher.quoteReplacement(found.group(1) + each.getValue() + "```"));
    }
    Files.writeString(README, page);
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (Path directory : List.of(ROOT, ROOT.resolve("docs"))) {
      try (var files = Files.newDirectoryStream(directory, "*.md")) {
        files.forEach(pages::add);
      }
    }
    assertThat(pages).hasSizeGreaterThan(5);
    return pages;
  }

  private static List<MatchResult> blocks(String language) throws IOException {
    return BLOCK
        .matcher(Files.readString(README))
        .results()
        .filter(block -> block.group(2).equals(language))
        .toList();
  }

  private static String text(String name) throws IOException {
    return blocks("text").stream()
        .filter(block -> name.equals(block.group(1)))
        .map(block -> block.group(3).strip())
        .findFirst()
        .orElseThrow(() -> new AssertionError("the README shows no " + name));
  }

  /** The regions by name, without the indentation that they have there. */
  private static Map<String, String> regions() throws IOException {
    Map<String, String> regions = new LinkedHashMap<>();
    REGION
        .matcher(Files.readString(SNIPPETS))
        .results()
        .forEach(
            region ->
                regions.put(
                    "snippet: " + region.group(2),
                    region.group(3).replaceAll("(?m)^" + region.group(1), "").strip() + "\n"));
    return regions;
  }

  // ---- the code

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
      ReadmeSnippets.main(new String[] {endpoint});
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void theOtherBlocksDoWhatTheySay() {
    try (CsiPlugin plugin = CsiPlugin.connect(scripted.endpoint(), ReadmeSnippets.policies())) {
      ReadmeSnippets.outcome(plugin, request(), told::add, told::add, told::add);
      CompletableFuture<?> made = ReadmeSnippets.async(plugin, request(), volume -> {});
      assertThat(made).succeedsWithin(Duration.ofSeconds(20));
      ReadmeSnippets.listing(plugin, told::add);
      ReadmeSnippets.stream(plugin, SnapshotId.of("snap-1"), told::add);
      ReadmeSnippets.policyOfACall(
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
      ReadmeSnippets.capabilities(
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
    assertThat(ReadmeSnippets.secrets("hunter22", told::add).reveal()).containsValue("hunter22");
    assertThat(told).containsExactly("using Secrets{password=<redacted>}");
  }

  @Test
  void theMountBlocksBindAndUnmount() {
    MemoryKernel kernel = new MemoryKernel();
    MountPath volume = kernel.host().directory(MountPath.of("/volumes/one"));
    MountPath target = MountPath.of("/target");

    UnmountResult done = ReadmeSnippets.mounts(kernel.mounts(), volume, target, told::add);

    assertThat(told).containsExactly("bound");
    assertThat(done.step()).isEqualTo(UnmountResult.Step.PLAIN);
    assertThat(kernel.table().probe(target)).isEqualTo(new MountProbe.NotAMount());
    assertThat(ReadmeSnippets.mountsInMemory().isMount()).isTrue();
  }

  @Test
  void aPeerOfAnotherNameIsRefused() {
    assertThatThrownBy(
            () -> {
              try (CsiPlugin plugin =
                  CsiPlugin.connect(
                      scripted.endpoint(),
                      ReadmeSnippets.peer().toBuilder().deadline(Duration.ofSeconds(20)).build())) {
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
