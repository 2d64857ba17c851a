package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.scripted.ScriptedPlugin;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The client as a module, used by a host that is a module too and requires nothing else. The host
 * is compiled here, with all warnings as errors, and runs in a JVM of its own.
 */
class ModulePathTest {

  private static final String HOST_MODULE =
      """
      module host {
        requires io.csi4j.client;
      }
      """;

  private static final String HOST_MAIN =
      """
      package host;

      import io.csi4j.client.model.CsiEndpoint;
      import io.csi4j.client.CsiPlugin;

      public class Main {
        public static void main(String[] args) {
          CsiEndpoint endpoint = CsiEndpoint.parse(args[1]);
          System.out.println(CsiPlugin.class.getModule().getName());
          if (args[0].equals("connect")) {
            try (CsiPlugin plugin = CsiPlugin.connect(endpoint)) {
              System.out.println(plugin.name().orElseThrow().value());
            }
          }
        }
      }
      """;

  /** Whatever else is on the class path of the tests is there for the client at run time. */
  private static final List<String> TEST_LIBRARIES =
      List.of(
          "/org/junit/",
          "/org/assertj/",
          "/org/opentest4j/",
          "/org/apiguardian/",
          "/net/bytebuddy/");

  @TempDir Path directory;

  @BeforeEach
  void compileTheHost() {
    StringWriter messages = new StringWriter();
    List<String> options =
        List.of(
            "-d", host().toString(), "--module-path", clientAndItsNeeds(), "-Xlint:all", "-Werror");
    List<JavaFileObject> sources =
        List.of(source("module-info", HOST_MODULE), source("host/Main", HOST_MAIN));
    ToolProvider.getSystemJavaCompiler()
        .getTask(messages, null, null, options, null, sources)
        .call();
    assertThat(messages).hasToString("");
  }

  @Tag("campaign")
  @Test
  void aHostThatIsAModuleSeesTheClientAsOne() throws Exception {
    assertThat(run("look", "unix:///run/csi/csi.sock")).containsExactly("io.csi4j.client");
  }

  @Test
  void aHostThatIsAModuleCallsAPluginWithoutAWarning() throws Exception {
    Path socket = directory.resolve("csi.sock");
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket)) {
      assertThat(run("connect", "unix://" + socket))
          .containsExactly("io.csi4j.client", "scripted.csi4j.example");
      assertThat(plugin.calls()).isNotEmpty();
    }
  }

  /** Runs the host, and gives what it printed. It must not complain, and must end well. */
  private List<String> run(String... args) throws IOException, InterruptedException {
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    if (Runtime.version().feature() >= 22) {
      command.add("--enable-native-access=io.grpc.netty.shaded");
    }
    command.addAll(List.of("--module-path", host() + File.pathSeparator + clientAndItsNeeds()));
    command.addAll(List.of("--module", "host/host.Main"));
    command.addAll(Arrays.asList(args));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    try {
      int status = process.waitFor();
      assertThat(Files.readString(err)).isEmpty();
      assertThat(status).isZero();
      return Files.readAllLines(out);
    } finally {
      process.destroyForcibly();
    }
  }

  private Path host() {
    return directory.resolve("host");
  }

  private static String clientAndItsNeeds() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !entry.contains("test-classes"))
        .filter(entry -> TEST_LIBRARIES.stream().noneMatch(entry::contains))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static JavaFileObject source(String name, String text) {
    return new SimpleJavaFileObject(
        URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return text;
      }
    };
  }
}
