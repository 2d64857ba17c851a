package io.csi4j.volume.plugin.supervision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.mount.real.Eventually;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginHandle;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A registry without a manager, with real threads. */
@Isolated("Counts threads.")
class InMemoryPluginRegistryTest {

  private static final PluginId ID = PluginId.of("plugin");
  private static final PluginHealth READY =
      new PluginHealth(
          State.READY, Reason.ANSWERED, new PluginHealth.Text("it is ready"), Instant.EPOCH);

  private final PluginRegistry registry = InMemoryPluginRegistry.open();

  private static PluginRegistration instance(String name) {
    return new PluginRegistration(
        PluginBinding.of(ID, CsiEndpoint.of(Path.of("/run/" + name + ".sock"))),
        InstanceId.of(name),
        EnumSet.allOf(PluginRole.class));
  }

  @Test
  void aRegistryThatIsClosedRegistersNothingAndEndsItsWaiters() {
    CompletableFuture<RegisteredPlugin> waiter;
    PluginRegistry.Closeable closed = InMemoryPluginRegistry.open();
    try (closed) {
      closed.register(instance("a"));
      waiter = closed.await(ID, PluginRole.NODE, Duration.ofHours(1));
    }
    closed.close();

    ExecutionException ended =
        catchThrowableOfType(ExecutionException.class, () -> waiter.get(60, TimeUnit.SECONDS));
    assertThat(ended.getCause())
        .isInstanceOf(PluginException.class)
        .hasMessageStartingWith(
            "CSI-904 ENGINE_CLOSED: looking for the node plugin 'plugin': the plugins were closed"
                + " meanwhile;");
    assertThatExceptionOfType(PluginException.class)
        .isThrownBy(() -> closed.register(instance("b")))
        .withMessageStartingWith(
            "CSI-904 ENGINE_CLOSED: registering plugin 'plugin' (instance 'b') at"
                + " unix:///run/b.sock: the registry of plugins was closed before;");
    assertThat(closed.plugins())
        .extracting(each -> each.registration().instance())
        .containsExactly(InstanceId.of("a"));
  }

  @Test
  void anInstanceIsRegisteredForTheRolesOfItsFactory() {
    PluginBinding binding = PluginBinding.of(ID, CsiEndpoint.of(Path.of("/run/a.sock")));

    Set<PluginRole> node = EnumSet.of(PluginRole.NODE);
    Set<PluginRole> controller = EnumSet.of(PluginRole.CONTROLLER);
    Set<PluginRole> both = EnumSet.allOf(PluginRole.class);
    InstanceId one = InstanceId.of("pod-7");

    assertThat(
            List.of(
                PluginRegistration.node(binding),
                PluginRegistration.controller(binding),
                PluginRegistration.monolith(binding),
                PluginRegistration.node(binding, one),
                PluginRegistration.controller(binding, one),
                PluginRegistration.monolith(binding, one)))
        .containsExactly(
            new PluginRegistration(binding, InstanceId.ONLY, node),
            new PluginRegistration(binding, InstanceId.ONLY, controller),
            new PluginRegistration(binding, InstanceId.ONLY, both),
            new PluginRegistration(binding, one, node),
            new PluginRegistration(binding, one, controller),
            new PluginRegistration(binding, one, both));
  }

  @Test
  @Tag("S-41")
  void noEventIsLostOrOutOfOrderHoweverManyRegisterAtOnce() throws Exception {
    int workers = 4;
    int rounds = 250;
    Map<InstanceId, String> last = new ConcurrentHashMap<>();
    List<String> wrong = new ArrayList<>();
    AtomicInteger heard = new AtomicInteger();
    AutoCloseable listening =
        registry.listen(
            PluginRole.CONTROLLER,
            event -> {
              String now = event.getClass().getSimpleName();
              String before = last.put(event.instance(), now);
              if (now.equals(before)
                  || (before == null && !(event instanceof PluginEvent.Registered))) {
                wrong.add(event.instance() + ": " + before + ", " + now);
              }
              heard.incrementAndGet();
            });
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      String name = "i" + i;
      Thread worker =
          new Thread(
              () -> {
                for (int round = 0; round < rounds; round++) {
                  registry.register(instance(name)).close();
                }
              },
              "test-" + name);
      worker.start();
      all.add(worker);
    }
    for (Thread worker : all) {
      worker.join();
    }

    Eventually.isTrue("all is told", () -> heard.get() >= workers * rounds * 2);
    assertThat(heard).hasValue(workers * rounds * 2);
    assertThat(wrong).isEmpty();
    assertThat(registry.plugins()).isEmpty();
    listening.close();
  }

  @Test
  @Tag("T-05")
  void aListenerThatBlocksHoldsUpNobodyElse() throws Exception {
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    AutoCloseable blocking =
        registry.listen(
            PluginRole.NODE,
            event -> {
              blocked.countDown();
              try {
                end.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    List<InstanceId> heard = new ArrayList<>();
    CountDownLatch both = new CountDownLatch(2);
    AutoCloseable listening =
        registry.listen(
            PluginRole.NODE,
            event -> {
              heard.add(event.instance());
              both.countDown();
            });

    PluginHandle one = registry.register(instance("one"));
    assertThat(blocked.await(60, TimeUnit.SECONDS)).isTrue();
    PluginHandle two = registry.register(instance("two"));

    assertThat(both.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(heard).containsExactly(one.registration().instance(), two.registration().instance());
    assertThat(registry.find(ID, PluginRole.NODE)).isPresent();
    end.countDown();
    blocking.close();
    listening.close();
  }

  @Test
  void whoWaitsIsServedOrToldWhatThereIsAndNoThreadStays() throws Exception {
    CompletableFuture<RegisteredPlugin> served =
        registry.await(ID, PluginRole.NODE, Duration.ofMinutes(10));
    CompletableFuture<RegisteredPlugin> late =
        registry.await(PluginId.of("other"), PluginRole.NODE, Duration.ofMillis(10));

    registry.register(instance("one")).report(READY);

    assertThat(served.get(60, TimeUnit.SECONDS).health()).isEqualTo(READY);
    ExecutionException failure =
        catchThrowableOfType(ExecutionException.class, () -> late.get(60, TimeUnit.SECONDS));
    assertThat(((PluginException) failure.getCause()).operatorMessage().code())
        .isEqualTo(OperatorCode.PLUGIN_NOT_REGISTERED);
    Eventually.isTrue("no thread works", () -> Waits.working("csi4j-volume-plugin").isEmpty());
  }
}
