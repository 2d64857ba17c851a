package io.csi4j.examples;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** The store for the control planes of a quickstart. The store ends with the program. */
sealed interface QuickstartStore extends AutoCloseable
    permits LocalEtcd, LocalPostgres, QuickstartStore.LocalDirectory {

  /** Chooses the first store that this machine has. */
  String FIRST = "first";

  /**
   * Starts a store with its data in a directory. The store may not answer yet.
   *
   * @param kind {@code etcd}, {@code postgresql}, {@code directory}, or {@link #FIRST} for the
   *     first of these that this machine has
   * @throws IllegalStateException if this machine does not have the store, or if the store does not
   *     start
   */
  static QuickstartStore start(String kind, Path directory) {
    return switch (kind) {
      case FIRST -> first(directory);
      case "etcd" ->
          etcd(directory)
              .orElseThrow(
                  () ->
                      new IllegalStateException(
                          "There is no program etcd on the PATH. Install it (on Debian the package"
                              + " etcd-server), or choose another store with --store postgresql or"
                              + " --store directory."));
      case "postgresql" ->
          postgres(directory)
              .orElseThrow(
                  () ->
                      new IllegalStateException(
                          "There is no PostgreSQL: neither the PATH nor /usr/lib/postgresql has its"
                              + " programs initdb and postgres. Install it (on Debian the package"
                              + " postgresql), or choose another store with --store etcd or"
                              + " --store directory."));
      case "directory" -> new LocalDirectory(directory.resolve("store"), "--store directory");
      default ->
          throw new IllegalArgumentException(
              "The store is '" + kind + "'. Use etcd, postgresql, directory or " + FIRST + ".");
    };
  }

  private static QuickstartStore first(Path directory) {
    return etcd(directory)
        .or(() -> postgres(directory))
        .orElseGet(
            () ->
                new LocalDirectory(
                    directory.resolve("store"), "this machine has no etcd and no PostgreSQL"));
  }

  private static Optional<QuickstartStore> etcd(Path directory) {
    return LocalEtcd.program().map(it -> LocalEtcd.start(it, directory.resolve("etcd")));
  }

  private static Optional<QuickstartStore> postgres(Path directory) {
    return LocalPostgres.programs()
        .map(it -> LocalPostgres.start(it, directory.resolve("postgresql")));
  }

  /** Returns the argument by which a {@link io.csi4j.examples.cluster.Host} opens the store. */
  String address();

  /** Returns the environment variables that a control plane needs to use the store. */
  default Map<String, String> environment() {
    return Map.of();
  }

  /** Returns a one-line description of the store. */
  String text();

  /** Whether several control planes can use the store at a time. */
  default boolean isShared() {
    return true;
  }

  /**
   * Waits until the store answers.
   *
   * @throws IllegalStateException if the store has ended, or does not answer in time
   */
  void awaitAnswer(Patience patience);

  @Override
  void close();

  /**
   * A directory, which one control plane at a time can open.
   *
   * @param path the directory
   * @param reason why the quickstart uses a directory
   */
  record LocalDirectory(Path path, String reason) implements QuickstartStore {

    @Override
    public String address() {
      return path.toString();
    }

    @Override
    public String text() {
      return "a directory ("
          + reason
          + "): one process at a time can open it, so only one control plane runs";
    }

    @Override
    public boolean isShared() {
      return false;
    }

    @Override
    public void awaitAnswer(Patience patience) {}

    @Override
    public void close() {}
  }
}
