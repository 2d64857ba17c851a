package io.csi4j.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.mount.real.Eventually;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.store.local.MemoryStore;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The traces of real operations, calls and claims. */
class CsiTracingTest {

  private static final Path ROOT = Path.of(System.getProperty("csi4j.root", "../.."));
  private static final PluginId PLUGIN = PluginId.of("fake");
  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final VolumeUse USE = VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("web-1"));
  private static final String SECRET = "hush-hush-hush";
  private static final When STAGING = When.calling(CsiOperation.NODE_STAGE_VOLUME);

  @TempDir Path directory;
  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private final OpenTelemetrySdk telemetry =
      OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                  .build())
          .build();
  private final Tracer host = telemetry.getTracer("host");
  private final CsiTracing tracing = CsiTracing.of(telemetry);
  private FakeCsiPlugin fake;

  @BeforeEach
  void openPlugin() {
    fake = FakeCsiPlugin.open(PluginShape.nodeOnly());
    fake.addVolume(VOLUME);
  }

  @AfterEach
  void close() {
    fake.close();
    telemetry.close();
  }

  private VolumeManager manager(VolumeEvent.Listener... listeners) {
    VolumeManager.Builder builder =
        VolumeManager.builder(directory.resolve("v"))
            .plugin(
                PluginBinding.builder(PLUGIN, fake.endpoint())
                    // The plugin makes directories only, so that everybody may run this.
                    .policy(MountPolicy.builder().requireMount(false).build())
                    .build());
    Arrays.stream(listeners).forEach(builder::listener);
    return builder.open();
  }

  private static MountRequest request(SecretsProvider secrets) {
    return MountRequest.builder(PLUGIN, USE, VOLUME, AccessMode.SINGLE_NODE_WRITER)
        .secrets(secrets)
        .build();
  }

  private static MountRequest request() {
    return request(SecretsProvider.none());
  }

  private SpanData span(String name) {
    Eventually.isTrue(name + " has ended", () -> !spans(name).isEmpty());
    assertThat(spans(name)).as(name).hasSize(1);
    return spans(name).get(0);
  }

  private List<SpanData> spans(String name) {
    return exporter.getFinishedSpanItems().stream()
        .filter(span -> span.getName().equals(name))
        .toList();
  }

  private static Map<String, Object> attributes(SpanData span) {
    Map<String, Object> attributes = new TreeMap<>();
    span.getAttributes().forEach((key, value) -> attributes.put(key.getKey(), value));
    return attributes;
  }

  private static void isChild(SpanData child, SpanData parent) {
    assertThat(child.getTraceId()).isEqualTo(parent.getTraceId());
    assertThat(child.getParentSpanId()).isEqualTo(parent.getSpanId());
  }

  // ---- operations

  @Test
  void anOperationIsAChildOfItsCallerAndItsCallsAreItsChildren() {
    Span job = host.spanBuilder("start job").startSpan();
    try (VolumeManager manager = manager(tracing.volumes())) {
      Context.current()
          .with(job)
          .wrap(
              () -> {
                assertThat(manager.mount(request()).usage()).isEqualTo(USE);
              })
          .run();
    } finally {
      job.end();
    }

    SpanData mount = span("csi4j.mount");
    isChild(mount, span("start job"));
    assertThat(mount.getKind()).isEqualTo(SpanKind.INTERNAL);
    assertThat(mount.getInstrumentationScopeInfo().getName()).isEqualTo("io.csi4j");
    assertThat(mount.getStatus().getStatusCode())
        .isEqualTo(io.opentelemetry.api.trace.StatusCode.UNSET);
    assertThat(attributes(mount))
        .containsOnly(
            Map.entry("csi4j.plugin", "fake"),
            Map.entry("csi4j.volume", "default/data"),
            Map.entry("csi4j.workload", "web-1"),
            Map.entry("csi4j.code", "OK"));
    for (String rpc : List.of("NodeStageVolume", "NodePublishVolume")) {
      SpanData call = span("csi.v1.Node/" + rpc);
      isChild(call, mount);
      assertThat(call.getKind()).isEqualTo(SpanKind.CLIENT);
      assertThat(call.getStartEpochNanos()).isGreaterThanOrEqualTo(mount.getStartEpochNanos());
      assertThat(call.getEndEpochNanos()).isLessThanOrEqualTo(mount.getEndEpochNanos());
      assertThat(attributes(call))
          .containsOnly(
              Map.entry("rpc.system", "grpc"),
              Map.entry("rpc.service", "csi.v1.Node"),
              Map.entry("rpc.method", rpc),
              Map.entry("rpc.grpc.status_code", 0L),
              Map.entry("csi4j.plugin", "fake"),
              Map.entry("csi4j.sent", true));
    }
    assertThat(exporter.getFinishedSpanItems()).hasSize(4);
  }

  @Test
  void anOperationOfACallerWithoutATraceBeginsOne() throws Exception {
    try (VolumeManager manager = manager(tracing.volumes())) {
      assertThat(manager.async().mount(request()).toCompletableFuture().get().usage())
          .isEqualTo(USE);
      assertThat(manager.unmount(USE)).isEqualTo(UnmountOutcome.LAST);
    }

    assertThat(span("csi4j.mount").getParentSpanContext().isValid()).isFalse();
    SpanData unmount = span("csi4j.unmount");
    isChild(span("csi.v1.Node/NodeUnpublishVolume"), unmount);
    isChild(span("csi.v1.Node/NodeUnstageVolume"), unmount);
  }

  @Test
  void theCallerIsKnownOnEveryThreadThatAsks() throws Exception {
    Span job = host.spanBuilder("start job").startSpan();
    try (VolumeManager manager = manager(tracing.volumes())) {
      Thread asking =
          new Thread(
              Context.current()
                  .with(job)
                  .wrap(
                      () -> {
                        manager.async().mount(request()).toCompletableFuture().join();
                      }));
      asking.start();
      asking.join();
    }
    job.end();

    isChild(span("csi4j.mount"), span("start job"));
  }

  @Test
  void aFailureIsToldByItsCodeAndNeverByATextOrASecret() {
    fake.inject(
        Fault.fail(StatusCode.INVALID_ARGUMENT, "the password " + SECRET + " is wrong"),
        STAGING.once());
    SecretsProvider secrets = operation -> Secrets.of(Map.of("password", SECRET));
    try (VolumeManager manager = manager(tracing.volumes())) {
      VolumeException refused =
          catchThrowableOfType(VolumeException.class, () -> manager.mount(request(secrets)));
      assertThat(refused.code()).isEqualTo(OperatorCode.REFUSED_BY_PLUGIN);
    }

    SpanData mount = span("csi4j.mount");
    assertThat(attributes(mount)).containsEntry("csi4j.code", "REFUSED_BY_PLUGIN");
    assertThat(mount.getStatus().getStatusCode())
        .isEqualTo(io.opentelemetry.api.trace.StatusCode.ERROR);
    assertThat(mount.getStatus().getDescription()).isEqualTo("REFUSED_BY_PLUGIN");
    SpanData call = span("csi.v1.Node/NodeStageVolume");
    assertThat(attributes(call)).containsEntry("rpc.grpc.status_code", 3L);
    assertThat(call.getStatus().getDescription()).isEqualTo("INVALID_ARGUMENT");
    assertThat(exporter.getFinishedSpanItems().toString())
        .doesNotContain(SECRET)
        .doesNotContain("password")
        .doesNotContain("is wrong")
        .doesNotContain(directory.toString());
  }

  @Test
  void aCallThatWasNotSentSaysSo() {
    fake.stop();
    VolumeEvent.Listener volumes = tracing.volumes();
    VolumeEvent.Started started =
        new VolumeEvent.Started(
            new OperationId(1), VolumeEvent.Operation.UNMOUNT, PLUGIN, Optional.of(USE));
    volumes.on(started);
    volumes.on(
        new VolumeEvent.Called(
            started.id(),
            PLUGIN,
            CsiOperation.NODE_UNPUBLISH_VOLUME,
            StatusCode.UNAVAILABLE,
            false,
            Duration.ofHours(1),
            Optional.empty()));
    volumes.on(new VolumeEvent.Ended(started, Duration.ofMillis(1), Optional.empty()));

    SpanData call = span("csi.v1.Node/NodeUnpublishVolume");
    assertThat(attributes(call)).containsEntry("csi4j.sent", false);
    assertThat(call.getStartEpochNanos())
        .as("no call begins before its operation")
        .isEqualTo(span("csi4j.unmount").getStartEpochNanos());
    assertThat(call.getEndEpochNanos())
        .as("none ends after it")
        .isLessThanOrEqualTo(span("csi4j.unmount").getEndEpochNanos());
  }

  @Test
  void aFailureWhoseStartWasDroppedIsASpanAllTheSame() {
    VolumeEvent.Listener volumes = tracing.volumes();
    VolumeEvent.Started dropped =
        new VolumeEvent.Started(
            new OperationId(1), VolumeEvent.Operation.MOUNT, PLUGIN, Optional.of(USE));
    volumes.on(
        new VolumeEvent.Called(
            dropped.id(),
            PLUGIN,
            CsiOperation.NODE_STAGE_VOLUME,
            StatusCode.OK,
            true,
            Duration.ofMillis(1),
            Optional.empty()));
    volumes.on(new VolumeEvent.Ended(dropped, Duration.ofSeconds(3), Optional.empty()));

    SpanData mount = span("csi4j.mount");
    assertThat(mount.getEndEpochNanos() - mount.getStartEpochNanos())
        .isEqualTo(Duration.ofSeconds(3).toNanos());
    assertThat(exporter.getFinishedSpanItems()).hasSize(1);
  }

  // ---- calls of the client

  @Test
  void everyAttemptOfACallIsAChildOfItsCaller() {
    fake.inject(
        Fault.fail(StatusCode.UNAVAILABLE, "not now"),
        When.calling(CsiOperation.NODE_GET_INFO).once());
    ConnectOptions options =
        ConnectOptions.builder()
            .listener(tracing.calls())
            .policies(policy -> policy.attempts(3).backoff(Duration.ofMillis(1)))
            .build();
    Span job = host.spanBuilder("look").startSpan();
    try (CsiPlugin plugin = CsiPlugin.connect(fake.endpoint(), options);
        Scope unused = job.makeCurrent()) {
      assertThat(plugin.node().getInfo().nodeId()).isEqualTo(NodeId.of("node-1"));
    } finally {
      job.end();
    }

    Eventually.isTrue("both have ended", () -> spans("csi.v1.Node/NodeGetInfo").size() == 2);
    List<SpanData> attempts = spans("csi.v1.Node/NodeGetInfo");
    SpanData look = span("look");
    attempts.forEach(attempt -> isChild(attempt, look));
    assertThat(attempts)
        .extracting(attempt -> attempt.getAttributes().get(AttributeKey.longKey("csi4j.attempt")))
        .containsExactly(1L, 2L);
    assertThat(attempts)
        .extracting(
            attempt -> attempt.getAttributes().get(AttributeKey.longKey("rpc.grpc.status_code")))
        .containsExactly(14L, 0L);
  }

  @Test
  void theFirstCallOfAConnectionIsAChildOfItsCallerToo() throws IOException {
    ConnectOptions options = ConnectOptions.builder().listener(tracing.calls()).build();
    NodeStageVolumeRequest staged =
        NodeStageVolumeRequest.builder(
                VOLUME,
                PluginPath.of(Files.createDirectory(directory.resolve("s")).toString()),
                VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER, MountOptions.none()))
            .build();
    Span job = host.spanBuilder("first").startSpan();
    try (CsiPlugin plugin = CsiPlugin.connect(fake.endpoint(), options);
        Scope unused = job.makeCurrent()) {
      for (int connection = 1; connection <= 2; connection++) {
        // What the plugin offers has to be asked for first, each time.
        plugin.node().stageVolume(staged);
        fake.restart();
      }
    } finally {
      job.end();
    }

    // An attempt that the restart cut off may have come before one of them.
    Eventually.isTrue(
        "both have ended",
        () ->
            spans("csi.v1.Node/NodeStageVolume").stream()
                    .filter(call -> attributes(call).get("rpc.grpc.status_code").equals(0L))
                    .count()
                == 2);
    SpanData first = span("first");
    spans("csi.v1.Node/NodeStageVolume").forEach(call -> isChild(call, first));
  }

  // ---- claims

  @Test
  void whatIsDoneForAClaimIsAChildOfItsWork() {
    ClaimCoordinator claims = coordinator();
    Span job = host.spanBuilder("place job").startSpan();
    try (Scope unused = job.makeCurrent()) {
      assertThat(claims.acquire(claim("web-1", "n1")).usage().workload().value())
          .isEqualTo("web-1");
      assertThat(Span.current()).as("the context is as before").isSameAs(job);
    } finally {
      job.end();
    }
    ClaimException refused =
        catchThrowableOfType(ClaimException.class, () -> claims.acquire(claim("web-2", "n2")));
    assertThat(refused.operatorMessage().code()).isEqualTo(OperatorCode.CLAIM_HELD_BY);

    List<SpanData> acquired = spans("csi4j.claim.acquire");
    assertThat(acquired).hasSize(2);
    isChild(acquired.get(0), span("place job"));
    isChild(span("csi4j.claim.attach"), acquired.get(0));
    isChild(span("inside the storage system"), span("csi4j.claim.attach"));
    assertThat(attributes(acquired.get(0)))
        .containsOnly(
            Map.entry("csi4j.volume", "default/db"),
            Map.entry("csi4j.workload", "web-1"),
            Map.entry("csi4j.code", "OK"));
    assertThat(attributes(acquired.get(1)))
        .containsEntry("csi4j.code", refused.operatorMessage().code().name());
    assertThat(Span.current().getSpanContext().isValid()).isFalse();
  }

  private ClaimCoordinator coordinator() {
    StorageController attaching =
        new StorageController() {
          @Override
          public boolean attaches(VolumeKey volume) {
            return true;
          }

          @Override
          public ControllerAnswer attach(AttachmentTask task, Guard guard) {
            host.spanBuilder("inside the storage system").startSpan().end();
            return new ControllerAnswer.Attached(PublishContext.empty());
          }

          @Override
          public ControllerAnswer detach(AttachmentTask task, Guard guard) {
            return new ControllerAnswer.Detached();
          }
        };
    return new ClaimCoordinator(
        new ClaimBook(new MemoryStore(), Clock.systemUTC()),
        attaching,
        Clock.systemUTC(),
        tracing.claims());
  }

  private static ClaimRequest claim(String workload, String node) {
    return ClaimRequest.builder(
            VolumeUse.of(VolumeKey.of("db"), WorkloadId.of(workload)),
            NodeName.of(node),
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .nodeId(NodeId.of("id-" + node))
        .build();
  }

  // ---- trouble and ends

  @Test
  void aTracerThatThrowsHurtsNoOperation() {
    OpenTelemetry broken =
        new OpenTelemetry() {
          @Override
          public io.opentelemetry.api.trace.TracerProvider getTracerProvider() {
            return new io.opentelemetry.api.trace.TracerProvider() {
              @Override
              public Tracer get(String scope) {
                return name -> {
                  throw new IllegalStateException("a broken tracer");
                };
              }

              @Override
              public Tracer get(String scope, String version) {
                return get(scope);
              }
            };
          }

          @Override
          public io.opentelemetry.context.propagation.ContextPropagators getPropagators() {
            return io.opentelemetry.context.propagation.ContextPropagators.noop();
          }
        };
    VolumeEvent.Listener asking =
        new VolumeEvent.Listener() {
          @Override
          public void on(VolumeEvent event) {
            throw new IllegalStateException("never shown");
          }

          @Override
          public void asked(OperationId operation) {
            throw new IllegalStateException("never shown");
          }
        };
    try (VolumeManager manager =
        manager(CsiTracing.of(broken).volumes(), asking, tracing.volumes())) {
      assertThat(manager.mount(request()).usage()).isEqualTo(USE);
      assertThat(manager.unmount(USE)).isEqualTo(UnmountOutcome.LAST);
    }
    assertThat(span("csi4j.mount").hasEnded()).isTrue();
    fake.assertLawful();
  }

  @Test
  void closingEndsWhatIsOpenAndBeginsNoMore() {
    VolumeEvent.Listener volumes = tracing.volumes();
    VolumeEvent.Started started =
        new VolumeEvent.Started(
            new OperationId(1), VolumeEvent.Operation.MOUNT, PLUGIN, Optional.of(USE));
    volumes.on(started);
    assertThat(exporter.getFinishedSpanItems()).isEmpty();

    tracing.close();
    tracing.close();
    assertThat(exporter.getFinishedSpanItems()).hasSize(1);
    volumes.on(new VolumeEvent.Ended(started, Duration.ofMillis(1), Optional.empty()));
    volumes.on(started);
    assertThat(coordinator().acquire(claim("web-1", "n1")).epoch()).isPositive();
    assertThat(exporter.getFinishedSpanItems())
        .extracting(SpanData::getName)
        .containsExactly("csi4j.mount", "inside the storage system");
  }

  @Test
  void callersWhoseOperationNeverBeginsDoNotPileUp() {
    NewestContexts callers = new NewestContexts();
    Span job = host.spanBuilder("job").startSpan();
    callers.note(0);
    assertThat(callers.size()).as("without a trace").isZero();
    try (Scope unused = job.makeCurrent()) {
      for (long id = 1; id <= 100_000; id++) {
        callers.note(id);
      }
    } finally {
      job.end();
    }
    assertThat(callers.size()).isEqualTo(1_000);
    assertThat(Span.fromContext(callers.take(100_000))).isSameAs(job);
    assertThat(callers.take(100_000)).isSameAs(Context.root());
    assertThat(callers.take(1)).isSameAs(Context.root());
  }

  @Test
  void nothingIsLeftOpenWhenAllHasEnded() {
    OpenSpans open = new OpenSpans();
    Span one = host.spanBuilder("one").startSpan();
    open.add(one);
    assertThat(open.size()).isEqualTo(1);
    open.remove(one);
    assertThat(open.size()).isZero();
    open.close();
    open.add(host.spanBuilder("late").startSpan());
    assertThat(open.size()).isZero();
    assertThat(exporter.getFinishedSpanItems())
        .extracting(SpanData::getName)
        .containsExactly("late");
  }

  @Test
  void aProgramWithTheClientAloneNeedsNoVolumeManager() throws Exception {
    List<URL> path = new ArrayList<>();
    for (String part : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (!part.contains("volume-") && !part.contains("csi4j-claims")) {
        path.add(Path.of(part).toUri().toURL());
      }
    }
    try (URLClassLoader alone =
        new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Runnable traced =
          (Runnable) alone.loadClass(TracedAlone.class.getName()).getConstructor().newInstance();
      // OpenTelemetry looks there for what keeps the current span.
      Thread.currentThread().setContextClassLoader(alone);
      traced.run();
      assertThat(traced).hasToString("csi.v1.Identity/Probe");
    } finally {
      Thread.currentThread().setContextClassLoader(getClass().getClassLoader());
    }
  }

  // ---- the page

  @Test
  void theTableOfThePageHasEverySpanWithItsAttributes() throws IOException {
    anOperationIsAChildOfItsCallerAndItsCallsAreItsChildren();
    everyAttemptOfACallIsAChildOfItsCaller();
    whatIsDoneForAClaimIsAChildOfItsWork();
    Map<String, Set<String>> real = new TreeMap<>();
    exporter.getFinishedSpanItems().stream()
        .filter(span -> span.getInstrumentationScopeInfo().getName().equals("io.csi4j"))
        .forEach(
            span ->
                real.computeIfAbsent(kind(span), kind -> new TreeSet<>())
                    .addAll(attributes(span).keySet()));
    Map<String, Set<String>> told =
        Files.readString(ROOT.resolve("docs/metrics.md"))
            .lines()
            .filter(
                line -> line.matches("\\| `(csi4j\\.|csi\\.v1\\.).*` \\| (internal|client) \\|.*"))
            .map(line -> line.split("\\|", -1))
            .filter(cells -> !cells[1].contains("csi4j.controller"))
            .collect(
                Collectors.toMap(
                    cells -> cells[1].strip().replace("`", "") + " " + cells[2].strip(),
                    cells ->
                        Pattern.compile("`(csi4j[^`]*)`")
                            .matcher(cells[3])
                            .results()
                            .map(found -> found.group(1))
                            .collect(Collectors.toSet())));
    real.values().forEach(names -> names.removeIf(name -> !name.startsWith("csi4j.")));

    assertThat(real).isEqualTo(told);
  }

  /** The row of the page that tells of a span. */
  private static String kind(SpanData span) {
    String kind = span.getKind() == SpanKind.CLIENT ? " client" : " internal";
    if (span.getKind() == SpanKind.CLIENT) {
      return "csi.v1.SERVICE/CALL" + kind;
    }
    return (span.getName().startsWith("csi4j.claim.") ? "csi4j.claim.WORK" : "csi4j.OPERATION")
        + kind;
  }
}
