package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The project of a stranger: a JUnit 5 test that knows nothing but the jars that are published. It
 * is compiled with all warnings as errors, and runs in a JVM of its own, on either path.
 */
@Tag("packaged")
class ConsumerTest {

  private static final String TEST =
      """
      package stranger;

      import static org.junit.jupiter.api.Assertions.assertEquals;
      import static org.junit.jupiter.api.Assertions.assertThrows;

      import io.csi4j.client.model.CsiOperation;
      import io.csi4j.client.CsiPlugin;
      import io.csi4j.testkit.FakeCsiPlugin;
      import io.csi4j.testkit.junit.FakeCsi;
      import org.junit.jupiter.api.Test;

      @FakeCsi
      class StrangerTest {
        @Test
        void aFakeIsHandedIn(FakeCsiPlugin fake, CsiPlugin plugin) {
          assertEquals("node-1", plugin.node().getInfo().nodeId().value());
          assertEquals(1, fake.journal().calls(CsiOperation.NODE_GET_INFO).size());
        }

        @Test
        void nothingElseIsNeeded() {
          assertThrows(
              ClassNotFoundException.class,
              () -> Class.forName("org.assertj.core.api.Assertions"));
        }
      }
      """;

  private static final String SUITE =
      """
      package stranger;

      import io.csi4j.testkit.FakeCsiPlugin;
      import io.csi4j.conformance.model.ConformanceCase;
      import io.csi4j.conformance.model.ConformanceListener;
      import io.csi4j.conformance.PluginConformanceTest;
      import io.csi4j.conformance.model.PluginUnderTest;
      import org.junit.jupiter.api.AfterAll;

      class StrangerSuite extends PluginConformanceTest {
        private static final FakeCsiPlugin FAKE = FakeCsiPlugin.open();

        @AfterAll
        static void close() {
          FAKE.close();
        }

        @Override
        protected PluginUnderTest plugin() {
          return PluginUnderTest.at(FAKE.endpoint());
        }

        @Override
        protected boolean includes(ConformanceCase each) {
          return each.name().equals("identity/info/the-version-is-told");
        }

        @Override
        protected ConformanceListener listener() {
          return ConformanceListener.none(); // this program prints one line alone
        }
      }
      """;

  private static final String MAIN =
      """
      package stranger;

      import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

      import java.io.PrintWriter;
      import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
      import org.junit.platform.launcher.core.LauncherFactory;
      import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

      public class Main {
        public static void main(String[] args) {
          SummaryGeneratingListener summary = new SummaryGeneratingListener();
          LauncherFactory.create()
              .execute(
                  LauncherDiscoveryRequestBuilder.request()
                      .selectors(selectClass(StrangerTest.class), selectClass(StrangerSuite.class))
                      .build(),
                  summary);
          summary.getSummary().printFailuresTo(new PrintWriter(System.out, true));
          System.out.println(
              io.csi4j.testkit.FakeCsiPlugin.class.getModule().isNamed()
                  + " "
                  + summary.getSummary().getTestsSucceededCount());
        }
      }
      """;

  private static final String MODULE =
      """
      open module stranger {
        requires io.csi4j.conformance;
        requires io.csi4j.testkit;
        requires org.junit.jupiter.api;
        requires org.junit.platform.launcher;
      }
      """;

  private static final String PLAIN_MODULE = "module plain { requires io.csi4j.testkit; }";

  private static final String PLAIN_MAIN =
      """
      package plain;

      import io.csi4j.client.CsiPlugin;
      import io.csi4j.testkit.FakeCsiPlugin;

      public class Main {
        public static void main(String[] args) {
          try (FakeCsiPlugin fake = FakeCsiPlugin.open();
              CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
            System.out.println(plugin.name().orElseThrow());
          }
        }
      }
      """;

  private static final List<String> ONLY_OF_THE_PROGRAM =
      List.of(
          "/testkit/cli/",
          "csi4j-cli-",
          "csi4j-testkit-hostpath",
          "csi4j-testkit-proxy",
          "/picocli/",
          "csi4j-volume-manager",
          "csi4j-volume-plugins",
          "csi4j-claims-etcd",
          "/io/etcd/",
          "/io/vertx/",
          "/io/netty/",
          "/grpc-netty/",
          "/jackson-core/",
          "/slf4j-api/",
          "/slf4j-nop/");

  @TempDir Path directory;
  private Path sources;
  private Path classes;

  @BeforeEach
  void makeDirectories() throws IOException {
    sources = Files.createDirectories(directory.resolve("sources"));
    classes = Files.createDirectories(directory.resolve("classes"));
  }

  @Test
  void aJUnitTestOnTheClassPathNeedsOnlyThePublishedJars() throws Exception {
    String path = published(ConsumerTest::isJUnit);
    compile(
        "-cp",
        path,
        source("StrangerTest", TEST),
        source("StrangerSuite", SUITE),
        source("Main", MAIN));

    assertThat(run(List.of("-cp", classes + File.pathSeparator + path, "stranger.Main"), null))
        .containsExactly("false 3");
  }

  @Test
  void aJUnitTestOnTheModulePathNeedsOnlyThePublishedJars() throws Exception {
    String path = published(ConsumerTest::isJUnit);
    compile(
        "-p",
        path,
        source("module-info", MODULE),
        source("StrangerTest", TEST),
        source("StrangerSuite", SUITE),
        source("Main", MAIN));

    assertThat(
            run(
                List.of(
                    "-p",
                    classes + File.pathSeparator + path,
                    "--add-modules",
                    "org.junit.jupiter.engine",
                    "-m",
                    "stranger/stranger.Main"),
                "io.grpc.netty.shaded"))
        .containsExactly("true 3");
  }

  @Test
  void aModuleWithoutJUnitUsesTheFake() throws Exception {
    String path = published(entry -> false);
    compile("-p", path, source("module-info", PLAIN_MODULE), source("Main", PLAIN_MAIN));

    assertThat(
            run(
                List.of("-p", classes + File.pathSeparator + path, "-m", "plain/plain.Main"),
                "io.grpc.netty.shaded"))
        .containsExactly("fake.csi4j.example");
  }

  private Path source(String name, String text) throws IOException {
    return Files.writeString(sources.resolve(name + ".java"), text);
  }

  private void compile(String option, String path, Path... files) throws Exception {
    List<String> command = new ArrayList<>(List.of(ChildProcess.tool("javac")));
    // Automatic modules are a matter of those who bring them.
    command.addAll(List.of("-Xlint:all,-requires-automatic", "-Werror", "--release", "17"));
    command.addAll(List.of("-d", classes.toString(), option, path));
    Arrays.stream(files).map(Path::toString).forEach(command::add);
    assertThat(ChildProcess.run(directory, command)).isEmpty();
  }

  private List<String> run(List<String> main, @org.jspecify.annotations.Nullable String module)
      throws Exception {
    List<String> command = new ArrayList<>(List.of(ChildProcess.tool("java")));
    if (Runtime.version().feature() >= 22) {
      command.add("--enable-native-access=" + (module == null ? "ALL-UNNAMED" : module));
    }
    command.addAll(main);
    return ChildProcess.run(directory, command);
  }

  /** The testkit's jar with what it brings along, and what else is wanted of the build's path. */
  private static String published(Predicate<String> wanted) {
    List<String> path =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> !entry.isEmpty())
            .filter(entry -> wanted.test(entry) || (!isOfThisModule(entry) && !isForTests(entry)))
            .toList();
    assertThat(path)
        .allMatch(entry -> entry.endsWith(".jar"))
        .anyMatch(entry -> entry.matches(".*csi4j-testkit-\\d.*"))
        .anyMatch(entry -> entry.contains("csi4j-testkit-mounts-"))
        .anyMatch(entry -> entry.contains("csi4j-conformance-"))
        .anyMatch(entry -> entry.contains("csi4j-client-"))
        .noneMatch(entry -> entry.contains("assertj"));
    return path.stream().collect(Collectors.joining(File.pathSeparator));
  }

  /** Whether only the program needs it: its own classes, and what it shows beside the testkit. */
  private static boolean isOfThisModule(String entry) {
    return ONLY_OF_THE_PROGRAM.stream().anyMatch(entry::contains);
  }

  private static boolean isJUnit(String entry) {
    return entry.contains("/org/junit/")
        || entry.contains("/org/opentest4j/")
        || entry.contains("/org/apiguardian/");
  }

  private static boolean isForTests(String entry) {
    return isJUnit(entry)
        || entry.endsWith("-tests.jar")
        || Stream.of("/assertj", "/byte-buddy", "/HikariCP/", "/org/postgresql/")
            .anyMatch(entry::contains);
  }
}
