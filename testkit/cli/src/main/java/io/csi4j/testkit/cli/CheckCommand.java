package io.csi4j.testkit.cli;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.conformance.PluginConformance;
import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.conformance.model.ConformanceRun;
import io.csi4j.conformance.model.PluginUnderTest;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.FaultScript;
import io.csi4j.testkit.proxy.CallReport;
import io.csi4j.testkit.proxy.CsiProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the conformance suite against a plugin. */
final class CheckCommand extends ProgramCommand {

  /**
   * Shell script that starts the plugin and ignores Ctrl-C. The terminal sends Ctrl-C to all its
   * processes, but the plugin must run until the current case has ended. The shell waits for a
   * plugin that runs in the background, so that the plugin can be ended as a child of the shell.
   */
  private static final String STARTS =
      "trap '' INT; eval 'set --;' \"$1\"; code=$?; wait; exit $code";

  @Mixin private PluginOption node = new PluginOption();

  @Option(names = "--controller-endpoint", paramLabel = "ENDPOINT")
  private @Nullable CsiEndpoint controller;

  @Option(names = "--directory", paramLabel = "DIR")
  private @Nullable Path directory;

  @Option(names = "--secrets", paramLabel = "FILE")
  private @Nullable Path secrets;

  @Option(names = "--parameter", paramLabel = "KEY=VALUE")
  private Map<String, String> parameters = Map.of();

  @Option(names = "--snapshot-parameter", paramLabel = "KEY=VALUE")
  private Map<String, String> snapshotParameters = Map.of();

  @Option(names = "--mutable-parameter", paramLabel = "KEY=VALUE")
  private Map<String, String> mutableParameters = Map.of();

  @Option(names = "--volume-size", paramLabel = "SIZE", defaultValue = "1GiB")
  private SizeOption volumeSize = new SizeOption(1L << 30);

  @Option(names = "--existing-volume", paramLabel = "ID")
  private @Nullable VolumeId existingVolume;

  @Option(names = "--existing-context", paramLabel = "KEY=VALUE")
  private Map<String, String> existingContext = Map.of();

  @Option(names = "--filesystem")
  private boolean filesystem;

  @Option(names = "--block")
  private boolean block;

  @Option(names = "--fs-type", paramLabel = "TYPE")
  private @Nullable String fsType;

  @Option(names = "--mount-flag", paramLabel = "FLAG")
  private List<String> mountFlags = List.of();

  @Option(
      names = "--access-mode",
      paramLabel = "MODE",
      completionCandidates = OptionValues.AccessModes.class)
  private @Nullable String accessMode;

  @Option(names = "--topology", paramLabel = "KEY=VALUE")
  private Map<String, String> topology = Map.of();

  @Option(names = "--only", paramLabel = "PATTERN", completionCandidates = OptionValues.Cases.class)
  private List<String> only = List.of();

  @Option(names = "--skip", paramLabel = "PATTERN", completionCandidates = OptionValues.Cases.class)
  private List<String> skip = List.of();

  @Option(names = "--list")
  private boolean list;

  @Option(names = "--timeout", paramLabel = "TIME", defaultValue = "30s")
  private Duration timeout = Duration.ofSeconds(30);

  @Option(names = "--budget", paramLabel = "TIME")
  private @Nullable Duration budget;

  @Option(names = "--start", paramLabel = "COMMAND")
  private @Nullable String start;

  @Option(names = "--cleanup", paramLabel = "FILE")
  private @Nullable Path cleanup;

  @Option(names = "--keep")
  private boolean keep;

  @Option(names = "--json")
  private boolean json;

  @Option(names = "--junit-xml", paramLabel = "FILE")
  private @Nullable Path junitXml;

  @Option(names = "--report", paramLabel = "FILE")
  private @Nullable Path page;

  @Option(names = "--faults", paramLabel = "FILE")
  private @Nullable Path faults;

  /** Proxy in front of the plugin, if the command line requests a report page or a fault. */
  private @Nullable CsiProxy proxy;

  /** Cases in which a fault acted on a call. */
  private final Set<ConformanceCase> faulted = new LinkedHashSet<>();

  private final ShutdownTrigger ending;

  CheckCommand(Console console, ShutdownTrigger ending) {
    super(console);
    this.ending = ending;
  }

  @Override
  public Integer call() {
    Predicate<ConformanceCase> chosen = chosen();
    if (list) {
      PluginConformance.cases().stream().filter(chosen).forEach(this::print);
      return ExitCode.OK;
    }
    if (cleanup != null) {
      return takeAway(plugin(cleanup));
    }
    return page == null && faults == null ? check(chosen) : checkThroughProxy(chosen);
  }

  private int checkThroughProxy(Predicate<ConformanceCase> chosen) {
    CsiEndpoint plugin = node.needed("to check");
    if (controller != null) {
      throw CommandFailure.usage(
          "--report and --faults need a plugin on one socket. Use --endpoint without"
              + " --controller-endpoint.");
    }
    FaultScript script = UserFile.faults(faults);
    try (CsiProxy opened = CsiProxy.open(plugin)) {
      script.rules().forEach(rule -> opened.inject(rule.fault(), rule.when()));
      proxy = opened;
      return check(chosen);
    }
  }

  private int check(Predicate<ConformanceCase> chosen) {
    PluginUnderTest plugin = plugin(ledger());
    if (start == null) {
      reachController(plugin);
      if (!plugin.node().equals(plugin.controller())) {
        reach(plugin.node());
      }
    }
    OutputFile calls = OutputFile.of("the report", page);
    OutputFile xml = OutputFile.of("the report for machines", junitXml);
    ConformanceReport report = run(plugin, chosen);
    if (json) {
      report.results().forEach(each -> console.print(json(each)));
      console.print(json(report));
    } else {
      console.out().print(report.text());
      if (!faulted.isEmpty()) {
        console.print("");
        console.print(
            "Injected faults affected these cases, so their results say nothing about the plugin:");
        faulted.forEach(each -> console.print("  " + each.name()));
      }
    }
    boolean isXmlWritten = xml.write(report::junitXml, console);
    boolean isPageWritten = calls.write(() -> page(report), console);
    if (!isXmlWritten || !isPageWritten) {
      return ExitCode.NO_CONNECTION;
    }
    boolean isAnyRun =
        report.results().stream().anyMatch(each -> each.outcome() != CaseResult.Outcome.SKIPPED);
    if (!isAnyRun) {
      console.note(
          "Nothing was tested: every chosen case was skipped, because the plugin does not offer"
              + " what it needs. Choose other cases.");
    }
    return report.clean() && isAnyRun ? ExitCode.OK : ExitCode.FAILED;
  }

  private String page(ConformanceReport report) {
    // The report has no verdict on the caller, because the suite breaks duties on purpose.
    return CallReport.of(Objects.requireNonNull(proxy))
        .withoutVerdict()
        .withTable("Cases", cases(report.results()))
        .html();
  }

  private ConformanceReport run(PluginUnderTest plugin, Predicate<ConformanceCase> chosen) {
    List<ConformanceCase> cases = PluginConformance.cases().stream().filter(chosen).toList();
    Progress progress = new Progress(console);
    List<CaseResult> results;
    boolean starts = starts(plugin);
    try (EarlyEnd end = EarlyEnd.listen(console, ending, plugin.ledger().orElseThrow());
        ConformanceRun run = PluginConformance.open(plugin)) {
      end.stops(run);
      if (start != null) {
        reachController(plugin);
      }
      results = run.run(cases, notingFaults(progress)).results();
    } finally {
      progress.done();
      tellIfLeft(plugin, starts);
    }
    ConformanceReport report =
        new ConformanceReport(
            proxy == null ? plugin.toString() : proxy.plugin().toString(), results);
    if (results.stream().anyMatch(each -> !each.leftBehind().isEmpty())) {
      console.note(
          "The run left something behind. Remove it later with --cleanup "
              + plugin.ledger().orElseThrow());
    }
    return report;
  }

  /**
   * Returns a listener that passes all notifications on to {@code listener}, and records the cases
   * in which a fault acted on a call.
   */
  private ConformanceListener notingFaults(ConformanceListener listener) {
    return new ConformanceListener() {
      private long before;

      @Override
      public void started(ConformanceCase about, int number, int of) {
        before = hits();
        listener.started(about, number, of);
      }

      @Override
      public void ended(CaseResult result) {
        if (hits() > before) {
          faulted.add(result.about());
        }
        listener.ended(result);
      }
    };
  }

  /** Returns the number of times that faults have acted so far. */
  private long hits() {
    return proxy == null ? 0 : proxy.faults().stream().mapToLong(FaultRule::hits).sum();
  }

  /** Returns a table row for each case with its result. Failed cases come first. */
  private List<List<String>> cases(List<CaseResult> results) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("case", "result", "took", "why"));
    results.stream()
        .sorted(Comparator.comparing(CaseResult::outcome).reversed())
        .forEach(
            each ->
                rows.add(
                    List.of(
                        each.about().name(),
                        OptionText.written(each.outcome())
                            + (faulted.contains(each.about()) ? ", with an injected fault" : "")
                            + (each.leftBehind().isEmpty() ? "" : ", left something behind"),
                        each.took().toMillis() + "\u00a0ms",
                        each.story())));
    return rows;
  }

  /** Returns the file in which this run records the objects that it creates. */
  private static Path ledger() {
    return Path.of(
        System.getProperty("java.io.tmpdir"),
        "csi4j-check-" + UUID.randomUUID().toString().substring(0, 8) + ".left");
  }

  private int takeAway(PluginUnderTest plugin) {
    if (start == null) {
      reach(plugin.controller());
    }
    boolean starts = starts(plugin);
    EarlyEnd end = EarlyEnd.listen(console, ending, plugin.ledger().orElseThrow());
    try {
      List<String> left = PluginConformance.cleanUpAfter(plugin);
      left.forEach(each -> console.print("LEFT BEHIND " + each));
      if (left.isEmpty()) {
        console.print("Nothing of that run is left.");
      }
      return left.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(String.valueOf(e.getMessage()));
    } finally {
      end.close();
      tellIfLeft(plugin, starts);
    }
  }

  /** Returns whether the run starts the plugin, because no process listens yet. */
  private boolean starts(PluginUnderTest plugin) {
    return start != null && !Reaching.listens(plugin.startsAt());
  }

  /**
   * Reports a plugin that has left the process tree of its command. The run can neither find nor
   * end such a plugin.
   */
  private void tellIfLeft(PluginUnderTest plugin, boolean started) {
    if (started && Reaching.stillListens(plugin.startsAt())) {
      console.note(
          "A process still listens on "
              + plugin.startsAt()
              + ", although the processes of --start have ended: a plugin that becomes a daemon"
              + " outlives the check. End it, or start it in the foreground.");
    }
  }

  private Predicate<ConformanceCase> chosen() {
    Predicate<ConformanceCase> chosen = only.isEmpty() ? each -> true : any(only);
    if (!skip.isEmpty()) {
      chosen = chosen.and(any(skip).negate());
    }
    if (PluginConformance.cases().stream().noneMatch(chosen)) {
      throw CommandFailure.usage(
          "No case matches. Print the names with --list, and write a pattern such as"
              + " 'controller/*'.");
    }
    return chosen;
  }

  private static Predicate<ConformanceCase> any(List<String> patterns) {
    return patterns.stream()
        .map(ConformanceCase::named)
        .reduce(Predicate::or)
        .orElse(each -> false);
  }

  private static Json json(ConformanceCase each) {
    return new Json()
        .with("case", each.name())
        .with("spec", each.sentence())
        .with("place", each.place())
        .with("expectation", each.expectation())
        .with("needs", each.needs());
  }

  private Json json(CaseResult result) {
    return json(result.about())
        .with("injectedFault", faulted.contains(result.about()) ? true : null)
        .with("outcome", OptionText.written(result.outcome()))
        .with("story", result.story().isEmpty() ? null : result.story())
        .with("leftBehind", result.leftBehind())
        .with("milliseconds", result.took().toMillis());
  }

  private static Json json(ConformanceReport report) {
    Json json = new Json().with("plugin", report.subject());
    for (CaseResult.Outcome outcome : CaseResult.Outcome.values()) {
      json.with(OptionText.written(outcome), report.count(outcome));
    }
    return json.with("clean", report.clean());
  }

  private void print(ConformanceCase each) {
    if (json) {
      console.print(json(each));
      return;
    }
    console.print(each.name());
    console.print("    " + each.expectation());
  }

  private PluginUnderTest plugin(Path ledger) {
    CsiEndpoint endpoint = proxy == null ? node.needed("to check") : proxy.endpoint();
    PluginUnderTest.Builder builder =
        PluginUnderTest.builder(controller == null ? endpoint : controller)
            .node(endpoint)
            .parameters(parameters)
            .snapshotParameters(snapshotParameters)
            .mutableParameters(mutableParameters)
            .volumeBytes(volumeSize.value())
            .deadline(timeout)
            .ledger(ledger);
    Optional.ofNullable(budget).ifPresent(builder::budget);
    Optional.ofNullable(start)
        .ifPresent(line -> builder.command(List.of("/bin/sh", "-c", STARTS, "sh", line)));
    Optional.ofNullable(proxy).map(CsiProxy::plugin).ifPresent(builder::startsAt);
    if (!topology.isEmpty()) {
      builder.place(Topology.of(topology));
    }
    if (directory != null) {
      if (!Files.isDirectory(directory)) {
        throw CommandFailure.usage(
            "There is no directory "
                + OneLine.quoted(directory.toString())
                + ". Make it, or name one that exists.");
      }
      builder.directory(directory);
    }
    Optional.ofNullable(existingVolume)
        .ifPresent(id -> builder.existingVolume(id, VolumeContext.of(existingContext)));
    if (secrets != null) {
      SecretsFile read = SecretsFile.read(secrets);
      builder.secrets(read.forAll());
      read.forOne().forEach(builder::secrets);
    }
    if (keep) {
      builder.cleanup(PluginUnderTest.Cleanup.UNLESS_FAILED);
    }
    return use(builder).build();
  }

  private PluginUnderTest.Builder use(PluginUnderTest.Builder builder) {
    AccessMode mode =
        accessMode == null
            ? AccessMode.SINGLE_NODE_WRITER
            : ShapeOptions.chosen("access mode", accessMode, OptionValues.ACCESS_MODES);
    VolumeCapability asFilesystem = VolumeCapability.mount(mode, mountOptions());
    VolumeCapability asBlock = VolumeCapability.block(mode);
    if (!block) {
      return builder.capabilities(asFilesystem);
    }
    return filesystem ? builder.capabilities(asFilesystem, asBlock) : builder.capabilities(asBlock);
  }

  private MountOptions mountOptions() {
    MountOptions none = MountOptions.none();
    MountOptions typed = fsType == null ? none : none.withFsType(fsType);
    return mountFlags.isEmpty() ? typed : typed.withFlags(MountFlags.of(mountFlags));
  }

  /**
   * Waits for the plugin itself and not for the proxy, so that no message names the socket of the
   * proxy.
   */
  private void reachController(PluginUnderTest plugin) {
    if (proxy == null) {
      reach(plugin.controller());
      return;
    }
    reach(proxy.plugin());
    // The proxy starts to listen a moment after the plugin does.
    boolean unused = proxy.lookForPlugin();
  }

  private void reach(CsiEndpoint where) {
    Reaching.announce(console, where, timeout);
    try (CsiPlugin plugin = CsiPlugin.connect(where, Reaching.within(timeout))) {
      console.note("Checking " + describe(plugin));
    }
  }

  private static String describe(CsiPlugin plugin) {
    return plugin.name().map(name -> "'" + OneLine.of(name.value()) + "' at ").orElse("")
        + plugin.endpoint();
  }
}
