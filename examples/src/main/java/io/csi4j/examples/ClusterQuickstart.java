package io.csi4j.examples;

import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.plugin.launch.ProcessPluginLauncher;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Moves the volume of a job between three nodes. Meanwhile, control planes, an agent and the plugin
 * are killed, and a node is cut off and fenced. Each host is a separate process, which runs {@link
 * io.csi4j.examples.cluster.Host}. The mounts are real, so the program needs root or a user
 * namespace; the script {@code examples/quickstart cluster} creates a user namespace.
 */
public final class ClusterQuickstart {

  private static final List<String> PLANES = List.of("cp-1", "cp-2", "cp-3");
  private static final List<String> NODES = List.of("n1", "n2", "n3");
  private static final long LARGER = 64 << 20;
  private static final String DETACHED = "64 MiB, attached to []";

  private final Path directory;
  private final String store;
  private final Story story;
  private final Patience patience;

  private ClusterQuickstart(Path directory, String store, Story story, Patience patience) {
    this.directory = directory;
    this.store = store;
    this.story = story;
    this.patience = patience;
  }

  /**
   * Runs the quickstart. The first argument is the directory, which is created if it is missing.
   * The second argument is the store: {@code etcd}, {@code postgresql}, {@code directory}, or
   * {@code first} for the first store that this machine has.
   */
  public static void main(String[] args) {
    Patience patience = Patience.since(ProcessHandle.current());
    System.exit(run(args, System.out, System.err, patience));
  }

  static int run(String[] args, PrintStream out, PrintStream err, Patience patience) {
    return Program.show(
        "ClusterQuickstart PATH STORE",
        args,
        err,
        directory -> new ClusterQuickstart(directory, args[1], new Story(out), patience).tell());
  }

  private void tell() throws IOException {
    story.title(
        "Three control planes, three nodes, and a volume that moves. Everything is in "
            + directory
            + ".");
    try (LocalCluster cluster = LocalCluster.start(directory, store, PLANES, NODES, patience)) {
      begin(cluster);
      Path first = run(cluster);
      crashes(cluster, first);
      Path second = move(cluster);
      cut(cluster, second);
      after(cluster);
      end(cluster);
    }
    story.end();
  }

  private void begin(LocalCluster cluster) {
    story.step("store", cluster.store().text());
    story.step(
        "storage",
        LocalCluster.PLUGIN + ", process " + cluster.storage().started() + ", for " + NODES);
    List<String> planes = cluster.store().isShared() ? PLANES : PLANES.subList(0, 1);
    start(cluster, "planes", planes, cluster::startPlane);
    start(cluster, "nodes", NODES, cluster::startNode);
  }

  private void start(
      LocalCluster cluster, String who, List<String> names, Consumer<String> starting) {
    long begun = System.nanoTime();
    names.forEach(starting);
    List<HostProcess> hosts = names.stream().map(cluster::awaitReady).toList();
    story.step(
        who,
        hosts.stream()
                .map(each -> each.name() + " is process " + each.pid())
                .collect(Collectors.joining(", "))
            + "; ready after "
            + Story.millis(since(begun)));
  }

  /** Returns the path of the volume for web-1. */
  private Path run(LocalCluster cluster) throws IOException {
    HostProcess plane = cluster.host("cp-1");
    awaitNodes(plane, "web-1");
    story.step("cp-1", "could run web-1 on " + NODES + ": each of them has reported");
    timed("cp-1", "created its volume and attached it to n1", plane, "run notes web-1 n1");
    check(cluster, "16 MiB, attached to [n1]", 0, 0, 0);
    Path path = start(cluster, "n1", "web-1");
    story.line(path.toString());
    look(cluster, "16 MiB, attached to [n1]", 2, 0, 0);
    write(path, "web-1 began");
    return path;
  }

  private void crashes(LocalCluster cluster, Path path) throws IOException {
    kill(cluster, "cp-1", "");
    HostProcess plane = next(cluster, "cp-2");
    timed("cp-2", "grew the volume to 64 MiB", plane, "grow notes web-1 " + LARGER);
    long begun = System.nanoTime();
    patience.until(
        () -> plane.done("pending notes web-1").equals("Optional.empty"), "n1 follows the size");
    expect(
        Files.getFileStore(path).getTotalSpace() == LARGER,
        "The filesystem has " + Files.getFileStore(path).getTotalSpace() + " bytes.");
    story.step(
        "n1",
        "reports to cp-2 now: its filesystem has 64 MiB, after " + Story.millis(since(begun)));
    kill(cluster, "n1", "; web-1 writes as ever");
    write(path, "web-1 had no agent");
    cluster.startNode("n1");
    HostProcess agent = cluster.awaitReady("n1");
    expect(
        agent.done("start notes web-1").equals(path.toString()), "It is mounted somewhere else.");
    story.step("n1", "is process " + agent.pid() + " now, and found the volume where it was");
    check(cluster, "64 MiB, attached to [n1]", 2, 0, 0);
    ProcessPluginLauncher.Event.Ended ended = cluster.storage().kill();
    write(path, "web-1 had no plugin");
    story.step(
        "crash",
        "the plugin was killed (SIGKILL) after "
            + Story.seconds(ended.lived())
            + "; web-1 writes as ever");
    begun = System.nanoTime();
    long process = cluster.storage().started();
    patience.until(cluster::isStorageUp, "the plugin answers again");
    story.step(
        "storage",
        "is process " + process + " now, and answers after " + Story.millis(since(begun)));
  }

  /** Returns the path of the volume for web-2. */
  private Path move(LocalCluster cluster) throws IOException {
    HostProcess plane = next(cluster, "cp-2");
    long begun = System.nanoTime();
    var unused = cluster.host("n1").done("end notes web-1");
    patience.until(() -> cluster.isSeen(DETACHED, 0, 0, 0), "the volume is detached");
    story.step(
        "n1",
        "web-1 has ended: unmounted, proved and detached after " + Story.millis(since(begun)));
    awaitNodes(plane, "web-2");
    timed("cp-2", "attached it to n2 for web-2", plane, "run notes web-2 n2");
    Path path = start(cluster, "n2", "web-2");
    look(cluster, "64 MiB, attached to [n2]", 0, 2, 0);
    story.step("web-2", "reads " + read(path));
    write(path, "web-2 runs on n2");
    return path;
  }

  private void cut(LocalCluster cluster, Path path) throws IOException {
    cluster.line("n2").cut(true);
    long begun = System.nanoTime();
    HostProcess lost = cluster.host("n2");
    CompletableFuture<String> unanswered = lost.order("start notes web-9");
    write(path, "web-2 was cut off");
    story.step("cut", "the connections of n2 to control planes are silent; web-2 writes as ever");
    kill(cluster, "cp-2", "");
    String silent = lost.code("start notes web-9", patience.get(unanswered));
    expect(silent.equals(OperatorCode.CONTROL_PLANE_SILENT.label()), silent);
    story.step("n2", "mounts nothing new: " + silent + " after " + Story.seconds(since(begun)));
    HostProcess plane = next(cluster, "cp-3");
    String held = OperatorCode.CLAIM_HELD_BY.label();
    patience.until(
        () -> plane.refused("run notes web-3 n3").equals(held), "cp-3 refuses web-3 on n3");
    story.step("cp-3", "does not give the volume to web-3 on n3: " + held);
    for (MountRecord each : cluster.mounts("n2")) {
      Mounts.system().setReadOnly(each.path(), false);
    }
    story.step("fence", "the storage of n2 is read-only; web-2 cannot write: " + refused(path));
    timed("cp-3", "released all claims of n2, as it is fenced,", plane, "fence notes web-3 n2");
  }

  private void after(LocalCluster cluster) throws IOException {
    HostProcess plane = next(cluster, "cp-3");
    timed("cp-3", "attached the volume to n3 for web-3", plane, "run notes web-3 n3");
    Path path = start(cluster, "n3", "web-3");
    look(cluster, "64 MiB, attached to [n3]", 0, 2, 2);
    story.step("web-3", "reads " + read(path));
    write(path, "web-3 runs on n3");
    long begun = System.nanoTime();
    cluster.line("n2").cut(false);
    patience.until(() -> cluster.mounts("n2").isEmpty(), "n2 has unmounted it");
    story.step("n2", "is connected again, and unmounted it after " + Story.millis(since(begun)));
    String missing = cluster.host("n2").refused("start notes web-2");
    expect(missing.equals(OperatorCode.CLAIM_MISSING.label()), missing);
    story.step("n2", "does not mount it for web-2 again: " + missing);
    look(cluster, "64 MiB, attached to [n3]", 0, 0, 2);
  }

  private void end(LocalCluster cluster) {
    HostProcess plane = next(cluster, "cp-3");
    long begun = System.nanoTime();
    var unused = plane.done("stop notes web-3");
    patience.until(() -> cluster.isSeen(DETACHED, 0, 0, 0), "n3 gives it back");
    story.step(
        "cp-3", "stopped web-3; n3 gave the volume back after " + Story.millis(since(begun)));
    String left = timed("cp-3", "deleted the volume", plane, "delete notes web-3");
    expect(left.equals("[]"), "There are volumes on record: " + left);
    check(cluster, "no volume", 0, 0, 0);
    Map<String, Integer> statuses = cluster.end();
    expect(statuses.values().stream().allMatch(it -> it == 0), "They ended otherwise: " + statuses);
    story.step("left", cluster.look().text() + "; " + statuses.keySet() + " ended");
  }

  // ---- steps

  /** Returns a control plane. Starts it if the store allows only one control plane at a time. */
  private HostProcess next(LocalCluster cluster, String name) {
    if (!cluster.isRunning(name)) {
      cluster.startPlane(name);
    }
    return cluster.awaitReady(name);
  }

  private void kill(LocalCluster cluster, String name, String meanwhile) {
    long process = cluster.host(name).pid();
    cluster.kill(name);
    story.step("crash", name + ", process " + process + ", was killed (SIGKILL)" + meanwhile);
  }

  private void awaitNodes(HostProcess plane, String workload) {
    patience.until(
        () -> plane.done("nodes notes " + workload).equals(NODES.toString()),
        plane.name() + " knows " + NODES);
  }

  private Path start(LocalCluster cluster, String node, String workload) {
    HostProcess agent = cluster.host(node);
    return Path.of(timed(node, "mounted it for " + workload, agent, "start notes " + workload));
  }

  private String timed(String who, String what, HostProcess host, String order) {
    long begun = System.nanoTime();
    String result = host.done(order);
    story.step(who, what + " in " + Story.millis(since(begun)));
    return result;
  }

  /** Compares the state of the storage system and of the kernel with the expected one. */
  private static void check(LocalCluster cluster, String volume, int n1, int n2, int n3) {
    expect(
        cluster.isSeen(volume, n1, n2, n3),
        "Seen was " + cluster.look().text() + ", and not " + volume + List.of(n1, n2, n3));
  }

  private void look(LocalCluster cluster, String volume, int n1, int n2, int n3) {
    check(cluster, volume, n1, n2, n3);
    story.line(cluster.look().text());
  }

  private static void write(Path volume, String line) throws IOException {
    Files.writeString(
        volume.resolve("notes.txt"),
        line + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  private static String refused(Path volume) throws IOException {
    try {
      write(volume, "web-2 was fenced");
    } catch (FileSystemException refused) {
      return String.valueOf(refused.getReason());
    }
    throw new IllegalStateException("web-2 could write after it was fenced.");
  }

  private static String read(Path volume) throws IOException {
    return Files.readAllLines(volume.resolve("notes.txt")).stream()
        .collect(Collectors.joining("\", \"", "\"", "\""));
  }

  private static void expect(boolean good, String otherwise) {
    if (!good) {
      throw new IllegalStateException(otherwise);
    }
  }

  private static Duration since(long begun) {
    return Duration.ofNanos(System.nanoTime() - begun);
  }
}
