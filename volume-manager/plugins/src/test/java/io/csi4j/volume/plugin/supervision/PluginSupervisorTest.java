package io.csi4j.volume.plugin.supervision;

import static io.csi4j.client.model.CsiOperation.GET_PLUGIN_CAPABILITIES;
import static io.csi4j.client.model.CsiOperation.GET_PLUGIN_INFO;
import static io.csi4j.client.model.CsiOperation.NODE_GET_CAPABILITIES;
import static io.csi4j.client.model.CsiOperation.NODE_GET_INFO;
import static io.csi4j.client.model.CsiOperation.PROBE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.volume.internal.text.CapturedLog;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.plugin.SupervisedPlugin;
import io.csi4j.volume.plugin.SupervisedPlugin.StartTimeout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Plugins behind real sockets that come, fail, and are replaced. */
@Isolated("Counts threads, and reads the log of the modules.")
class PluginSupervisorTest {

  private static final PluginId ID = PluginId.of("fake");
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);
  private static final String NAME = PluginShape.full().name().value();
  private static final String VERSION = PluginShape.full().vendorVersion();

  @TempDir Path directory;

  private final PluginRegistry registry = InMemoryPluginRegistry.open();
  private final Queue<PluginEvent> events = new ConcurrentLinkedQueue<>();
  private final Queue<StartTimeout> timeouts = new ConcurrentLinkedQueue<>();
  private final PluginSupervisor supervisor =
      PluginSupervisor.builder(registry).listener(events::add).onStartTimeout(timeouts::add).open();

  /** How many threads a supervisor has while it tells nothing: two, and one for the time. */
  private static final int WORKERS = 3;

  private final List<FakeCsiPlugin> open = new ArrayList<>();

  @AfterEach
  void nothingIsLeft() {
    supervisor.close();
    open.forEach(FakeCsiPlugin::close);
    assertThat(registry.plugins()).isEmpty();
    until(() -> threads().isEmpty());
  }

  // ---- helpers

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(each -> each.startsWith("csi4j-volume-supervisor"))
        .toList();
  }

  /** The threads that stay, without the one that tells listeners. */
  private static List<String> workers() {
    return threads().stream().filter(each -> !each.contains("-events")).toList();
  }

  private static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("nanoseconds that are left").isNegative();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private Path sockets() {
    return directory.resolve("sockets");
  }

  private FakeCsiPlugin fake(PluginShape shape) {
    FakeCsiPlugin fake = FakeCsiPlugin.builder().shape(shape).directory(sockets()).open();
    open.add(fake);
    return fake;
  }

  private FakeCsiPlugin fake() {
    return fake(PluginShape.full());
  }

  /** One that is patient at the start, and looks often. */
  private PluginConfig config(UnaryOperator<PluginConfig.Builder> change) {
    return change
        .apply(
            PluginConfig.builder("fake", sockets())
                .volumeRoot(directory.resolve("volumes"))
                .healthTimeout(Duration.ofMinutes(1))
                .startInterval(Duration.ofMillis(20))
                .probeInterval(Duration.ofMillis(40))
                .probeLimit(Duration.ofSeconds(20)))
        .build();
  }

  private static PluginConfig.Builder often(PluginConfig.Builder config) {
    return config.startInterval(Duration.ofMillis(5)).probeInterval(Duration.ofMillis(5));
  }

  private SupervisedPlugin supervise(UnaryOperator<PluginConfig.Builder> change) {
    return supervisor.supervise(config(change), InstanceId.of("task-1"));
  }

  private SupervisedPlugin supervise() {
    return supervise(each -> each);
  }

  private SupervisedPlugin ready(UnaryOperator<PluginConfig.Builder> change) {
    SupervisedPlugin watched = supervise(change);
    becomes(watched, State.READY, Reason.ANSWERED);
    events.clear();
    return watched;
  }

  private SupervisedPlugin ready() {
    return ready(each -> each);
  }

  private void becomes(SupervisedPlugin watched, State state, Reason reason) {
    until(() -> watched.health().state() == state && watched.health().reason() == reason);
    // What was told is told by now, when something is told that comes later.
    until(() -> last().map(now -> now.state() == state && now.reason() == reason).orElse(false));
  }

  private Optional<PluginHealth> last() {
    return events.stream()
        .filter(PluginEvent.HealthChanged.class::isInstance)
        .map(event -> ((PluginEvent.HealthChanged) event).now())
        .reduce((first, second) -> second);
  }

  private List<String> told() {
    return events.stream().map(PluginSupervisorTest::line).toList();
  }

  private static String line(PluginEvent event) {
    if (event instanceof PluginEvent.HealthChanged changed) {
      return brief(changed.before())
          + " -> "
          + brief(changed.now())
          + changed.message().map(message -> " " + brief(message)).orElse("");
    } else if (event instanceof PluginEvent.Fingerprinted told) {
      return "says "
          + told.now().name()
          + " "
          + told.now().version()
          + told.messages().stream().map(PluginSupervisorTest::brief).toList();
    } else if (event instanceof PluginEvent.Noticed noticed) {
      return brief(noticed.message());
    }
    return event.getClass().getSimpleName();
  }

  private static String brief(PluginHealth health) {
    return (health.state() + " " + health.reason()).toLowerCase(Locale.ROOT);
  }

  private static String brief(OperatorMessage message) {
    return message.code() + ": " + message.seen();
  }

  private static PluginFingerprint fingerprint(SupervisedPlugin watched) {
    return watched.fingerprint().orElseThrow();
  }

  private static NodeFacts node(SupervisedPlugin watched) {
    return fingerprint(watched).node().orElseThrow();
  }

  // ---- the beginning

  @Test
  void aPluginThatComesIsAskedAndRegisteredWithAllThatItSays() throws IOException {
    PluginShape shape = PluginShape.full().vendorVersion("7.1").maxVolumesPerNode(12);
    SupervisedPlugin watched = supervise(each -> each.role("monolith"));
    until(() -> watched.health().reason() == Reason.NO_SOCKET);
    FakeCsiPlugin fake = fake(shape);

    RegisteredPlugin known =
        registry.await(ID, PluginRole.CONTROLLER, Duration.ofMinutes(1)).join();

    assertThat(known.registration().instance()).isEqualTo(InstanceId.of("task-1"));
    PluginFingerprint told = fingerprint(watched);
    assertThat(known.fingerprint()).contains(told);
    assertThat(told.name()).isEqualTo(shape.name());
    assertThat(told.version()).hasToString("7.1");
    assertThat(told.plugin().offered()).isEqualTo(shape.pluginCapabilities());
    assertThat(told.hasController()).isTrue();
    assertThat(told.requiresController()).isTrue();
    assertThat(told.constrainsTopology())
        .isEqualTo(shape.offers(PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS));
    assertThat(told.controller().orElseThrow().offered()).isEqualTo(shape.controllerCapabilities());
    assertThat(node(watched).capabilities().offered()).isEqualTo(shape.nodeCapabilities());
    assertThat(node(watched).nodeId()).contains(NodeId.of("node-1"));
    assertThat(node(watched).maxVolumes()).hasValue(12);
    assertThat(node(watched).requiresStaging()).isTrue();
    assertThat(fake.journal().operations().get(0).service())
        .as("D-025: the first question")
        .isEqualTo(GET_PLUGIN_INFO.service());
    // It is registered before listeners are told.
    becomes(watched, State.READY, Reason.ANSWERED);
    assertThat(told())
        .contains("starting not_asked -> starting no_socket", "says " + NAME + " 7.1[]");
    fake.assertLawful();
  }

  @Test
  @Tag("C1")
  void aPluginThatNeverComesIsToldToTheHostOnce() {
    SupervisedPlugin watched = supervise(each -> each.healthTimeout(Duration.ofMillis(200)));
    becomes(watched, State.UNHEALTHY, Reason.NO_SOCKET);

    assertThat(told())
        .as("C1: a plugin without a socket is told when its time is over")
        .containsExactly(
            "starting not_asked -> starting no_socket",
            "starting no_socket -> unhealthy no_socket PLUGIN_START_TIMEOUT: it was not ready 200"
                + " ms after its start: there is no socket");
    until(() -> !timeouts.isEmpty());
    assertThat(timeouts)
        .singleElement()
        .satisfies(
            late -> {
              assertThat(late.plugin()).isSameAs(watched);
              assertThat(late.message().code()).isEqualTo(OperatorCode.PLUGIN_START_TIMEOUT);
            });
    fake();
    becomes(watched, State.READY, Reason.ANSWERED);
  }

  @Test
  void threadsAreSharedAndNoneIsAddedForAPluginThatIsLookedAfter() {
    fake();
    ready();
    until(() -> workers().size() == WORKERS);
    for (int i = 0; i < 20; i++) {
      supervisor.supervise(
          PluginConfig.builder("fake-" + i, directory.resolve("none-" + i))
              .role("controller")
              .startInterval(Duration.ofMillis(20))
              .build());
    }
    until(() -> told().size() == 20);

    until(() -> workers().size() == WORKERS);
  }

  @Test
  void aListenerMayCloseTheSupervisor() {
    Queue<PluginSupervisor> closed = new ConcurrentLinkedQueue<>();
    AtomicReference<PluginSupervisor> mine = new AtomicReference<>();
    mine.set(
        PluginSupervisor.builder(registry)
            .listener(
                event -> {
                  if (closed.isEmpty()) {
                    mine.get().close();
                    closed.add(mine.get());
                  }
                })
            .open());
    fake();

    SupervisedPlugin watched = mine.get().supervise(config(each -> each), InstanceId.ONLY);

    until(() -> !closed.isEmpty());
    assertThat(watched.health().state()).isEqualTo(State.GONE);
  }

  @Test
  void aPluginThatDoesNotSayWhatItCanDoIsNotReadyAndAllThatFailedIsTold() {
    FakeCsiPlugin fake = fake();
    fake.inject(
        Fault.fail(StatusCode.INTERNAL, "no idea"),
        When.calling(NODE_GET_CAPABILITIES, NODE_GET_INFO));
    SupervisedPlugin watched = supervise();
    becomes(watched, State.STARTING, Reason.ERROR);

    assertThat(told())
        .containsExactly(
            "starting not_asked -> starting error CAPABILITIES_UNKNOWN: NodeGetCapabilities: the"
                + " plugin failed internally (INTERNAL: no idea); NodeGetInfo: the plugin failed"
                + " internally (INTERNAL: no idea)");
    assertThat(registry.plugins()).isEmpty();
    fake.clearFaults();
    becomes(watched, State.READY, Reason.ANSWERED);
  }

  @Test
  void aPluginThatAttachesNothingNeedNotSayOnWhichNodeItIs() {
    FakeCsiPlugin fake = fake(PluginShape.noAttach());
    fake.inject(
        Fault.fail(StatusCode.UNIMPLEMENTED, "no such method"), When.calling(NODE_GET_INFO));
    SupervisedPlugin watched = ready(each -> each.role("monolith"));

    assertThat(node(watched).nodeId()).isEmpty();
    assertThat(node(watched).maxVolumes()).isEmpty();
    assertThat(node(watched).topology()).isEmpty();
    assertThat(node(watched).requiresStaging()).isTrue();
    assertThat(registry.find(ID, PluginRole.NODE)).isPresent();
  }

  @Test
  void aNodeOfAPluginWhoseControllersAreElsewhereNeedNotSayWhichItIs() {
    FakeCsiPlugin fake = fake(PluginShape.nodeOnly());
    fake.inject(
        Fault.fail(StatusCode.UNIMPLEMENTED, "no such method"), When.calling(NODE_GET_INFO));

    assertThat(node(ready()).nodeId()).isEmpty();
  }

  @Test
  void aPluginThatAttachesHasToSayOnWhichNodeItIs() {
    FakeCsiPlugin fake = fake();
    fake.inject(
        Fault.fail(StatusCode.UNIMPLEMENTED, "no such method"), When.calling(NODE_GET_INFO));
    SupervisedPlugin watched = supervise(each -> each.role("monolith"));
    becomes(watched, State.STARTING, Reason.ERROR);

    assertThat(told())
        .singleElement(InstanceOfAssertFactories.STRING)
        .contains("CAPABILITIES_UNKNOWN: NodeGetInfo: ")
        .contains("UNIMPLEMENTED");
    fake.clearFaults();
    becomes(watched, State.READY, Reason.ANSWERED);
  }

  @Test
  void aPluginThatDoesNotSayWhetherItIsReadyIsReady() {
    fake(PluginShape.full().with(Quirk.PROBE_WITHOUT_READY));

    assertThat(ready().health().text()).hasToString("it says that it is ready");
  }

  // ---- trouble

  @Test
  void aPluginThatWasKilledLeavesASocketWithoutAListener() {
    FakeCsiPlugin fake = fake();
    SupervisedPlugin watched = ready();
    fake.stop();
    becomes(watched, State.UNHEALTHY, Reason.NOBODY_LISTENS);

    assertThat(told())
        .containsExactly(
            "ready answered -> unhealthy nobody_listens PLUGIN_UNHEALTHY: 3 probes in a row failed:"
                + " the socket file exists, but no process listens on it");
    assertThat(registry.get(ID, PluginRole.NODE).health()).isEqualTo(watched.health());

    events.clear();
    fake.start();
    becomes(watched, State.READY, Reason.ANSWERED);
    assertThat(told()).containsExactly("unhealthy nobody_listens -> ready answered");
  }

  @Test
  void thatAPluginDiedIsLoggedWhereThereIsNoListenerAndOnlyThere() {
    FakeCsiPlugin fake = fake();
    SupervisedPlugin heard = ready(each -> each.failuresToUnhealthy(1));
    List<LogRecord> logged;
    try (CapturedLog log = CapturedLog.ofVolumes();
        PluginSupervisor silent = PluginSupervisor.open(InMemoryPluginRegistry.open())) {
      SupervisedPlugin watched = silent.supervise(config(each -> each.failuresToUnhealthy(1)));
      until(() -> watched.health().isReady());
      fake.stop();
      becomes(watched, State.UNHEALTHY, Reason.NOBODY_LISTENS);
      becomes(heard, State.UNHEALTHY, Reason.NOBODY_LISTENS);
      silent.close();
      logged = log.records();
    }
    assertThat(logged)
        .extracting(LogRecord::getLevel, line -> line.getMessage().split(":", 2)[0])
        .containsExactly(
            tuple(Level.SEVERE, "CSI-316 PLUGIN_UNHEALTHY"),
            tuple(Level.INFO, "CSI-327 PLUGIN_STOPPED"));
  }

  @Test
  void aPluginThatIsFrozenIsUnhealthyAndNothingIsDoneToIt() {
    FakeCsiPlugin fake = fake();
    SupervisedPlugin watched = ready(each -> each.probeLimit(Duration.ofMillis(200)));
    fake.freeze();
    becomes(watched, State.UNHEALTHY, Reason.SILENT);

    assertThat(told())
        .containsExactly(
            "ready answered -> unhealthy silent PLUGIN_UNHEALTHY: 3 probes in a row failed:"
                + " it did not answer within 200 ms");
    events.clear();
    fake.thaw();
    becomes(watched, State.READY, Reason.ANSWERED);
    assertThat(told()).containsExactly("unhealthy silent -> ready answered");
  }

  @Test
  void aPluginThatIsIllSaysWhy() {
    FakeCsiPlugin fake = fake();
    SupervisedPlugin watched = ready();
    fake.inject(
        Fault.fail(StatusCode.FAILED_PRECONDITION, "the backend\nis away"), When.calling(PROBE));
    becomes(watched, State.UNHEALTHY, Reason.ERROR);

    assertThat(told())
        .containsExactly(
            "ready answered -> unhealthy error PLUGIN_UNHEALTHY: 3 probes in a row failed:"
                + " the plugin is not healthy, or lacks something that it depends on"
                + " (FAILED_PRECONDITION: the backend\\nis away)");
  }

  @Test
  void aPluginThatRestartsInALoopIsFlappingAndCostsNoThreads() {
    FakeCsiPlugin fake = fake();
    SupervisedPlugin watched = ready(each -> often(each).failuresToUnhealthy(1));
    for (int i = 0; i < 20; i++) {
      fake.stop();
      until(() -> watched.health().state() == State.UNHEALTHY);
      fake.start();
      until(() -> watched.health().state() == State.READY);
    }
    until(() -> told().size() == 6);

    assertThat(told())
        .containsExactly(
            "ready answered -> unhealthy nobody_listens PLUGIN_UNHEALTHY: a probe failed:"
                + " the socket file exists, but no process listens on it",
            "unhealthy nobody_listens -> ready answered",
            "ready answered -> unhealthy nobody_listens PLUGIN_UNHEALTHY: a probe failed:"
                + " the socket file exists, but no process listens on it",
            "unhealthy nobody_listens -> ready answered",
            "ready answered -> unhealthy nobody_listens PLUGIN_UNHEALTHY: a probe failed:"
                + " the socket file exists, but no process listens on it",
            "PLUGIN_FLAPPING: it changed 6 times within 10 min, and is ready now: it says that it"
                + " is ready");
    until(() -> workers().size() == WORKERS);
  }

  @Test
  @DisplayName("hostile input 46: a probe that alternates with every call changes nothing")
  void aProbeThatAlternatesWithEveryCallChangesNothing() {
    FakeCsiPlugin fake = fake();
    SupervisedPlugin watched = ready(PluginSupervisorTest::often);
    for (int nth = 1; nth < 40; nth += 2) {
      fake.inject(Fault.fail(StatusCode.INTERNAL, "now and then"), When.calling(PROBE).nth(nth));
    }
    fake.journal().clear();
    until(() -> fake.journal().operations().stream().filter(PROBE::equals).count() >= 40);

    assertThat(told()).isEmpty();
    assertThat(watched.health().state()).isEqualTo(State.READY);
  }

  // ---- others in its place

  @Test
  void anotherVersionInItsPlaceIsAskedWhatItIsAndToldOf() {
    FakeCsiPlugin fake = fake();
    SupervisedPlugin watched = ready();
    fake.journal().clear();
    fake.upgrade(
        PluginShape.full().vendorVersion("2.0").without(NodeCapability.STAGE_UNSTAGE_VOLUME));
    until(() -> fingerprint(watched).version().value().equals("2.0"));
    until(() -> told().stream().anyMatch(line -> line.startsWith("says")));

    assertThat(told())
        .contains(
            "says "
                + NAME
                + " 2.0[PLUGIN_REPLACED: its version: '"
                + VERSION
                + "' -> '2.0', CAPABILITY_LOST: it does not offer STAGE_UNSTAGE_VOLUME of its node"
                + " service any more]");
    assertThat(node(watched).requiresStaging()).isFalse();
    assertThat(fake.journal().operations())
        .contains(GET_PLUGIN_INFO, GET_PLUGIN_CAPABILITIES, NODE_GET_CAPABILITIES, NODE_GET_INFO);
  }

  @Test
  void aPluginThatIsUpgradedWhileItIsAskedIsNeverHalfOfEach() {
    FakeCsiPlugin fake = fake();
    fake.inject(Fault.hang(), When.calling(NODE_GET_CAPABILITIES).once());
    SupervisedPlugin watched = supervise();
    until(() -> fake.journal().operations().contains(NODE_GET_CAPABILITIES));
    fake.upgrade(
        PluginShape.full().vendorVersion("2.0").without(NodeCapability.STAGE_UNSTAGE_VOLUME));
    becomes(watched, State.READY, Reason.ANSWERED);

    assertThat(told().stream().filter(line -> line.startsWith("says")))
        .containsExactly("says " + NAME + " 2.0[]");
    assertThat(fingerprint(watched).version()).hasToString("2.0");
    assertThat(node(watched).requiresStaging()).isFalse();
  }

  @Test
  @Tag("D-32")
  void whatIsGainedIsToldToo() {
    FakeCsiPlugin fake = fake(PluginShape.noStaging());
    SupervisedPlugin watched = ready();
    assertThat(node(watched).requiresStaging()).isFalse();
    fake.upgrade(PluginShape.noStaging().with(NodeCapability.STAGE_UNSTAGE_VOLUME));
    until(() -> node(watched).requiresStaging());
    until(() -> told().stream().anyMatch(line -> line.startsWith("says")));

    assertThat(told())
        .contains(
            "says "
                + PluginShape.noStaging().name()
                + " "
                + PluginShape.noStaging().vendorVersion()
                + "[CAPABILITY_GAINED: it offers STAGE_UNSTAGE_VOLUME of its node service now]");
  }

  @Test
  void aPluginThatForgotItsVolumesIsAsWellAsBefore() {
    FakeCsiPlugin fake = fake();
    fake.addVolume(VolumeId.of("vol-1"));
    SupervisedPlugin watched = ready();
    PluginFingerprint before = fingerprint(watched);
    fake.stop();
    fake.forget();
    fake.journal().clear();
    fake.start();
    until(() -> fake.journal().operations().contains(NODE_GET_INFO));
    until(() -> watched.health().state() == State.READY);

    assertThat(fingerprint(watched).name()).isEqualTo(before.name());
    assertThat(told())
        .as("what is told of what it says")
        .noneMatch(line -> line.startsWith("says"));
  }

  @Test
  @Tag("C18")
  void nodeAndControllerMayHaveTwoVersions() {
    fake(PluginShape.full().vendorVersion("1.0"));
    SupervisedPlugin node = ready();
    FakeCsiPlugin other =
        FakeCsiPlugin.builder()
            .shape(PluginShape.full().vendorVersion("2.0"))
            .directory(directory.resolve("controller"))
            .open();
    open.add(other);
    SupervisedPlugin controller =
        supervisor.supervise(
            PluginConfig.builder("fake", directory.resolve("controller"))
                .role("controller")
                .build(),
            InstanceId.of("task-2"));
    becomes(controller, State.READY, Reason.ANSWERED);

    assertThat(fingerprint(node).version()).hasToString("1.0");
    assertThat(fingerprint(controller).version())
        .as("C18: each has its own version")
        .hasToString("2.0");
    assertThat(fingerprint(controller).node()).isEmpty();
    assertThat(registry.get(ID, PluginRole.CONTROLLER).fingerprint())
        .isEqualTo(controller.fingerprint());
    assertThat(registry.get(ID, PluginRole.NODE).fingerprint()).isEqualTo(node.fingerprint());
  }

  @Test
  @DisplayName("hostile input 33: a plugin that comes back under another name is refused")
  void aPluginThatComesBackUnderAnotherNameIsRefused() {
    FakeCsiPlugin fake = fake();
    SupervisedPlugin watched = ready();
    fake.upgrade(PluginShape.full().named(PluginName.of("evil.example.com")));
    becomes(watched, State.UNHEALTHY, Reason.REFUSED);

    assertThat(told())
        .containsExactly(
            "ready answered -> unhealthy refused PLUGIN_NAME_CHANGED: it reports the name "
                + "'evil.example.com', but the plugin was '"
                + NAME
                + "'");
    assertThat(fingerprint(watched).name()).hasToString(NAME);
    assertThat(registry.find(ID, PluginRole.NODE)).isEmpty();
  }

  @Test
  @DisplayName("hostile input 33: a plugin with another name than was configured is refused")
  void aPluginWithAnotherNameThanWasConfiguredIsRefused() {
    fake();
    SupervisedPlugin watched =
        supervise(
            each ->
                each.connectOptions(
                    ConnectOptions.builder()
                        .requireName(PluginName.of("wanted.example.com"))
                        .build()));
    becomes(watched, State.STARTING, Reason.REFUSED);

    assertThat(told())
        .containsExactly(
            "starting not_asked -> starting refused PLUGIN_NAME_CHANGED: the plugin is '"
                + NAME
                + "', but 'wanted.example.com' was expected");
    assertThat(registry.plugins()).isEmpty();
  }

  @Test
  @DisplayName("hostile input 35: one driver under two ids is two plugins")
  void oneDriverUnderTwoIdsIsTwoPlugins() {
    fake();
    ready();
    SupervisedPlugin other =
        supervisor.supervise(
            PluginConfig.builder("fake-2", sockets()).volumeRoot(directory.resolve("v")).build());
    becomes(other, State.READY, Reason.ANSWERED);

    assertThat(registry.get(PluginId.of("fake-2"), PluginRole.NODE).fingerprint())
        .isEqualTo(other.fingerprint());
    assertThat(registry.plugins()).hasSize(2);
  }

  // ---- hostile answers

  @Test
  @DisplayName("hostile input 32: a plugin without a name is not registered")
  void aPluginWithoutANameIsNotRegistered() {
    FakeCsiPlugin fake = fake();
    fake.inject(Fault.answer(Fault.WrongAnswer.EMPTY), When.calling(GET_PLUGIN_INFO));
    SupervisedPlugin watched = supervise();
    becomes(watched, State.STARTING, Reason.ERROR);

    assertThat(told())
        .containsExactly(
            "starting not_asked -> starting error PLUGIN_NOT_READY: the plugin's answer to the"
                + " request for its name is not valid: the plugin answered OK, but its answer is"
                + " not valid: name is '', which is not a valid plugin name: it is empty");
    assertThat(registry.plugins()).isEmpty();
  }

  @Test
  @DisplayName("hostile input 39: capabilities from the future are passed over")
  void capabilitiesFromTheFutureArePassedOver() {
    fake(PluginShape.full().with(Quirk.UNKNOWN_CAPABILITY));
    SupervisedPlugin watched = ready();

    assertThat(node(watched).capabilities().offered())
        .isEqualTo(PluginShape.full().nodeCapabilities());
    assertThat(node(watched).capabilities().unrecognized()).isNotEmpty();
  }

  @Test
  @DisplayName("hostile input 41: a plugin without a node id is not registered")
  void aPluginWithoutANodeIdIsNotRegistered() {
    FakeCsiPlugin fake = fake();
    fake.inject(Fault.answer(Fault.WrongAnswer.EMPTY), When.calling(NODE_GET_INFO));
    SupervisedPlugin watched = supervise();
    becomes(watched, State.STARTING, Reason.ERROR);

    assertThat(told())
        .containsExactly(
            "starting not_asked -> starting error CAPABILITIES_UNKNOWN: NodeGetInfo: the plugin"
                + " answered OK, but its answer is not valid: node_id is empty (OK)");
    assertThat(registry.plugins()).isEmpty();
  }

  @Test
  @DisplayName("hostile input 42: a negative number of volumes is passed over, with a warning")
  void aNegativeNumberOfVolumesIsPassedOverWithAWarning() {
    fake(PluginShape.full().maxVolumesPerNode(-1));
    SupervisedPlugin watched = supervise();
    becomes(watched, State.READY, Reason.ANSWERED);

    assertThat(node(watched).maxVolumes()).isEmpty();
    assertThat(told())
        .contains(
            "PLUGIN_SAYS_NONSENSE: NodeGetInfo: max_volumes_per_node is -1; it cannot be negative");
  }

  @Test
  @DisplayName("hostile input 42: no number of volumes is no limit, and the largest is one")
  void noNumberOfVolumesIsNoLimitAndTheLargestIsOne() {
    FakeCsiPlugin fake = fake(PluginShape.full().maxVolumesPerNode(0));
    SupervisedPlugin watched = ready();
    assertThat(node(watched).maxVolumes()).isEmpty();

    fake.upgrade(PluginShape.full().maxVolumesPerNode(Long.MAX_VALUE));
    until(() -> node(watched).maxVolumes().isPresent());
    assertThat(node(watched).maxVolumes()).hasValue(Long.MAX_VALUE);
  }

  @Test
  @DisplayName("hostile input 44: a version of a mebibyte with control characters is cut, escaped")
  void aVersionOfAMebibyteIsCutAndEscaped() {
    fake(PluginShape.full().vendorVersion("1\n\u0007" + "x".repeat(1 << 20)));
    SupervisedPlugin watched = ready();

    assertThat(fingerprint(watched).version().value())
        .startsWith("1\\n\\u0007xxx")
        .hasSizeLessThan(1100);
  }

  // ---- sockets that are not what they should be

  @Test
  @DisplayName("hostile input 36: a symbolic link in the place of the socket is refused")
  void aSymbolicLinkInThePlaceOfTheSocketIsRefused() throws IOException {
    FakeCsiPlugin elsewhere = FakeCsiPlugin.open();
    open.add(elsewhere);
    Files.createDirectories(sockets());
    Files.createSymbolicLink(sockets().resolve("csi.sock"), elsewhere.endpoint().path());
    SupervisedPlugin watched = supervise();
    becomes(watched, State.STARTING, Reason.DENIED);

    assertThat(told())
        .containsExactly(
            "starting not_asked -> starting denied PLUGIN_SOCKET_DENIED: the path is a symbolic"
                + " link to '"
                + elsewhere.endpoint().path()
                + "', and a user who can change it can redirect the connection");
    assertThat(elsewhere.journal().operations()).isEmpty();
  }

  @Test
  @DisplayName("hostile input 36: a file in the place of the socket is refused")
  void aFileInThePlaceOfTheSocketIsRefused() throws IOException {
    Files.createDirectories(sockets());
    Files.createFile(sockets().resolve("csi.sock"));
    SupervisedPlugin watched = supervise();
    becomes(watched, State.STARTING, Reason.DENIED);

    assertThat(told())
        .containsExactly(
            "starting not_asked -> starting denied PLUGIN_NOT_UP: there is a regular file at '"
                + sockets().resolve("csi.sock")
                + "', not a socket");
  }

  @Test
  @DisplayName("hostile input 36: a directory to which everybody may write is refused")
  void aDirectoryToWhichEverybodyMayWriteIsRefused() throws IOException {
    Files.createDirectories(sockets());
    Files.setPosixFilePermissions(sockets(), PosixFilePermissions.fromString("rwxrwxrwx"));

    assertThatThrownBy(this::supervise)
        .isInstanceOf(PluginException.class)
        .hasMessageStartingWith("CSI-328 PLUGIN_CONFIG_REFUSED: ");
    SupervisedPlugin allowed =
        supervise(
            each ->
                each.connectOptions(ConnectOptions.builder().allowUnsafeDirectory(true).build()));
    assertThat(allowed.health().state()).isEqualTo(State.STARTING);
  }

  @Test
  @DisplayName("hostile inputs 37 and 38: a plugin of another user is sent nothing")
  void aPluginOfAnotherUserIsSentNothing() throws IOException {
    FakeCsiPlugin fake = fake();
    Object fakeUser = Files.getAttribute(fake.endpoint().path(), "unix:uid");
    SupervisedPlugin watched =
        supervise(
            each -> each.connectOptions(ConnectOptions.builder().requirePeerUid(54321).build()));
    becomes(watched, State.STARTING, Reason.DENIED);

    assertThat(told())
        .containsExactly(
            "starting not_asked -> starting denied PLUGIN_SOCKET_DENIED: user "
                + fakeUser
                + " (process "
                + ProcessHandle.current().pid()
                + ") listens on the socket, but user 54321 is required");
    assertThat(fake.journal().operations()).isEmpty();
  }

  // ---- the end

  @Test
  @DisplayName("S-31: at the end all is told from memory")
  void atTheEndAllIsToldFromMemory() {
    FakeCsiPlugin fake = fake();
    SupervisedPlugin watched = ready();
    fake.freeze();
    watched.close();
    until(() -> told().contains("Deregistered"));

    assertThat(told())
        .containsExactly(
            "ready answered -> gone stopped PLUGIN_STOPPED: the host has stopped it",
            "Deregistered");
    assertThat(events)
        .last()
        .isInstanceOfSatisfying(
            PluginEvent.Deregistered.class,
            gone -> {
              assertThat(gone.last().fingerprint()).isEqualTo(watched.fingerprint()).isPresent();
              assertThat(gone.last().health()).isEqualTo(watched.health());
            });
    assertThat(registry.plugins()).isEmpty();
    watched.close();
  }
}
