package io.csi4j.volume.internal.plugin;

import static io.csi4j.volume.model.OperatorCode.CAPABILITIES_UNKNOWN;
import static io.csi4j.volume.model.OperatorCode.PLUGIN_NOT_READY;
import static io.csi4j.volume.model.OperatorCode.PLUGIN_SOCKET_DENIED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Topology;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.internal.link.PluginConnections;
import io.csi4j.volume.internal.text.CapturedLog;
import io.csi4j.volume.internal.time.ListenerHub;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.plugin.SupervisedPlugin;
import io.csi4j.volume.plugin.SupervisedPlugin.StartTimeout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The watch over one instance, where time passes only when the test lets it. */
@Isolated("Reads the log of the modules.")
class SupervisionTest {

  private static final PluginId ID = PluginId.of("fake");
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final VirtualTime time = new VirtualTime();
  private final ScriptedProber plugin = new ScriptedProber(time);
  private final LivePluginRegistry registry =
      LivePluginRegistry.open(
          new LivePluginRegistry.Ground(time, time, time, new PluginConnections()),
          PluginMemory.NONE,
          ServingSwitch.NONE);
  private final List<PluginEvent> events = new ArrayList<>();
  private final List<StartTimeout> timeouts = new ArrayList<>();
  private final ListenerHub hub = new ListenerHub("plugins", time);
  private final Supervisor supervisor =
      new Supervisor(
          registry,
          List.of(events::add),
          timeouts::add,
          new Supervisor.Parts(time, time, hub, FakeDisk.with(Path.of("/run")), config -> plugin));

  // ---- helpers

  private static PluginConfig.Builder config() {
    return PluginConfig.builder("fake", Path.of("/run/fake")).volumeRoot(Path.of("/volumes"));
  }

  private SupervisedPlugin supervise(PluginConfig config) {
    return supervisor.supervise(config, InstanceId.of("task-1"));
  }

  /** A plugin that is watched over and was found to be ready. */
  private SupervisedPlugin ready() {
    plugin.comes("p1");
    SupervisedPlugin watched = supervise(config().build());
    pass(0);
    assertThat(watched.health().state()).isEqualTo(State.READY);
    events.clear();
    assertThat(plugin.asked()).containsExactly("0 probe", "0 portray");
    return watched;
  }

  private void pass(long seconds) {
    time.pass(SECOND.multipliedBy(seconds));
  }

  private Optional<RegisteredPlugin> registered() {
    return registry.find(ID, PluginRole.NODE);
  }

  /** What was told since the last call of this, each in a line without what is always the same. */
  private List<String> told() {
    List<String> lines = events.stream().map(SupervisionTest::line).toList();
    events.clear();
    return lines;
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
          + told.messages().stream().map(each -> " " + brief(each)).toList();
    } else if (event instanceof PluginEvent.Noticed noticed) {
      return brief(noticed.message());
    } else if (event instanceof PluginEvent.Deregistered gone) {
      return "gone "
          + brief(gone.last().health())
          + gone.last().fingerprint().map(each -> " " + each.name()).orElse("");
    }
    return event.toString();
  }

  private static String brief(PluginHealth health) {
    return (health.state() + " " + health.reason()).toLowerCase(Locale.ROOT);
  }

  private static String brief(OperatorMessage message) {
    return message.code() + ": " + message.seen();
  }

  // ---- a node whose limit and place move

  /** When the whole of it was asked for, in seconds. */
  private List<String> portrayals() {
    return plugin.asked().stream().filter(each -> each.endsWith("portray")).toList();
  }

  @Test
  void aNodeIsAskedAgainForItsLimitAndPlaceEveryTenMinutes() {
    ready();
    plugin.maxVolumes = OptionalLong.of(12);
    plugin.topology = Optional.of(Topology.of(Map.of("zone", "b")));
    pass(599);
    assertThat(portrayals()).isEmpty();
    assertThat(told()).isEmpty();

    pass(31);

    assertThat(portrayals()).as("with the next probe").containsExactly("600 portray");
    assertThat(told())
        .containsExactly(
            "says fake.csi 1.0["
                + " NODE_LIMIT_CHANGED: the volume limit of the node: 'no limit' -> '12', "
                + " NODE_TOPOLOGY_CHANGED: the topology of the node: 'none' -> '{zone=b}']");
    assertThat(registered().orElseThrow().fingerprint().orElseThrow().node().orElseThrow())
        .satisfies(node -> assertThat(node.maxVolumes()).hasValue(12));

    pass(600);
    assertThat(portrayals()).containsExactly("1200 portray");
    assertThat(told()).as("nothing has changed").isEmpty();
  }

  @Test
  void aNodeThatCannotBeAskedAgainKeepsWhatItSaidAndIsAskedLater() {
    ready();
    plugin.portrait =
        Optional.of(PluginTrouble.of(Reason.ERROR, CAPABILITIES_UNKNOWN, "NodeGetInfo: busy"));
    pass(660);

    assertThat(portrayals()).containsExactly("600 portray");
    assertThat(told()).containsExactly("CAPABILITIES_UNKNOWN: NodeGetInfo: busy");
    assertThat(registered().orElseThrow().health().state()).isEqualTo(State.READY);

    plugin.portrait = Optional.empty();
    plugin.maxVolumes = OptionalLong.of(3);
    pass(600);
    assertThat(portrayals()).containsExactly("1200 portray");
    assertThat(told()).singleElement().asString().contains("'no limit' -> '3'");
  }

  @Test
  void whoDoubtsWhatAPluginSaidHasItAskedAtOnce() {
    ready();
    plugin.maxVolumes = OptionalLong.of(7);
    pass(3);

    registry.recheck(PluginId.of("other"));
    pass(1);
    assertThat(portrayals()).isEmpty();

    registry.recheck(ID);
    pass(1);

    assertThat(portrayals()).containsExactly("4 portray");
    assertThat(told()).singleElement().asString().contains("'no limit' -> '7'");
  }

  @Test
  void aPluginThatIsWatchedNoMoreIsNotAskedAnyMore() {
    SupervisedPlugin watched = ready();
    CompletableFuture<Void> ended = ((Supervision) watched).stop();
    pass(0);
    assertThat(ended).isCompleted();

    registry.recheck(ID);
    pass(5);

    assertThat(plugin.asked()).isEmpty();
  }

  @Test
  void withoutAnIntervalOnlyAnotherProcessIsAsked() {
    plugin.comes("p1");
    supervise(config().infoInterval(Duration.ZERO).build());
    pass(0);
    assertThat(portrayals()).containsExactly("0 portray");

    pass(3600);
    assertThat(portrayals()).isEmpty();

    plugin.comes("p2");
    pass(1);
    assertThat(portrayals()).hasSize(1);
  }

  // ---- its beginning

  @Test
  @Tag("C1")
  @DisplayName("D-023: a socket that is not there yet is waited for")
  void aSocketThatIsNotThereYetIsWaitedFor() {
    SupervisedPlugin watched = supervise(config().build());
    pass(12);
    assertThat(watched.health())
        .isEqualTo(
            new PluginHealth(
                State.STARTING,
                Reason.NO_SOCKET,
                new PluginHealth.Text("there is no socket"),
                VirtualTime.BEGIN));
    assertThat(registered()).isEmpty();
    assertThat(plugin.asked())
        .as("C1: a socket that is not there is looked for, and nothing is called")
        .containsExactly("0 look", "5 look", "10 look");

    plugin.comes("p1");
    pass(1);

    assertThat(plugin.asked())
        .as("as soon as it is seen")
        .containsExactly("13 probe", "13 portray");
    assertThat(watched.health().state()).isEqualTo(State.READY);
    assertThat(told())
        .containsExactly(
            "starting not_asked -> starting no_socket",
            "says fake.csi 1.0[]",
            "starting no_socket -> ready answered");
    RegisteredPlugin known = registered().orElseThrow();
    assertThat(known.health()).isEqualTo(watched.health());
    assertThat(known.fingerprint()).isEqualTo(watched.fingerprint());
    assertThat(known.registration().instance()).isEqualTo(watched.instance());
    assertThat(known.registration().binding().endpoint()).isEqualTo(watched.config().endpoint());
  }

  @Test
  void whenItIsReadyItIsProbedInTheLongIntervalAndNothingElseIsAsked() {
    SupervisedPlugin watched = ready();

    pass(90);

    assertThat(plugin.asked()).containsExactly("30 probe", "60 probe", "90 probe");
    assertThat(told()).isEmpty();
    assertThat(watched.health().since()).isEqualTo(VirtualTime.BEGIN);
    assertThat(time.waiting()).as("timers").isEqualTo(1);
  }

  @Test
  void aPluginThatIsNotReadyYetIsNotRegistered() {
    plugin.socket = "s";
    plugin.pulse =
        Optional.of(
            PluginTrouble.of(
                Reason.NOT_READY, PLUGIN_NOT_READY, "it answers that it is not ready yet"));
    SupervisedPlugin watched = supervise(config().build());
    pass(29);

    assertThat(plugin.asked())
        .containsExactly("0 probe", "5 probe", "10 probe", "15 probe", "20 probe", "25 probe");
    assertThat(told()).containsExactly("starting not_asked -> starting not_ready");
    assertThat(registered()).isEmpty();
    assertThat(watched.fingerprint()).isEmpty();
  }

  @Test
  void aPluginThatIsNotReadyInTimeIsHandedToTheHostWithAllThatIsKnownAndAskedFurther() {
    SupervisedPlugin watched = supervise(config().build());
    pass(7);
    plugin.socket = "s";
    plugin.dies();
    pass(24);

    assertThat(timeouts).hasSize(1);
    StartTimeout late = timeouts.get(0);
    assertThat(late.plugin()).isSameAs(watched);
    assertThat(late.waited()).isEqualTo(Duration.ofSeconds(30));
    assertThat(late.history().stream().map(SupervisionTest::brief))
        .containsExactly(
            "starting no_socket", "starting nobody_listens", "unhealthy nobody_listens");
    assertThat(late.message())
        .hasToString(
            "CSI-318 PLUGIN_START_TIMEOUT: watching over plugin 'fake' (instance 'task-1') at"
                + " unix:///run/fake/csi.sock: it was not ready 30 s after its start: nobody"
                + " listens on it; no new mounts. Check its log; restart it, or allow more time.");
    assertThat(told())
        .containsExactly(
            "starting not_asked -> starting no_socket",
            "starting no_socket -> starting nobody_listens",
            "starting nobody_listens -> unhealthy nobody_listens PLUGIN_START_TIMEOUT: it was not"
                + " ready 30 s after its start: nobody listens on it");
    assertThat(plugin.isClosed).isFalse();
    plugin.asked();

    plugin.comes("p1");
    pass(1);
    assertThat(watched.health().state()).isEqualTo(State.READY);
    pass(100);
    assertThat(timeouts).as("once").hasSize(1);
  }

  @Test
  void aPluginThatTheHostHasStartedAnewHasItsWholeTimeAgain() {
    SupervisedPlugin watched = supervise(config().build());
    pass(31);
    assertThat(timeouts).hasSize(1);
    told();

    watched.restarted();
    pass(29);
    assertThat(watched.health().state()).isEqualTo(State.STARTING);
    assertThat(told())
        .containsExactly(
            "unhealthy no_socket -> starting not_asked",
            "starting not_asked -> starting no_socket");
    pass(1);
    assertThat(timeouts).hasSize(2);
    assertThat(timeouts.get(1).history().stream().map(SupervisionTest::brief))
        .containsExactly("starting not_asked", "starting no_socket", "unhealthy no_socket");
  }

  // ---- its troubles

  @Test
  void aPluginThatAnswersNothingAnyMoreIsUnhealthyAfterThreeProbesAndNeverAskedTwiceAtATime() {
    SupervisedPlugin watched = ready();
    plugin.isMute = true;

    pass(44);
    assertThat(told()).isEmpty();
    pass(1);

    assertThat(told())
        .containsExactly(
            "ready answered -> unhealthy silent PLUGIN_UNHEALTHY: 3 probes in a row failed:"
                + " it did not answer within 5 s");
    assertThat(registered().orElseThrow().health()).isEqualTo(watched.health());
    pass(1000);
    assertThat(plugin.asked()).as("no other before it was answered").containsExactly("30 probe");
    assertThat(plugin.mostOpen()).isEqualTo(1);
    assertThat(told()).isEmpty();

    plugin.speaks();
    pass(0);
    assertThat(told()).containsExactly("unhealthy silent -> ready answered");
  }

  @Test
  void aBadAnswerThatComesTooLateWasCountedAlready() {
    plugin.comes("p1");
    SupervisedPlugin watched = supervise(config().failuresToUnhealthy(2).build());
    pass(0);
    told();
    plugin.isMute = true;
    pass(35);
    plugin.fails("busy");
    plugin.speaks();
    pass(0);
    assertThat(watched.health().state()).isEqualTo(State.READY);

    pass(5);
    assertThat(told())
        .containsExactly(
            "ready answered -> unhealthy error PLUGIN_UNHEALTHY: 2 probes in a row failed:"
                + " busy");
  }

  @Test
  void oneProbeThatFailsNowAndThenIsNoNews() {
    SupervisedPlugin watched = ready();

    for (int i = 0; i < 100; i++) {
      plugin.fails("busy");
      pass(30);
      plugin.pulse = Optional.empty();
      pass(5);
    }

    assertThat(told()).isEmpty();
    assertThat(watched.health().since()).isEqualTo(VirtualTime.BEGIN);
  }

  @Test
  void whileItFailsItIsAskedInTheShortInterval() {
    SupervisedPlugin watched = ready();
    plugin.fails("busy");

    pass(41);

    assertThat(plugin.asked()).containsExactly("30 probe", "35 probe", "40 probe");
    assertThat(watched.health())
        .isEqualTo(
            new PluginHealth(
                State.UNHEALTHY,
                Reason.ERROR,
                new PluginHealth.Text("busy"),
                VirtualTime.BEGIN.plusSeconds(40)));
    assertThat(told())
        .containsExactly(
            "ready answered -> unhealthy error PLUGIN_UNHEALTHY: 3 probes in a row failed:"
                + " busy");
  }

  @Test
  @Tag("C2")
  @Tag("C1")
  void whyItIsUnhealthyIsToldAgainOnlyWhenThatIsAnother() {
    SupervisedPlugin watched = ready();
    plugin.fails("busy");
    pass(40);
    told();

    plugin.fails("very busy");
    pass(10);
    assertThat(told()).isEmpty();
    assertThat(watched.health().text()).hasToString("very busy");
    plugin.dies();
    pass(5);
    assertThat(told())
        .as("C2: a socket without a listener is told apart")
        .containsExactly(
            "unhealthy error -> unhealthy nobody_listens PLUGIN_SOCKET_STALE: nobody listens on"
                + " it");
    plugin.socket = "";
    pass(5);
    assertThat(told())
        .as("C1: no socket is told as a plugin that is not up")
        .containsExactly(
            "unhealthy nobody_listens -> unhealthy no_socket PLUGIN_NOT_UP: there is no socket");
  }

  @Test
  @Tag("C3")
  void aSocketThatMayNotBeUsedIsToldAtOnce() {
    ready();
    plugin.pulse =
        Optional.of(
            PluginTrouble.of(
                Reason.DENIED,
                PLUGIN_SOCKET_DENIED,
                "this process may not write to the socket (owner uid 0, gid 0, mode 0700, our uid"
                    + " is 1000)"));
    pass(30);

    assertThat(told())
        .as("C3: a socket that may not be used is told at once")
        .containsExactly(
            "ready answered -> unhealthy denied PLUGIN_SOCKET_DENIED: this process may not write to"
                + " the socket (owner uid 0, gid 0, mode 0700, our uid is 1000)");
  }

  @Test
  @DisplayName("hostile input 46: readiness that alternates with every call changes nothing")
  void readinessThatAlternatesWithEveryCallChangesNothing() {
    SupervisedPlugin watched = ready();
    for (int i = 0; i < 300; i++) {
      if (i % 2 == 0) {
        plugin.fails("error " + i);
      } else {
        plugin.pulse = Optional.empty();
      }
      pass(5);
    }

    assertThat(told()).isEmpty();
    assertThat(watched.health().state()).isEqualTo(State.READY);
    assertThat(timeouts).isEmpty();
  }

  @Test
  @Tag("C10")
  void aPluginThatRestartsInALoopIsToldOfAsFlappingAndNoMoreThanOnceAMinute() {
    SupervisedPlugin watched = ready();

    for (int i = 0; i < 1000; i++) {
      plugin.dies();
      pass(45);
      assertThat(watched.health().state()).isEqualTo(State.UNHEALTHY);
      assertThat(registered().orElseThrow().health().state()).isEqualTo(State.UNHEALTHY);
      plugin.comes("p" + (i + 2));
      pass(5);
      assertThat(watched.health().state()).isEqualTo(State.READY);
      assertThat(registered().orElseThrow().health().state()).isEqualTo(State.READY);
    }

    List<String> lines = told();
    assertThat(lines.subList(0, 5))
        .as("C10: the loop is told")
        .containsExactly(
            "ready answered -> unhealthy nobody_listens PLUGIN_UNHEALTHY: 3 probes in a row failed:"
                + " nobody listens on it",
            "PLUGIN_REPLACED: it was restarted, with the same version '1.0'",
            "unhealthy nobody_listens -> ready answered",
            "ready answered -> unhealthy nobody_listens PLUGIN_UNHEALTHY: 3 probes in a row failed:"
                + " nobody listens on it",
            "PLUGIN_FLAPPING: it changed 6 times within 10 min, and is ready now: it says that it"
                + " is ready");
    long minutes = 1000 * 50 / 60;
    assertThat(lines.stream().filter(line -> line.startsWith("PLUGIN_FLAPPING")).count())
        .isBetween(minutes / 11, minutes / 10 + 1);
    assertThat(lines.size()).isLessThan((int) (3 * minutes));
    assertThat(time.waiting()).as("C10: timers").isEqualTo(1);

    pass(1200);
    told();
    plugin.dies();
    pass(45);
    assertThat(told()).as("it was calm for a while").hasSize(1);
  }

  // ---- what it says of itself

  @Test
  @Tag("C11")
  void aNewProcessIsAskedWhatItIsBeforeItCountsAsReadyAndIsToldOf() {
    SupervisedPlugin watched = ready();
    plugin.version = "2.0";
    plugin.comes("p2");
    pass(1);

    assertThat(plugin.asked()).containsExactly("1 probe", "1 portray");
    assertThat(told())
        .as("C11: the new process is told with its version")
        .containsExactly("says fake.csi 2.0[ PLUGIN_REPLACED: its version: '1.0' -> '2.0']");
    assertThat(watched.fingerprint().orElseThrow().version()).hasToString("2.0");
    assertThat(registered().orElseThrow().fingerprint()).isEqualTo(watched.fingerprint());
  }

  @Test
  void aNewProcessThatIsAsTheOldOneWasIsToldOfOnce() {
    ready();
    plugin.comes("p2");
    pass(60);

    assertThat(told())
        .containsExactly("PLUGIN_REPLACED: it was restarted, with the same version '1.0'");
  }

  @Test
  void aProcessThatMakesItsSocketAnewIsAskedAgainAndNothingIsNew() {
    ready();
    plugin.socket = "another socket of p1";
    pass(1);

    assertThat(plugin.asked()).containsExactly("1 probe", "1 portray");
    assertThat(told()).isEmpty();
  }

  @Test
  @Tag("D-32")
  void whatItCanDoIsNotLatched() {
    SupervisedPlugin watched = ready();
    assertThat(staging(watched)).isTrue();

    plugin.node = EnumSet.noneOf(NodeCapability.class);
    plugin.comes("p2");
    pass(1);
    assertThat(staging(watched)).isFalse();
    assertThat(told())
        .containsExactly(
            "says fake.csi 1.0[ PLUGIN_REPLACED: it was restarted, with the same version"
                + " '1.0',  CAPABILITY_LOST: it does not offer STAGE_UNSTAGE_VOLUME of its node"
                + " service any more]");

    plugin.node = EnumSet.of(NodeCapability.STAGE_UNSTAGE_VOLUME);
    plugin.comes("p3");
    pass(1);
    assertThat(staging(watched)).isTrue();
    assertThat(told())
        .containsExactly(
            "says fake.csi 1.0[ PLUGIN_REPLACED: it was restarted, with the same version"
                + " '1.0',  CAPABILITY_GAINED: it offers STAGE_UNSTAGE_VOLUME of its node service"
                + " now]");
  }

  private static boolean staging(SupervisedPlugin watched) {
    return watched.fingerprint().flatMap(PluginFingerprint::node).orElseThrow().requiresStaging();
  }

  @Test
  void anUpgradeWithinTheProcessIsSeenWhenTheHostAsksForIt() {
    SupervisedPlugin watched = ready();
    plugin.nodeId = "node-2";
    plugin.maxVolumes = OptionalLong.of(16);
    pass(30);
    assertThat(told()).isEmpty();

    watched.refresh();
    pass(0);

    assertThat(told())
        .containsExactly(
            "says fake.csi 1.0["
                + " NODE_ID_CHANGED: the node's id: 'node-1' -> 'node-2', "
                + " NODE_LIMIT_CHANGED: the volume limit of the node: 'no limit' -> '16']");
    assertThat(watched.fingerprint().flatMap(PluginFingerprint::node).orElseThrow().maxVolumes())
        .hasValue(16);
  }

  @Test
  @Tag("C16")
  void nomad25307_aPluginThatDoesNotSayWhatItCanDoIsNotReady() {
    plugin.comes("p1");
    plugin.portrait =
        Optional.of(
            PluginTrouble.of(
                Reason.ERROR,
                CAPABILITIES_UNKNOWN,
                "NodeGetCapabilities: no idea; NodeGetInfo: no"));
    SupervisedPlugin watched = supervise(config().build());
    pass(5);

    assertThat(plugin.asked()).containsExactly("0 probe", "0 portray", "5 probe", "5 portray");
    assertThat(registered()).isEmpty();
    assertThat(told())
        .as("C16: a plugin that does not say what it can do is not used")
        .containsExactly(
            "starting not_asked -> starting error CAPABILITIES_UNKNOWN: NodeGetCapabilities: no"
                + " idea; NodeGetInfo: no");

    plugin.portrait = Optional.empty();
    pass(5);
    assertThat(watched.health().state()).isEqualTo(State.READY);
  }

  @Test
  void whatAProcessHasSaidStillHoldsWhenItDoesNotSayItAgain() {
    SupervisedPlugin watched = ready();
    Optional<PluginFingerprint> before = watched.fingerprint();
    plugin.portrait =
        Optional.of(PluginTrouble.of(Reason.ERROR, CAPABILITIES_UNKNOWN, "NodeGetInfo: no"));
    watched.refresh();
    pass(0);

    assertThat(told()).containsExactly("CAPABILITIES_UNKNOWN: NodeGetInfo: no");
    assertThat(watched.health().state()).isEqualTo(State.READY);
    assertThat(watched.fingerprint()).isEqualTo(before);
    assertThat(plugin.asked()).containsExactly("0 probe", "0 portray");
    plugin.portrait = Optional.empty();
    pass(30);
    assertThat(plugin.asked()).as("asked again").containsExactly("30 probe", "30 portray");
  }

  @Test
  void whatIsSaidByTwoProcessesInTurnIsOfNeither() {
    plugin.comes("p1");
    plugin.whilePortrayed =
        () -> {
          plugin.whilePortrayed = () -> {};
          plugin.comes("p2");
          plugin.version = "2.0";
        };
    SupervisedPlugin watched = supervise(config().build());
    pass(0);

    assertThat(plugin.asked()).containsExactly("0 probe", "0 portray", "0 probe", "0 portray");
    assertThat(watched.fingerprint().orElseThrow().version()).hasToString("2.0");
    assertThat(told())
        .containsExactly("says fake.csi 2.0[]", "starting not_asked -> ready answered");
  }

  @Test
  @DisplayName("hostile input 33: a plugin that changes its name is refused")
  void aPluginThatChangesItsNameIsRefusedUntilItIsTheOldOneAgain() {
    SupervisedPlugin watched = ready();
    Optional<PluginFingerprint> before = watched.fingerprint();
    plugin.name = "evil.csi";
    plugin.comes("p2");
    pass(1);

    assertThat(told())
        .containsExactly(
            "ready answered -> unhealthy refused PLUGIN_NAME_CHANGED: it reports the name "
                + "'evil.csi', but the plugin was 'fake.csi'");
    assertThat(watched.fingerprint()).isEqualTo(before);
    assertThat(registered()).as("one that serves").isEmpty();
    assertThat(registry.plugins())
        .singleElement()
        .satisfies(
            known -> {
              assertThat(known.health()).isEqualTo(watched.health());
              assertThat(known.fingerprint()).isEqualTo(before);
            });

    plugin.name = "fake.csi";
    pass(5);
    assertThat(told())
        .containsExactly(
            "PLUGIN_REPLACED: it was restarted, with the same version '1.0'",
            "unhealthy refused -> ready answered");
  }

  @Test
  @DisplayName("hostile input 33: an instance with another name than the plugin is not registered")
  void anInstanceWithAnotherNameThanItsPluginIsNotRegistered() {
    ready();
    plugin.name = "evil.csi";
    SupervisedPlugin other = supervisor.supervise(config().build(), InstanceId.of("task-2"));
    pass(0);

    assertThat(told())
        .containsExactly(
            "starting not_asked -> starting refused PLUGIN_NAME_CHANGED: it reports the name "
                + "'evil.csi', but the plugin was 'fake.csi'");
    assertThat(other.fingerprint()).isEmpty();
    assertThat(registry.plugins()).hasSize(1);
  }

  @Test
  @DisplayName("hostile input 34: another socket under the same instance is not registered")
  void anotherSocketUnderTheSameInstanceIsNotRegistered() {
    SupervisedPlugin first = ready();
    supervise(
        PluginConfig.builder("fake", Path.of("/run/other"))
            .volumeRoot(Path.of("/volumes"))
            .build());
    pass(0);

    assertThat(told())
        .containsExactly(
            "says fake.csi 1.0[]",
            "starting not_asked -> starting refused PLUGIN_DUPLICATE: it is registered at"
                + " unix:///run/fake/csi.sock, and unix:///run/other/csi.sock claims its name");
    assertThat(registered().orElseThrow().registration().binding().endpoint())
        .isEqualTo(first.config().endpoint());
  }

  @Test
  void whatCannotBeIsToldOnceAndPassedOver() {
    plugin.nonsense = List.of("NodeGetInfo: max_volumes_per_node is -1");
    SupervisedPlugin watched = ready2();
    assertThat(told().get(0))
        .isEqualTo("PLUGIN_SAYS_NONSENSE: NodeGetInfo: max_volumes_per_node is -1");
    watched.refresh();
    pass(1);

    assertThat(told()).isEmpty();
    assertThat(watched.fingerprint().orElseThrow().name()).isEqualTo(PluginName.of("fake.csi"));
  }

  private SupervisedPlugin ready2() {
    plugin.comes("p1");
    SupervisedPlugin watched = supervise(config().build());
    pass(0);
    return watched;
  }

  // ---- its end

  @Test
  @DisplayName("S-31: the last fingerprint is complete, marked as gone, and nobody is asked")
  void theLastFingerprintIsCompleteMarkedAsGoneAndNobodyIsAsked() {
    SupervisedPlugin watched = ready();
    Optional<PluginFingerprint> before = watched.fingerprint();

    CompletableFuture<Void> ended = ((Supervision) watched).stop();
    assertThat(ended).isNotDone();
    List<PluginEvent> ofRegistry = new ArrayList<>();
    var listening = registry.listen(PluginRole.NODE, ofRegistry::add);
    assertThat(listening).isNotNull();
    pass(0);

    assertThat(ended).isCompleted();
    assertThat(plugin.asked()).isEmpty();
    assertThat(plugin.isClosed).isTrue();
    assertThat(registered()).isEmpty();
    assertThat(watched.fingerprint()).isEqualTo(before);
    assertThat(ofRegistry.get(ofRegistry.size() - 1))
        .isInstanceOfSatisfying(
            PluginEvent.Deregistered.class,
            gone -> {
              assertThat(gone.last().health().state()).isEqualTo(State.GONE);
              assertThat(gone.last().health().reason()).isEqualTo(Reason.STOPPED);
              assertThat(gone.last().fingerprint()).isEqualTo(before);
            });
    assertThat(told())
        .containsExactly(
            "ready answered -> gone stopped PLUGIN_STOPPED: the host has stopped it",
            "gone gone stopped fake.csi");
    pass(100);
    assertThat(time.waiting()).as("timers").isZero();
    assertThat(((Supervision) watched).stop()).isNotDone();
    pass(0);
    assertThat(told()).as("once").isEmpty();
  }

  @Test
  void anAnswerThatComesAfterTheEndChangesNothing() {
    plugin.comes("p1");
    plugin.isMute = true;
    SupervisedPlugin watched = supervise(config().build());
    pass(0);
    CompletableFuture<Void> ended = ((Supervision) watched).stop();
    pass(0);
    told();
    plugin.speaks();
    pass(10);

    assertThat(ended).isCompleted();
    assertThat(told()).isEmpty();
    assertThat(watched.health().state()).isEqualTo(State.GONE);
    assertThat(registered()).isEmpty();
  }

  @Test
  void aRegistryThatIsClosedIsTriedAgainInTheShortInterval() {
    registry.close();
    plugin.comes("p1");
    SupervisedPlugin watched = supervise(config().build());
    pass(11);

    assertThat(plugin.asked()).containsExactly("0 probe", "0 portray", "5 probe", "10 probe");
    assertThat(watched.health().state()).isEqualTo(State.STARTING);
    assertThat(told())
        .containsExactly(
            "says fake.csi 1.0[]",
            "starting not_asked -> starting error ENGINE_CLOSED: the registry of plugins"
                + " was closed before");
  }

  @Test
  void aLookThatFailsOnThisSideIsRepeatedLater() {
    plugin.socketFailures = 3;
    SupervisedPlugin watched = supervise(config().build());
    plugin.comes("p1");
    try (CapturedLog log = CapturedLog.ofVolumes()) {
      pass(2);
      assertThat(plugin.asked()).isEmpty();
      assertThat(log.warnings()).containsOnly("The supervision of a plugin failed. Report this.");
    }
    pass(1);

    assertThat(plugin.asked()).containsExactly("3 probe", "3 portray");
    assertThat(watched.health().state()).isEqualTo(State.READY);
  }

  @Test
  void aListenerThatThrowsHarmsNobody() {
    List<PluginEvent> heard = new ArrayList<>();
    Supervisor another =
        new Supervisor(
            registry,
            List.of(
                event -> {
                  throw new IllegalStateException("a listener that is broken");
                },
                heard::add),
            timeouts::add,
            new Supervisor.Parts(
                time, time, hub, FakeDisk.with(Path.of("/run")), config -> plugin));
    plugin.comes("p1");
    SupervisedPlugin watched = another.supervise(config().build(), InstanceId.ONLY);
    pass(0);

    assertThat(watched.health().state()).isEqualTo(State.READY);
    assertThat(heard.stream().map(SupervisionTest::line))
        .containsExactly("says fake.csi 1.0[]", "starting not_asked -> ready answered");
  }

  @ParameterizedTest
  @CsvSource({"777,everybody", "775,a group"})
  @DisplayName("hostile input 36: a directory to which others may write is refused")
  void aDirectoryToWhichOthersMayWriteIsRefused(String mode, String who) throws DiskException {
    FakeDisk disk = FakeDisk.with(Path.of("/run"));
    disk.createDirectory(Path.of("/run/fake"));
    disk.setMode(Path.of("/run/fake"), Integer.parseInt(mode, 8));
    Supervisor careful =
        new Supervisor(
            registry,
            List.of(),
            timeouts::add,
            new Supervisor.Parts(time, time, hub, disk, config -> plugin));

    assertThatThrownBy(() -> careful.supervise(config().build(), InstanceId.ONLY))
        .hasMessageStartingWith(
            "CSI-328 PLUGIN_CONFIG_REFUSED: configuring the plugin 'fake': "
                + who
                + " may write to the directory of its socket '/run/fake' and could put another"
                + " socket there;");
    assertThat(time.waiting()).isZero();
  }
}
