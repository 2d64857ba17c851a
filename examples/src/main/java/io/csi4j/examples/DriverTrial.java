package io.csi4j.examples;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.proxy.CallReport;
import io.csi4j.testkit.proxy.CsiProxy;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.node.UnmountOutcome;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Tests a CSI driver. The driver is any program that serves CSI and creates real mounts; the trial
 * starts it by a command. A run consists of one of three parts, in a mount namespace that ends with
 * the run; {@code testing/drivers} creates the namespace.
 *
 * <ul>
 *   <li>{@code agent}: the steps of the tutorial. The host and then the driver are killed while a
 *       workload uses its volume.
 *   <li>{@code kills}: rounds in which the host, the driver or both are killed at a random moment,
 *       even during a call. After each round, exactly the wanted volumes must be mounted.
 *   <li>{@code proxy}: the calls go through a {@link CsiProxy}. The proxy loses answers, breaks the
 *       connection and repeats calls, and checks the client and the driver.
 * </ul>
 */
final class DriverTrial {

  private static final String USAGE = "DriverTrial PART DIRECTORY COMMAND [KEY=VALUE…]";
  private static final List<String> PARTS = List.of("agent", "kills", "proxy");
  private static final List<String> VOLUMES = List.of("notes", "pictures");
  private static final List<String> WORKLOADS = List.of("web-1", "web-2");
  private static final String CONTENT = "volume.txt";

  /** Maximum time between an order and a kill. */
  private static final int LONGEST_MILLIS = 100;

  private static final List<CsiOperation> CHANGES =
      List.of(
          CsiOperation.CREATE_VOLUME,
          CsiOperation.CONTROLLER_PUBLISH_VOLUME,
          CsiOperation.NODE_STAGE_VOLUME,
          CsiOperation.NODE_PUBLISH_VOLUME,
          CsiOperation.NODE_UNPUBLISH_VOLUME,
          CsiOperation.NODE_UNSTAGE_VOLUME,
          CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
          CsiOperation.DELETE_VOLUME);

  private final Path directory;
  private final Path socket;
  private final String command;
  private final Map<String, String> parameters;
  private final int rounds = Integer.getInteger("trial.rounds", 20);
  private final long seed = Long.getLong("trial.seed", 1);

  private final int force = Integer.getInteger("trial.force", 0);

  /** Number of seconds that a host may take until exactly the wanted volumes are mounted. */
  private final long patience = Long.getLong("trial.patience", 60);

  private final Path report;
  private TrialProcess driver;

  private DriverTrial(Path directory, String command, Map<String, String> parameters)
      throws IOException {
    this.directory = directory;
    this.command = command;
    this.parameters = parameters;
    report = Path.of(System.getProperty("trial.report", directory.toString()));
    socket = Files.createDirectories(directory.resolve("csi")).resolve("csi.sock");
    driver = startDriver();
  }

  /** Runs one part, prints the result on one line, and exits with status 1 if the part failed. */
  public static void main(String[] args) {
    System.exit(run(args, System.out, System.err));
  }

  static int run(String[] args, PrintStream out, PrintStream err) {
    if (args.length < 3 || !PARTS.contains(args[0])) {
      err.println("Usage: " + USAGE + ", where PART is one of " + String.join(", ", PARTS));
      return 2;
    }
    String part = args[0];
    try {
      Path directory = Files.createDirectories(Path.of(args[1]).toAbsolutePath());
      DriverTrial trial = new DriverTrial(directory, args[2], parameters(args));
      try {
        out.println(part + " passed: " + trial.play(part));
        return 0;
      } finally {
        trial.driver.kill();
      }
    } catch (IOException | RuntimeException failed) {
      out.println(part + " failed: " + String.valueOf(failed.getMessage()).replace('\n', ' '));
      if (!(failed instanceof IllegalStateException)) {
        failed.printStackTrace(err);
      }
      return 1;
    }
  }

  private static Map<String, String> parameters(String[] args) {
    return Arrays.stream(args)
        .skip(3)
        .map(each -> each.split("=", 2))
        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
  }

  private String play(String part) throws IOException {
    Set<String> before = mounted();
    String did =
        switch (part) {
          case "agent" -> agent();
          case "kills" -> kills();
          default -> proxy();
        };
    Set<String> left = mounted();
    left.removeAll(before);
    expect(left.isEmpty(), "The mounts " + left + " are left; " + did);
    return did;
  }

  // ---- the steps of the tutorial

  private String agent() throws IOException {
    TrialVolume volume = volumes(List.of("notes")).get(0);
    Path path;
    FileChannel open;
    try (TrialProcess host = startHost()) {
      expect(host.answer("adopted").equals("adopted "), "A new host found mounts.");
      path = started(host, "notes/web-1");
      Files.writeString(path.resolve("kept.txt"), "before the kill\n");
      open = FileChannel.open(path.resolve("kept.txt"), StandardOpenOption.APPEND);
      host.kill();
    }
    try (open) {
      open.write(StandardCharsets.UTF_8.encode("without a host\n"));
      try (TrialProcess host = startHost()) {
        String adopted = host.answer("adopted");
        expect(adopted.equals("adopted notes/web-1"), "After a kill the host " + adopted + ".");
        host.order("want notes/web-1");
        String settled = host.answer("settled", "unsettled");
        expect(settled.equals("settled"), "After a kill the host is " + settled);
        Path again = started(host, "notes/web-1");
        expect(again.equals(path), "web-1 had " + path + " and now has " + again + ".");

        driver.kill();
        open.write(StandardCharsets.UTF_8.encode("without a driver\n"));
        expect(
            Files.readString(path.resolve("kept.txt"))
                .equals("before the kill\nwithout a host\nwithout a driver\n"),
            "web-1 lost what it wrote.");
        driver = startDriver();
        connect().close();

        Path second = started(host, "notes/web-2");
        expect(
            Files.exists(second.resolve("kept.txt")), "web-2 does not see what web-1 has written.");
        open.close();
        stopped(host, "notes/web-1", UnmountOutcome.NOT_LAST);
        stopped(host, "notes/web-2", UnmountOutcome.LAST);
      }
    }
    delete(List.of(volume));
    return "a volume for two workloads; the host and the driver killed while it was used";
  }

  private static Path started(TrialProcess host, String use) {
    host.order("start " + use);
    String answer = host.answer("started " + use, "failed " + use);
    expect(answer.startsWith("started "), "Mounting " + answer);
    return Path.of(answer.substring(("started " + use + " ").length()));
  }

  private static void stopped(TrialProcess host, String use, UnmountOutcome outcome) {
    host.order("stop " + use);
    String answer = host.answer("stopped " + use, "failed " + use);
    expect(answer.equals("stopped " + use + " " + outcome), "Unmounting " + answer);
  }

  // ---- kills at any moment

  private String kills() throws IOException {
    Random random = new Random(seed);
    List<TrialVolume> volumes = volumes(VOLUMES);
    List<String> uses =
        VOLUMES.stream().flatMap(each -> WORKLOADS.stream().map(w -> each + "/" + w)).toList();
    Set<String> running = new HashSet<>();
    Set<String> marked = new HashSet<>();
    int hostKills = 0;
    int driverKills = 0;
    TrialProcess host = startHost();
    try {
      host.order("want");
      expect(host.answer("settled", "unsettled").equals("settled"), "A new host found mounts.");
      for (int round = 1; round <= rounds; round++) {
        List<String> chosen = new ArrayList<>(uses);
        Collections.shuffle(chosen, random);
        for (String use : chosen.subList(0, 1 + random.nextInt(uses.size()))) {
          host.order((running.remove(use) ? "stop " : "start ") + use);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(LONGEST_MILLIS)));
        int victims = random.nextInt(3);
        if (victims != 1) {
          driver.kill();
          driverKills++;
        }
        if (victims != 0) {
          host.kill();
          hostKills++;
          host = startHost();
        }
        if (victims != 1) {
          driver = startDriver();
        }
        List<String> wanted = uses.stream().filter(use -> random.nextBoolean()).toList();
        look(settle(host, wanted, round), marked, round);
        running.clear();
        running.addAll(wanted);
      }
      settle(host, List.of(), rounds + 1);
    } finally {
      host.kill();
    }
    delete(volumes);
    return "%d rounds with %d kills of the host and %d of the driver, seed %d"
        .formatted(rounds, hostKills, driverKills, seed);
  }

  /** Orders these uses until they, and no other uses, are mounted. Returns their paths. */
  private Map<String, Path> settle(TrialProcess host, List<String> wanted, int round) {
    long begun = System.nanoTime();
    Map<String, Path> paths = new HashMap<>();
    while (true) {
      host.order(wanted.isEmpty() ? "want" : "want " + String.join(" ", wanted));
      String answer = host.answer("settled", "unsettled", "present");
      paths.clear();
      while (answer.startsWith("present ")) {
        String[] parts = answer.split(" ", 3);
        paths.put(parts[1], Path.of(parts[2]));
        answer = host.answer("settled", "unsettled", "present");
      }
      Set<String> others = targets();
      paths.values().forEach(path -> others.remove(path.toString()));
      if (answer.equals("settled") && others.isEmpty() && (!wanted.isEmpty() || !anyLeft())) {
        return paths;
      }
      if (System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(patience)) {
        throw new IllegalStateException(
            "Round %d of seed %d, wanted %s: after %d s the host says %s; mounted besides: %s"
                .formatted(round, seed, wanted, patience, answer, others));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    }
  }

  /** Checks that each path shows its own volume. */
  private static void look(Map<String, Path> paths, Set<String> marked, int round)
      throws IOException {
    for (Map.Entry<String, Path> each : paths.entrySet()) {
      String volume = each.getKey().split("/", 2)[0];
      Path content = each.getValue().resolve(CONTENT);
      if (marked.add(volume)) {
        Files.writeString(content, volume);
      }
      expect(
          Files.exists(content) && Files.readString(content).equals(volume),
          "Round " + round + ": " + each.getKey() + " does not see the content of its volume.");
    }
  }

  // ---- a proxy between

  private String proxy() throws IOException {
    Path between = Files.createDirectories(directory.resolve("between")).resolve("csi.sock");
    List<Supplier<Fault>> faults =
        List.of(
            () -> Fault.applyThenFail(StatusCode.UNAVAILABLE, "the answer was lost"),
            Fault::applyThenDrop,
            Fault::duplicate);
    try (CsiPlugin ready = connect();
        CsiProxy proxy =
            CsiProxy.builder(CsiEndpoint.of(socket))
                .socket(between)
                .record(report.resolve("calls.jsonl"))
                .newPlugin(true)
                .open()) {
      ready.identity().probe();
      for (int i = 0; i < faults.size(); i++) {
        for (CsiOperation change : CHANGES) {
          proxy.inject(faults.get(i).get(), When.calling(change).once());
        }
        life(proxy.endpoint(), "life-" + i);
        proxy.clearFaults();
      }
      CallReport.of(proxy).write(report.resolve("calls.html"));
      Files.writeString(report.resolve("verdict.txt"), proxy.verdict().describe());
      expect(proxy.verdict().lawful(), "csi4j broke a duty: " + proxy.verdict().describe());
      expect(
          proxy.findings().isEmpty(), "Answers of the driver break the spec: " + proxy.findings());
      return "%d calls; answers lost, connections broken, calls repeated"
          .formatted(proxy.journal().calls().size());
    }
  }

  /** Runs a volume through its lifecycle, with a manager in this process. */
  private void life(CsiEndpoint endpoint, String name) throws IOException {
    try (CsiPlugin plugin = CsiPlugin.connect(endpoint);
        VolumeManager manager = TrialHost.open(directory, endpoint, force)) {
      manager.reconcile(List.of());
      TrialVolume volume = TrialVolume.create(plugin, name, parameters);
      for (String workload : WORKLOADS) {
        Path path = retried(() -> manager.mount(volume.request(workload)).path());
        Files.writeString(path.resolve(workload), name);
      }
      for (String workload : WORKLOADS) {
        retried(() -> manager.unmount(volume.use(workload)));
      }
      volume.delete(plugin);
    }
    expect(!anyLeft(), "Something is left in " + TrialHost.root(directory) + ".");
  }

  /** Repeats the operation if it fails, as a host does. */
  private static <T> T retried(Supplier<T> operation) {
    for (int attempt = 1; ; attempt++) {
      try {
        return operation.get();
      } catch (VolumeException failed) {
        if (attempt == 10) {
          throw failed;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
      }
    }
  }

  // ---- shared by all parts

  private TrialProcess startDriver() throws IOException {
    Path data = Files.createDirectories(directory.resolve("data"));
    return TrialProcess.driver(command, socket, data, report.resolve("driver.log"));
  }

  private TrialProcess startHost() throws IOException {
    return TrialProcess.host(directory, socket, force);
  }

  private CsiPlugin connect() {
    return CsiPlugin.connect(CsiEndpoint.of(socket));
  }

  private List<TrialVolume> volumes(List<String> names) throws IOException {
    List<TrialVolume> volumes = new ArrayList<>();
    try (CsiPlugin plugin = connect()) {
      for (String name : names) {
        TrialVolume volume = TrialVolume.create(plugin, name, parameters);
        volume.write(directory);
        volumes.add(volume);
      }
    }
    return volumes;
  }

  private void delete(List<TrialVolume> volumes) throws IOException {
    expect(!anyLeft(), "Something is left in " + TrialHost.root(directory) + ".");
    try (CsiPlugin plugin = connect()) {
      volumes.forEach(volume -> volume.delete(plugin));
    }
  }

  /** Returns the paths of all mounts in this mount namespace. */
  private static Set<String> mounted() {
    return MountTable.system().list(mount -> true).records().stream()
        .map(MountRecord::path)
        .map(MountPath::toString)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the paths of mounts for workloads, below the directory of the managers. */
  private Set<String> targets() {
    String root = TrialHost.root(directory) + "/";
    return mounted().stream()
        .filter(path -> path.startsWith(root) && path.contains("/p/"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private boolean anyLeft() {
    Path root = TrialHost.root(directory);
    boolean isMounted = mounted().stream().anyMatch(path -> path.startsWith(root + "/"));
    try (Stream<Path> volumes = Files.list(root.resolve("v"))) {
      return isMounted || volumes.findAny().isPresent();
    } catch (IOException e) {
      throw new IllegalStateException("Listing " + root + " failed: " + e.getMessage(), e);
    }
  }

  private static void expect(boolean isGood, String otherwise) {
    if (!isGood) {
      throw new IllegalStateException(otherwise);
    }
  }
}
