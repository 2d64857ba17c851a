package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.conformance.PluginConformance;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckCommandTest {

  @TempDir Path directory;

  private static String[] args(FakeCsiPlugin plugin, String... more) {
    return Stream.concat(
            Stream.of(
                "check",
                "--controller-endpoint",
                plugin.endpoint().toString(),
                "--endpoint",
                plugin.nodeEndpoint().toString()),
            Stream.of(more))
        .toArray(String[]::new);
  }

  @Test
  void aLawfulPluginPassesEveryCaseWithALineForEach() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      Run run = Run.of(args(plugin));

      assertThat(run.code()).as(run.out()).isZero();
      assertThat(run.out()).startsWith("Conformance of unix://").doesNotContain("FAILED ");
      int cases = PluginConformance.cases().size();
      assertThat(run.errLines())
          .startsWith("Checking 'fake.csi4j.example' at " + plugin.endpoint())
          .noneMatch(line -> line.contains("\u001b"))
          .last()
          .asString()
          .startsWith(cases + "/" + cases + " ");
      assertThat(plugin.contents().volumes()).isEmpty();
    }
  }

  /** So that a filter in a script does not pass for ever without a test. */
  @Test
  void aCheckOfWhichAllCasesAreSkippedFails() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.noAttach())) {
      Run run = Run.of(args(plugin, "--only", "controller/publish/*"));

      assertThat(run.code()).isEqualTo(ExitCode.FAILED);
      assertThat(run.out()).contains("SKIPPED, because ").doesNotContain("FAILED ");
      assertThat(run.errLines())
          .contains(
              "Nothing was tested: every chosen case was skipped, because the plugin does not offer"
                  + " what it needs. Choose other cases.");
    }
  }

  /**
   * The suite takes them out of all that it shows, and once failed in nearly every case by that.
   */
  @Test
  void secretsOfOneCharacterOrNoneChangeNoVerdict() throws IOException {
    Path secrets = Files.writeString(directory.resolve("secrets"), "pin=7\nempty=\nword=e\n");
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      Run run = Run.of(args(plugin, "--only", "controller/*", "--secrets", secrets.toString()));

      assertThat(run.code()).as(run.out()).isZero();
    }
  }

  @Tag("campaign")
  @Test
  void aPluginWithSocketsOfItsOwnForControllerAndNodeIsChecked() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.separateSockets())) {
      Run run = Run.of(args(plugin, "--only", "node/*"));

      assertThat(run.code()).as(run.out()).isZero();
      assertThat(run.out()).startsWith("Conformance of controller " + plugin.endpoint());
    }
  }

  @Test
  void aPluginThatBreaksTheSpecFailsByTheNameOfTheCase() throws IOException {
    Path xml = directory.resolve("report.xml");
    PluginShape shape = PluginShape.full().with(Quirk.SECOND_DELETE_INTERNAL);
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(shape)) {
      Run run = Run.of(args(plugin, "--only", "controller/*", "--junit-xml", xml.toString()));

      assertThat(run.code()).isEqualTo(ExitCode.FAILED);
      assertThat(run.outLines()).anyMatch(line -> line.startsWith("FAILED controller/delete/"));
      assertThat(Files.readString(xml))
          .startsWith("<?xml")
          .contains("<failure message=")
          .endsWith("</testsuites>\n");
    }
  }

  @Test
  void bothReportsAreToldIfNeitherCanBeWritten() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      Run run =
          Run.of(
              "check",
              "--endpoint",
              plugin.endpoint().toString(),
              "--only",
              "identity/probe/*",
              "--junit-xml",
              "/dev/full",
              "--report",
              "/dev/full");

      assertThat(run.code()).isEqualTo(ExitCode.NO_CONNECTION);
      assertThat(run.err())
          .contains("Writing the report for machines failed, so it is incomplete.")
          .contains("Writing the report failed, so it is incomplete.");
    }
  }

  @Test
  void aReportForMachinesThatIsNotWholeIsAFailure() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      Run run = Run.of(args(plugin, "--only", "identity/probe/*", "--junit-xml", "/dev/full"));

      assertThat(run.code()).isEqualTo(ExitCode.NO_CONNECTION);
      assertThat(run.out()).startsWith("Conformance of unix://");
      assertThat(run.errLines())
          .last()
          .isEqualTo(
              "Writing the report for machines failed, so it is incomplete. Free disk space, then"
                  + " write it again.");
    }
  }

  @Test
  void forProgramsEachCaseIsAnObjectAndSoIsTheWhole() {
    PluginShape shape = PluginShape.full().with(Quirk.SECOND_DELETE_INTERNAL);
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(shape)) {
      Run run = Run.of(args(plugin, "--only", "controller/delete/*", "--json"));

      assertThat(run.code()).isEqualTo(ExitCode.FAILED);
      List<String> lines = run.outLines();
      assertThat(lines).allMatch(line -> line.startsWith("{\"") && line.endsWith("}"));
      assertThat(lines.get(lines.size() - 1))
          .startsWith("{\"plugin\":\"")
          .contains(",\"failed\":2,", ",\"not-run\":0,")
          .endsWith(",\"clean\":false}");
      assertThat(lines)
          .filteredOn(line -> line.contains("\"outcome\":\"failed\""))
          .hasSize(2)
          .allSatisfy(
              line ->
                  assertThat(line)
                      .startsWith("{\"case\":\"controller/delete/")
                      .contains("\"spec\":\"", "\"story\":\"", "\"leftBehind\":[]"));
    }
    Run listed = Run.of("check", "--list", "--only", "identity/*", "--json");
    assertThat(listed.outLines())
        .hasSizeGreaterThan(3)
        .allMatch(line -> line.startsWith("{\"case\":\"identity/") && line.endsWith("]}"));
  }

  @Tag("campaign")
  @Test
  void aPersonSeesOneLineThatIsWrittenOver() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      Run run = Run.onTerminal(args(plugin, "--only", "identity/*"));

      assertThat(run.code()).as(run.out()).isZero();
      String[] lines = run.err().split("\n", -1);
      assertThat(lines).hasSize(2);
      assertThat(lines[1]).startsWith("\r\u001b[K1/").contains("\r\u001b[K2/");
      assertThat(run.err()).endsWith("\r\u001b[K");
    }
  }

  @Test
  void theListNamesTheCasesWithoutAPlugin() {
    Run all = Run.of("check", "--list");
    Run some =
        Run.of("check", "--list", "--only", "identity/*", "--only", "node/*", "--skip", "node/*");

    assertThat(all.code()).isZero();
    assertThat(all.outLines().stream().filter(line -> !line.startsWith(" ")))
        .containsExactlyElementsOf(
            PluginConformance.cases().stream().map(ConformanceCase::name).toList());
    assertThat(some.outLines().stream().filter(line -> !line.startsWith(" ")))
        .isNotEmpty()
        .allMatch(line -> line.startsWith("identity/"));
  }

  @Test
  void aPatternThatFitsNothingIsAMistake() {
    Run run = Run.of("check", "--endpoint", "unix:///none/csi.sock", "--only", "moon/*");

    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("No case matches. Print the names with --list");
  }

  @Test
  void aPluginThatIsNotThereIsToldBeforeAnyCaseRuns() {
    Run run = Run.of("check", "--endpoint", "unix:///none/csi.sock", "--timeout", "100ms");

    assertThat(run.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(run.out()).isEmpty();
    assertThat(run.errLines())
        .hasSize(2)
        .last()
        .asString()
        .contains("there is no directory '/none'");
  }

  @Test
  void aPluginThatIsNotThereLeavesNoEmptyReport() {
    Path xml = directory.resolve("report.xml");

    Run run =
        Run.of(
            "check",
            "--endpoint",
            "unix://" + directory.resolve("none.sock"),
            "--timeout",
            "10ms",
            "--junit-xml",
            xml.toString());

    assertThat(run.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(xml).doesNotExist();
  }

  @Test
  void aCheckThatDoesNotBeginLeavesTheReportsOfTheLastOne() throws IOException {
    Path page = Files.writeString(directory.resolve("calls.html"), "the last page");
    Path xml = Files.writeString(directory.resolve("report.xml"), "the last report");
    Path secrets = Files.writeString(directory.resolve("secrets"), "no secret\n");
    String socket = "unix://" + directory.resolve("none.sock");
    List<String> words = new ArrayList<>(List.of("check", "--endpoint", socket));
    words.addAll(List.of("--timeout", "10ms", "--report", page.toString()));
    words.addAll(List.of("--junit-xml", xml.toString()));

    Run gone = Run.of(words.toArray(String[]::new));
    Run noSecrets =
        Run.of(
            Stream.concat(words.stream(), Stream.of("--secrets", secrets.toString()))
                .toArray(String[]::new));
    Run notStarted =
        Run.of(
            Stream.concat(words.stream(), Stream.of("--start", "exit 3")).toArray(String[]::new));

    assertThat(gone.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(gone.errLines())
        .hasSize(2)
        .satisfiesExactly(
            line -> assertThat(line).startsWith("There is no socket at " + socket + ". "),
            line -> assertThat(line).startsWith("Connecting to " + socket + " failed: "));
    assertThat(noSecrets.code()).isEqualTo(ExitCode.USAGE);
    assertThat(notStarted.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(page).content().isEqualTo("the last page");
    assertThat(xml).content().isEqualTo("the last report");
  }

  @Test
  void theReportOfACheckWithAPageNamesThePluginAndNotTheProxyBeforeIt() throws IOException {
    Path page = Files.writeString(directory.resolve("calls.html"), "old ".repeat(1 << 20));
    Path xml = Files.writeString(directory.resolve("report.xml"), "old ".repeat(1 << 20));
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      String[] words = {
        "check",
        "--endpoint",
        plugin.endpoint().toString(),
        "--only",
        "identity/probe/*",
        "--report",
        page.toString(),
        "--junit-xml",
        xml.toString()
      };
      Run run = Run.of(words);
      Run json =
          Run.of(Stream.concat(Stream.of(words), Stream.of("--json")).toArray(String[]::new));

      assertThat(run.code()).as(run.err()).isZero();
      assertThat(run.errLines().get(0))
          .isEqualTo("Checking 'fake.csi4j.example' at " + plugin.endpoint());
      assertThat(run.outLines().get(0)).isEqualTo("Conformance of " + plugin.endpoint());
      assertThat(json.outLines())
          .last()
          .asString()
          .startsWith("{\"plugin\":\"" + plugin.endpoint() + "\",");
    }
    assertThat(Files.readString(page)).contains("Probe").doesNotContain("old old");
    assertThat(Files.readString(xml)).endsWith("</testsuites>\n");
  }

  @Test
  void aPageListsTheCasesAndTellsAnInjectedFaultFromAFailureOfThePlugin() throws IOException {
    Path page = directory.resolve("calls.html");
    Path script =
        Files.writeString(
            directory.resolve("faults.txt"), "Probe times=1: fail INTERNAL \"of the test\"\n");
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      var unused = plugin.answer(CsiOperation.GET_PLUGIN_INFO, asked -> Map.of("name", "a.b"));
      String[] words = {
        "check",
        "--endpoint",
        plugin.endpoint().toString(),
        "--only",
        "identity/info/*",
        "--only",
        "identity/probe/*",
        "--faults",
        script.toString(),
        "--report",
        page.toString()
      };
      Run run = Run.of(words);
      Run json =
          Run.of(Stream.concat(Stream.of(words), Stream.of("--json")).toArray(String[]::new));

      assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.FAILED);
      assertThat(run.outLines())
          .containsSequence(
              "",
              "Injected faults affected these cases, so their results say nothing about the"
                  + " plugin:",
              "  identity/probe/says-ready");
      assertThat(json.outLines())
          .filteredOn(line -> line.contains("\"injectedFault\":true"))
          .singleElement()
          .asString()
          .startsWith("{\"case\":\"identity/probe/says-ready\"");
    }
    assertThat(Files.readString(page))
        .contains("<h2>Cases</h2><table><tr><th>case</th><th>result</th><th>took</th><th>why</th>")
        .contains("<td>identity/info/the-version-is-told</td><td>failed</td>")
        .contains("<td>identity/probe/says-ready</td><td>failed, with an injected fault</td>")
        .as("a time and its unit stay on one line")
        .containsPattern("<td>\\d+\u00a0ms</td>")
        .contains("<b>1</b>with an injected fault</div>")
        .contains("by an injected fault: Fail[code=13, text=of the test]");
  }

  @Test
  void secretsOfAFileReachThePluginAndNothingThatIsPrinted() throws IOException {
    Path secrets = directory.resolve("secrets");
    Files.writeString(secrets, "# all\nuser=alice99\n[CreateVolume]\n password = hunter22\n");
    Path xml = directory.resolve("report.xml");
    PluginShape shape = PluginShape.full().with(Quirk.SECOND_DELETE_INTERNAL);
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(shape)) {
      Run run =
          Run.of(
              args(
                  plugin,
                  "--only",
                  "controller/*",
                  "--secrets",
                  secrets.toString(),
                  "--junit-xml",
                  xml.toString()));

      assertThat(plugin.journal().calls(io.csi4j.client.model.CsiOperation.CREATE_VOLUME))
          .anyMatch(call -> call.request().map("secrets").containsValue("hunter22"))
          .noneMatch(call -> call.request().map("secrets").containsValue("alice99"));
      assertThat(plugin.journal().calls(io.csi4j.client.model.CsiOperation.DELETE_VOLUME))
          .anyMatch(call -> call.request().map("secrets").containsValue("alice99"));
      assertThat(run.out() + run.err() + Files.readString(xml))
          .doesNotContain("hunter22", "alice99");
    }
  }

  @Test
  void nomad15670_aSecretMayHoldEqualsSigns() throws IOException {
    Path secrets = directory.resolve("secrets");
    Files.writeString(secrets, "[CreateVolume]\nkey=a=b==\n");
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.full())) {
      Run run = Run.of(args(plugin, "--only", "controller/*", "--secrets", secrets.toString()));

      assertThat(run.code()).isNotEqualTo(ExitCode.USAGE);
      assertThat(plugin.journal().calls(io.csi4j.client.model.CsiOperation.CREATE_VOLUME))
          .anyMatch(call -> "a=b==".equals(call.request().map("secrets").get("key")));
    }
  }

  @Test
  void aFileOfSecretsThatMakesNoSenseIsToldByItsLineWithoutRepeatingIt() throws IOException {
    Path secrets = directory.resolve("secrets");
    Files.writeString(secrets, "user=alice99\nhunter22\n");
    Path sections = directory.resolve("sections");
    Files.writeString(sections, "[hunter22]\n");

    Run line = Run.of("check", "--endpoint", "unix:///s", "--secrets", secrets.toString());
    Run section = Run.of("check", "--endpoint", "unix:///s", "--secrets", sections.toString());

    assertThat(line.code()).isEqualTo(ExitCode.USAGE);
    assertThat(line.err()).startsWith(secrets + ":2: This line is not a secret.");
    assertThat(section.code()).isEqualTo(ExitCode.USAGE);
    assertThat(section.err()).startsWith(sections + ":1: The brackets contain no operation.");
    assertThat(line.err() + section.err()).doesNotContain("hunter22", "alice99");
  }

  @Test
  void secretsOfOneCharacterDisturbNothing() throws IOException {
    Path secrets = directory.resolve("secrets");
    Files.writeString(secrets, "a=1\nb=e\nc==\n");
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      Run run = Run.of(args(plugin, "--only", "controller/*", "--secrets", secrets.toString()));

      assertThat(run.code()).as(run.out()).isZero();
    }
  }

  @Test
  void volumesAreUsedAsTheOptionsSay() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      Run run =
          Run.of(
              args(
                  plugin,
                  "--only",
                  "node/publish/again-succeeds",
                  "--fs-type",
                  "xfs",
                  "--mount-flag",
                  "noatime",
                  "--mount-flag",
                  "nodiratime",
                  "--access-mode",
                  "multi-node-multi-writer",
                  "--parameter",
                  "class=fast"));

      assertThat(run.code()).as(run.out()).isZero();
      assertThat(plugin.journal().lastCapability(CsiOperation.NODE_PUBLISH_VOLUME))
          .hasValue(
              VolumeCapability.mount(
                  AccessMode.MULTI_NODE_MULTI_WRITER,
                  MountOptions.none()
                      .withFsType("xfs")
                      .withFlags(MountFlags.of("noatime", "nodiratime"))));
      assertThat(plugin.journal().last(CsiOperation.CREATE_VOLUME))
          .hasValueSatisfying(
              call -> assertThat(call.request().map("parameters")).containsEntry("class", "fast"));
    }
    assertThat(Run.of("check", "--endpoint", "unix:///s", "--access-mode", "moon").err())
        .startsWith("There is no access mode 'moon'. Write single-node-writer, ");
  }

  @Test
  void volumesAreMadeWhereTheOptionsSay() {
    PluginShape shape = PluginShape.full().topologies(Topology.of(Map.of("zone", "z1")));
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(shape)) {
      Run run =
          Run.of(
              args(
                  plugin,
                  "--only",
                  "controller/create/a-volume-is-made",
                  "--topology",
                  "zone=nowhere"));

      assertThat(run.code()).isEqualTo(ExitCode.FAILED);
      assertThat(run.out()).contains("NOT RUN, because CreateVolume ended with ");
    }
  }

  @Test
  void anExistingVolumeIsUsedAlsoWhereOneCouldBeMade() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.addVolume(VolumeId.of("made-by-others"));
      Run run =
          Run.of(
              args(
                  plugin,
                  "--only",
                  "node/life/of-a-filesystem",
                  "--existing-volume",
                  "made-by-others"));

      assertThat(run.code()).as(run.out()).isZero();
      assertThat(plugin.journal().calls(CsiOperation.CREATE_VOLUME)).isEmpty();
    }
  }

  @Tag("campaign")
  @Test
  void aPluginThatDiesIsStartedAgainBehindTheProxyOfTheReport() throws IOException {
    String socket = "unix://" + directory.resolve("csi.sock");
    Path faults = Files.writeString(directory.resolve("faults"), "GetPluginCapabilities: hang\n");
    String serve =
        ChildProcess.tool("java")
            + " -XX:TieredStopAtLevel=1 -cp '"
            + System.getProperty("java.class.path")
            + "' "
            + Main.class.getName()
            + " serve";
    String dies =
        serve
            + " --faults "
            + faults
            + " --journal journal & until grep -q GetPluginCapabilities journal; do sleep 0.02;"
            + " done 2>/dev/null; kill -9 $!; exit 9";
    String start =
        "cd "
            + directory
            + "; if [ ! -e journal ]; then touch journal; "
            + dies
            + "; else exec "
            + serve
            + "; fi";
    Path page = directory.resolve("calls.html");

    Run run =
        Run.of(
            "check",
            "--endpoint",
            socket,
            "--start",
            start,
            "--report",
            page.toString(),
            "--only",
            "identity/capabilities/stay-the-same",
            "--only",
            "identity/probe/can-be-repeated",
            "--only",
            "identity/capabilities/a-controller-that-is-declared-answers");

    assertThat(run.code()).as(run.out() + run.err()).isEqualTo(ExitCode.FAILED);
    assertThat(run.out())
        .contains("identity            2        0        0        0        1")
        .contains("FAILED identity/capabilities/stay-the-same")
        .contains("the plugin died in this call: nothing listens on")
        .contains("It ended with code 9");
    assertThat(Files.readString(page))
        .contains("GetPluginCapabilities", "ControllerGetCapabilities");
    assertThat(directory.resolve("csi.sock")).as("the plugin was ended").doesNotExist();
  }

  @Test
  void theStoriesOfACheckWithAPageNameThePluginAndNotTheProxyBeforeIt() {
    Path page = directory.resolve("calls.html");
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(Fault.drop(), When.calling(CsiOperation.PROBE));
      Run run =
          Run.of(
              "check",
              "--endpoint",
              plugin.endpoint().toString(),
              "--only",
              "identity/probe/says-ready",
              "--report",
              page.toString());

      assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.FAILED);
      assertThat(run.out()).contains("nothing answers on " + plugin.endpoint() + ": ");
    }
  }

  /** Checks a plugin that a command starts with these words around it; ends what is left of it. */
  private void checkStarted(String before, String after, BiConsumer<Run, Boolean> then)
      throws IOException {
    Path pid = directory.resolve("pid");
    Run run =
        Run.of(
            "check",
            "--endpoint",
            "unix://" + directory.resolve("csi.sock"),
            "--start",
            before
                + ChildProcess.tool("java")
                + " -XX:TieredStopAtLevel=1 -cp '"
                + System.getProperty("java.class.path")
                + "' "
                + Main.class.getName()
                + " serve & echo $! > "
                + pid
                + after,
            "--only",
            "identity/probe/says-ready");
    Optional<ProcessHandle> plugin =
        ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()));
    try {
      then.accept(run, plugin.flatMap(each -> each.info().command()).isPresent());
    } finally {
      plugin.ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void aPluginThatTheCommandPutsIntoTheBackgroundIsEnded() throws IOException {
    checkStarted(
        "",
        "",
        (run, runs) -> {
          assertThat(run.code()).as(run.out() + run.err()).isZero();
          assertThat(runs).isFalse();
          assertThat(run.err()).doesNotContain("still listens");
        });
  }

  @Tag("campaign")
  @Test
  void aPluginThatMakesItselfADaemonIsToldToOutliveTheCheck() throws IOException {
    checkStarted(
        "(setsid ",
        ")",
        (run, runs) -> {
          assertThat(run.code()).as(run.out() + run.err()).isZero();
          assertThat(runs).isTrue();
          assertThat(run.err())
              .contains(
                  "A process still listens on unix://"
                      + directory.resolve("csi.sock")
                      + ", although the processes of --start have ended");
        });
  }

  @Test
  void aCommandThatFailsToStartThePluginIsToldAtOnceWithItsOutput() throws IOException {
    String socket = "unix://" + directory.resolve("csi.sock");
    Path left =
        Files.writeString(
            directory.resolve("left"),
            "csi4j conformance: things that a run has created and not " + "removed\n");
    List<String> words = List.of("check", "--endpoint", socket, "--start", "./plugn -v");
    String told =
        "(?s)Starting the plugin failed: nothing listens on "
            + socket
            + "\\. Check its command\\. It ended with code 127\\. Its last lines:\n"
            + " +\\| [^\n]*\\./plugn[^\n]*\n.*";

    Run run = Run.of(words.toArray(String[]::new));
    Run cleanup =
        Run.of(
            Stream.concat(words.stream(), Stream.of("--cleanup", left.toString()))
                .toArray(String[]::new));

    assertThat(run.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(run.err()).matches(told);
    assertThat(cleanup.code()).isEqualTo(ExitCode.NO_CONNECTION);
    assertThat(cleanup.err()).matches(told);
    assertThat(left).exists();
  }

  @Test
  void whatWasLeftBehindIsTakenAwayLater() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.fail(StatusCode.INTERNAL, "no"), When.calling(CsiOperation.DELETE_VOLUME));
      Run run = Run.of(args(plugin, "--only", "controller/create/a-volume-is-made"));
      assertThat(run.code()).isEqualTo(ExitCode.FAILED);
      assertThat(plugin.contents().volumes()).hasSize(1);
      String told = run.errLines().get(run.errLines().size() - 1);
      String file = told.substring(told.lastIndexOf(' ') + 1);
      assertThat(told).contains("Remove it later with --cleanup ");

      plugin.clearFaults();
      Run later = Run.of(args(plugin, "--cleanup", file));

      assertThat(later.code()).as(later.out() + later.err()).isZero();
      assertThat(later.out()).startsWith("Nothing of that run is left.");
      assertThat(plugin.contents().volumes()).isEmpty();
      assertThat(Path.of(file)).doesNotExist();
      assertThat(Run.of(args(plugin, "--cleanup", file)).code()).isEqualTo(ExitCode.USAGE);
    }
  }

  @Tag("campaign")
  @Test
  void aDirectoryForTemporaryFilesThatIsMissingIsNoMistakeOfTheCommandLine() throws Exception {
    Path nowhere = Files.createFile(directory.resolve("file")).resolve("tmp");
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        ChildProcess check =
            ChildProcess.start(
                directory,
                Map.of(),
                Stream.concat(
                        Stream.of(
                            ChildProcess.tool("java"),
                            "-XX:TieredStopAtLevel=1",
                            "-Djava.io.tmpdir=" + nowhere,
                            "-cp",
                            System.getProperty("java.class.path"),
                            Main.class.getName()),
                        Stream.of(args(plugin)))
                    .toList())) {
      assertThat(check.code()).as(check.err()).isEqualTo(ExitCode.NO_CONNECTION);
      assertThat(check.err())
          .endsWith("No directory for staging and target paths can be created.\n");
    }
  }

  @Test
  void aRunThatIsToldToEndCleansUpAndRunsNoFurtherCase() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(Fault.hang(), When.calling(CsiOperation.NODE_STAGE_VOLUME));
      Run run = Run.serving(args(plugin, "--only", "node/stage/*"));
      var staging =
          plugin
              .journal()
              .await(
                  call -> call.operation() == CsiOperation.NODE_STAGE_VOLUME,
                  Duration.ofSeconds(20));
      run.end();
      plugin.clearFaults();
      plugin.release();

      assertThat(staging.operation()).isEqualTo(CsiOperation.NODE_STAGE_VOLUME);
      assertThat(run.code()).isEqualTo(ExitCode.FAILED);
      assertThat(run.out()).contains("NOT RUN, because the run was stopped:");
      assertThat(plugin.contents().volumes()).isEmpty();
      assertThat(plugin.contents().idle()).isTrue();
    }
  }

  /** The program, with little patience once it is told to end. */
  static final class Impatient {

    private Impatient() {}

    public static void main(String[] args) {
      Main.run(new SignalTrigger(Duration.ofMillis(500)), args);
    }
  }

  /** Tells a check to end while the plugin that it has started hangs; returns what it said. */
  private String saidWhenToldToEnd(String... more) throws Exception {
    Path noted = directory.resolve("pid");
    String hangs =
        "echo $$ > " + noted + ".next; mv " + noted + ".next " + noted + "; exec sleep 1000";
    List<String> command = new ArrayList<>(List.of(ChildProcess.tool("java")));
    command.addAll(
        List.of("-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Impatient.class.getName(), "plugin", "check", "--start", hangs));
    command.addAll(List.of("--endpoint", "unix://" + directory.resolve("csi.sock")));
    command.addAll(List.of(more));
    try (ChildProcess check = ChildProcess.start(directory, Map.of(), command)) {
      check.await(noted);
      Path plugin = Path.of("/proc", Files.readString(noted).strip(), "stat");
      assertThat(isRunning(plugin)).isTrue();

      check.terminate();

      assertThat(check.code()).as(check.err()).isEqualTo(128 + 15);
      long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
      while (isRunning(plugin)) {
        assertThat(System.nanoTime() - end).as("the plugin still runs").isNegative();
        LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
      }
      return check.err();
    }
  }

  /** Nobody may ask for the status of a process whose parent has ended. */
  private static boolean isRunning(Path stat) {
    try {
      String line = Files.readString(stat);
      return !line.substring(line.lastIndexOf(')')).startsWith(") Z");
    } catch (IOException gone) {
      return false;
    }
  }

  @Test
  void aPluginThatHangsDoesNotOutliveACheckThatIsToldToEnd() throws Exception {
    assertThat(saidWhenToldToEnd())
        .containsPattern(
            "Ending as requested\\. .* with --cleanup \\S+/csi4j-check-[0-9a-f]{8}\\.left\n");
  }

  @Tag("campaign")
  @Test
  void aPluginThatHangsDoesNotOutliveACleanupThatIsToldToEnd() throws Exception {
    Path left =
        Files.writeString(
            directory.resolve("left"),
            "csi4j conformance: things that a run has created and not " + "removed\n");

    assertThat(saidWhenToldToEnd("--cleanup", left.toString())).contains(" --cleanup " + left);
    assertThat(left).exists();
  }

  @Tag("campaign")
  @Test
  void aCaseCleansUpAfterCtrlCWhichReachesThePluginThatTheCheckHasStartedToo() throws Exception {
    Path journal = directory.resolve("journal");
    Path faults =
        Files.writeString(directory.resolve("faults"), "NodeStageVolume times=1: delay 2s\n");
    List<String> program =
        List.of(
            ChildProcess.tool("java"),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName());
    String serve =
        "exec '"
            + String.join("' '", program)
            + "' serve --faults "
            + faults
            + " --journal "
            + journal;
    // Programs in the background are started with SIGINT ignored, and the build may be one.
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT", "setsid"));
    command.addAll(program);
    command.addAll(List.of("check", "--endpoint", "unix://" + directory.resolve("csi.sock")));
    command.addAll(List.of("--only", "node/stage/*", "--start", serve));
    try (ChildProcess check = ChildProcess.start(directory, Map.of(), command)) {
      check.awaitIn(journal, "NodeStageVolume");

      ChildProcess.run(directory, List.of("kill", "-INT", "--", "-" + check.pid()));

      assertThat(check.code()).as(check.err()).isEqualTo(ExitCode.FAILED);
      assertThat(check.out())
          .contains("NOT RUN, because the run was stopped:")
          .doesNotContain("died", "LEFT BEHIND");
      assertThat(Files.readString(journal)).contains("DeleteVolume");
      assertThat(directory.resolve("csi.sock")).as("the plugin was ended").doesNotExist();
    }
  }

  @Test
  void sizesTimesAndDirectoriesAreChecked() {
    assertThat(Run.of("check", "--volume-size", "5GB").err()).contains("'5GB' is not a size.");
    assertThat(Run.of("check", "--volume-size", "9999999TiB").err()).contains("is not a size.");
    assertThat(SizeOption.parse("3MiB")).isEqualTo(new SizeOption(3 << 20));
    assertThat(SizeOption.parse("7")).isEqualTo(new SizeOption(7));
    assertThat(Run.of("check", "--parameter", "k").err()).contains("--parameter");
    assertThat(Run.of("check", "--endpoint", "unix:///s", "--directory", "/none/d").err())
        .startsWith("There is no directory '/none/d'.");
  }
}
