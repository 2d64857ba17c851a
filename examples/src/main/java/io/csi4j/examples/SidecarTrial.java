package io.csi4j.examples;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.TestPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.plugin.registration.RegistrationWatch;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Tests a sidecar of Kubernetes. The trial starts the sidecar by a command, next to a plugin of the
 * testkit. The script {@code testing/drivers} runs this program.
 *
 * <ul>
 *   <li>{@code livenessprobe} probes the plugin, and reports the result by HTTP. Its reports must
 *       be correct while the plugin fails, hangs, ends and restarts.
 *   <li>{@code node-driver-registrar} announces the plugin in a directory. In the trial, csi4j must
 *       find the plugin in the directory, mount a volume with it, notice that the registrar ends
 *       and restarts, and refuse the plugin.
 * </ul>
 */
final class SidecarTrial {

  private static final String USAGE = "SidecarTrial SIDECAR DIRECTORY COMMAND";
  private static final List<String> SIDECARS = List.of("livenessprobe", "node-driver-registrar");
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Path directory;
  private final String command;
  private final Path log;
  private int steps;

  private SidecarTrial(Path directory, String command) {
    this.directory = directory;
    this.command = command;
    log = Path.of(System.getProperty("trial.report", directory.toString()), "sidecar.log");
  }

  /** Runs the trial, prints the result on one line, and exits with status 1 if the trial failed. */
  public static void main(String[] args) {
    System.exit(run(args, System.out, System.err));
  }

  static int run(String[] args, PrintStream out, PrintStream err) {
    if (args.length != 3 || !SIDECARS.contains(args[0])) {
      err.println("Usage: " + USAGE + ", where SIDECAR is one of " + String.join(", ", SIDECARS));
      return 2;
    }
    try {
      Path directory = Files.createDirectories(Path.of(args[1]).toAbsolutePath());
      SidecarTrial trial = new SidecarTrial(directory, args[2]);
      if (args[0].equals("livenessprobe")) {
        trial.liveness();
      } else {
        trial.registration();
      }
      out.println(args[0] + " passed: " + trial.steps + " steps");
      return 0;
    } catch (IOException | RuntimeException failed) {
      out.println(args[0] + " failed: " + String.valueOf(failed.getMessage()).replace('\n', ' '));
      if (!(failed instanceof IllegalStateException)) {
        failed.printStackTrace(err);
      }
      return 1;
    }
  }

  // ---- livenessprobe

  private void liveness() throws IOException {
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.full113())) {
      probes(fake);
    }
    PluginShape silent = PluginShape.full().with(Quirk.PROBE_WITHOUT_READY);
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(silent);
        TrialProcess probe = sidecar(Map.of("CSI_ADDRESS", path(fake), "HTTP_ENDPOINT", http()))) {
      answers(200, "a plugin whose answer to Probe has no field ready", probe);
    }
  }

  private void probes(FakeCsiPlugin fake) throws IOException {
    Map<String, String> environment = Map.of("CSI_ADDRESS", path(fake), "HTTP_ENDPOINT", http());
    try (TrialProcess probe = sidecar(environment)) {
      answers(200, "a plugin that is ready", probe);
      fake.inject(Fault.fail(StatusCode.UNAVAILABLE, "busy"), When.calling(CsiOperation.PROBE));
      answers(500, "a plugin that fails Probe", probe);
      fake.clearFaults();
      fake.answer(CsiOperation.PROBE, asked -> Map.of("ready", false));
      answers(500, "a plugin that is not ready", probe);
      fake.clearFaults();
      answers(200, "a plugin that is ready again", probe);
      fake.freeze();
      answers(500, "a plugin that does not answer", probe);
      fake.thaw();
      answers(200, "a plugin that answers again", probe);
      fake.stop();
      answers(500, "a plugin that has ended", probe);
      fake.start();
      answers(200, "a plugin that was started again", probe);
    }
    expect(fake.verdict().lawful(), "The sidecar broke a duty: " + fake.verdict().describe());
  }

  private String endpoint = "";

  /** Returns an address with a free port on the loopback interface. */
  private String http() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      endpoint = "127.0.0.1:" + free.getLocalPort();
    }
    return endpoint;
  }

  /**
   * Sends requests until the sidecar answers with this status, because the sidecar may not have
   * begun to listen.
   */
  private void answers(int status, String plugin, TrialProcess probe) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + endpoint + "/healthz"))
            .timeout(LIMIT)
            .build();
    long begun = System.nanoTime();
    int last = 0;
    while (last != status && System.nanoTime() - begun < LIMIT.toNanos()) {
      expect(probe.isAlive(), "The sidecar has ended; see " + log + ".");
      try {
        last =
            HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
      } catch (ConnectException notYet) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("Interrupted while asking the sidecar.", e);
      }
    }
    expect(last == status, "It answers " + last + " and not " + status + " for " + plugin + ".");
    steps++;
  }

  // ---- node-driver-registrar

  private void registration() throws IOException {
    Path registrars = Files.createDirectories(directory.resolve("registrars"));
    try (HostPathPlugin plugin = HostPathPlugin.builder(directory.resolve("data")).open();
        VolumeManager manager =
            VolumeManager.builder(TrialHost.root(directory)).listener(event -> {}).open()) {
      manager.reconcile(List.of());
      announced(plugin, manager, registrars);
      refused(plugin, manager, registrars);
      expect(plugin.contents().volumes().isEmpty(), "The plugin still has volumes.");
      plugin.assertLawful();
    }
  }

  private void announced(HostPathPlugin plugin, VolumeManager manager, Path registrars)
      throws IOException {
    BlockingQueue<RegistrationWatch.Event> events = new LinkedBlockingQueue<>();
    try (RegistrationWatch watch =
        RegistrationWatch.builder(registrars, manager.plugins()).listener(events::add).open()) {
      try (TrialProcess registrar = registrar(plugin, registrars)) {
        next(events, RegistrationWatch.Event.Registered.class);
        mount(plugin, manager, watch);
        expect(registrar.isAlive(), "The registrar has ended; see " + log + ".");
        registrar.kill();
      }
      // A killed registrar leaves its socket file behind. The next registrar replaces the file.
      try (TrialProcess registrar = registrar(plugin, registrars)) {
        next(events, RegistrationWatch.Event.Registered.class);
        mount(plugin, manager, watch);
        registrar.terminate();
        next(events, RegistrationWatch.Event.Deregistered.class);
      }
    }
  }

  private void mount(HostPathPlugin plugin, VolumeManager manager, RegistrationWatch watch)
      throws IOException {
    String name = plugin.shape().name().value();
    expect(
        watch.registered().stream().anyMatch(each -> each.name().value().equals(name)),
        "The plugin is registered as " + watch.registered() + " and not as " + name + ".");
    try (CsiPlugin client = CsiPlugin.connect(plugin.endpoint())) {
      TrialVolume volume = TrialVolume.create(client, "notes", Map.of(), name);
      Path path = manager.mount(volume.request("web-1")).path();
      Files.writeString(path.resolve("notes.txt"), "written by web-1");
      manager.unmount(volume.use("web-1"));
      volume.delete(client);
    }
    steps++;
  }

  /** Checks that a refused registrar ends with an error. */
  private void refused(HostPathPlugin plugin, VolumeManager manager, Path registrars)
      throws IOException {
    BlockingQueue<RegistrationWatch.Event> events = new LinkedBlockingQueue<>();
    try (TrialProcess registrar = registrar(plugin, registrars);
        RegistrationWatch watch =
            RegistrationWatch.builder(registrars, manager.plugins())
                .policy(
                    announced ->
                        new RegistrationWatch.Policy.Decision.Refuse("a trial of refusals"))
                .listener(events::add)
                .open()) {
      next(events, RegistrationWatch.Event.Noticed.class);
      int status = registrar.end();
      expect(status == 1, "A registrar that was refused ended with status " + status + ".");
      expect(watch.registered().isEmpty(), "A refused plugin is registered.");
      steps++;
    }
  }

  /** Waits for the next event of a class. */
  private void next(
      BlockingQueue<RegistrationWatch.Event> events,
      Class<? extends RegistrationWatch.Event> wanted) {
    RegistrationWatch.Event event;
    do {
      event = new Patience(LIMIT).next(events);
    } while (!wanted.isInstance(event));
    steps++;
  }

  private TrialProcess registrar(TestPlugin plugin, Path registrars) throws IOException {
    return sidecar(Map.of("CSI_ADDRESS", path(plugin), "REGISTRATION_PATH", registrars.toString()));
  }

  private TrialProcess sidecar(Map<String, String> environment) throws IOException {
    return TrialProcess.of(command, environment, log);
  }

  private static String path(TestPlugin plugin) {
    return plugin.endpoint().path().toString();
  }

  private static void expect(boolean isGood, String otherwise) {
    if (!isGood) {
      throw new IllegalStateException(otherwise);
    }
  }
}
