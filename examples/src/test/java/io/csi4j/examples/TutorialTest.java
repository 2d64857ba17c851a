package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.conformance.PluginConformance;
import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.conformance.model.PluginUnderTest;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs the programs of the tutorial in its order, with real mounts and an agent that is killed. */
@MountTest
@Tag("campaign")
class TutorialTest {

  @Test
  void theVolumeAndItsFileOutliveTheAgent(Scratch scratch) throws Exception {
    Path here = scratch.directory("agent").toPath();
    try (Typed plugin = Typed.program("file: Plugin.java", here)) {
      assertThat(plugin.line()).isEqualTo("The plugin listens at unix://" + here + "/csi.sock");

      try (Typed agent = Typed.program("file: Agent.java, which talks", here)) {
        assertThat(agent.line()).startsWith("The volume is vol-");
        assertThat(agent.end()).isZero();
      }

      try (Typed agent = Typed.program("file: Agent.java, which mounts", here)) {
        assertThat(agent.line())
            .startsWith("web-1 wrote " + here + "/volumes/v/")
            .endsWith("/t/notes.txt");
        assertThat(agent.line()).isEqualTo("given back: LAST");
        assertThat(agent.end()).isZero();
      }

      survive(here);
    }
  }

  @Test
  void thePluginInPythonConformsAndServesTheSameAgent(Scratch scratch) throws Exception {
    String missing = missing();
    if (!missing.isEmpty() && "1".equals(System.getenv("PYTHON_TEST_REQUIRED"))) {
      throw new AssertionError("PYTHON_TEST_REQUIRED=1, and this is missing: " + missing);
    }
    assumeThat(missing).as("missing for a plugin in Python").isEmpty();

    Path here = scratch.directory("agent").toPath();
    Path program = Page.ROOT.toAbsolutePath().normalize().resolve("examples/plugin.py");
    try (Typed plugin =
        new Typed(List.of(program.toString(), here + "/csi.sock", here + "/data"), here)) {
      assertThat(plugin.line()).isEqualTo("The plugin listens at unix://" + here + "/csi.sock");

      ConformanceReport report =
          PluginConformance.run(
              PluginUnderTest.builder(CsiEndpoint.of(here.resolve("csi.sock")))
                  .directory(scratch.directory("suite").toPath())
                  .build(),
              ConformanceListener.none());
      assertThat(report.clean()).as(report.text()).isTrue();
      assertThat(report.count(CaseResult.Outcome.PASSED)).isEqualTo(67);

      survive(here);
    }
  }

  /** The last program: told to mount, killed, started again. */
  private static void survive(Path here) throws Exception {
    Path path;
    try (Typed agent = Typed.program("file: Agent.java, which survives", here)) {
      assertThat(agent.line()).isEqualTo("found mounted: []");
      agent.order("start web-1");
      path = Path.of(agent.line().replaceFirst("^web-1 has its volume at ", ""));
      Files.writeString(path.resolve("kept.txt"), "still here\n");
      agent.kill();
    }
    assertThat(path.resolve("kept.txt")).hasContent("still here");

    try (Typed agent = Typed.program("file: Agent.java, which survives", here)) {
      assertThat(agent.line()).isEqualTo("found mounted: [default/notes by web-1]");
      assertThat(agent.line()).isEqualTo("web-1 has its volume at " + path);
      agent.order("start web-2");
      String second = agent.line().replaceFirst("^web-2 has its volume at ", "");
      assertThat(Path.of(second).resolve("kept.txt")).hasContent("still here");
      agent.order("stop web-1");
      assertThat(agent.line()).isEqualTo("web-1 gave it back: NOT_LAST");
      agent.order("stop web-2");
      assertThat(agent.line()).isEqualTo("web-2 gave it back: LAST");
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

  /** A program at work. */
  private static final class Typed implements AutoCloseable {

    private final Process process;
    private final BufferedReader said;
    private final PrintStream orders;

    Typed(List<String> command, Path directory) throws IOException {
      process =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      said = process.inputReader(StandardCharsets.UTF_8);
      orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /** A program of the page, started from its source. */
    static Typed program(String block, Path directory) throws IOException {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      if (Runtime.version().feature() >= 24) {
        command.add("--enable-native-access=ALL-UNNAMED");
      }
      command.add("-Dslf4j.internal.verbosity=ERROR"); // The tests bring slf4j without a provider.
      command.addAll(List.of("-cp", System.getProperty("java.class.path")));
      command.add(TutorialPageTest.type(block, directory).getFileName().toString());
      return new Typed(command, directory);
    }

    String line() throws IOException {
      return String.valueOf(said.readLine());
    }

    void order(String order) {
      orders.println(order);
    }

    /** Ends its input, and waits for its status. */
    int end() throws InterruptedException {
      orders.close();
      return process.waitFor();
    }

    /** As {@code kill -9} does. */
    void kill() {
      process.destroyForcibly();
      process.onExit().join();
    }

    @Override
    public void close() {
      kill();
    }
  }
}
