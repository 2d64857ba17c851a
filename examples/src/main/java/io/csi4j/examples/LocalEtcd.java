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

/**
 * An etcd server on the loopback interface, for this program only. The server ends with the
 * program.
 */
final class LocalEtcd implements QuickstartStore {

  private static final String HOST = "127.0.0.1";

  private final GuardedProcess process;
  private final URI endpoint;

  private LocalEtcd(GuardedProcess process, URI endpoint) {
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

  /** Starts a server with its data in this directory. The server may not answer yet. */
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
      return new LocalEtcd(
          GuardedProcess.start(directory.resolve("etcd.log"), "KILL", command), endpoint);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Returns two free ports. Both sockets are open at the same time, so that the ports differ. */
  private static List<Integer> freePorts() throws IOException {
    try (ServerSocket one = anyPort();
        ServerSocket other = anyPort()) {
      return List.of(one.getLocalPort(), other.getLocalPort());
    }
  }

  private static ServerSocket anyPort() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  /** Returns the address for clients. */
  URI endpoint() {
    return endpoint;
  }

  @Override
  public String address() {
    return endpoint.toString();
  }

  @Override
  public String text() {
    return "an etcd, process " + process.pid() + ", at " + endpoint;
  }

  @Override
  public void awaitAnswer(Patience patience) {
    patience.until(() -> !isRunning() || isHealthy(), "the etcd answers");
    if (!isRunning()) {
      throw new IllegalStateException(
          "The etcd at " + endpoint + " ended at once: " + process.output());
    }
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

  /** Whether the server is running. */
  boolean isRunning() {
    return process.isRunning();
  }

  @Override
  public void close() {
    process.close();
  }
}
