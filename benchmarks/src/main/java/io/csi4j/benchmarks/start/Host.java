package io.csi4j.benchmarks.start;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/**
 * A program that starts, makes one Probe call, and ends.
 *
 * @param program the main class of the program
 * @param path the class path of the program; only jars, because class-data sharing does not support
 *     directories
 * @param socket the socket of the plugin
 * @param home the home of the JDK that runs the program
 * @param options the options for its JVM
 */
record Host(Class<?> program, List<Path> path, Path socket, Path home, List<String> options) {

  /** The line that a host prints when a Probe was answered. */
  static final String PROBED = "probed";

  /** The line that a host prints when it is connected, if this is a separate moment. */
  static final String CONNECTED = "connected";

  /** The jars on the class path that belong to gRPC and protobuf. */
  private static final List<String> GRPC =
      List.of(
          "animal-sniffer",
          "annotations-",
          "error_prone",
          "failureaccess",
          "grpc-api",
          "grpc-context",
          "grpc-core",
          "grpc-netty-shaded",
          "grpc-protobuf",
          "grpc-stub",
          "grpc-util",
          "gson",
          "guava",
          "j2objc",
          "jspecify",
          "jsr305",
          "listenablefuture",
          "perfmark",
          "protobuf-java");

  private static final List<String> OURS = List.of("csi4j-client");

  /** Creates a host with default options. Its class is put into a jar in {@code directory}. */
  static Host of(Class<?> program, Path directory, Path socket) throws IOException {
    Path jar = directory.resolve(program.getSimpleName() + ".jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (Class<?> type : List.of(program, Resident.class)) {
        String entry = type.getName().replace('.', '/') + ".class";
        try (InputStream bytes = type.getClassLoader().getResourceAsStream(entry)) {
          if (bytes == null) {
            throw new IOException("There is no " + entry + ".");
          }
          out.putNextEntry(new JarEntry(entry));
          bytes.transferTo(out);
        }
      }
    }
    List<Path> path = new ArrayList<>(List.of(jar));
    // The generated stubs are in the jar of csi4j, so the bare program also needs this jar.
    path.addAll(jars(OURS));
    path.addAll(jars(GRPC));
    return new Host(program, path, socket, Path.of(System.getProperty("java.home")), List.of());
  }

  /** Returns the jars that gRPC needs. */
  static List<Path> jarsOfGrpc() {
    return jars(GRPC);
  }

  /** Returns the jars that csi4j needs. */
  static List<Path> jarsOfOurs() {
    List<Path> jars = new ArrayList<>(jars(OURS));
    jars.addAll(jars(GRPC));
    return jars;
  }

  private static List<Path> jars(List<String> beginnings) {
    return List.of(System.getProperty("java.class.path").split(":", -1)).stream()
        .map(Path::of)
        .filter(
            jar ->
                beginnings.stream()
                    .anyMatch(each -> String.valueOf(jar.getFileName()).startsWith(each)))
        .toList();
  }

  /** Returns the host with these options for its JVM. */
  Host with(String... more) {
    return new Host(program, path, socket, home, List.of(more));
  }

  /** Returns the same host, run by another JDK. */
  Host on(Path other) {
    return new Host(program, path, socket, other, options);
  }

  /**
   * A run.
   *
   * @param probed the nanoseconds from the start of the JVM until it reports an answered Probe
   * @param connected the nanoseconds from the start of the JVM until it reports a connection
   * @param resident the resident memory in bytes at that time
   * @param lines the output of the program
   */
  record Run(double probed, double connected, double resident, List<String> lines) {}

  /** Runs the program once. */
  Run run() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(home.resolve("bin/java").toString());
    command.addAll(options);
    command.add("-cp");
    command.add(String.join(":", path.stream().map(Path::toString).toList()));
    command.add(program.getName());
    command.add(socket.toString());
    List<String> lines = new ArrayList<>();
    double probed = Double.NaN;
    double connected = Double.NaN;
    double resident = Double.NaN;
    long begin = System.nanoTime();
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (BufferedReader said =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = said.readLine(); line != null; line = said.readLine()) {
        if (line.equals(PROBED)) {
          probed = System.nanoTime() - begin;
        } else if (line.equals(CONNECTED)) {
          connected = System.nanoTime() - begin;
        } else if (line.startsWith(Resident.LINE)) {
          resident = Double.parseDouble(line.substring(Resident.LINE.length()));
        }
        lines.add(line);
      }
    }
    if (process.waitFor() != 0 || Double.isNaN(probed)) {
      throw new IOException(program.getSimpleName() + " failed: " + String.join("\n", lines));
    }
    return new Run(probed, connected, resident, lines);
  }
}
