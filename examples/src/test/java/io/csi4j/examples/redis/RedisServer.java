package io.csi4j.examples.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis with its data in a directory of the test, on its own loopback address. A shell
 * beside it waits for the end of this process, and kills it then.
 */
final class RedisServer implements AutoCloseable {

  static final List<String> DURABLE =
      List.of("--appendonly", "yes", "--appendfsync", "always", "--save", "");
  static final List<String> IN_MEMORY = List.of("--appendonly", "no", "--save", "");

  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);
  private static final String GUARD =
      "exec 3<&0; (read ignored <&3; kill -9 $$) & exec \"$@\" </dev/null 3<&- >redis.log 2>&1";

  private final Path directory;
  private final InetSocketAddress address;
  private List<String> options;
  private Process process;

  private RedisServer(Path directory, List<String> options) {
    this.directory = directory;
    this.options = options;
    ThreadLocalRandom random = ThreadLocalRandom.current();
    String host =
        "127.%d.%d.%d"
            .formatted(random.nextInt(1, 255), random.nextInt(1, 255), random.nextInt(1, 255));
    try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getByName(host))) {
      address = new InetSocketAddress(host, any.getLocalPort());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    process = started();
  }

  /** Where the program is, if it is anywhere. */
  static Optional<Path> program() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .filter(entry -> !entry.isEmpty())
        .map(entry -> Path.of(entry, "redis-server"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts one, and returns when it answers. */
  static RedisServer start(Path directory, List<String> options) {
    return new RedisServer(directory, options);
  }

  InetSocketAddress address() {
    return address;
  }

  /** Settings with a prefix that no other store has. */
  RedisSettings settings(String prefix) {
    return RedisSettings.of(address).withPrefix(prefix).withWatchInterval(Duration.ofMillis(10));
  }

  private Process started() {
    List<String> command = new ArrayList<>(List.of("sh", "-c", GUARD, "guard"));
    command.add(program().orElseThrow().toString());
    command.addAll(
        List.of(
            "--bind",
            address.getHostString(),
            "--port",
            "" + address.getPort(),
            "--dir",
            directory.toString()));
    command.addAll(options);
    Process next;
    try {
      next = new ProcessBuilder(command).directory(directory.toFile()).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    long begun = System.nanoTime();
    while (!isUp()) {
      if (!next.isAlive() || System.nanoTime() - begun > PATIENCE) {
        throw new AssertionError("Redis did not start:\n" + log());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
    return next;
  }

  private boolean isUp() {
    try {
      return ask("PING") instanceof byte[] reply && new String(reply, UTF_8).equals("PONG");
    } catch (RedisConnections.Failure notYet) {
      return false;
    }
  }

  private String log() {
    try {
      return Files.readString(directory.resolve("redis.log"));
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Sends a command, as an operator does. */
  @Nullable Object ask(String... command) {
    RedisConnections connections = new RedisConnections(address, Duration.ofSeconds(10));
    try {
      return connections.write(Stream.of(command).map(part -> part.getBytes(UTF_8)).toList());
    } finally {
      connections.close();
    }
  }

  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  /** Kills it, and starts it again with what it has on the disk. */
  void restart() {
    kill();
    process = started();
  }

  @Override
  public void close() {
    kill();
  }
}
