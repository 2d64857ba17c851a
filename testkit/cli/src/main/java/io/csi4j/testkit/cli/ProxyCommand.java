package io.csi4j.testkit.cli;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.fault.FaultScript;
import io.csi4j.testkit.proxy.CallReport;
import io.csi4j.testkit.proxy.CsiProxy;
import io.csi4j.testkit.referee.AnswerFinding;
import io.csi4j.testkit.referee.Verdict;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Runs a proxy between an orchestrator and a plugin until it is stopped. */
final class ProxyCommand extends ProgramCommand {

  private static final Duration FORGETS_EVERY = Duration.ofSeconds(10);

  @Option(names = "--listen", paramLabel = "ENDPOINT", required = true)
  private @Nullable CsiEndpoint listen;

  @Option(names = "--plugin", paramLabel = "ENDPOINT", required = true)
  private @Nullable CsiEndpoint plugin;

  @Option(names = "--record", paramLabel = "FILE")
  private @Nullable Path record;

  @Option(names = "--record-secrets")
  private boolean recordSecrets;

  @Option(names = "--faults", paramLabel = "FILE")
  private @Nullable Path faults;

  @Option(names = "--report", paramLabel = "FILE")
  private @Nullable Path report;

  @Option(names = "--judge")
  private boolean judge;

  @Option(names = "--new-plugin")
  private boolean newPlugin;

  @Option(names = "--workload-facts")
  private boolean workloadFacts;

  @Option(names = "--inline-volumes")
  private boolean inlineVolumes;

  @Option(names = "--node", paramLabel = "NAME")
  private @Nullable NodeId node;

  private final ShutdownTrigger ending;

  ProxyCommand(Console console, ShutdownTrigger ending) {
    super(console);
    this.ending = ending;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (listen == null || plugin == null) {
      throw CommandFailure.usage("Write --listen ENDPOINT and --plugin ENDPOINT.");
    }
    if (recordSecrets && record == null) {
      throw CommandFailure.usage("--record-secrets needs --record FILE.");
    }
    FaultScript script = UserFile.faults(faults);
    OutputFile page = OutputFile.of("the report", report);
    ending.listen();
    CsiProxy proxy = open(listen, plugin);
    int code;
    try {
      code = run(proxy, script, page, plugin);
    } finally {
      if (record != null && proxy.recordingFailed()) {
        console.note(
            "The recording is incomplete, because writing failed: "
                + OneLine.of(record.toString())
                + ". Free disk space, then record again.");
      }
    }
    return proxy.recordingFailed() ? ExitCode.NO_CONNECTION : code;
  }

  private int run(CsiProxy opened, FaultScript script, OutputFile page, CsiEndpoint to)
      throws InterruptedException {
    try (CsiProxy proxy = opened) {
      script.rules().forEach(rule -> proxy.inject(rule.fault(), rule.when()));
      console.print(
          "Forwarding calls from " + proxy.endpoint() + " to " + to + ". End it with Ctrl-C.");
      if (!proxy.lookForPlugin()) {
        console.print("The plugin does not listen yet. The proxy listens as soon as it does.");
      }
      if (judge || report != null) {
        ending.await();
      } else {
        // The journal is cleared regularly, because no command reads the recorded calls later.
        ending.await(FORGETS_EVERY, proxy.journal()::clear);
      }
      int code = judge ? judge(proxy) : ExitCode.OK;
      boolean isWritten = page.write(() -> CallReport.of(proxy).html(), console);
      return isWritten ? code : ExitCode.NO_CONNECTION;
    }
  }

  private CsiProxy open(CsiEndpoint from, CsiEndpoint to) {
    CsiProxy.Builder builder =
        CsiProxy.builder(to)
            .socket(from.path())
            .recordSecrets(recordSecrets)
            .newPlugin(newPlugin)
            .workloadFacts(workloadFacts)
            .inlineVolumes(inlineVolumes);
    Optional.ofNullable(record).ifPresent(builder::record);
    Optional.ofNullable(node).ifPresent(builder::node);
    return builder.open();
  }

  private int judge(CsiProxy proxy) {
    Verdict verdict = proxy.verdict();
    List<AnswerFinding> findings = proxy.findings();
    console.print(verdict.describe());
    findings.forEach(finding -> console.print(OneLine.of(finding.toString())));
    if (findings.isEmpty()) {
      console.print("No answer of the plugin breaks the spec.");
    }
    if (!verdict.lawful()) {
      return ExitCode.UNLAWFUL;
    }
    return findings.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }
}
