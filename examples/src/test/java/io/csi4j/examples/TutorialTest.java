package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.DeleteVolumeRequest;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.VolumeId;
import io.csi4j.conformance.PluginConformance;
import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.conformance.model.PluginUnderTest;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs the programs of the tutorial in its order, with real mounts and an agent that is killed. */
@MountTest
@Tag("campaign")
class TutorialTest {

  /** Commands that fetch jars, or that open a shell with mounts of its own, which a test has. */
  private static final Pattern NOT_GIVEN = Pattern.compile("(mvn -q|unshare -Urm) [^\n]+\n");

  @Test
  void thePageWorksAsItStandsInAShell(Scratch scratch) throws Exception {
    Path here = scratch.directory("agent").toPath();
    jars(here);
    List<String> given = new ArrayList<>();
    List<String> said = new ArrayList<>();
    try (RunningProgram shell = shell(here)) {
      shell.order("set -e; trap 'kill -9 $(jobs -p)' EXIT"); // ends where a command fails
      for (MatchResult block : TutorialPageTest.PAGE.blocks()) {
        String text = block.group(3);
        switch (block.group(2)) {
          case "java" -> TutorialPageTest.type(block.group(1), here);
          case "sh" -> {
            if (!NOT_GIVEN.matcher(text).matches()) {
              given.add(text);
              shell.order(text.stripTrailing());
            }
          }
          case "text" -> {
            for (String line : text.lines().toList()) {
              said.add(shell.line());
              assertThat(said.get(said.size() - 1))
                  .as("%s", Files.readString(here.resolve("errors")))
                  .matches(pattern(line, here));
            }
          }
          default -> assertThat(block.group(1)).isEqualTo("file: pom.xml");
        }
      }
    }

    assertThat(given).hasSizeGreaterThan(6);
    assertThat(said.stream().filter(line -> line.startsWith("web-1 has its volume at ")))
        .as("the same path before the kill and after it")
        .hasSize(2)
        .containsOnly(said.get(said.indexOf("found mounted: []") + 1));
    assertThat(Scratch.rows("self")).filteredOn(row -> row.contains("" + here)).isEmpty();
  }

  /** The line of the page, with the folder of the test and any ids in the place of those shown. */
  private static String pattern(String line, Path here) {
    return Pattern.quote(line.replace("/srv/agent", here.toString()))
        .replaceAll("\\b[a-z2-7]{26}\\b", "\\\\E[a-z2-7]{26}\\\\Q");
  }

  /** Makes the folder {@code lib}: a jar that stands for all that the tests have. */
  private static void jars(Path here) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest
        .getMainAttributes()
        .put(
            Attributes.Name.CLASS_PATH,
            Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(each -> Path.of(each).toUri().toString())
                .collect(Collectors.joining(" ")));
    Path lib = Files.createDirectory(here.resolve("lib"));
    new JarOutputStream(Files.newOutputStream(lib.resolve("all.jar")), manifest).close();
  }

  @Test
  void thePluginInPythonConformsAndServesTheSameAgent(Scratch scratch) throws Exception {
    String missing = missing();
    if (!missing.isEmpty() && "1".equals(System.getenv("PYTHON_TEST_REQUIRED"))) {
      throw new AssertionError("PYTHON_TEST_REQUIRED=1, and this is missing: " + missing);
    }
    assumeThat(missing).as("missing for a plugin in Python").isEmpty();

    Path here = scratch.directory("agent").toPath();
    Files.createDirectory(here.resolve("csi"));
    Path program = Page.ROOT.toAbsolutePath().normalize().resolve("examples/plugin.py");
    try (RunningProgram plugin =
        started(List.of(program.toString(), here + "/csi/csi.sock", here + "/data"), here)) {
      conformsAndServes(plugin, here, scratch);
    }
  }

  @Test
  void thePluginInJavaScriptConformsAndServesTheSameAgent(Scratch scratch) throws Exception {
    NodePrograms.require();
    Path here = scratch.directory("agent").toPath();
    Files.createDirectory(here.resolve("csi"));
    try (RunningProgram plugin =
        NodePrograms.start("plugin.js", here + "/csi/csi.sock", here + "/data")) {
      conformsAndServes(plugin, here, scratch);
    }
  }

  private static void conformsAndServes(RunningProgram plugin, Path here, Scratch scratch)
      throws Exception {
    assertThat(plugin.line()).isEqualTo("The plugin listens at unix://" + here + "/csi/csi.sock");

    ConformanceReport report =
        PluginConformance.run(
            PluginUnderTest.builder(CsiEndpoint.of(here.resolve("csi/csi.sock")))
                .directory(scratch.directory("suite").toPath())
                .build(),
            ConformanceListener.none());
    assertThat(report.clean()).as(report.text()).isTrue();
    assertThat(report.count(CaseResult.Outcome.PASSED)).isEqualTo(67);
    try (CsiPlugin client = CsiPlugin.connect(CsiEndpoint.of(here.resolve("csi/csi.sock")))) {
      client.controller().deleteVolume(DeleteVolumeRequest.builder(VolumeId.of("..")).build());
    }

    survive(here);
  }

  /** The last program: told to mount, killed, started again. */
  private static void survive(Path here) throws Exception {
    Path path;
    try (RunningProgram agent = program("file: Agent.java, which survives", here)) {
      assertThat(agent.line()).isEqualTo("found mounted: []");
      agent.order("start web-1");
      path = Path.of(agent.line().replaceFirst("^web-1 has its volume at ", ""));
      Files.writeString(path.resolve("kept.txt"), "still here\n");
      agent.kill();
    }
    assertThat(path.resolve("kept.txt")).hasContent("still here");

    try (RunningProgram agent = program("file: Agent.java, which survives", here)) {
      assertThat(agent.line()).isEqualTo("found mounted: [default/notes by web-1]");
      assertThat(agent.line()).isEqualTo("web-1 has its volume at " + path);
      agent.order("start web-2");
      String second = agent.line().replaceFirst("^web-2 has its volume at ", "");
      assertThat(Path.of(second).resolve("kept.txt")).hasContent("still here");
      agent.order("stop web-1");
      assertThat(agent.line()).isEqualTo("web-1 released its volume");
      agent.order("stop web-2");
      assertThat(agent.line()).isEqualTo("web-2 released its volume");
      assertThat(agent.end()).isZero();
    }
    assertThat(Scratch.rows("self")).filteredOn(row -> row.contains("" + here)).isEmpty();
  }

  /** What Python lacks for the plugin; nothing if all is there. */
  private static String missing() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                "sh",
                "-c",
                "command -v protoc >/dev/null || echo protoc;"
                    + " [ -x /usr/bin/grpc_python_plugin ] || echo grpc_python_plugin;"
                    + " /usr/bin/python3 -c 'import grpc, google.protobuf' 2>/dev/null || echo grpcio")
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return said.strip().replace('\n', ' ');
  }

  private static RunningProgram started(List<String> command, Path directory) throws IOException {
    return new RunningProgram(
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start());
  }

  /** A shell, whose commands are given as orders. */
  private static RunningProgram shell(Path directory) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("bash")
            .directory(directory.toFile())
            .redirectError(directory.resolve("errors").toFile());
    Path java = Path.of(System.getProperty("java.home"), "bin");
    builder.environment().merge("PATH", java.toString(), (path, first) -> first + ":" + path);
    builder
        .environment()
        .put(
            "JDK_JAVA_OPTIONS",
            (Runtime.version().feature() >= 24 ? "--enable-native-access=ALL-UNNAMED " : "")
                + "-Dslf4j.internal.verbosity=ERROR");
    return new RunningProgram(builder.start());
  }

  /** A program of the page, started from its source. */
  private static RunningProgram program(String block, Path directory) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    if (Runtime.version().feature() >= 24) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.add("-Dslf4j.internal.verbosity=ERROR"); // The tests bring slf4j without a provider.
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(TutorialPageTest.type(block, directory).getFileName().toString());
    return started(command, directory);
  }
}
