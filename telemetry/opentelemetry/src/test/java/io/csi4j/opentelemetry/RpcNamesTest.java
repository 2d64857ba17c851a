package io.csi4j.opentelemetry;

import static io.csi4j.opentelemetry.RecordedSpans.attributes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The names of OpenTelemetry's conventions for RPC, old and new, in the spans of calls. */
class RpcNamesTest {

  private static final String STAGE = "csi.v1.Node/NodeStageVolume";
  private static final PluginId PLUGIN = PluginId.of("fake");
  private static final Path ROOT = Path.of(System.getProperty("csi4j.root", "../.."));

  @TempDir Path directory;
  private final RecordedSpans spans = new RecordedSpans();

  @AfterEach
  void close() {
    spans.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                       | EXPERIMENTAL",
        "http                     | EXPERIMENTAL",
        "http/dup,database        | EXPERIMENTAL",
        "RPC                      | EXPERIMENTAL",
        "rpc                      | STABLE",
        "'http, rpc'              | STABLE",
        "rpc/dup                  | BOTH",
        "'rpc,rpc/dup'            | BOTH",
        "'rpc/dup , database,rpc' | BOTH",
      })
  void theListOfAProcessNamesTheConvention(String optIn, RpcConvention convention) {
    assertThat(RpcConvention.of(optIn)).isEqualTo(convention);
  }

  /** The spans of a call that is answered and of one that fails, of one manager. */
  private List<SpanData> calls(RpcConvention convention, FakeCsiPlugin fake) {
    fake.addVolume(VolumeId.of("vol-1"));
    fake.inject(
        Fault.fail(io.csi4j.client.model.StatusCode.INVALID_ARGUMENT, "no"),
        When.calling(CsiOperation.NODE_STAGE_VOLUME).once());
    CsiTracing tracing = CsiTracing.of(spans.telemetry, convention);
    MountRequest request =
        MountRequest.builder(
                PLUGIN,
                VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("web-1")),
                VolumeId.of("vol-1"),
                AccessMode.SINGLE_NODE_WRITER)
            .build();
    try (VolumeManager manager =
        VolumeManager.builder(directory.resolve("v"))
            .plugin(
                PluginBinding.builder(PLUGIN, fake.endpoint())
                    .policy(MountPolicy.builder().requireMount(false).build())
                    .build())
            .listener(tracing.volumes())
            .open()) {
      VolumeException refused =
          catchThrowableOfType(VolumeException.class, () -> manager.mount(request));
      assertThat(refused.outcome()).isEqualTo(VolumeException.Outcome.REFUSED);
      assertThat(refused).hasMessageContaining("INVALID_ARGUMENT");
      assertThat(manager.mount(request).usage()).isEqualTo(request.usage());
    }
    List<SpanData> both = spans.named(STAGE);
    assertThat(both).hasSize(2).extracting(SpanData::getKind).containsOnly(SpanKind.CLIENT);
    return both;
  }

  @Test
  void theExperimentalNamesAreThoseOf137() {
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly())) {
      List<SpanData> calls = calls(RpcConvention.EXPERIMENTAL, fake);
      assertThat(attributes(calls.get(0)))
          .containsOnly(
              Map.entry("rpc.system", "grpc"),
              Map.entry("rpc.service", "csi.v1.Node"),
              Map.entry("rpc.method", "NodeStageVolume"),
              Map.entry("rpc.grpc.status_code", 3L),
              Map.entry("csi4j.plugin", "fake"),
              Map.entry("csi4j.sent", true));
      assertThat(calls.get(0).getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
      assertThat(calls.get(0).getStatus().getDescription()).isEqualTo("INVALID_ARGUMENT");
      assertThat(attributes(calls.get(1))).containsEntry("rpc.grpc.status_code", 0L);
      assertThat(calls.get(1).getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    }
  }

  @Test
  void theStableNamesAreThoseOf145() {
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly())) {
      String socket = fake.endpoint().path().toString();
      List<SpanData> calls = calls(RpcConvention.STABLE, fake);
      assertThat(attributes(calls.get(0)))
          .containsOnly(
              Map.entry("rpc.system.name", "grpc"),
              Map.entry("rpc.method", STAGE),
              Map.entry("rpc.status_code", "INVALID_ARGUMENT"),
              Map.entry("error.type", "INVALID_ARGUMENT"),
              Map.entry("server.address", socket),
              Map.entry("network.peer.address", socket),
              Map.entry("csi4j.plugin", "fake"),
              Map.entry("csi4j.sent", true));
      assertThat(calls.get(0).getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
      assertThat(calls.get(0).getStatus().getDescription()).as("error.type says it").isEmpty();
      assertThat(attributes(calls.get(1)))
          .containsEntry("rpc.status_code", "OK")
          .doesNotContainKey("error.type");
      assertThat(calls.get(1).getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    }
  }

  @Test
  void bothNamesAreThereAtOnceAndTheMethodIsTheStableOne() {
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly())) {
      String socket = fake.endpoint().path().toString();
      List<SpanData> calls = calls(RpcConvention.BOTH, fake);
      assertThat(attributes(calls.get(0)))
          .containsOnly(
              Map.entry("rpc.system", "grpc"),
              Map.entry("rpc.system.name", "grpc"),
              Map.entry("rpc.service", "csi.v1.Node"),
              Map.entry("rpc.method", STAGE),
              Map.entry("rpc.grpc.status_code", 3L),
              Map.entry("rpc.status_code", "INVALID_ARGUMENT"),
              Map.entry("error.type", "INVALID_ARGUMENT"),
              Map.entry("server.address", socket),
              Map.entry("network.peer.address", socket),
              Map.entry("csi4j.plugin", "fake"),
              Map.entry("csi4j.sent", true));
      assertThat(calls.get(0).getStatus().getDescription()).isEqualTo("INVALID_ARGUMENT");
    }
  }

  @Test
  void theCallsOfTheClientHaveTheSocketFromTheirBeginning() {
    CsiTracing tracing = CsiTracing.of(spans.telemetry, RpcConvention.STABLE);
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly());
        CsiPlugin plugin =
            CsiPlugin.connect(
                fake.endpoint(), ConnectOptions.builder().listener(tracing.calls()).build())) {
      plugin.node().getInfo();
      String socket = fake.endpoint().path().toString();
      assertThat(attributes(spans.one("csi.v1.Node/NodeGetInfo")))
          .containsEntry("rpc.system.name", "grpc")
          .containsEntry("rpc.method", "csi.v1.Node/NodeGetInfo")
          .containsEntry("rpc.status_code", "OK")
          .containsEntry("server.address", socket)
          .containsEntry("network.peer.address", socket)
          .containsEntry("csi4j.attempt", 1L)
          .doesNotContainKeys("rpc.system", "rpc.service", "rpc.grpc.status_code", "error.type");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''      | ''   | rpc.grpc.status_code,rpc.method,rpc.service,rpc.system",
        "rpc     | ''   | network.peer.address,rpc.method,rpc.status_code,rpc.system.name,server.address",
        "rpc/dup | ''   | network.peer.address,rpc.grpc.status_code,rpc.method,rpc.service,rpc.status_code,rpc.system,rpc.system.name,server.address",
        "rpc/dup | http | rpc.grpc.status_code,rpc.method,rpc.service,rpc.system",
        "''      | rpc  | network.peer.address,rpc.method,rpc.status_code,rpc.system.name,server.address",
      })
  void aProcessIsToldByItsEnvironmentAndThePropertyHasPrecedence(
      String variable, String property, String names) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path")));
    if (!property.isEmpty()) {
      command.add("-D" + RpcConvention.PROPERTY + "=" + property);
    }
    command.add(TracedAlone.class.getName());
    ProcessBuilder process = new ProcessBuilder(command).redirectErrorStream(true);
    process.environment().remove(RpcConvention.VARIABLE);
    if (!variable.isEmpty()) {
      process.environment().put(RpcConvention.VARIABLE, variable);
    }
    assertThat(output(process)).endsWith("csi.v1.Identity/Probe " + names + "\n");
  }

  @Test
  void theTableOfThePageHasEveryName() throws IOException {
    List<String> rows =
        Files.readString(ROOT.resolve("docs/metrics.md"))
            .lines()
            .dropWhile(line -> !line.startsWith("| experimental | stable | value |"))
            .skip(2)
            .takeWhile(line -> line.startsWith("|"))
            .toList();
    assertThat(names(rows, 1)).isEqualTo(names(RpcConvention.EXPERIMENTAL, "experimental"));
    assertThat(names(rows, 2)).isEqualTo(names(RpcConvention.STABLE, "stable"));
  }

  private static Set<String> names(List<String> rows, int column) {
    Set<String> names = new TreeSet<>();
    for (String row : rows) {
      String cell = row.split("\\|", -1)[column].strip();
      if (cell.startsWith("`")) {
        names.add(cell.replace("`", ""));
      }
    }
    return names;
  }

  private Set<String> names(RpcConvention convention, String mark) {
    Set<String> names = new TreeSet<>();
    RpcSpans calls = new RpcSpans(spans.host, convention);
    CsiEndpoint endpoint = CsiEndpoint.of(directory.resolve("csi.sock"));
    Span span =
        calls
            .of(CsiOperation.PROBE, Context.root(), Optional.of(endpoint))
            .setAttribute("convention", mark)
            .startSpan();
    calls.ended(span, io.csi4j.client.model.StatusCode.INTERNAL, true, Optional.of(endpoint));
    span.end();
    for (SpanData each : spans.all()) {
      if (attributes(each).get("convention").equals(mark)) {
        names.addAll(attributes(each).keySet());
      }
    }
    names.remove("convention");
    return names;
  }

  private static String output(ProcessBuilder process) throws IOException, InterruptedException {
    Process started = process.start();
    String output = new String(started.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(started.waitFor()).as(output).isZero();
    return output;
  }
}
