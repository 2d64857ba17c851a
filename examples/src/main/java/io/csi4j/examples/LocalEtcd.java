package io.csi4j.examples;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** An etcd of this program alone, on loopback, which ends with it. */
final class LocalEtcd implements AutoCloseable {

  private static final String HOST = "127.0.0.1";

  private final Process process;
  private final URI endpoint;

  private LocalEtcd(Process process, URI endpoint) {
    this.process = process;
    this.endpoint = endpoint;
  }

  /** Returns the program named etcd on the PATH, if there is one. */
  static Optional<Path> program() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .filter(entry -> !entry.isEmpty())
        .map(entry -> Path.of(entry, "etcd"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts one whose data is in this directory. It may not answer yet. */
  static LocalEtcd start(Path program, Path directory) {
    try {
      List<Integer> ports = freePorts();
      URI endpoint = URI.create("http://" + HOST + ":" + ports.get(0));
      String peer = "http://" + HOST + ":" + ports.get(1);
      Files.createDirectories(directory);
      List<String> command =
          List.of(
              program.toString(),
              "--name=quickstart",
              "--data-dir=" + directory.resolve("data"),
              "--listen-client-urls=" + endpoint,
              "--advertise-client-urls=" + endpoint,
              "--listen-peer-urls=" + peer,
              "--initial-advertise-peer-urls=" + peer,
              "--initial-cluster=quickstart=" + peer,
              "--log-level=error");
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("etcd.log").toFile())
              .start();
      // Also when this program is interrupted.
      Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly, "end-of-etcd"));
      return new LocalEtcd(process, endpoint);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Two free ports. Both sockets are open at the same time, so that the ports differ. */
  private static List<Integer> freePorts() throws IOException {
    try (ServerSocket one = anyPort();
        ServerSocket other = anyPort()) {
      return List.of(one.getLocalPort(), other.getLocalPort());
    }
  }

  private static ServerSocket anyPort() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  /** Returns where it is asked. */
  URI endpoint() {
    return endpoint;
  }

  /** Waits until it answers that it is healthy. */
  LocalEtcd awaitAnswer(Patience patience) {
    patience.until(() -> !isRunning() || isHealthy(), "the etcd answers");
    if (!isRunning()) {
      throw new IllegalStateException("The etcd at " + endpoint + " has ended at once.");
    }
    return this;
  }

  private boolean isHealthy() {
    try {
      HttpURLConnection asked =
          (HttpURLConnection) endpoint.resolve("/health").toURL().openConnection();
      try (InputStream answer = asked.getInputStream()) {
        return new String(answer.readAllBytes(), StandardCharsets.UTF_8).contains("\"true\"");
      }
    } catch (IOException notYet) {
      return false;
    }
  }

  long pid() {
    return process.pid();
  }

  /** Whether it has not ended by itself. */
  boolean isRunning() {
    return process.isAlive();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
