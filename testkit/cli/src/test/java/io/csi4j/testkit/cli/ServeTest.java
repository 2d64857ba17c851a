package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerModifyVolumeRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.ListVolumesRequest;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiRequestException;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.testkit.model.PluginShape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServeTest {

  @TempDir Path directory;

  private Path socket() {
    return directory.resolve("csi.sock");
  }

  private String endpoint() {
    return CsiEndpoint.of(socket()).toString();
  }

  private Run serve(String... more) {
    List<String> args = new java.util.ArrayList<>(List.of("serve", "--endpoint", endpoint()));
    args.addAll(List.of(more));
    return Run.serving(args.toArray(String[]::new));
  }

  private CsiPlugin connect() {
    return CsiPlugin.connect(CsiEndpoint.of(socket()));
  }

  /** What is said to a command line that makes no sense. */
  private String usage(String... more) {
    try (Run run = serve(more)) {
      assertThat(run.code()).isEqualTo(2);
      return run.err();
    }
  }

  private static CreateVolumeRequest.Builder volume(String name) {
    return CreateVolumeRequest.builder(
        name, List.of(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER)));
  }

  @Test
  void itSaysWhereItListensAndEndsWithoutLeavingTheSocketBehind() {
    Run run = serve();
    assertThat(run.outLines())
        .containsExactly(
            "fake.csi4j.example 1.0.0 listens on " + endpoint() + ". End it with Ctrl-C.");
    assertThat(socket()).exists();

    assertThat(run.ended().code()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void thePluginHasTheShapeTheNodesAndTheVolumesAskedFor() {
    try (Run run =
        serve(
            "--shape",
            "separate-sockets",
            "--without",
            "EXPAND_VOLUME",
            "--without",
            "controller:clone-volume",
            "--quirk",
            "PROBE_WITHOUT_READY",
            "--node",
            "n-1",
            "--node",
            "n-2",
            "--volume",
            "v1",
            "--volume",
            "v 2")) {
      assertThat(run.outLines())
          .hasSize(3)
          .anyMatch(line -> line.startsWith("node n-1 listens on unix://"))
          .anyMatch(line -> line.startsWith("node n-2 listens on unix://"));
      String controller = run.outLines().get(0).replaceAll(".* on (\\S+)\\. .*", "$1");
      String second = run.outLines().get(2).replaceAll(".* on ", "");
      try (CsiPlugin plugin = CsiPlugin.connect(CsiEndpoint.parse(controller))) {
        assertThat(plugin.controller().getCapabilities().offered())
            .contains(ControllerCapability.CREATE_DELETE_VOLUME)
            .doesNotContain(ControllerCapability.EXPAND_VOLUME, ControllerCapability.CLONE_VOLUME);
        assertThat(plugin.controller().volumes(ListVolumesRequest.builder().build()))
            .extracting(entry -> entry.volume().id().value())
            .containsExactlyInAnyOrder("v1", "v 2");
        assertThat(plugin.identity().probe().name()).isEqualTo("ASSUMED_READY");
      }
      try (CsiPlugin plugin = CsiPlugin.connect(CsiEndpoint.parse(second))) {
        assertThat(plugin.node().getInfo().nodeId().value()).isEqualTo("n-2");
        assertThat(plugin.node().getCapabilities().offered())
            .doesNotContain(NodeCapability.EXPAND_VOLUME);
      }
    }
  }

  @Test
  void nodesAreWhereTheCommandLineSaysAndOnlyItsMutableParametersAreKnown() {
    try (Run run =
        serve(
            "--node",
            "n-1",
            "--node",
            "n-2",
            "--topology",
            "region=r1",
            "--topology",
            "n-1:topology.example/zone=z1",
            "--topology",
            "n-2:topology.example/zone=z2",
            "--mutable-parameter",
            "tier",
            "--volume",
            "v1")) {
      String second = run.outLines().get(1).replaceAll(".* on ", "");
      try (CsiPlugin plugin = connect()) {
        assertThat(plugin.node().getInfo().accessibleTopology())
            .contains(Topology.of(Map.of("region", "r1", "topology.example/zone", "z1")));
        assertThatThrownBy(
                () ->
                    plugin
                        .controller()
                        .modifyVolume(
                            ControllerModifyVolumeRequest.builder(
                                    VolumeId.of("v1"), Map.of("color", "red"))
                                .build()))
            .isInstanceOf(CsiException.class)
            .hasMessageContaining("Send one of [tier]");
      }
      try (CsiPlugin plugin = CsiPlugin.connect(CsiEndpoint.parse(second))) {
        assertThat(plugin.node().getInfo().accessibleTopology())
            .contains(Topology.of(Map.of("region", "r1", "topology.example/zone", "z2")));
      }
    }
  }

  @Test
  void aTopologyThatMakesNoSenseIsRefused() {
    assertThat(usage("--topology", "zone"))
        .contains("--topology 'zone' has no value. Write [NODE:]KEY=VALUE.");
    assertThat(usage("--topology", "n-9:zone=z1"))
        .contains("--topology 'n-9:zone=z1' names no node of this plugin. Its nodes are node-1.");
    assertThat(usage("--node", "a", "--node", "b", "--topology", "a:zone=z1"))
        .contains("is given for some nodes only.");
    assertThat(usage("--host-path", directory.toString(), "--topology", "zone=z1"))
        .contains("--topology and --mutable-parameter do not work with --host-path");
  }

  @Test
  void theSocketMayHaveAnyName() {
    CsiEndpoint mine = CsiEndpoint.of(directory.resolve("mine.sock"));
    try (Run run = Run.serving("serve", "--endpoint", mine.toString());
        CsiPlugin plugin = CsiPlugin.connect(mine)) {
      assertThat(run.out()).contains(" listens on " + mine + ".");
      assertThat(plugin.node().getInfo().nodeId().value()).isEqualTo("node-1");
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void aHostPathPluginTakesTheShapeForCsiSanity() {
    PluginShape shape = HostPathPlugin.defaultShape().forCsiSanity();
    try (Run run =
        serve("--host-path", directory.resolve("volumes").toString(), "--shape", "csi-sanity")) {
      assertThat(run.outLines()).as(run.err()).hasSize(2);
      assertThat(run.out()).startsWith("hostpath.csi4j.example ");
      assertThat(run.outLines().get(1)).matches("It m(akes|ounts) .*");
      try (CsiPlugin plugin = connect()) {
        assertThat(plugin.controller().getCapabilities().offered())
            .isEqualTo(shape.controllerCapabilities())
            .doesNotContain(
                ControllerCapability.GET_SNAPSHOT,
                ControllerCapability.GET_VOLUME_HEALTH,
                ControllerCapability.LIST_VOLUME_HEALTH);
        assertThat(plugin.node().getCapabilities().offered())
            .isEqualTo(shape.nodeCapabilities())
            .doesNotContain(NodeCapability.GET_VOLUME_HEALTH);
      }
    }
  }

  @Test
  void aHostPathPluginOffersWhatItCanDoAndNoMore() {
    try (Run run =
            serve(
                "--host-path",
                directory.resolve("volumes").toString(),
                "--without",
                "EXPAND_VOLUME");
        CsiPlugin plugin = connect()) {
      assertThat(run.out()).startsWith("hostpath.csi4j.example ");
      assertThat(plugin.controller().getCapabilities().offered())
          .containsExactlyInAnyOrderElementsOf(
              HostPathPlugin.defaultShape()
                  .without(ControllerCapability.EXPAND_VOLUME)
                  .controllerCapabilities());
      assertThat(plugin.node().getCapabilities().offered())
          .doesNotContain(NodeCapability.VOLUME_CONDITION, NodeCapability.EXPAND_VOLUME);
    }
  }

  @Test
  void aBrokenDutyIsTheVerdictAndTheExitCode() {
    Run run = serve("--referee", "--volume", "v1");
    try (CsiPlugin plugin = connect()) {
      assertThatThrownBy(
              () ->
                  plugin
                      .node()
                      .publishVolume(
                          NodePublishVolumeRequest.builder(
                                  VolumeId.of("v1"),
                                  PluginPath.of(directory + "/target"),
                                  VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER))
                              .stagingTargetPath(PluginPath.of(directory + "/staging"))
                              .build()))
          .isInstanceOf(CsiException.class);
    }
    assertThat(run.ended().code()).isEqualTo(ExitCode.UNLAWFUL);
    assertThat(run.out()).contains("D-139 broken");
  }

  @Test
  void aLawfulCallerIsTheVerdictAndAGoodEnd() {
    Run run = serve("--referee");
    try (CsiPlugin plugin = connect()) {
      plugin.controller().createVolume(volume("a").build());
    }
    assertThat(run.ended().code()).as(run.out()).isZero();
    assertThat(run.outLines()).hasSizeGreaterThan(1);
  }

  @Test
  void aFaultScriptIsObeyed() throws IOException {
    Path script = directory.resolve("faults.txt");
    Files.writeString(script, "CreateVolume nth=2: fail RESOURCE_EXHAUSTED \"the pool is full\"\n");

    try (Run run = serve("--faults", script.toString());
        CsiPlugin plugin = connect()) {
      plugin.controller().createVolume(volume("a").build());
      assertThatThrownBy(() -> plugin.controller().createVolume(volume("b").build()))
          .isInstanceOfSatisfying(
              CsiException.class,
              failed -> assertThat(failed.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED))
          .hasMessageContaining("the pool is full");
      plugin.controller().createVolume(volume("b").build());
      assertThat(run.err()).isEmpty();
    }
  }

  @Test
  void aFaultScriptThatMakesNoSenseIsRefusedBeforeAnythingIsServed() throws IOException {
    Path script = directory.resolve("faults.txt");
    Files.writeString(script, "# fine\nCreateVolume: explode\n");

    Run run = serve("--faults", script.toString());

    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.out()).isEmpty();
    assertThat(run.errLines().get(0)).startsWith(script + ":2:15: 'explode' is not a valid step.");
    assertThat(socket()).doesNotExist();
  }

  @Test
  void theJournalIsALineOfJsonForEachEventWithoutSecrets() throws IOException {
    Path journal = directory.resolve("journal.jsonl");
    Run run = serve("--journal", journal.toString());
    try (CsiPlugin plugin = connect()) {
      plugin
          .controller()
          .createVolume(volume("data").secrets(Secrets.of(Map.of("password", "hunter22"))).build());
    }
    assertThat(run.ended().code()).isZero();

    List<String> lines = Files.readAllLines(journal);
    assertThat(lines.get(0)).contains("\"event\":\"started\"").contains("fake.csi4j.example");
    assertThat(lines.get(lines.size() - 1)).contains("\"event\":\"stopped\"");
    assertThat(lines)
        .allMatch(line -> line.startsWith("{\"at\":\"") && line.endsWith("}"))
        .noneMatch(line -> line.contains("hunter22"));
    assertThat(lines.stream().filter(line -> line.contains("\"operation\":\"CreateVolume\"")))
        .hasSize(3)
        .satisfiesExactly(
            began ->
                assertThat(began)
                    .contains("\"event\":\"began\"", "\"name\":\"data\"", "\"beside\":[]"),
            worked -> assertThat(worked).contains("\"event\":\"worked\""),
            ended ->
                assertThat(ended)
                    .contains("\"event\":\"ended\"", "\"end\":\"answered\"", "\"volume_id\""));
  }

  @Test
  void aJournalThatIsNotWholeIsAFailure() {
    Run run = serve("--journal", "/dev/full");

    assertThat(run.ended().code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(run.err())
        .startsWith("Writing the journal failed, so it is incomplete. Free disk space");
    assertThat(socket()).doesNotExist();
  }

  @Test
  void aServeThatDoesNotBeginLeavesThePageAndTheJournalOfTheLastOne() throws IOException {
    Path page = Files.writeString(directory.resolve("calls.html"), "the last page");
    Path journal = Files.writeString(directory.resolve("journal"), "the last journal");
    Path taken = Files.writeString(socket(), "a file");

    Run refused = serve("--report", page.toString(), "--journal", journal.toString());

    assertThat(refused.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(page).content().isEqualTo("the last page");
    assertThat(journal).content().isEqualTo("the last journal");

    Files.delete(taken);
    Run uncalled = serve("--report", page.toString(), "--journal", journal.toString());

    assertThat(uncalled.ended().code()).isZero();
    assertThat(page).content().startsWith("<!").doesNotContain("the last page");
    assertThat(Files.readString(journal)).doesNotContain("the last journal");
  }

  @Test
  void theVerdictIsToldAlsoIfThePageCannotBeWritten() {
    Run run = serve("--referee", "--report", "/dev/full");

    assertThat(run.ended().code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(run.outLines()).contains("The caller is lawful.");
    assertThat(run.err()).startsWith("Writing the report failed, so it is incomplete.");
  }

  @Test
  void theJournalAndThePageAreBothToldIfNeitherCanBeWritten() {
    Run run = serve("--journal", "/dev/full", "--report", "/dev/full");

    assertThat(run.ended().code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(run.err())
        .contains("Writing the journal failed, so it is incomplete.")
        .contains("Writing the report failed, so it is incomplete.");
  }

  @Test
  void theJournalOnStandardOutputStandsThereAlone() {
    Run run = serve("--journal", "-");
    try (CsiPlugin plugin = connect()) {
      assertThatThrownBy(
              () ->
                  plugin
                      .controller()
                      .with(policy -> policy.attempts(1))
                      .volumes(ListVolumesRequest.builder().startingToken("none").build())
                      .iterator()
                      .hasNext())
          .isInstanceOf(CsiRequestException.class);
    }
    assertThat(run.ended().code()).isZero();

    assertThat(run.errLines()).singleElement().asString().contains(" listens on ");
    assertThat(run.outLines())
        .allMatch(line -> line.startsWith("{\"at\":\""))
        .anyMatch(line -> line.contains("\"end\":\"failed\",\"code\":10,\"text\":"));
  }

  @Test
  void aPlaceThatIsTakenIsToldAndLeftAlone() throws IOException {
    Files.writeString(socket(), "mine");

    Run run = serve();

    assertThat(run.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(run.errLines())
        .singleElement()
        .asString()
        .contains("a file that is not a socket is there");
    assertThat(socket()).hasContent("mine");
  }

  @Test
  void aPlaceForVolumesThatCannotBeHadIsNamedWithWhatToDo() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));

    Run run = serve("--host-path", file.resolve("volumes").toString());

    assertThat(run.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(run.errLines())
        .singleElement()
        .asString()
        .contains("Volumes cannot be kept in '" + file + "/volumes'", "Name a directory");
  }

  @Test
  void aHostPathPluginTakesNoSecondNode() {
    Run nodes = serve("--host-path", directory.toString(), "--node", "a", "--node", "b");

    assertThat(nodes.code()).isEqualTo(ExitCode.USAGE);
    assertThat(nodes.errLines())
        .containsExactly(
            "--host-path serves one node, the machine that it runs on. Write --node once."
                + " --host-path DIR works only with one --node, --shape csi-sanity, --without,"
                + " --quirk,"
                + " --volume, --faults, --journal, --report and --referee. For several nodes that"
                + " really mount, run one process for each, with its own --endpoint and DIR; for"
                + " several nodes in one process, omit --host-path.",
            "See: csi4j plugin serve --help");
  }

  @Test
  void aHostPathPluginSaysWhatTheRightsOfItsProcessAreEnoughFor() {
    assertThat(ServeCommand.possible(true, true))
        .isEqualTo("It mounts filesystem volumes; raw block volumes are loop devices.");
    assertThat(ServeCommand.possible(true, false))
        .isEqualTo(
            "It mounts filesystem volumes; raw block volumes are plain files, because this process"
                + " cannot write to /dev/loop-control.");
    assertThat(ServeCommand.possible(false, true))
        .isEqualTo(
            "It creates and deletes volumes, but cannot stage or publish them: this process may not"
                + " mount (CAP_SYS_ADMIN). Run it as root, or in a user namespace: unshare -Urm"
                + " csi4j plugin serve …");
  }
}
