package io.csi4j.opentelemetry;

import static io.csi4j.opentelemetry.RecordedSpans.attributes;
import static io.csi4j.opentelemetry.RecordedSpans.isChild;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.mount.real.Eventually;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.controller.ControllerEvent;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.ControllerSettings;
import io.csi4j.volume.controller.SnapshotName;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkContext;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The traces of a control plane: operations of a controller, their calls, and claims. */
class ControllerTracingTest {

  private static final PluginId PLUGIN = PluginId.of("fake");
  private static final VolumeKey DB = VolumeKey.of("db");
  private static final NodeId NODE = NodeId.of("node-1");
  private static final String SECRET = "hush-hush-hush";

  private final RecordedSpans spans = new RecordedSpans();
  private final CsiTracing tracing = CsiTracing.of(spans.telemetry, RpcConvention.STABLE);
  private final MemoryStore claims = new MemoryStore();
  private FakeCsiPlugin fake;
  private VolumeController controller;

  @BeforeEach
  void open() {
    fake =
        FakeCsiPlugin.builder()
            .shape(PluginShape.full())
            .nodes(NODE)
            .effects(NodeEffects.none())
            .open();
    controller = controller(tracing.controllers());
  }

  private VolumeController controller(ControllerEvent.Listener... listeners) {
    return controller("one", LocalStore.on(MemoryMedium.create().open()), listeners);
  }

  private VolumeController controller(
      String name, RecordStore store, ControllerEvent.Listener... listeners) {
    PluginRegistry plugins = InMemoryPluginRegistry.open();
    plugins.register(PluginRegistration.controller(PluginBinding.of(PLUGIN, fake.endpoint())));
    VolumeController.Builder builder =
        VolumeController.builder(plugins, store)
            .controlPlane(name)
            .settings(ControllerSettings.builder().policy(policy -> policy.attempts(1)).build())
            .told(message -> {})
            .secrets(reference -> operation -> Secrets.of(Map.of("password", SECRET)))
            .claims(claims);
    List.of(listeners).forEach(builder::listener);
    return builder.open();
  }

  @AfterEach
  void close() {
    controller.close();
    fake.assertLawful();
    fake.close();
    spans.close();
  }

  private static VolumeSpec spec() {
    return VolumeSpec.builder(PLUGIN)
        .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
        .capacity(CapacityRange.atLeast(16 << 20))
        .secrets(SecretsReference.of("vault:db"))
        .parameters(Map.of("tier", "platinum-tier"))
        .build();
  }

  /** Works as a child of a span of the host, and returns that span. */
  private <T> T within(String name, Supplier<T> work) {
    Span span = spans.host.spanBuilder(name).startSpan();
    try (Scope unused = span.makeCurrent()) {
      T result = work.get();
      assertThat(Span.current()).as("the context is as before").isSameAs(span);
      return result;
    } finally {
      span.end();
    }
  }

  private void isCallOf(String call, SpanData operation) {
    SpanData span = spans.one("csi.v1." + call);
    isChild(span, operation);
    assertThat(span.getKind()).isEqualTo(SpanKind.CLIENT);
    assertThat(attributes(span))
        .containsOnly(
            Map.entry("rpc.system.name", "grpc"),
            Map.entry("rpc.method", "csi.v1." + call),
            Map.entry("rpc.status_code", "OK"),
            Map.entry("server.address", fake.endpoint().path().toString()),
            Map.entry("network.peer.address", fake.endpoint().path().toString()),
            Map.entry("csi4j.plugin", "fake"),
            Map.entry("csi4j.sent", true));
    assertThat(span.getStartEpochNanos()).isGreaterThanOrEqualTo(operation.getStartEpochNanos());
    assertThat(span.getEndEpochNanos()).isLessThanOrEqualTo(operation.getEndEpochNanos());
  }

  @Test
  void eachOperationIsAChildOfItsCallerAndItsCallIsItsChild() {
    within("create", () -> controller.create(DB, spec()));
    within("expand", () -> controller.expand(DB, CapacityRange.atLeast(32 << 20)));
    Snapshot snapshot =
        within(
            "snapshot", () -> controller.createSnapshot(DB, SnapshotName.of("nightly"), Map.of()));
    within(
        "delete snapshot",
        () -> {
          controller.deleteSnapshot(PLUGIN, snapshot, Optional.empty());
          return true;
        });
    within(
        "delete",
        () -> {
          controller.delete(DB);
          return true;
        });

    SpanData create = spans.one("csi4j.controller.create");
    isChild(create, spans.one("create"));
    assertThat(create.getKind()).isEqualTo(SpanKind.INTERNAL);
    assertThat(attributes(create))
        .containsOnly(Map.entry("csi4j.volume", "default/db"), Map.entry("csi4j.code", "OK"));
    isCallOf("Controller/CreateVolume", create);

    SpanData expand = spans.one("csi4j.controller.expand");
    isChild(expand, spans.one("expand"));
    isCallOf("Controller/ControllerExpandVolume", expand);

    SpanData cut = spans.one("csi4j.controller.create_snapshot");
    isChild(cut, spans.one("snapshot"));
    isCallOf("Controller/CreateSnapshot", cut);

    SpanData drop = spans.one("csi4j.controller.delete_snapshot");
    isChild(drop, spans.one("delete snapshot"));
    isCallOf("Controller/DeleteSnapshot", drop);
    assertThat(attributes(drop)).as("its volume is not known").containsOnlyKeys("csi4j.code");

    SpanData delete = spans.one("csi4j.controller.delete");
    isChild(delete, spans.one("delete"));
    isCallOf("Controller/DeleteVolume", delete);

    assertThat(spans.all().toString())
        .doesNotContain(SECRET)
        .doesNotContain("password")
        .doesNotContain("vault:db")
        .doesNotContain("platinum-tier");
  }

  @Test
  void anOperationOfACallerWithoutATraceBeginsOneAlsoIfNobodyWaits() throws Exception {
    controller.async().create(DB, spec()).toCompletableFuture().get();
    SpanData create = spans.one("csi4j.controller.create");
    assertThat(create.getParentSpanContext().isValid()).isFalse();
    isCallOf("Controller/CreateVolume", create);
  }

  @Test
  void aFailureHasItsCodeAndNoText() {
    fake.inject(
        Fault.fail(StatusCode.INVALID_ARGUMENT, "the password " + SECRET + " is wrong"),
        When.calling(CsiOperation.CREATE_VOLUME));
    ControllerException refused =
        catchThrowableOfType(ControllerException.class, () -> controller.create(DB, spec()));

    SpanData create = spans.one("csi4j.controller.create");
    assertThat(attributes(create)).containsEntry("csi4j.code", refused.code().name());
    assertThat(create.getStatus().getStatusCode())
        .isEqualTo(io.opentelemetry.api.trace.StatusCode.ERROR);
    assertThat(attributes(spans.one("csi.v1.Controller/CreateVolume")))
        .containsEntry("rpc.status_code", "INVALID_ARGUMENT")
        .containsEntry("error.type", "INVALID_ARGUMENT")
        .containsEntry("csi4j.sent", true);
    assertThat(spans.all().toString()).doesNotContain(SECRET).doesNotContain("is wrong");
  }

  @Test
  void anOperationWhosePluginIsGoneHasNoCall() {
    fake.stop();
    ControllerException down =
        catchThrowableOfType(ControllerException.class, () -> controller.create(DB, spec()));
    assertThat(down.code()).isEqualTo(OperatorCode.PLUGIN_SOCKET_STALE);
    fake.start();

    // Without the capabilities of the plugin nothing is called.
    assertThat(attributes(spans.one("csi4j.controller.create")))
        .containsEntry("csi4j.code", "PLUGIN_SOCKET_STALE");
    assertThat(spans.named("csi.v1.Controller/CreateVolume")).isEmpty();
  }

  @Test
  void anAttachmentIsAChildOfTheWorkOnItsClaim() {
    assertThat(controller.create(DB, spec()).key()).isEqualTo(DB);
    ClaimCoordinator coordinator =
        new ClaimCoordinator(
            new ClaimBook(claims, Clock.systemUTC()),
            controller.attachments(),
            Clock.systemUTC(),
            tracing.claims());
    ClaimRequest request =
        ClaimRequest.builder(
                VolumeUse.of(DB, WorkloadId.of("web-1")),
                NodeName.of("n1"),
                new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
                ClaimMode.WRITE)
            .nodeId(NODE)
            .build();

    ClaimGrant grant = within("place job", () -> coordinator.acquire(request));
    SpanData acquire = spans.one("csi4j.claim.acquire");
    isChild(acquire, spans.one("place job"));
    SpanData claimed = spans.one("csi4j.claim.attach");
    isChild(claimed, acquire);
    SpanData attach = spans.one("csi4j.controller.attach");
    isChild(attach, claimed);
    assertThat(attributes(attach))
        .containsOnly(Map.entry("csi4j.volume", "default/db"), Map.entry("csi4j.code", "OK"));
    isCallOf("Controller/ControllerPublishVolume", attach);

    coordinator.release(request.usage());
    ClaimProgress gone =
        coordinator.confirmRelease(
            new NodeReceipt(
                request.usage(),
                grant.epoch(),
                NodeName.of("n1"),
                "boot-1",
                List.of(Path.of("/node")),
                NodeReceipt.Staging.GONE));
    assertThat(gone).isEqualTo(new ClaimProgress.Gone(request.usage()));
    SpanData detach = spans.one("csi4j.controller.detach");
    isChild(detach, spans.one("csi4j.claim.detach"));
    isCallOf("Controller/ControllerUnpublishVolume", detach);
  }

  @Test
  void workOfTheHostWithinAnOperationIsAChildOfIt() {
    VolumeController watched =
        controller(
            tracing.controllers(),
            event -> {
              if (event instanceof ControllerEvent.Started) {
                spans.host.spanBuilder("inside").startSpan().end();
              }
            });
    try {
      assertThat(watched.create(DB, spec()).key()).isEqualTo(DB);
    } finally {
      watched.close();
    }
    isChild(spans.one("inside"), spans.one("csi4j.controller.create"));
  }

  @Test
  void aListenerThatThrowsOrNeverRunsItsWorkHarmsNoOperation() {
    ControllerEvent.Listener throwing =
        new ControllerEvent.Listener() {
          @Override
          public void on(ControllerEvent event) {
            throw new IllegalStateException("a broken listener");
          }

          @Override
          public void asked(OperationId operation) {
            throw new LinkageError("a broken listener");
          }

          @Override
          public WorkContext calling(ControllerEvent.Started operation, CsiOperation call) {
            throw new IllegalStateException("a broken listener");
          }
        };
    ControllerEvent.Listener lazy =
        new ControllerEvent.Listener() {
          @Override
          public void on(ControllerEvent event) {}

          @Override
          public WorkContext calling(ControllerEvent.Started operation, CsiOperation call) {
            return work -> {};
          }
        };
    ControllerEvent.Listener failing =
        new ControllerEvent.Listener() {
          @Override
          public void on(ControllerEvent event) {}

          @Override
          public WorkContext calling(ControllerEvent.Started operation, CsiOperation call) {
            return work -> {
              work.run();
              work.run();
              throw new IllegalStateException("a broken context");
            };
          }
        };
    VolumeController watched = controller(throwing, lazy, failing, tracing.controllers());
    try {
      assertThat(watched.create(DB, spec()).key()).isEqualTo(DB);
    } finally {
      watched.close();
    }
    isCallOf("Controller/CreateVolume", spans.one("csi4j.controller.create"));
    assertThat(fake.journal().calls(CsiOperation.CREATE_VOLUME)).hasSize(1);
  }

  @Test
  void anAttemptInTheBackgroundHasATraceThatItBegins() {
    assertThat(controller.create(DB, spec()).key()).isEqualTo(DB);
    fake.inject(
        Fault.fail(StatusCode.UNAVAILABLE, "not now"),
        When.calling(CsiOperation.DELETE_VOLUME).once());
    within(
        "delete",
        () -> catchThrowableOfType(ControllerException.class, () -> controller.delete(DB)));

    SpanData retry = spans.one("csi4j.controller.retry");
    assertThat(retry.getParentSpanContext().isValid()).isFalse();
    assertThat(attributes(retry))
        .containsOnly(Map.entry("csi4j.volume", "default/db"), Map.entry("csi4j.code", "OK"));
  }

  @Test
  void theWaitForAnotherControlPlaneIsAChildOfTheOperation() throws Exception {
    MemoryStore shared = new MemoryStore();
    CountDownLatch waiting = new CountDownLatch(1);
    ControllerEvent.Listener slow =
        new ControllerEvent.Listener() {
          @Override
          public void on(ControllerEvent event) {}

          @Override
          public WorkContext calling(ControllerEvent.Started operation, CsiOperation call) {
            try {
              assertThat(waiting.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            return WorkContext.none();
          }
        };
    ControllerEvent.Listener releasing =
        event -> {
          if (event instanceof ControllerEvent.Waiting) {
            waiting.countDown();
          }
        };
    try (VolumeController one = controller("one", shared, slow);
        VolumeController two = controller("two", shared, tracing.controllers(), releasing)) {
      var first = one.async().create(DB, spec()).toCompletableFuture();
      Eventually.isTrue("it has begun", () -> one.record(DB).isPresent());

      CatalogVolume made = two.create(DB, spec());

      assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo(made);
    }
    SpanData wait = spans.one("csi4j.controller.wait");
    isChild(wait, spans.one("csi4j.controller.create"));
    assertThat(wait.getKind()).isEqualTo(SpanKind.INTERNAL);
    assertThat(attributes(wait))
        .containsOnly(
            Map.entry("csi4j.volume", "default/db"), Map.entry("csi4j.control_plane", "one"));
  }

  @Test
  void afterClosingOperationsGoOnWithoutSpans() {
    tracing.close();
    assertThat(controller.create(DB, spec()).key()).isEqualTo(DB);
    assertThat(spans.all()).isEmpty();
  }
}
