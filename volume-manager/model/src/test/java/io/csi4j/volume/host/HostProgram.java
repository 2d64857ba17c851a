package io.csi4j.volume.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The program of a host, a class {@code host.Main}, which has nothing on its path but what a module
 * and its dependencies bring along. It is compiled with all warnings as errors and runs in a JVM of
 * its own.
 */
public final class HostProgram {

  /** How a program finds its libraries. */
  public enum PathKind {
    CLASS_PATH,
    MODULE_PATH
  }

  /** Libraries of tests, which no host gets. */
  private static final List<String> FOR_TESTS =
      List.of(
          "/testkit/",
          "/csi4j-testkit",
          "/org/junit/",
          "/org/opentest4j/",
          "/org/apiguardian/",
          "/org/assertj/",
          "/net/bytebuddy/");

  private final Path directory;
  private final String source;
  private final List<String> required;
  private final List<String> path;

  /**
   * A program.
   *
   * @param directory empty; the program is compiled here
   * @param source the text of {@code host.Main}
   * @param required the modules that it requests
   * @param notPublished parts of the names of further entries of the test's path that are there for
   *     tests only
   */
  public HostProgram(Path directory, String source, List<String> required, String... notPublished) {
    this.directory = directory;
    this.source = source;
    this.required = required;
    List<String> forTests = Stream.concat(FOR_TESTS.stream(), Arrays.stream(notPublished)).toList();
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    this.path =
        Arrays.stream(all.split(File.pathSeparator, -1))
            .filter(entry -> !entry.isEmpty())
            .filter(entry -> !entry.endsWith("-tests.jar") && !entry.endsWith("/test-classes"))
            .filter(entry -> forTests.stream().noneMatch(entry::contains))
            .toList();
  }

  /** The jars and directories that the program has. */
  public List<String> path() {
    return path;
  }

  /** The names of the modules of csi4j among them, sorted. */
  public List<String> modules() {
    return ModuleFinder.of(path.stream().map(Path::of).toArray(Path[]::new)).findAll().stream()
        .map(found -> found.descriptor().name())
        .filter(name -> name.startsWith("io.csi4j"))
        .sorted()
        .toList();
  }

  /** Compiles and runs the program, and returns the lines that it printed. */
  public List<String> run(PathKind kind, String... args) throws IOException, InterruptedException {
    boolean isModule = kind == PathKind.MODULE_PATH;
    Path sources = Files.createDirectory(directory.resolve("sources"));
    Path classes = Files.createDirectory(directory.resolve("classes"));
    String option = isModule ? "-p" : "-cp";
    String libraries = String.join(File.pathSeparator, path);

    List<String> compiler = new ArrayList<>(List.of(tool("javac"), "--release", "17"));
    // Automatic modules are a matter of those who bring them.
    compiler.addAll(List.of("-Xlint:all,-requires-automatic", "-Werror", "-proc:none"));
    compiler.addAll(List.of("-d", classes.toString(), option, libraries));
    compiler.add(Files.writeString(sources.resolve("Main.java"), source).toString());
    if (isModule) {
      Path descriptor = sources.resolve("module-info.java");
      compiler.add(Files.writeString(descriptor, descriptor()).toString());
    }
    assertThat(said(compiler)).as("warnings").isEmpty();

    List<String> program = new ArrayList<>(List.of(tool("java"), "-XX:TieredStopAtLevel=1"));
    program.add("-Dslf4j.internal.verbosity=ERROR");
    if (Runtime.version().feature() >= 22) {
      // Newer JDKs warn of native code unless they are told of it.
      program.add(
          "--enable-native-access="
              + (isModule ? "io.csi4j.mount,io.grpc.netty.shaded" : "ALL-UNNAMED"));
    }
    program.addAll(List.of(option, classes + File.pathSeparator + libraries));
    program.addAll(isModule ? List.of("-m", "host/host.Main") : List.of("host.Main"));
    program.addAll(List.of(args));
    return said(program);
  }

  private String descriptor() {
    StringBuilder text = new StringBuilder("module host {\n");
    required.forEach(module -> text.append("  requires ").append(module).append(";\n"));
    return text.append("}\n").toString();
  }

  private static String tool(String name) {
    return Path.of(System.getProperty("java.home"), "bin", name).toString();
  }

  private static List<String> said(List<String> command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    // The build's own options would be printed along.
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said.lines().toList();
  }
}
