package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerExpandVolumeRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.Volume;
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
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.UnmountResult;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.workload.MountSupport;
import io.csi4j.volume.workload.ResolvedVolume;
import io.csi4j.volume.workload.TaskMounts;
import io.csi4j.volume.workload.TaskName;
import io.csi4j.volume.workload.TaskRuntime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds the README to what really compiles, runs and is said. */
class ReadmeTest {

  private static final Path ROOT = Page.ROOT;
  private static final Page PAGE = Page.of("README.md", "ReadmeSnippets.java");
  private static final String STALE = PAGE.stale();

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
    Map<String, String> regions = PAGE.regions();
    if (Page.regenerating()) {
      PAGE.regenerate(regions);
    }
    assertThat(PAGE.javaBlocks()).as(STALE).isEqualTo(regions);
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
      ReadmeSnippets.outcome(plugin, request(), told::add, told::add, told::add);
    }
    String message = told.get(0).toString();
    assertThat(told).hasSize(2).endsWith("data");
    String shown =
        message
            .replace(directory.toString(), "/run/csi")
            .replaceAll(", [\\d.]+ m?s,", ", 12 ms,")
            .replace(" Free", "\nFree");
    if (Page.regenerating()) {
      PAGE.regenerate(Map.of("message", shown + "\n"));
    }
    assertThat(PAGE.text("message")).as(STALE).isEqualTo(shown);
  }

  @Test
  void theCommandShownStartsAProgramThatIsThere() throws IOException {
    assertThat(PAGE.text("command")).contains(ReadPlugin.class.getName() + " unix:///");
    assertThat(PAGE.text("command of the quickstart")).isEqualTo("examples/quickstart");
    assertThat(ROOT.resolve("examples/quickstart")).isExecutable();
    assertThat(PAGE.text("command of mounts")).contains(ListMounts.class.getName() + " /");
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
          .forEach(link -> broken.add(ROOT.relativize(page) + " -> " + link));
    }
    assertThat(broken).isEmpty();
  }

  /** The pages for users, and the one in the folder of each module. */
  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (Path directory : List.of(ROOT, ROOT.resolve("docs"))) {
      try (var files = Files.newDirectoryStream(directory, "*.md")) {
        files.forEach(pages::add);
      }
    }
    assertThat(pages).hasSizeGreaterThan(5);
    for (Path directory : modules()) {
      pages.add(directory.resolve("README.md"));
    }
    return pages;
  }

  private static List<Path> modules() throws IOException {
    List<Path> modules =
        Pattern.compile("<module>([^<]+)</module>")
            .matcher(Files.readString(ROOT.resolve("pom.xml")))
            .results()
            .map(module -> ROOT.resolve(module.group(1)))
            .toList();
    assertThat(modules).hasSizeGreaterThan(10);
    return modules;
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
  void thePluginBlockStartsAPluginAndUsesItOnceItIsReady() throws IOException {
    Path volumes = Files.createDirectory(directory.resolve("v"));
    List<String> command = MortalPlugin.command(directory.resolve("data"));
    List<Object> heard = new CopyOnWriteArrayList<>();
    try (VolumeManager manager = VolumeManager.open(volumes)) {
      Path sockets = directory.resolve("csi");
      ReadmeSnippets.plugins(
          manager, volumes, sockets, command, heard::add, () -> heard.add("hosting"));
    }
    // The class path of the tests has a library that complains of what is not beside it.
    heard.removeIf(line -> line.toString().startsWith("SLF4J"));
    assertThat(heard).hasSize(3).endsWith("hosting");
    assertThat(heard.get(0)).hasToString("listens at unix://" + directory.resolve("csi/csi.sock"));
    assertThat(heard.get(1)).asString().matches("READY in process \\d+");
  }

  @Test
  void theWorkloadBlockHandsATaskItsVolume() {
    PluginId id = PluginId.of("fake");
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.noAttach());
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint());
        VolumeManager manager =
            VolumeManager.builder(directory.resolve("v"))
                .plugin(
                    PluginBinding.builder(id, fake.endpoint())
                        // The plugin makes directories only, so that everybody may run this.
                        .policy(MountPolicy.builder().requireMount(false).build())
                        .build())
                .open()) {
      Volume made = plugin.controller().createVolume(request());
      TaskMounts mounts =
          ReadmeSnippets.workloads(
              manager,
              (request, source) -> Optional.of(ResolvedVolume.csi(VolumeKey.of(source), id, made)),
              WorkloadId.of("web-1"),
              TaskRuntime.of(TaskName.of("web"), "containers", MountSupport.ALL));

      assertThat(mounts.binds())
          .extracting(bind -> bind.destination() + " " + bind.options())
          .containsExactly("/var/lib/db [rbind, rw, rprivate]");
    }
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
