package io.csi4j.testkit.cli;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.TestPlugin;
import io.csi4j.testkit.fault.FaultScript;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.testkit.model.ShapePreset;
import io.csi4j.testkit.proxy.CallReport;
import io.csi4j.testkit.referee.Verdict;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Serves a test plugin until it is stopped. */
final class ServeCommand extends ProgramCommand {

  private static final String STANDARD_OUTPUT = "-";

  /** Interval between two checks of the journal for new events. */
  private static final Duration LOOKS_EVERY = Duration.ofMillis(50);

  private static final String POSSIBLE =
      " --host-path DIR works only with one --node, --shape csi-sanity, --without, --quirk,"
          + " --volume,"
          + " --faults, --journal, --report and --referee. For several nodes that really mount,"
          + " run one process for each, with its own --endpoint and DIR; for several nodes in one"
          + " process, omit --host-path.";

  @Option(names = "--endpoint", paramLabel = "ENDPOINT", defaultValue = "${env:CSI_ENDPOINT}")
  private @Nullable CsiEndpoint endpoint;

  @Option(names = "--host-path", paramLabel = "DIR")
  private @Nullable Path hostPath;

  @Option(names = "--shape", paramLabel = "SHAPE", completionCandidates = OptionValues.Shapes.class)
  private @Nullable String shape;

  @Option(
      names = "--without",
      paramLabel = "CAPABILITY",
      completionCandidates = OptionValues.Capabilities.class)
  private List<String> without = List.of();

  @Option(names = "--quirk", paramLabel = "QUIRK", completionCandidates = OptionValues.Quirks.class)
  private List<String> quirks = List.of();

  @Option(names = "--topology", paramLabel = "[NODE:]KEY=VALUE")
  private List<String> topology = List.of();

  @Option(names = "--mutable-parameter", paramLabel = "KEY")
  private List<String> mutableParameters = List.of();

  @Option(names = "--node", paramLabel = "NAME")
  private List<NodeId> nodes = List.of(NodeId.of("node-1"));

  @Option(names = "--volume", paramLabel = "ID")
  private List<VolumeId> volumes = List.of();

  @Option(names = "--faults", paramLabel = "FILE")
  private @Nullable Path faults;

  @Option(names = "--journal", paramLabel = "FILE")
  private @Nullable String journal;

  @Option(names = "--report", paramLabel = "FILE")
  private @Nullable Path report;

  @Option(names = "--referee")
  private boolean referee;

  private final ShutdownTrigger ending;

  ServeCommand(Console console, ShutdownTrigger ending) {
    super(console);
    this.ending = ending;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (endpoint == null) {
      throw CommandFailure.usage(
          "No socket to serve on. Write --endpoint unix:///run/csi/csi.sock, or set CSI_ENDPOINT.");
    }
    FaultScript script = UserFile.faults(faults);
    OutputFile page = OutputFile.of("the report", report);
    Path file = journal == null || isJournalOnOut() ? null : Path.of(journal);
    OutputFile events = OutputFile.of("the journal", file);
    ending.listen();
    try (TestPlugin plugin = open(endpoint.path())) {
      script.rules().forEach(rule -> plugin.inject(rule.fault(), rule.when()));
      boolean isWritten = serve(plugin, events);
      int code = referee ? judge(plugin.verdict()) : ExitCode.OK;
      isWritten &= page.write(() -> CallReport.of(plugin).html(), console);
      return isWritten ? code : ExitCode.NO_CONNECTION;
    }
  }

  /**
   * Serves the plugin until the program is stopped. Returns whether the journal was written
   * completely.
   */
  private boolean serve(TestPlugin plugin, OutputFile events) throws InterruptedException {
    if (journal == null) {
      sayReady(plugin);
      ending.await();
      plugin.stop();
      return true;
    }
    PrintWriter out = isJournalOnOut() ? console.out() : events.begin();
    JournalLines lines = new JournalLines(plugin.journal(), out);
    sayReady(plugin);
    ending.await(LOOKS_EVERY, lines::printNew);
    plugin.stop();
    lines.printNew();
    return isJournalOnOut() || events.close(out, console);
  }

  private boolean isJournalOnOut() {
    return STANDARD_OUTPUT.equals(journal);
  }

  /** Prints a line that is not part of the journal. */
  private void say(Object line) {
    (isJournalOnOut() ? console.err() : console.out()).println(line);
  }

  private TestPlugin open(Path socket) {
    try {
      return hostPath == null ? fake(socket) : hostPath(socket, hostPath);
    } catch (UncheckedIOException | IllegalArgumentException e) {
      throw CommandFailure.noConnection(String.valueOf(e.getMessage()));
    }
  }

  private TestPlugin fake(Path socket) {
    ShapePreset preset = preset();
    FakeCsiPlugin fake =
        FakeCsiPlugin.builder()
            .socket(socket)
            .shape(changed(preset == null ? PluginShape.full() : preset.shape()))
            .nodes(nodes.get(0), nodes.subList(1, nodes.size()).toArray(NodeId[]::new))
            .open();
    volumes.forEach(fake::addVolume);
    return fake;
  }

  private @Nullable ShapePreset preset() {
    return shape == null ? null : ShapeOptions.chosen("shape", shape, ShapePreset.values());
  }

  private TestPlugin hostPath(Path socket, Path data) {
    ShapePreset preset = preset();
    if (preset != null && preset != ShapePreset.CSI_SANITY) {
      throw CommandFailure.usage(
          ("--shape %s does not work with --host-path, which offers what it can do. Use --shape"
                  + " csi-sanity or none, and remove capabilities with --without.%s")
              .formatted(OptionText.written(preset), POSSIBLE));
    }
    if (!topology.isEmpty() || !mutableParameters.isEmpty()) {
      throw CommandFailure.usage(
          "--topology and --mutable-parameter do not work with --host-path, which has no topology"
              + " and modifies nothing. Leave them out."
              + POSSIBLE);
    }
    if (nodes.size() > 1) {
      throw CommandFailure.usage(
          "--host-path serves one node, the machine that it runs on. Write --node once."
              + POSSIBLE);
    }
    PluginShape offered = HostPathPlugin.defaultShape();
    HostPathPlugin plugin =
        HostPathPlugin.builder(data)
            .socket(socket)
            .shape(changed(preset == null ? offered : offered.forCsiSanity()))
            .node(nodes.get(0))
            .open();
    volumes.forEach(plugin::addVolume);
    return plugin;
  }

  private PluginShape changed(PluginShape base) {
    PluginShape made = base;
    for (String each : without) {
      made = ShapeOptions.without(made, each);
    }
    for (String each : quirks) {
      made = made.with(ShapeOptions.chosen("quirk", each, Quirk.values()));
    }
    if (!topology.isEmpty()) {
      made = ShapeOptions.placed(made, nodes, topology);
    }
    return mutableParameters.isEmpty()
        ? made
        : made.mutableParameters(mutableParameters.toArray(String[]::new));
  }

  private void sayReady(TestPlugin plugin) {
    PluginShape served = plugin.shape();
    say(
        "%s %s listens on %s. End it with Ctrl-C."
            .formatted(served.name(), served.vendorVersion(), plugin.endpoint()));
    for (NodeId node : plugin.nodes()) {
      if (!plugin.nodeEndpoint(node).equals(plugin.endpoint())) {
        say("node " + node + " listens on " + plugin.nodeEndpoint(node));
      }
    }
    if (hostPath != null) {
      boolean hasLoopDevices = Files.isWritable(Path.of("/dev/loop-control"));
      say(possible(OwnProcess.mayMount(), hasLoopDevices));
    }
  }

  /**
   * Returns a text that describes the calls which a mounting plugin can serve with the privileges
   * of this process.
   */
  static String possible(boolean mayMount, boolean hasLoopDevices) {
    if (!mayMount) {
      return "It creates and deletes volumes, but cannot stage or publish them: this process may"
          + " not"
          + " mount (CAP_SYS_ADMIN). Run it as root, or in a user namespace: unshare -Urm csi4j"
          + " plugin serve …";
    }
    return "It mounts filesystem volumes; raw block volumes are "
        + (hasLoopDevices
            ? "loop devices."
            : "plain files, because this process cannot write to /dev/loop-control.");
  }

  private int judge(Verdict verdict) {
    say(verdict.describe());
    return verdict.lawful() ? ExitCode.OK : ExitCode.UNLAWFUL;
  }
}
