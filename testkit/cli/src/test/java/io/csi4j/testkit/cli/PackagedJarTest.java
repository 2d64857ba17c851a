package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiEndpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The one jar that people download, as a process. */
@Tag("packaged")
class PackagedJarTest {

  private static final Path JAR = Path.of(System.getProperty("csi4j.jar", "none"));

  @TempDir Path directory;

  private CsiEndpoint endpoint() {
    return CsiEndpoint.of(directory.resolve("run/csi.sock"));
  }

  private ChildProcess start(Map<String, String> environment, String... args) throws IOException {
    List<String> command = new ArrayList<>(List.of(ChildProcess.tool("java"), "-jar"));
    command.add(JAR.toString());
    command.addAll(List.of(args));
    return ChildProcess.start(directory, environment, command);
  }

  private ChildProcess start(String... args) throws IOException {
    return start(Map.of("CSI_ENDPOINT", endpoint().toString()), args);
  }

  @Test
  void aPluginIsServedProbedCheckedAndEndedBySigterm() throws Exception {
    Path journal = directory.resolve("journal.jsonl");
    try (ChildProcess serving =
        start("plugin", "serve", "--journal", journal.toString(), "--referee")) {
      serving.awaitOut("listens on " + endpoint());

      try (ChildProcess probe = start("plugin", "probe", "--json")) {
        assertThat(probe.code()).as(probe.err()).isZero();
        assertThat(probe.err()).isEmpty();
        assertThat(probe.out()).startsWith("{\"name\":\"fake.csi4j.example\"");
      }
      try (ChildProcess check = start("plugin", "check", "--only", "identity/*")) {
        assertThat(check.code()).as(check.out()).isZero();
        assertThat(check.out()).startsWith("Conformance of " + endpoint());
        assertThat(check.err().lines().findFirst())
            .hasValueSatisfying(
                line -> assertThat(line).startsWith("Checking 'fake.csi4j.example'"));
      }

      serving.terminate();
      assertThat(serving.code()).as(serving.out()).isIn(ExitCode.OK, ExitCode.UNLAWFUL);
      assertThat(serving.err()).isEmpty();
      assertThat(serving.out().lines()).hasSizeGreaterThan(1);
      assertThat(endpoint().path()).doesNotExist();
      assertThat(Files.readAllLines(journal))
          .anyMatch(line -> line.contains("\"operation\":\"GetPluginInfo\""))
          .last()
          .asString()
          .contains("\"event\":\"stopped\"");
    }
  }

  @Test
  void withoutAVerdictSigtermIsAGoodEnd() throws Exception {
    try (ChildProcess serving = start("serve")) {
      serving.awaitOut("listens on");
      serving.terminate();
      assertThat(serving.code()).as(serving.err()).isZero();
      assertThat(endpoint().path()).doesNotExist();
    }
  }

  @Test
  void theExitCodeReachesTheShell() throws Exception {
    try (ChildProcess nobody = start("probe", "--timeout", "1s");
        ChildProcess mistaken = start("probe", "--tiemout", "1s");
        ChildProcess nowhere = start(Map.of(), "probe")) {
      assertThat(nobody.code()).isEqualTo(ExitCode.NO_CONNECTION);
      assertThat(mistaken.code()).isEqualTo(ExitCode.USAGE);
      assertThat(nowhere.code()).isEqualTo(ExitCode.USAGE);
      assertThat(nowhere.err()).startsWith("No plugin to probe. Write --endpoint unix:///");
    }
  }

  @Test
  void theVersionIsThatOfTheBuild() throws Exception {
    try (ChildProcess version = start("--version")) {
      assertThat(version.code()).isZero();
      assertThat(version.out()).startsWith("csi4j " + System.getProperty("csi4j.version"));
    }
  }

  @Test
  void theLauncherMakesAnArchiveOfItsClassesOnFirstUseAndRunsTheSameProgram() throws Exception {
    Path script =
        Path.of(System.getProperty("csi4j.root", "."), "testkit/cli/csi4j").toAbsolutePath();
    Path cache = directory.resolve("cache");
    Map<String, String> environment =
        Map.of(
            "CSI4J_JAR",
            JAR.toAbsolutePath().toString(),
            "XDG_CACHE_HOME",
            cache.toString(),
            "JAVA_HOME",
            System.getProperty("java.home"));
    List<String> command = List.of("/bin/sh", script.toString(), "--version");
    try (ChildProcess first = ChildProcess.start(directory, environment, command)) {
      assertThat(first.code()).as(first.err()).isZero();
      assertThat(first.out()).startsWith("csi4j ");
      awaitArchive(cache.resolve("csi4j"));
      try (ChildProcess second = ChildProcess.start(directory, environment, command)) {
        assertThat(second.code()).as(second.err()).isZero();
        assertThat(second.err()).isEmpty();
        assertThat(second.out()).isEqualTo(first.out());
      }
    }
  }

  @Test
  void theCommandsThatInstallTheProgramWorkInAShell() throws Exception {
    Path root = Path.of(System.getProperty("csi4j.root", ".")).toAbsolutePath().normalize();
    Matcher block =
        Pattern.compile("(?s)```sh\n(.*?)```")
            .matcher(Files.readString(root.resolve("docs/cli.md")));
    assertThat(block.find()).isTrue();
    String commands =
        block
            .group(1)
            .replace("testkit/cli/target/fast/csi4j.jar", JAR.toAbsolutePath().toString())
            .replace("/usr/local", directory.toString());
    Files.createDirectory(directory.resolve("bin"));
    Files.createDirectory(directory.resolve("lib"));
    Map<String, String> environment =
        Map.of(
            "PATH",
            String.join(
                ":",
                directory.resolve("bin").toString(),
                Path.of(System.getProperty("java.home"), "bin").toString(),
                System.getenv("PATH")),
            "CSI4J_NO_ARCHIVE",
            "1");

    List<String> shell =
        List.of(
            "bash",
            "-c",
            "set -e; cd " + root + "\n" + commands + "complete -p csi4j; csi4j --version");
    try (ChildProcess installed = ChildProcess.start(directory, environment, shell)) {
      assertThat(installed.code()).as(installed.err()).isZero();
      assertThat(installed.out().lines().toList())
          .anyMatch(line -> line.startsWith("complete ") && line.endsWith(" csi4j"))
          .contains("csi4j " + System.getProperty("csi4j.version"));
    }
  }

  @Test
  void theFirstMountOfTheReadmeWorksAsItIsPrinted() throws Exception {
    Path root = Path.of(System.getProperty("csi4j.root", ".")).toAbsolutePath().normalize();
    String readme = Files.readString(root.resolve("README.md"));
    String program = block(readme, "<!-- file: FirstMount.java -->\n```java\n");
    boolean isRoot = Files.getOwner(directory).getName().equals("root");
    String commands =
        block(readme, "<!-- commands of the first mount -->\n```sh\n")
            .replaceFirst("mvn -q install -Pfast", ": the jar is built")
            .replace("$PWD/testkit/cli/target/fast/csi4j.jar", JAR.toAbsolutePath().toString())
            .replaceFirst("unshare -Urm", isRoot ? "unshare -m" : "unshare -Urm")
            .replaceFirst("cd ~/first-mount", "cd ~/first-mount; mv ~/FirstMount.java .");
    Files.writeString(directory.resolve("FirstMount.java"), program);
    String again = "java -cp $CSI4J FirstMount.java $PWD/csi.sock $PWD/agent\n";
    Path script =
        Files.writeString(
            directory.resolve("script"),
            commands + again + "grep -c first-mount/agent /proc/self/mountinfo; kill %1\n");
    Map<String, String> environment =
        Map.of(
            "HOME",
            directory.toString(),
            "PATH",
            Path.of(System.getProperty("java.home"), "bin") + ":" + System.getenv("PATH"));

    // The commands behind unshare are read by the shell that it starts, as if they were typed.
    List<String> shell = List.of("sh", "-c", "cat " + script + " | bash");
    try (ChildProcess run = ChildProcess.start(directory, environment, shell)) {
      assertThat(run.code()).as(run.err()).isZero();
      List<String> paths = run.out().lines().filter(line -> line.endsWith("/t")).toList();
      assertThat(paths).hasSize(2).allMatch(path -> path.equals(paths.get(0)));
      assertThat(run.out().lines()).endsWith("2");
      assertThat(run.err()).contains("CSI-424", "CSI-101").doesNotContain("SLF4J");
    }
  }

  private static String block(String page, String begin) {
    int from = page.indexOf(begin) + begin.length();
    return page.substring(from, page.indexOf("```", from));
  }

  private static void awaitArchive(Path cache) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (true) {
      try (Stream<Path> files = Files.list(cache)) {
        List<Path> there = files.toList();
        if (there.size() == 1 && Files.isRegularFile(there.get(0))) {
          assertThat(there.get(0).toString()).endsWith("-classes.jsa");
          return;
        }
        assertThat(System.nanoTime() - end).as("%s", there).isNegative();
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  @Test
  void theJarKeepsServicesAndLicencesAndIsNoModule() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      assertThat(jar.getManifest().getMainAttributes().getValue("Multi-Release")).isEqualTo("true");
      assertThat(jar.getManifest().getMainAttributes().getValue("Enable-Native-Access"))
          .isEqualTo("ALL-UNNAMED");
      assertThat(jar.stream().map(JarEntry::getName))
          .noneMatch(name -> name.endsWith("module-info.class"))
          .noneMatch(name -> name.matches("META-INF/.*\\.(SF|RSA|DSA)"))
          .noneMatch(name -> name.startsWith("org/junit/") || name.startsWith("org/assertj/"))
          .contains(
              "META-INF/LICENSE",
              "META-INF/LGPL2.1",
              "META-INF/THIRD-PARTY.txt",
              "META-INF/services/io.grpc.LoadBalancerProvider");
    }
  }
}
