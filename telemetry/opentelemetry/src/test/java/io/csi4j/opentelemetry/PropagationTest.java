package io.csi4j.opentelemetry;

import static io.csi4j.opentelemetry.RecordedSpans.isChild;
import static io.csi4j.opentelemetry.RecordedSpans.traceparent;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.real.Eventually;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.proxy.CsiProxy;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.local.LocalStore;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The context of a trace, as a plugin on a real socket gets it. */
class PropagationTest {

  private static final PluginId PLUGIN = PluginId.of("fake");
  private static final VolumeUse USE = VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("web-1"));
  private static final CsiOperation GET_INFO = CsiOperation.NODE_GET_INFO;

  @TempDir Path directory;
  private final RecordedSpans spans = new RecordedSpans();
  private final CsiTracing tracing = CsiTracing.of(spans.telemetry, RpcConvention.STABLE);
  private FakeCsiPlugin fake;

  @BeforeEach
  void open() {
    fake = FakeCsiPlugin.builder().shape(PluginShape.full()).effects(NodeEffects.none()).open();
  }

  @AfterEach
  void close() {
    fake.close();
    spans.close();
  }

  private List<Map<String, String>> metadata(CsiOperation operation) {
    return fake.journal().calls(operation).stream().map(RecordedCall::metadata).toList();
  }

  private static ConnectOptions.Builder options() {
    return ConnectOptions.builder()
        .policies(policy -> policy.attempts(3).backoff(Duration.ofMillis(1)));
  }

  private void getInfo(ConnectOptions options) {
    Span job = spans.host.spanBuilder("job").startSpan();
    try (CsiPlugin plugin = CsiPlugin.connect(fake.endpoint(), options);
        Scope unused = job.makeCurrent();
        Scope alsoUnused = Baggage.builder().put("user", "ada").build().makeCurrent()) {
      plugin.node().getInfo();
    } finally {
      job.end();
    }
  }

  @Test
  void nothingIsSentByDefault() {
    getInfo(options().listener(tracing.calls()).build());
    assertThat(metadata(GET_INFO)).containsExactly(Map.of());
  }

  @Test
  void aCallIsSentWithTheSpanOfItsCallerAndNoBaggage() {
    getInfo(options().metadata(tracing.propagation()).build());
    assertThat(metadata(GET_INFO))
        .containsExactly(Map.of("traceparent", traceparent(spans.one("job"))));
  }

  @Test
  void aCallOutsideOfATraceIsSentWithout() {
    try (CsiPlugin plugin =
        CsiPlugin.connect(fake.endpoint(), options().metadata(tracing.propagation()).build())) {
      plugin.node().getInfo();
    }
    assertThat(metadata(GET_INFO)).containsExactly(Map.of());
  }

  @Test
  void eachAttemptIsSentWithItsOwnSpan() {
    fake.inject(Fault.fail(StatusCode.UNAVAILABLE, "not now"), When.calling(GET_INFO).once());
    getInfo(options().listener(tracing.calls()).metadata(tracing.propagation()).build());

    String name = "csi.v1.Node/NodeGetInfo";
    Eventually.isTrue("both have ended", () -> spans.named(name).size() == 2);
    List<SpanData> attempts = spans.named(name);
    attempts.forEach(attempt -> isChild(attempt, spans.one("job")));
    assertThat(metadata(GET_INFO))
        .containsExactly(
            Map.of("traceparent", traceparent(attempts.get(0))),
            Map.of("traceparent", traceparent(attempts.get(1))));
  }

  @Test
  void severalConnectionsDoNotGetEachOthersSpans() {
    ConnectOptions options =
        options().listener(tracing.calls()).metadata(tracing.propagation()).build();
    getInfo(options);
    SpanData first = spans.one("csi.v1.Node/NodeGetInfo");
    getInfo(options);
    Eventually.isTrue("both have ended", () -> spans.named("csi.v1.Node/NodeGetInfo").size() == 2);
    SpanData second = spans.named("csi.v1.Node/NodeGetInfo").get(1);
    assertThat(metadata(GET_INFO))
        .containsExactly(
            Map.of("traceparent", traceparent(first)), Map.of("traceparent", traceparent(second)));
  }

  @Test
  void theCallsOfAManagerAreSentWithTheirSpans() {
    fake.close();
    fake = FakeCsiPlugin.open(PluginShape.nodeOnly());
    fake.addVolume(VolumeId.of("vol-1"));
    PluginBinding binding =
        PluginBinding.builder(PLUGIN, fake.endpoint())
            .policy(MountPolicy.builder().requireMount(false).build())
            .connectOptions(options().metadata(tracing.propagation()).build())
            .build();
    Span job = spans.host.spanBuilder("job").startSpan();
    try (VolumeManager manager =
            VolumeManager.builder(directory.resolve("v"))
                .plugin(binding)
                .listener(tracing.volumes())
                .open();
        Scope unused = job.makeCurrent()) {
      MountRequest request =
          MountRequest.builder(PLUGIN, USE, VolumeId.of("vol-1"), AccessMode.SINGLE_NODE_WRITER)
              .build();
      assertThat(manager.mount(request).usage()).isEqualTo(USE);
      assertThat(manager.unmount(USE)).isEqualTo(UnmountOutcome.LAST);
    } finally {
      job.end();
    }

    isChild(spans.one("csi4j.mount"), spans.one("job"));
    isChild(spans.one("csi4j.unmount"), spans.one("job"));
    for (CsiOperation call :
        List.of(
            CsiOperation.NODE_STAGE_VOLUME,
            CsiOperation.NODE_PUBLISH_VOLUME,
            CsiOperation.NODE_UNPUBLISH_VOLUME,
            CsiOperation.NODE_UNSTAGE_VOLUME)) {
      assertThat(metadata(call))
          .as(call.rpcName())
          .containsExactly(
              Map.of("traceparent", traceparent(spans.one("csi.v1.Node/" + call.rpcName()))));
    }
    assertThat(metadata(CsiOperation.GET_PLUGIN_INFO)).isNotEmpty().containsOnly(Map.of());
  }

  @Test
  void theCallsOfAControllerAreSentWithTheirSpans() {
    PluginRegistry plugins = InMemoryPluginRegistry.open();
    plugins.register(
        PluginRegistration.controller(
            PluginBinding.builder(PLUGIN, fake.endpoint())
                .connectOptions(options().metadata(tracing.propagation()).build())
                .build()));
    try (VolumeController controller =
        VolumeController.builder(plugins, LocalStore.on(MemoryMedium.create().open()))
            .listener(tracing.controllers())
            .open()) {
      controller.create(
          VolumeKey.of("db"),
          VolumeSpec.builder(PLUGIN)
              .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
              .build());
      controller.delete(VolumeKey.of("db"));
    }
    assertThat(metadata(CsiOperation.CREATE_VOLUME))
        .containsExactly(
            Map.of("traceparent", traceparent(spans.one("csi.v1.Controller/CreateVolume"))));
    assertThat(metadata(CsiOperation.DELETE_VOLUME))
        .containsExactly(
            Map.of("traceparent", traceparent(spans.one("csi.v1.Controller/DeleteVolume"))));
  }

  @Test
  void aProxyPassesTheContextOn() throws Exception {
    try (CsiProxy proxy = CsiProxy.open(fake.endpoint());
        CsiPlugin plugin =
            CsiPlugin.connect(
                proxy.endpoint(), options().metadata(tracing.propagation()).build())) {
      Span job = spans.host.spanBuilder("job").startSpan();
      try (Scope unused = job.makeCurrent()) {
        plugin.node().getInfo();
      } finally {
        job.end();
      }
    }
    assertThat(metadata(GET_INFO))
        .containsExactly(Map.of("traceparent", traceparent(spans.one("job"))));
  }

  @Test
  void afterClosingNothingIsSent() {
    tracing.close();
    getInfo(options().metadata(tracing.propagation()).build());
    assertThat(metadata(GET_INFO)).containsExactly(Map.of());
  }
}
