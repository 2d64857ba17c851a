package io.csi4j.volume.plugin.registration;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.registration.PluginRegistrar;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.FakeRegistrar;
import io.csi4j.testkit.FakeRegistrar.Announced;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.registration.RegistrationWatch.Announcement;
import io.csi4j.volume.plugin.registration.RegistrationWatch.Policy.Decision;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.plugin.supervision.PluginSupervisor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plugins that come by a registrar, as the registry and the supervisor see them. */
class AnnouncedPluginTest {

  private static final InstanceId INSTANCE = InstanceId.of("pod-7");

  @TempDir Path home;

  private final PluginRegistry registry = InMemoryPluginRegistry.open();
  private final Queue<RegistrationWatch.Event> events = new ConcurrentLinkedQueue<>();
  private FakeCsiPlugin plugin;
  private PluginName name;
  private PluginId id;
  private Path directory;

  @BeforeEach
  void startThePlugin() throws IOException {
    plugin = FakeCsiPlugin.open();
    name = plugin.shape().name();
    id = PluginId.of(name.value());
    directory = Files.createDirectory(home.resolve("reg"));
  }

  @AfterEach
  void stopThePlugin() {
    plugin.close();
  }

  private RegistrationWatch.Builder watch() {
    return RegistrationWatch.builder(directory, registry)
        .listener(events::add)
        .interval(Duration.ofMillis(10))
        .grace(Duration.ofMillis(50));
  }

  private static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).isNegative();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private Decision supervised(Announcement announcement) {
    Path socket = announcement.endpoint().path();
    return new Decision.Supervise(
        PluginConfig.builder(announcement.name().value(), socket.getParent())
            .socketName(socket.getFileName().toString())
            .volumeRoot(home.resolve("volumes"))
            .build(),
        INSTANCE);
  }

  @Test
  void anAnnouncedPluginIsInTheRegistryUntilItsRegistrarIsGone() {
    try (RegistrationWatch watch = watch().open();
        FakeRegistrar registrar = FakeRegistrar.open(directory, name, plugin.endpoint())) {
      until(() -> !registrar.told().isEmpty());
      assertThat(registrar.told()).containsExactly(PluginRegistrar.Outcome.accepted());
      assertThat(registry.get(id, PluginRole.NODE).registration())
          .satisfies(
              known -> {
                assertThat(known.binding().endpoint()).isEqualTo(plugin.endpoint());
                assertThat(known.instance()).isEqualTo(InstanceId.of(name.value() + "-reg.sock"));
                assertThat(known.binding().connectOptions().requiredName()).contains(name);
              });
      registrar.start();
      until(() -> registrar.told().size() == 2);
      assertThat(registry.plugins()).hasSize(1);

      registrar.close();
      until(() -> registry.plugins().isEmpty());
      until(() -> watch.registered().isEmpty());
    }
  }

  @Test
  void anAnnouncedPluginIsWatchedOverIfTheHostWantsThat() {
    try (PluginSupervisor supervisor = PluginSupervisor.open(registry);
        RegistrationWatch watch = watch().supervisor(supervisor).policy(this::supervised).open();
        FakeRegistrar registrar = FakeRegistrar.open(directory, name, plugin.endpoint())) {
      until(
          () -> registry.find(id, PluginRole.NODE).filter(it -> it.health().isReady()).isPresent());
      assertThat(registry.get(id, PluginRole.NODE).registration().instance()).isEqualTo(INSTANCE);
      until(() -> registrar.told().equals(List.of(PluginRegistrar.Outcome.accepted())));

      registrar.start();
      until(() -> registrar.told().size() == 2);
      assertThat(registry.get(id, PluginRole.NODE).health().isReady()).isTrue();
      registrar.close();
      until(() -> registry.plugins().isEmpty());
      until(() -> events.size() == 3);
      assertThat(events)
          .extracting(event -> event.getClass().getSimpleName())
          .containsExactly("Registered", "Registered", "Deregistered");
      until(() -> watch.registered().isEmpty());
    }
  }

  @Test
  void withoutASupervisorNothingIsWatchedOver() {
    try (RegistrationWatch watch = watch().policy(this::supervised).open();
        FakeRegistrar registrar = FakeRegistrar.open(directory, name, plugin.endpoint())) {
      until(() -> !registrar.told().isEmpty());
      assertThat(registrar.told().get(0).error())
          .contains(": registering it failed: the watch was given no supervisor; earlier");
      until(() -> watch.registered().isEmpty());
    }
  }

  @Test
  void whyAPluginCannotBeConfiguredIsToldToItsRegistrarAndToTheListener() {
    RegistrationWatch.Policy policy =
        announcement ->
            new Decision.Supervise(
                PluginConfig.builder("a/b", announcement.endpoint().path().getParent()).build(),
                INSTANCE);
    try (RegistrationWatch watch = watch().policy(policy).open();
        FakeRegistrar registrar = FakeRegistrar.open(directory, name, plugin.endpoint())) {
      until(() -> !registrar.told().isEmpty());
      until(() -> !events.isEmpty());
      assertThat(registrar.told().get(0).error())
          .startsWith("CSI-328 PLUGIN_CONFIG_REFUSED: configuring the plugin 'a/b': ");
      assertThat(events)
          .singleElement()
          .isInstanceOfSatisfying(
              RegistrationWatch.Event.Noticed.class,
              noticed ->
                  assertThat(noticed.message().line()).isEqualTo(registrar.told().get(0).error()));
      assertThat(watch.registered()).isEmpty();
    }
  }

  @Test
  void anInstanceThatIsRegisteredElsewhereIsNotReplacedByARegistrar() {
    PluginRegistration other =
        PluginRegistration.node(
            io.csi4j.volume.model.PluginBinding.of(id, CsiEndpoint.of(home.resolve("other.sock"))),
            InstanceId.of(name.value() + "-reg.sock"));
    registry.register(other);
    try (RegistrationWatch watch = watch().open();
        FakeRegistrar registrar =
            FakeRegistrar.builder(directory)
                .announce(Announced.of(name, plugin.endpoint()))
                .open()) {
      until(() -> !registrar.told().isEmpty());
      assertThat(registrar.told().get(0).registered()).isFalse();
      until(() -> !events.isEmpty());
      assertThat(events)
          .singleElement()
          .isInstanceOfSatisfying(
              RegistrationWatch.Event.Noticed.class,
              noticed -> {
                assertThat(noticed.message().code()).isEqualTo(OperatorCode.PLUGIN_DUPLICATE);
                assertThat(registrar.told().get(0).error()).isEqualTo(noticed.message().line());
              });
      assertThat(Optional.of(registry.get(id, PluginRole.NODE).registration())).contains(other);
      until(() -> watch.registered().isEmpty());
    }
  }
}
