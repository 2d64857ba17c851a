package io.csi4j.examples.strangers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Projects of strangers, made from the README or a page and built without the parent of csi4j. Each
 * mounts a volume in a JVM of its own, and ends.
 */
@Tag("campaign")
class StrangersTest {

  private static final Path ROOT =
      Path.of(System.getProperty("csi4j.root", "../..")).toAbsolutePath().normalize();

  private static final List<String> SAID =
      List.of("hello from web-1", "given back: LAST", "in use after all: false");

  private static final String[] SAID_OF_CLUSTER = {
    "web-1 can run on [n1, n2]",
    "hello from web-1 on n1",
    "web-2 does not get it on n1: NODE_DRAINING",
    "web-2 can run on [n2]",
    "hello from web-2 on n2",
    "volumes: []",
    "in use after all: false"
  };

  @TempDir Path directory;

  @Test
  void aProjectOnTheClassPathMounts() throws Exception {
    assertThat(run("class-path", "-cp", "stranger.Main")).containsExactlyElementsOf(SAID);
  }

  @Test
  void aProjectOnTheModulePathMounts() throws Exception {
    assertThat(run("module-path", "-p", "-m", "stranger/stranger.Main"))
        .containsExactlyElementsOf(and("stranger, io.csi4j.volume.node"));
  }

  @Test
  void aProjectWithAClusterMovesAVolumeFromNodeToNode() throws Exception {
    List<String> said = run("cluster", "-cp", "stranger.Main");
    assertThat(said).startsWith(SAID_OF_CLUSTER);
    assertThat(said.subList(SAID_OF_CLUSTER.length, said.size()))
        .as("the log of two agents that end")
        .filteredOn(line -> !line.endsWith("Messages log"))
        .hasSize(2)
        .allMatch(line -> line.startsWith("INFO: CSI-327 PLUGIN_STOPPED"));
  }

  @Test
  void aProjectInKotlinMounts() throws Exception {
    assertThat(run("kotlin", "-cp", "stranger.MainKt")).containsExactlyElementsOf(SAID);
  }

  @Test
  void aHostOnSpringBoot3MountsWithItsOwnNettyAndGrpc() throws Exception {
    assertThat(run("spring-boot-3", "-cp", "stranger.Main"))
        .containsExactlyElementsOf(and("closed"));
    assertThat(jars("spring-boot-3"))
        .contains("netty-common-4.1.128.Final.jar", "grpc-core-1.83.1.jar")
        .noneMatch(jar -> jar.startsWith("grpc-") && !jar.endsWith("-1.83.1.jar"));
  }

  @Test
  void aHostOnSpringBoot4MountsWithItsOwnNettyAndGrpc() throws Exception {
    assertThat(run("spring-boot-4", "-cp", "stranger.Main"))
        .containsExactlyElementsOf(and("closed"));
    assertThat(jars("spring-boot-4"))
        .contains("netty-common-4.2.15.Final.jar", "grpc-core-1.83.1.jar")
        .noneMatch(jar -> jar.startsWith("grpc-") && !jar.endsWith("-1.83.1.jar"));
  }

  private static List<String> and(String last) {
    List<String> all = new ArrayList<>(SAID);
    all.add(last);
    return all;
  }

  private static Path home(String project) {
    return ROOT.resolve("examples/strangers").resolve(project);
  }

  private static List<String> jars(String project) throws IOException {
    try (Stream<Path> jars = Files.list(home(project).resolve("target/lib"))) {
      return jars.map(jar -> jar.getFileName().toString()).toList();
    }
  }

  /** What the program of a project says, on the path that {@code option} names. */
  private List<String> run(String project, String option, String... main) throws Exception {
    Path target = home(project).resolve("target");
    Path said = directory.resolve("said");
    List<String> path = new ArrayList<>(List.of(target.resolve("stranger.jar").toString()));
    path.add(target.resolve("lib") + (option.equals("-cp") ? "/*" : ""));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (Runtime.version().feature() >= 22) {
      command.add(
          "--enable-native-access="
              + (option.equals("-cp") ? "ALL-UNNAMED" : "io.grpc.netty.shaded,io.csi4j.mount"));
    }
    command.addAll(List.of(option, String.join(File.pathSeparator, path)));
    command.addAll(List.of(main));
    command.add(directory.resolve("v").toString());
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    try {
      assertThat(process.waitFor(150, TimeUnit.SECONDS)).as("%s ended", project).isTrue();
    } finally {
      process.destroyForcibly().waitFor();
    }
    assertThat(process.exitValue()).as(Files.readString(said)).isZero();
    return Files.readAllLines(said);
  }
}
