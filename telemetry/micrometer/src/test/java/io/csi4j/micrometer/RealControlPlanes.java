package io.csi4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.mount.real.Eventually;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.controller.ControllerEvent;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.ControllerSettings;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.local.MemoryStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Two control planes on one store; the first loses the answers of the store when a test wants it.
 */
final class RealControlPlanes implements AutoCloseable {

  static final VolumeKey DB = VolumeKey.of("db");
  private static final PluginId PLUGIN = PluginId.of("fake");

  private final RecordStore memory = new MemoryStore();
  private final FakeCsiPlugin fake =
      FakeCsiPlugin.builder().shape(PluginShape.full()).effects(NodeEffects.none()).open();
  private final AtomicBoolean isLosing = new AtomicBoolean();
  private final AtomicBoolean isSilent = new AtomicBoolean();
  private final AtomicBoolean hasMissed = new AtomicBoolean();
  private final CountDownLatch removing = new CountDownLatch(1);
  private final CountDownLatch waiting = new CountDownLatch(1);
  private final CountDownLatch goingOn = new CountDownLatch(1);
  final VolumeController one;
  final VolumeController two;
  private CompletableFuture<?> deletion = new CompletableFuture<>();
  private CompletableFuture<?> resumed = new CompletableFuture<>();

  /**
   * Two control planes.
   *
   * @param first the metrics of the first
   * @param second those of the second, which may be the same
   */
  RealControlPlanes(CsiMetrics first, CsiMetrics second) {
    one = open("one", first, unreliable());
    two = open("two", second, memory);
  }

  private VolumeController open(String name, CsiMetrics metrics, RecordStore store) {
    PluginRegistry plugins = InMemoryPluginRegistry.open();
    var unused =
        plugins.register(PluginRegistration.controller(PluginBinding.of(PLUGIN, fake.endpoint())));
    VolumeController controller =
        VolumeController.builder(plugins, metrics.store(store))
            .controlPlane(name)
            .settings(ControllerSettings.builder().policy(policy -> policy.attempts(1)).build())
            .listener(metrics.controllers())
            .listener(this::happened)
            .told(metrics::message)
            .open();
    AutoCloseable watched = metrics.watch(controller);
    assertThat(watched).isNotNull();
    return controller;
  }

  private void happened(ControllerEvent event) {
    if (event instanceof ControllerEvent.Waiting) {
      waiting.countDown();
    }
  }

  // ---- the store of the first

  private RecordStore unreliable() {
    return (RecordStore)
        Proxy.newProxyInstance(
            RecordStore.class.getClassLoader(),
            new Class<?>[] {RecordStore.class},
            (proxy, method, arguments) -> called(method, arguments));
  }

  private Object called(Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("write")
        && arguments[0] instanceof List<?> writes
        && isRemoval((RecordWrite) writes.get(0))
        && isLosing.getAndSet(false)) {
      removing.countDown();
      assertThat(goingOn.await(30, TimeUnit.SECONDS)).isTrue();
      isSilent.set(true);
      return new WriteResult.Unknown(new ReasonText("it does not answer"));
    }
    if (method.getName().equals("read")
        && isSilent.get()
        && ((RecordKey) arguments[0]).space() == RecordKey.Space.VOLUMES) {
      throw new RecordStoreException(
          RecordStoreException.Reason.UNAVAILABLE, "it does not answer", null);
    }
    try {
      Object answer = method.invoke(memory, arguments);
      return answer instanceof Watch watch ? missing(watch) : answer;
    } catch (InvocationTargetException failed) {
      throw failed.getCause();
    }
  }

  private static boolean isRemoval(RecordWrite write) {
    return write.key().space() == RecordKey.Space.VOLUMES && write.next().isEmpty();
  }

  /** A watch that says once that it has missed changes. */
  private Watch missing(Watch watch) {
    return new Watch() {
      @Override
      public Optional<Change> next(java.time.Duration wait) throws InterruptedException {
        return hasMissed.compareAndSet(false, true)
            ? Optional.of(new Change.Missed(new ReasonText("the connection was lost")))
            : watch.next(wait);
      }

      @Override
      public void close() {
        watch.close();
      }
    };
  }

  // ---- what happens

  private static VolumeSpec spec() {
    return VolumeSpec.builder(PLUGIN)
        .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
        .build();
  }

  /** The second control plane brings a deletion to its end in the background. */
  void deleteInTheBackground() {
    assertThat(two.create(DB, spec()).key()).isEqualTo(DB);
    fake.inject(
        Fault.fail(StatusCode.UNAVAILABLE, "not now"),
        When.calling(CsiOperation.DELETE_VOLUME).times(2));
    ControllerException failed =
        catchThrowableOfType(ControllerException.class, () -> two.delete(DB));
    assertThat(failed.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
    Eventually.isTrue("it is deleted", () -> two.record(DB).isEmpty());
  }

  /** The first control plane deletes a volume, and stands still before the end; the other waits. */
  void delete() throws InterruptedException {
    assertThat(one.create(DB, spec()).key()).isEqualTo(DB);
    isLosing.set(true);
    deletion = one.async().delete(DB).toCompletableFuture();
    assertThat(removing.await(30, TimeUnit.SECONDS)).isTrue();
    resumed = two.async().resume(DB).toCompletableFuture();
    assertThat(waiting.await(30, TimeUnit.SECONDS)).isTrue();
  }

  /** The first control plane gives its work up, and the second takes it over. */
  void takeOver() throws Exception {
    goingOn.countDown();
    ExecutionException failed =
        catchThrowableOfType(ExecutionException.class, () -> deletion.get(30, TimeUnit.SECONDS));
    assertThat(((ControllerException) failed.getCause()).code())
        .isEqualTo(OperatorCode.CATALOG_UNCONFIRMED);
    assertThat(resumed.get(30, TimeUnit.SECONDS)).isNull();
    assertThat(fake.contents().empty()).isTrue();
  }

  /** The second control plane begins a deletion that its plugin does not do. */
  void leaveADeletion() {
    assertThat(two.create(DB, spec()).key()).isEqualTo(DB);
    fake.inject(
        Fault.fail(StatusCode.UNAVAILABLE, "not now"), When.calling(CsiOperation.DELETE_VOLUME));
    ControllerException failed =
        catchThrowableOfType(ControllerException.class, () -> two.delete(DB));
    assertThat(failed.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
  }

  @Override
  public void close() {
    goingOn.countDown();
    one.close();
    two.close();
    memory.close();
    fake.close();
  }
}
