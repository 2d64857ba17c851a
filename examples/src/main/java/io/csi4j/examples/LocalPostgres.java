package io.csi4j.examples;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A PostgreSQL server on the loopback interface, for this program only. The server ends with the
 * program. The only user of the database has a random password, which is stored in a file that only
 * the user of this program can read.
 */
final class LocalPostgres implements QuickstartStore {

  private static final String HOST = "127.0.0.1";
  private static final String USER = "csi4j";
  private static final Path DEBIAN = Path.of("/usr/lib/postgresql");

  private final GuardedProcess process;
  private final int port;
  private final String password;
  private final Path passwords;

  private LocalPostgres(GuardedProcess process, int port, String password, Path passwords) {
    this.process = process;
    this.port = port;
    this.password = password;
    this.passwords = passwords;
  }

  /**
   * Returns the directory of the PostgreSQL programs: a directory on the PATH, or the directory of
   * Debian's newest version.
   */
  static Optional<Path> programs() {
    Stream<Path> path =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
            .filter(entry -> !entry.isEmpty())
            .map(Path::of);
    return Stream.concat(path, versionsOfDebian().stream())
        .filter(each -> Files.isExecutable(each.resolve("initdb")))
        .filter(each -> Files.isExecutable(each.resolve("postgres")))
        .findFirst();
  }

  private static List<Path> versionsOfDebian() {
    if (!Files.isDirectory(DEBIAN)) {
      return List.of();
    }
    try (Stream<Path> versions = Files.list(DEBIAN)) {
      return versions
          .filter(each -> each.getFileName().toString().matches("\\d{1,4}"))
          .sorted(Comparator.comparing(each -> -Integer.parseInt(each.getFileName().toString())))
          .map(each -> each.resolve("bin"))
          .toList();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /**
   * Starts a server with its data in this directory. The server may not answer yet.
   *
   * @throws IllegalStateException if the data directory cannot be initialized
   */
  static LocalPostgres start(Path programs, Path directory) {
    try {
      Files.createDirectories(directory);
      Account account = Account.in(directory);
      String password = randomPassword();
      Path data = directory.resolve("data");
      initialize(programs, account, data, password);
      int port = freePort();
      GuardedProcess process =
          GuardedProcess.start(
              directory.resolve("postgresql.log"),
              // On SIGINT, PostgreSQL ends its connections and releases its shared memory.
              "INT",
              account.command(
                  programs.resolve("postgres").toString(),
                  "-D",
                  data.toString(),
                  "-h",
                  HOST,
                  "-p",
                  Integer.toString(port),
                  // The server creates no socket file.
                  "-k",
                  "",
                  // The data is not used after the server ends, so it need not be synced.
                  "-c",
                  "fsync=off",
                  "-c",
                  "shared_buffers=16MB"));
      Path passwords = directory.resolve("passwords");
      writePrivately(passwords, String.join(":", HOST, port + "", "*", USER, password));
      return new LocalPostgres(process, port, password, passwords);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static void initialize(Path programs, Account account, Path data, String password)
      throws IOException {
    Files.createDirectory(data, permissions("rwx------"));
    account.give(data);
    Path first = data.resolveSibling("first-password");
    writePrivately(first, password);
    account.give(first);
    List<String> command =
        account.command(
            programs.resolve("initdb").toString(),
            "--no-sync",
            "--no-locale",
            "--encoding=UTF8",
            "--auth=scram-sha-256",
            "--username=" + USER,
            "--pwfile=" + first,
            "--pgdata=" + data);
    Path log = data.resolveSibling("initdb.log");
    if (!succeeds(command, log)) {
      throw new IllegalStateException(
          "PostgreSQL cannot make its data in "
              + data
              + ": "
              + Files.readString(log).strip()
              + "\nChoose another store with --store etcd or --store directory.");
    }
    Files.delete(first);
  }

  private static boolean succeeds(List<String> command, Path log) throws IOException {
    return new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start()
            .onExit()
            .join()
            .exitValue()
        == 0;
  }

  private static void writePrivately(Path file, String line) throws IOException {
    Files.createFile(file, permissions("rw-------"));
    Files.writeString(file, line + "\n");
  }

  private static FileAttribute<?> permissions(String text) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
  }

  private static String randomPassword() {
    byte[] bytes = new byte[16];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private static int freePort() throws IOException {
    try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return any.getLocalPort();
    }
  }

  /**
   * The account that the server runs as. Usually this is the account of this program. If this
   * program runs as root, it is another account, because PostgreSQL refuses to run as root.
   *
   * @param prefix the beginning of a command that runs as this account
   * @param owner the number of the user that must own the files, if it is not the user of this
   *     program
   */
  private record Account(List<String> prefix, Optional<Integer> owner) {

    private static final String NOBODY = "65534";

    static Account in(Path directory) throws IOException {
      if (!Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0)) {
        return new Account(List.of(), Optional.empty());
      }
      List<String> nobody =
          List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups");
      Account other = new Account(nobody, Optional.of(Integer.valueOf(NOBODY)));
      if (succeeds(other.command("test", "-x", directory.toString()), directory.resolve("try"))) {
        return other;
      }
      // The root of a user namespace cannot become another user, but it can have another user
      // number in a nested namespace. Root also uses a nested namespace if the user nobody cannot
      // reach the directory.
      return new Account(
          List.of("unshare", "--user", "--map-user=" + NOBODY, "--map-group=" + NOBODY),
          Optional.empty());
    }

    List<String> command(String... command) {
      List<String> all = new ArrayList<>(prefix);
      all.addAll(List.of(command));
      return all;
    }

    void give(Path file) throws IOException {
      if (owner.isPresent()) {
        Files.setAttribute(file, "unix:uid", owner.get());
      }
    }
  }

  @Override
  public String address() {
    return "jdbc:postgresql://" + HOST + ":" + port + "/postgres?user=" + USER;
  }

  /**
   * Passes the password to the driver in a file, because other users could read a program argument.
   */
  @Override
  public Map<String, String> environment() {
    return Map.of("PGPASSFILE", passwords.toString());
  }

  @Override
  public String text() {
    return "PostgreSQL, process " + process.pid() + ", at " + HOST + ":" + port;
  }

  @Override
  public void awaitAnswer(Patience patience) {
    patience.until(() -> !process.isRunning() || accepts(password), "PostgreSQL answers");
    if (!process.isRunning()) {
      throw new IllegalStateException(
          "PostgreSQL at " + HOST + ":" + port + " ended at once: " + process.output());
    }
  }

  /** Whether the server accepts a connection with this password. */
  boolean accepts(String candidate) {
    try (Connection connection = DriverManager.getConnection(address(), USER, candidate)) {
      return connection.isValid(0);
    } catch (SQLException refused) {
      return false;
    }
  }

  @Override
  public void close() {
    process.close();
  }
}
