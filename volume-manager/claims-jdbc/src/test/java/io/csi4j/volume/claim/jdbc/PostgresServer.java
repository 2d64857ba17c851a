package io.csi4j.volume.claim.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.csi4j.volume.contend.ContendedStore;
import io.csi4j.volume.contend.Signals;
import io.csi4j.volume.store.TestCertificates;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A real PostgreSQL with its data in a directory of its own, on a loopback address of its own. It
 * refuses to run as root, and runs as nobody then. A shell beside it waits for the end of this
 * process, however that comes about, and kills it then.
 */
public final class PostgresServer implements ContendedStore.Server {

  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);
  private static final String USER = "csi4j";
  private static final String GUARD =
      "exec 3<&0; (read ignored <&3; kill -9 $$) & exec \"$@\" </dev/null 3<&- >>server.log 2>&1";

  private final Path directory;
  private final String host;
  private final int port;
  private final List<String> more = new ArrayList<>();
  private Process process;

  private PostgresServer(Path directory) {
    this.directory = directory;
    ThreadLocalRandom random = ThreadLocalRandom.current();
    // All of 127.0.0.0/8 leads here; connections that name no address of theirs use 127.0.0.1.
    host =
        "127.%d.%d.%d"
            .formatted(random.nextInt(1, 255), random.nextInt(1, 255), random.nextInt(1, 255));
    try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getByName(host))) {
      port = any.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where the programs are, if they are anywhere: on the PATH, or where Debian puts them. */
  static Optional<Path> programs() {
    Stream<Path> onPath =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
            .filter(entry -> !entry.isEmpty())
            .map(Path::of);
    try (Stream<Path> versions =
        Files.isDirectory(Path.of("/usr/lib/postgresql"))
            ? Files.list(Path.of("/usr/lib/postgresql"))
            : Stream.empty()) {
      Stream<Path> debian =
          versions
              .sorted(Comparator.comparing(each -> -major(each)))
              .map(each -> each.resolve("bin"));
      return Stream.concat(onPath, debian)
          .filter(each -> Files.isExecutable(each.resolve("initdb")))
          .findFirst();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int major(Path version) {
    String name = version.getFileName().toString();
    return name.matches("\\d+") ? Integer.parseInt(name) : 0;
  }

  /** Starts one with nothing in it, and returns when it answers. */
  public static PostgresServer begin() {
    try {
      Path directory = Files.createTempDirectory("csi4j-postgres");
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
      Path data = Files.createDirectory(directory.resolve("data"));
      if (isRoot() && isAbleToBecomeNobody()) {
        Files.setOwner(
            data,
            data.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
      }
      PostgresServer server = new PostgresServer(directory);
      server.run(
          program("initdb"), "--no-sync", "--auth=trust", "--username=" + USER, "-D", data + "");
      server.startOnce();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isRoot() throws IOException {
    return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
  }

  /** Whether there are other users: the root of a user namespace of one user knows none. */
  private static boolean isAbleToBecomeNobody() throws IOException {
    String mapping = Files.readString(Path.of("/proc/self/uid_map")).strip();
    return Long.parseLong(mapping.substring(mapping.lastIndexOf(' ') + 1)) > 1;
  }

  private static String program(String name) {
    return programs().orElseThrow().resolve(name).toString();
  }

  private static List<String> unprivileged(List<String> command) throws IOException {
    List<String> all = new ArrayList<>();
    if (isRoot()) {
      all.addAll(
          isAbleToBecomeNobody()
              ? List.of("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups")
              // The same user has another number in a namespace within.
              : List.of("unshare", "--user", "--map-user=65534", "--map-group=65534"));
    }
    all.addAll(command);
    return all;
  }

  private void run(String... command) throws IOException {
    Process ran =
        new ProcessBuilder(unprivileged(List.of(command)))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(ran.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (ran.onExit().join().exitValue() != 0) {
      throw new AssertionError(String.join(" ", command) + ":\n" + said);
    }
  }

  @Override
  public void start() {
    long begun = System.nanoTime();
    // What was killed a moment ago may still hold its memory.
    while (true) {
      try {
        startOnce();
        return;
      } catch (AssertionError notYet) {
        if (System.nanoTime() - begun > PATIENCE) {
          throw notYet;
        }
      }
    }
  }

  private void startOnce() {
    List<String> command = new ArrayList<>(List.of("sh", "-c", GUARD, "guard"));
    try {
      command.addAll(
          unprivileged(
              List.of(
                  program("postgres"),
                  "-D",
                  data().toString(),
                  "-h",
                  host,
                  "-p",
                  Integer.toString(port),
                  "-k",
                  "",
                  // It is killed here, and the machine is not: nothing has to be on the disk.
                  "-c",
                  "fsync=off",
                  "-c",
                  "shared_buffers=16MB",
                  "-c",
                  "max_connections=60")));
      command.addAll(more);
      process = new ProcessBuilder(command).directory(directory.toFile()).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    long begun = System.nanoTime();
    while (!answers()) {
      if (!process.isAlive() || System.nanoTime() - begun > PATIENCE) {
        kill();
        throw new AssertionError("PostgreSQL did not start:\n" + log());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private boolean answers() {
    try (Connection connection = DriverManager.getConnection(address());
        Statement statement = connection.createStatement()) {
      return statement.execute("SELECT 1");
    } catch (SQLException notYet) {
      return false;
    }
  }

  private String log() {
    try {
      return Files.readString(directory.resolve("server.log"));
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Where its data are. */
  Path data() {
    return directory.resolve("data");
  }

  @Override
  public String address() {
    return "jdbc:postgresql://" + host + ":" + port + "/postgres?user=" + USER;
  }

  /** A pool of connections, as hosts have one. */
  public HikariDataSource pool() {
    return pool(address());
  }

  /** A pool of connections to this address. */
  public static HikariDataSource pool(String address) {
    return new HikariDataSource(config(address));
  }

  /** The settings of such a pool. */
  static HikariConfig config(String address) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(address);
    config.setMaximumPoolSize(8);
    config.setMinimumIdle(0);
    config.setInitializationFailTimeout(-1);
    config.setConnectionTimeout(1_000);
    config.setValidationTimeout(500);
    return config;
  }

  /** Does something in it that its users do not. */
  public void sql(String sql) {
    try (Connection connection = DriverManager.getConnection(address());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  /** Asks it for the values of one column, as text. */
  List<String> column(String sql) {
    try (Connection connection = DriverManager.getConnection(address());
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<String> values = new ArrayList<>();
      while (result.next()) {
        values.add(result.getString(1));
      }
      return values;
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  @Override
  public void kill() {
    List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
    process.destroyForcibly();
    all.forEach(ProcessHandle::destroyForcibly);
    process.onExit().join();
    all.forEach(each -> each.onExit().join());
  }

  @Override
  public void pause() {
    all("STOP");
  }

  @Override
  public void resume() {
    all("CONT");
  }

  /** The first process first, so that it makes no more; a child that has ended is passed over. */
  private void all(String signal) {
    Signals.send(signal, process.pid());
    process.descendants().forEach(child -> Signals.sendUnlessEnded(signal, child));
  }

  /** Ends it and starts it again, after something was done to its data. */
  void around(Runnable change) {
    kill();
    change.run();
    start();
  }

  @Override
  public void backUp() {
    around(() -> copy(data(), directory.resolve("backup")));
  }

  @Override
  public void restore() {
    around(() -> replaceData(directory.resolve("backup")));
    sql("DELETE FROM csi4j_claim_store");
  }

  /** Copies a tree of files as it is, with owners. */
  void copy(Path from, Path to) {
    Signals.run("cp", "-a", from.toString(), to.toString());
  }

  /** Puts a copy in the place of its data, while it is not running. */
  void replaceData(Path copy) {
    Signals.run("rm", "-rf", data().toString());
    copy(copy, data());
  }

  /**
   * Has it serve encrypted connections from now on, to one user only with a certificate of that
   * name and with the password.
   *
   * @param certificates those of {@code ca}, and of {@code server} at {@link #host}
   */
  void encrypt(TestCertificates certificates, String user) {
    around(
        () -> {
          for (String name : List.of("ca.pem", "server.pem", "server.key")) {
            Path own = data().resolve(name);
            Signals.run("cp", certificates.file(name).toString(), own.toString());
            Signals.run("chown", "--reference=" + data(), own.toString());
            Signals.run("chmod", "600", own.toString());
          }
          try {
            // The first line that fits counts; the user of the tests needs no certificate.
            Files.writeString(
                data().resolve("pg_hba.conf"),
                """
                hostssl all %1$s all scram-sha-256 clientcert=verify-full
                host all %1$s all reject
                host all all all trust
                """
                    .formatted(user));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          for (String each :
              List.of(
                  "ssl=on",
                  "ssl_ca_file=ca.pem",
                  "ssl_cert_file=server.pem",
                  "ssl_key_file=server.key")) {
            more.addAll(List.of("-c", each));
          }
        });
  }

  /** The address that it listens on. */
  String host() {
    return host;
  }

  /** Makes a standby of it, which waits for its primary, while it is not running. */
  void becomeStandby() {
    Signals.run(
        "cp", "-a", data().resolve("PG_VERSION") + "", data().resolve("standby.signal") + "");
  }

  @Override
  public void close() {
    end();
    Signals.run("rm", "-rf", directory.toString());
  }

  /** Ends it in order. Only then does it release its shared memory, unless it is started again. */
  private void end() {
    if (process.isAlive()) {
      List<ProcessHandle> children = process.descendants().toList();
      resume();
      Signals.sendUnlessEnded("INT", process.toHandle());
      process.onExit().completeOnTimeout(process, PATIENCE, TimeUnit.NANOSECONDS).join();
      children.forEach(ProcessHandle::destroyForcibly);
    }
    kill();
  }
}
