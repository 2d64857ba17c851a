package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.contend.ContendedStore;
import io.csi4j.volume.contend.Signals;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A real etcd with its data in a directory of the test, on a loopback address of its own: nobody
 * takes its ports before it starts, or while it is away. A shell beside it waits for the end of
 * this process, however that comes about, and kills it then.
 */
public final class EtcdServer implements ContendedStore.Server {

  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);
  private static final String GUARD =
      "exec 3<&0; (read ignored <&3; kill -9 $$) & exec \"$@\" </dev/null 3<&- >etcd.log 2>&1";

  private final Path directory;
  private final List<String> more;
  private final boolean isEncrypted;
  private final String address;
  private final int port;
  private final int peerPort;
  private final int healthPort;
  private final String name;
  private Process process;

  private EtcdServer(
      Path directory, String address, boolean isEncrypted, String name, List<String> more) {
    this.directory = directory;
    this.name = name;
    this.address = address;
    this.isEncrypted = isEncrypted;
    this.more = more;
    // Held all at once, so that they differ.
    try (ServerSocket client = anyPort();
        ServerSocket peer = anyPort();
        ServerSocket health = anyPort()) {
      port = client.getLocalPort();
      peerPort = peer.getLocalPort();
      healthPort = health.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where the program is, if it is anywhere. */
  public static Optional<Path> program() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .filter(entry -> !entry.isEmpty())
        .map(entry -> Path.of(entry, "etcd"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts one, and returns when it answers. */
  public static EtcdServer start(Path directory, String... more) {
    EtcdServer server = new EtcdServer(directory, ownAddress(), false, "test", List.of(more));
    server.start();
    return server;
  }

  /** One member of several, which is not started. */
  static EtcdServer member(Path directory, String name) {
    return new EtcdServer(directory, ownAddress(), false, name, List.of());
  }

  /** The same with an encrypted port, at an address for which it has a certificate. */
  static EtcdServer startEncrypted(Path directory, String address, String... more) {
    EtcdServer server = new EtcdServer(directory, address, true, "test", List.of(more));
    server.start();
    return server;
  }

  /** All of 127.0.0.0/8 leads here; connections that name no address of theirs use 127.0.0.1. */
  static String ownAddress() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return "127.%d.%d.%d"
        .formatted(random.nextInt(1, 255), random.nextInt(1, 255), random.nextInt(1, 255));
  }

  private ServerSocket anyPort() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getByName(address));
  }

  /** Where it is asked. */
  public URI endpoint() {
    return URI.create((isEncrypted ? "https" : "http") + "://" + address + ":" + port);
  }

  @Override
  public String address() {
    return endpoint().toString();
  }

  String host() {
    return address;
  }

  int port() {
    return port;
  }

  @Override
  public void start() {
    // One member needs no patience with others.
    launch(List.of(this), 10, 50);
    awaitHealth();
  }

  private String peer() {
    return "http://" + address + ":" + peerPort;
  }

  boolean isRunning() {
    return process != null && process.isAlive();
  }

  /** Starts it as one of these members, and does not wait until it answers. */
  void launch(List<EtcdServer> members, int heartbeatMillis, int electionMillis) {
    List<String> command = new ArrayList<>(List.of("sh", "-c", GUARD, "guard"));
    command.add(program().orElseThrow().toString());
    command.addAll(
        List.of(
            "--name=" + name,
            "--data-dir=data",
            "--listen-client-urls=" + endpoint(),
            "--advertise-client-urls=" + endpoint(),
            "--listen-metrics-urls=http://" + address + ":" + healthPort,
            "--listen-peer-urls=" + peer(),
            "--initial-advertise-peer-urls=" + peer(),
            "--initial-cluster="
                + members.stream()
                    .map(each -> each.name + "=" + each.peer())
                    .collect(Collectors.joining(",")),
            "--heartbeat-interval=" + heartbeatMillis,
            "--election-timeout=" + electionMillis,
            "--logger=zap",
            "--log-level=error"));
    command.addAll(more);
    try {
      process = new ProcessBuilder(command).directory(directory.toFile()).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until it answers, and has a leader. */
  void awaitHealth() {
    long begun = System.nanoTime();
    while (!isHealthy()) {
      if (!process.isAlive() || System.nanoTime() - begun > PATIENCE) {
        throw new AssertionError("etcd did not start:\n" + log());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  private boolean isHealthy() {
    try {
      URL url = new URL("http://" + address + ":" + healthPort + "/health");
      HttpURLConnection connection = (HttpURLConnection) url.openConnection();
      connection.setConnectTimeout(1_000);
      connection.setReadTimeout(1_000);
      try {
        return connection.getResponseCode() == 200;
      } finally {
        connection.disconnect();
      }
    } catch (IOException notYet) {
      return false;
    }
  }

  private String log() {
    try {
      return Files.readString(directory.resolve("etcd.log"));
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Override
  public void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void pause() {
    signal("STOP");
  }

  @Override
  public void resume() {
    signal("CONT");
  }

  private void signal(String name) {
    Signals.send(name, process.pid());
  }

  /** Ends it and starts it with nothing, under the same name. */
  void wipe() {
    kill();
    delete(data());
    start();
  }

  @Override
  public void backUp() {
    kill();
    copyData();
    start();
  }

  /** Copies what it has, while it does not run. */
  void copyData() {
    copy(data(), directory.resolve("backup"));
  }

  @Override
  public void restore() {
    putBack();
    deleteMark("/csi4j/store");
  }

  /** Puts the copy in the place of what it has, with the mark of the store. */
  void putBack() {
    kill();
    replaceData();
    start();
  }

  /** Puts the copy in the place of what it has, while it does not run. */
  void replaceData() {
    delete(data());
    copy(directory.resolve("backup"), data());
  }

  /** Deletes the mark of a store, as the operator does who restores an older copy. */
  public void deleteMark(String key) {
    try (Client client = Client.builder().endpoints(endpoint()).build()) {
      client.getKVClient().delete(ByteSequence.from(key, StandardCharsets.UTF_8)).join();
    }
  }

  private Path data() {
    return directory.resolve("data");
  }

  private static void copy(Path from, Path to) {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path each : all.toList()) {
        Files.copy(each, to.resolve(from.relativize(each)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path tree) {
    try {
      Files.walkFileTree(
          tree,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes facts)
                throws IOException {
              Files.delete(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failure)
                throws IOException {
              Files.delete(directory);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    kill();
  }
}
