package io.csi4j.testkit.cli;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.FailureRule;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.proxy.JsonCall;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes one call to a plugin. */
final class CallCommand extends ProgramCommand {

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "METHOD",
      completionCandidates = OptionValues.Calls.class)
  private @Nullable String method;

  @Parameters(index = "1", arity = "0..1", paramLabel = "JSON")
  private @Nullable String request;

  @Option(names = "--request", paramLabel = "FILE")
  private @Nullable Path requestFile;

  @Mixin private PluginOption target = new PluginOption();

  @Option(names = "--secrets", paramLabel = "FILE")
  private @Nullable Path secrets;

  @Option(names = "--show-contexts")
  private boolean showContexts;

  @Option(names = "--timeout", paramLabel = "TIME", defaultValue = "60s")
  private Duration timeout = Duration.ofSeconds(60);

  @Option(names = "--fields")
  private boolean fields;

  @Option(names = "--list")
  private boolean list;

  @Option(names = "--json")
  private boolean json;

  CallCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() {
    if (list) {
      TextTable table = new TextTable("CALL", "SERVICE", "DOES");
      for (CsiOperation each : CsiOperation.values()) {
        table.row(
            each.rpcName(),
            each.service().name().toLowerCase(Locale.ROOT).replace('_', ' '),
            each.phrase());
      }
      table.print(console);
      return ExitCode.OK;
    }
    CsiOperation operation = operation();
    if (fields) {
      console.print(JsonCall.fields(operation));
      return ExitCode.OK;
    }
    return send(made(operation), target.needed("to call"));
  }

  private CsiOperation operation() {
    if (method == null) {
      throw CommandFailure.usage(
          "The name of a call is missing. Write one, such as NodeGetInfo; --list prints all"
              + " calls.");
    }
    String wanted = method;
    return Arrays.stream(CsiOperation.values())
        .filter(each -> each.rpcName().equalsIgnoreCase(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                CommandFailure.usage(
                    "There is no call "
                        + OneLine.quoted(wanted)
                        + " in CSI 1.13. Print all calls with --list."));
  }

  private JsonCall made(CsiOperation operation) {
    if (request != null && requestFile != null) {
      throw CommandFailure.usage(
          "The request is given twice, as JSON and with --request. Leave one out.");
    }
    try {
      JsonCall call = JsonCall.of(operation, json());
      if (secrets != null) {
        SecretsFile read = SecretsFile.read(secrets);
        call = call.secrets(call.takesSecrets() ? read.of(operation) : Secrets.empty());
      }
      return showContexts ? call.showingContexts() : call;
    } catch (IllegalArgumentException wrong) {
      throw CommandFailure.usage(
          OneLine.of(String.valueOf(wrong.getMessage()))
              + " Print the possible fields with --fields.");
    }
  }

  private String json() {
    if (requestFile != null) {
      return String.join("\n", UserFile.lines("the request", requestFile));
    }
    return request == null ? "{}" : request;
  }

  private int send(JsonCall call, CsiEndpoint where) {
    Reaching.announce(console, where, timeout);
    try (CsiPlugin plugin = CsiPlugin.connect(where, Reaching.withinEach(timeout))) {
      call.send(plugin).forEach(answer -> console.print(json ? answer : Json.indented(answer)));
      return ExitCode.OK;
    } catch (CsiException e) {
      console.note(OneLine.of(e.failure().message()));
      if (json) {
        console.print(failed(call.operation(), e.failure()));
      }
      return e instanceof CsiConnectException ? ExitCode.NO_CONNECTION : ExitCode.FAILED;
    }
  }

  private static Json failed(CsiOperation operation, CsiFailure failure) {
    return new Json()
        .with(
            "failed",
            new Json()
                .with("call", operation.rpcName())
                .with("code", failure.code())
                .with("outcome", failure.outcome().name())
                .with("retry", retry(operation, failure.code()))
                .with("answered", failure.answered())
                .with("attempts", failure.attempts())
                .with("why", failure.why())
                .with("advice", failure.advice())
                .with("plugin_says", failure.pluginText()));
  }

  /**
   * Returns the name of the rule for repeating the call; null if the call failed although its
   * status was OK.
   */
  private static @Nullable String retry(CsiOperation operation, StatusCode code) {
    return code == StatusCode.OK ? null : FailureRule.of(operation, code).retry().name();
  }
}
