package io.csi4j.volume.internal.plugin;

import static io.csi4j.volume.internal.plugin.Plugins.ID;
import static io.csi4j.volume.internal.plugin.Plugins.READY;
import static io.csi4j.volume.internal.plugin.Plugins.SILENT;
import static io.csi4j.volume.internal.plugin.Plugins.fingerprint;
import static io.csi4j.volume.internal.plugin.Plugins.instance;
import static io.csi4j.volume.plugin.PluginRole.CONTROLLER;
import static io.csi4j.volume.plugin.PluginRole.NODE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.PluginName;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.volume.internal.link.PluginConnections;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHandle;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Instances of plugins that come and go, on time that stands still. */
class LivePluginRegistryTest {

  private final VirtualTime time = new VirtualTime();
  private final List<Optional<String>> served = new ArrayList<>();
  private final LivePluginRegistry registry =
      LivePluginRegistry.open(
          new LivePluginRegistry.Ground(time, time, time, new PluginConnections()),
          PluginMemory.NONE,
          (plugin, serving) -> {
            served.add(serving.map(known -> known.registration().instance().value()));
            return () -> {};
          });

  private String serving() {
    return registry
        .find(ID, NODE)
        .map(known -> known.registration().instance().value())
        .orElse("nobody");
  }

  private List<String> heard(List<PluginEvent> events) {
    time.settle();
    return events.stream().map(LivePluginRegistryTest::brief).toList();
  }

  private static String brief(PluginEvent event) {
    if (event instanceof PluginEvent.Registered registered) {
      return (registered.update() ? "updated " : "registered ") + event.instance();
    } else if (event instanceof PluginEvent.Deregistered) {
      return "deregistered " + event.instance();
    } else if (event instanceof PluginEvent.HealthChanged changed) {
      return event.instance() + " " + changed.before().state() + "->" + changed.now().state();
    } else if (event instanceof PluginEvent.Fingerprinted said) {
      return event.instance()
          + " says "
          + said.now().version()
          + ", changes "
          + said.changes().size();
    }
    return event.toString();
  }

  // ---- who serves

  @Test
  void theNewestServesUntilAnotherOneIsReady() {
    PluginHandle old = registry.register(instance("old", NODE));
    PluginHandle young = registry.register(instance("young", NODE));
    assertThat(serving()).isEqualTo("young");

    old.report(READY);
    assertThat(serving()).isEqualTo("old");

    young.report(READY);
    assertThat(serving()).isEqualTo("young");

    young.report(SILENT);
    assertThat(serving()).isEqualTo("old");

    old.report(SILENT);
    assertThat(serving()).isEqualTo("young");
    assertThat(registry.plugins())
        .extracting(known -> known.registration().instance().value())
        .containsExactly("young", "old");
    assertThat(served.stream().map(Optional::orElseThrow))
        .containsExactly("old", "young", "old", "young", "old", "young");
  }

  @Test
  @Tag("T-05")
  void whoeverLeavesIsTheOneThatIsGoneHoweverManyThereAre() throws Exception {
    List<PluginEvent> events = new ArrayList<>();
    PluginHandle old = registry.register(instance("old", NODE));
    PluginHandle young = registry.register(instance("young", NODE));
    AutoCloseable listening = registry.listen(NODE, events::add);

    old.close();
    old.close();

    assertThat(heard(events))
        .containsExactly("registered young", "registered old", "deregistered old");
    assertThat(serving()).isEqualTo("young");
    young.close();
    assertThat(serving()).isEqualTo("nobody");
    assertThat(served.get(served.size() - 1)).isEmpty();
    listening.close();
  }

  @Test
  void bothRolesOfAMonolithComeAndGoAtOnce() {
    List<PluginEvent> nodes = new ArrayList<>();
    List<PluginEvent> controllers = new ArrayList<>();
    PluginHandle handle = registry.register(instance(ID, "both", EnumSet.of(NODE, CONTROLLER)));
    listen(nodes::add, controllers::add);

    assertThat(registry.find(ID, NODE)).isEqualTo(registry.find(ID, CONTROLLER)).isPresent();
    handle.report(READY);
    handle.close();

    assertThat(registry.find(ID, NODE)).isEmpty();
    assertThat(registry.find(ID, CONTROLLER)).isEmpty();
    assertThat(heard(nodes))
        .isEqualTo(heard(controllers))
        .containsExactly("registered both", "both STARTING->READY", "deregistered both");
  }

  private void listen(PluginEvent.Listener nodes, PluginEvent.Listener controllers) {
    AutoCloseable one = registry.listen(NODE, nodes);
    AutoCloseable other = registry.listen(CONTROLLER, controllers);
    assertThat(one).isNotSameAs(other);
  }

  // ---- the same again

  @Test
  @Tag("S-41")
  @Tag("T-05")
  void theSameInstanceAgainIsAnUpdateAndNobodyHearsThatItLeft() {
    List<PluginEvent> events = new ArrayList<>();
    PluginHandle first = registry.register(instance("a", NODE));
    registry.register(instance("b", NODE)).report(READY);
    first.report(READY);
    first.report(fingerprint("1"));
    listen(events::add, unheard -> {});

    PluginHandle again = registry.register(instance("a", NODE));

    assertThat(registry.plugins())
        .extracting(known -> known.registration().instance().value())
        .as("it keeps its place")
        .containsExactly("b", "a");
    RegisteredPlugin known = registry.plugins().get(1);
    assertThat(known.health()).isEqualTo(READY);
    assertThat(known.fingerprint()).contains(fingerprint("1"));
    assertThat(known.registration()).isSameAs(again.registration());
    assertThat(heard(events)).containsExactly("registered b", "registered a", "updated a");
  }

  @Test
  void whoWasReplacedReportsAndDeregistersNothingAnyMore() {
    PluginHandle first = registry.register(instance("a", NODE));
    PluginHandle again = registry.register(instance("a", NODE));

    first.report(READY);
    first.report(fingerprint("1"));
    first.close();

    RegisteredPlugin known = registry.get(ID, NODE);
    assertThat(known.health().state()).isEqualTo(State.STARTING);
    assertThat(known.fingerprint()).isEmpty();
    again.close();
    assertThat(serving()).isEqualTo("nobody");
  }

  @Test
  @Tag("D-56")
  void aRoleThatAnUpdateLacksIsGone() {
    List<PluginEvent> nodes = new ArrayList<>();
    List<PluginEvent> controllers = new ArrayList<>();
    registry.register(instance(ID, "a", EnumSet.of(NODE, CONTROLLER))).report(READY);
    listen(nodes::add, controllers::add);

    registry.register(instance("a", NODE)).report(SILENT);
    assertThat(registry.find(ID, CONTROLLER)).isEmpty();
    PluginHandle both = registry.register(instance(ID, "a", EnumSet.of(NODE, CONTROLLER)));

    assertThat(both.registration().roles()).containsExactlyInAnyOrder(NODE, CONTROLLER);
    assertThat(heard(nodes))
        .containsExactly("registered a", "updated a", "a READY->UNHEALTHY", "updated a");
    assertThat(heard(controllers))
        .containsExactly("registered a", "deregistered a", "registered a");
  }

  @Test
  @Tag("D-55")
  @Tag("D-57")
  void whatIsKnownDoesNotChangeInTheHandsOfWhoHasIt() {
    PluginHandle handle = registry.register(instance("a", NODE));
    RegisteredPlugin before = registry.get(ID, NODE);
    List<RegisteredPlugin> all = registry.plugins();

    handle.report(READY);
    handle.report(fingerprint("1"));

    assertThat(before.health().state()).isEqualTo(State.STARTING);
    assertThat(before.fingerprint()).isEmpty();
    assertThat(all).containsExactly(before);
    assertThatThrownBy(all::clear).isInstanceOf(UnsupportedOperationException.class);
    assertThat(registry.get(ID, NODE).fingerprint().map(PluginFingerprint::hasController))
        .contains(true);
  }

  @Test
  void whatIsUnhealthyIsUnknownWhenSomebodyElseRegistersIt() {
    registry.register(instance("a", NODE)).report(SILENT);

    PluginHandle again = registry.register(instance("a", NODE));

    assertThat(again.registration().instance()).isEqualTo(InstanceId.of("a"));
    assertThat(registry.get(ID, NODE).health())
        .isEqualTo(PluginMessages.notAsked(VirtualTime.BEGIN));
  }

  // ---- two that want one name

  @Test
  @Tag("S-41")
  void theSecondSocketThatClaimsANameIsRefusedAndTheFirstStays() {
    PluginHandle first = registry.register(instance("a", NODE));
    first.report(READY);
    PluginRegistration thief =
        new PluginRegistration(
            Plugins.binding(ID, Path.of("/tmp/evil.sock")), InstanceId.of("a"), Set.of(NODE));

    assertThatExceptionOfType(PluginException.class)
        .isThrownBy(() -> registry.register(thief))
        .withMessage(
            "CSI-320 PLUGIN_DUPLICATE: registering plugin 'ebs.csi.example' (instance 'a') at"
                + " unix:///tmp/evil.sock: it is registered at unix:///run/a.sock, and"
                + " unix:///tmp/evil.sock claims its name; the first plugin stays. Stop the wrong"
                + " one, or register it under another id.");

    assertThat(registry.get(ID, NODE).registration()).isSameAs(first.registration());
    assertThat(registry.get(ID, NODE).health()).isEqualTo(READY);
  }

  @Test
  void theHostItselfMaySayThatAnInstanceIsElsewhereNow() {
    List<PluginEvent> events = new ArrayList<>();
    registry.register(instance("a", NODE)).report(READY);
    listen(events::add, unheard -> {});
    PluginRegistration moved =
        new PluginRegistration(
            Plugins.binding(ID, Path.of("/run/new.sock")), InstanceId.of("a"), Set.of(NODE));

    registry.replace(moved).report(SILENT);

    assertThat(registry.get(ID, NODE).registration()).isSameAs(moved);
    assertThat(heard(events))
        .as("what is known of the old place is not known of the new one")
        .containsExactly("registered a", "updated a", "a STARTING->UNHEALTHY");
  }

  @Test
  void oneVendorMayHaveTwoPlugins() {
    PluginId other = PluginId.of("other");
    PluginHandle one = registry.register(instance("a", NODE));
    PluginHandle two = registry.register(instance(other, "b", Set.of(NODE)));

    one.report(fingerprint("1"));
    two.report(fingerprint("1"));

    assertThat(registry.get(ID, NODE).fingerprint())
        .isEqualTo(registry.get(other, NODE).fingerprint())
        .isPresent();
  }

  // ---- what plugins say of themselves

  @Test
  void aFingerprintIsToldWhenItIsNewAndNamesWhatIsNewInIt() {
    List<PluginEvent> events = new ArrayList<>();
    PluginHandle handle = registry.register(instance("a", NODE));
    listen(events::add, unheard -> {});
    PluginFingerprint upgraded =
        fingerprint(
            PluginName.of("ebs.csi.example"), "2", Set.of(NodeCapability.STAGE_UNSTAGE_VOLUME));

    handle.report(fingerprint("1"));
    handle.report(fingerprint("1"));
    handle.report(upgraded);

    assertThat(heard(events))
        .containsExactly("registered a", "a says 1, changes 0", "a says 2, changes 2");
    PluginEvent.Fingerprinted said = (PluginEvent.Fingerprinted) events.get(2);
    assertThat(said.changes())
        .containsExactly(
            new PluginFingerprint.Change.Value(
                PluginFingerprint.Change.Part.VERSION, new PluginHealth.Text("'1' -> '2'")),
            new PluginFingerprint.Change.Lost(NodeCapability.EXPAND_VOLUME));
    assertThat(said.messages())
        .extracting(message -> message.code() + ": " + message.seen())
        .containsExactly(
            "PLUGIN_REPLACED: its version: '1' -> '2'",
            "CAPABILITY_LOST: it does not offer EXPAND_VOLUME of its node service any more");
  }

  @Test
  void aNewInstanceIsComparedWithTheOneBefore() {
    List<PluginEvent> events = new ArrayList<>();
    registry.register(instance("old", NODE)).report(fingerprint("1"));
    PluginHandle young = registry.register(instance("young", NODE));
    listen(events::add, unheard -> {});

    young.report(fingerprint("1"));
    assertThat(heard(events)).last().isEqualTo("young says 1, changes 0");
    PluginHandle third = registry.register(instance("third", NODE));
    third.report(fingerprint("2"));

    assertThat(heard(events)).last().isEqualTo("third says 2, changes 1");
  }

  @Test
  void aPluginThatGivesItselfAnotherNameIsRefusedAndDoesNotServe() {
    List<PluginEvent> events = new ArrayList<>();
    PluginHandle old = registry.register(instance("old", NODE));
    old.report(fingerprint("1"));
    PluginHandle young = registry.register(instance("young", NODE));
    listen(events::add, unheard -> {});
    PluginFingerprint renamed = fingerprint(PluginName.of("nfs.csi.example"), "1", Set.of());

    PluginException refused =
        catchThrowableOfType(PluginException.class, () -> young.report(renamed));

    assertThat(refused.operatorMessage().code()).isEqualTo(OperatorCode.PLUGIN_NAME_CHANGED);
    assertThat(refused)
        .hasMessageContaining(
            "plugin 'ebs.csi.example' (instance 'young') at unix:///run/young.sock")
        .hasMessageContaining(
            "it reports the name 'nfs.csi.example', but the plugin of this id reports "
                + "'ebs.csi.example'");
    assertThat(serving()).isEqualTo("old");
    assertThat(heard(events)).last().isEqualTo("young STARTING->UNHEALTHY");
    PluginEvent.HealthChanged changed = (PluginEvent.HealthChanged) events.get(events.size() - 1);
    assertThat(changed.now().reason()).isEqualTo(Reason.REFUSED);
    assertThat(changed.message()).contains(refused.operatorMessage());

    young.report(READY);
    old.close();
    assertThat(serving()).as("it answers, and is still not the one").isEqualTo("nobody");
    assertThat(registry.plugins()).hasSize(1);
  }

  @Test
  void whoWasRefusedAndIsRightAfterAllServes() {
    registry.register(instance("old", NODE)).report(fingerprint("1"));
    PluginHandle young = registry.register(instance("young", NODE));
    PluginFingerprint renamed = fingerprint(PluginName.of("nfs.csi.example"), "1", Set.of());
    for (int i = 0; i < 2; i++) {
      assertThatExceptionOfType(PluginException.class).isThrownBy(() -> young.report(renamed));
    }

    young.report(fingerprint("2"));
    young.report(READY);

    assertThat(serving()).isEqualTo("young");
  }

  @Test
  void healthIsToldOnlyWhenItIsAnother() {
    List<PluginEvent> events = new ArrayList<>();
    PluginHandle handle = registry.register(instance("a", NODE));
    listen(events::add, unheard -> {});

    handle.report(READY);
    handle.report(
        new PluginHealth(State.READY, Reason.ANSWERED, new PluginHealth.Text("x"), READY.since()));
    handle.report(SILENT);
    handle.report(SILENT);
    handle.close();
    handle.report(READY);

    assertThat(heard(events))
        .containsExactly(
            "registered a", "a STARTING->READY", "a READY->UNHEALTHY", "deregistered a");
    PluginEvent.HealthChanged changed = (PluginEvent.HealthChanged) events.get(2);
    assertThat(changed.message().orElseThrow().line())
        .isEqualTo(
            "CSI-316 PLUGIN_UNHEALTHY: looking after plugin 'ebs.csi.example' (instance 'a') at"
                + " unix:///run/a.sock: it did not answer three times in a row, since"
                + " 2026-01-01T12:00:00.000000123Z; existing mounts stay; no new mounts; releases"
                + " wait. Check the plugin's log; csi4j continues once checks succeed.");
    assertThat(((PluginEvent.HealthChanged) events.get(1)).message()).isEmpty();
  }

  // ---- listeners

  @Test
  void aListenerIsToldFirstOfWhatThereIsAndThenOfEverythingInOrder() {
    List<PluginEvent> events = new ArrayList<>();
    registry.register(instance("a", NODE)).report(READY);
    PluginHandle b = registry.register(instance("b", NODE));
    listen(events::add, unheard -> {});
    b.report(READY);
    b.close();
    registry.register(instance("c", CONTROLLER)).report(READY);

    assertThat(heard(events))
        .containsExactly("registered b", "registered a", "b STARTING->READY", "deregistered b");
  }

  @Test
  void aListenerThatThrowsOrCallsBackHarmsNobody() throws Exception {
    List<PluginEvent> events = new ArrayList<>();
    List<PluginEvent> reentrant = new ArrayList<>();
    AutoCloseable throwing =
        registry.listen(
            NODE,
            event -> {
              throw new AssertionError("of a test");
            });
    AutoCloseable calling =
        registry.listen(
            NODE,
            event -> {
              reentrant.add(event);
              if (event.instance().equals(InstanceId.of("a"))) {
                registry.register(instance("b", NODE)).report(READY);
              }
            });
    listen(events::add, unheard -> {});

    registry.register(instance("a", NODE)).close();

    List<String> all = heard(events);
    assertThat(all.subList(0, 4))
        .containsExactly("registered a", "deregistered a", "registered b", "b STARTING->READY");
    assertThat(heard(reentrant)).isEqualTo(all);
    throwing.close();
    calling.close();
  }

  @Test
  void whoDoesNotListenAnyMoreHearsNothing() throws Exception {
    List<PluginEvent> events = new ArrayList<>();
    AutoCloseable listening = registry.listen(NODE, events::add);
    registry.register(instance("a", NODE)).report(READY);

    listening.close();
    registry.register(instance("b", NODE)).report(READY);

    assertThat(heard(events)).isEmpty();
  }

  @Test
  void nobodyIsToldWhereTheRegistryIsLocked() {
    CompletableFuture<RegisteredPlugin> waiting = registry.await(ID, NODE, Duration.ofSeconds(1));
    List<PluginEvent> events = new ArrayList<>();
    listen(events::add, unheard -> {});

    registry.register(instance("a", NODE)).report(READY);

    assertThat(events).isEmpty();
    assertThat(waiting).isNotDone();
    time.settle();
    assertThat(waiting).isCompletedWithValue(registry.get(ID, NODE));
    assertThat(events).hasSize(2);
  }

  // ---- looking up

  @Test
  void lookingUpWhatIsNotThereNamesWhatIs() {
    assertThatExceptionOfType(PluginException.class)
        .isThrownBy(() -> registry.get(ID, NODE))
        .withMessage(
            "CSI-301 PLUGIN_NOT_REGISTERED: looking for the node plugin 'ebs.csi.example': it is"
                + " not registered with the role NODE; none is registered; existing mounts"
                + " stay; nothing was done. Register it for the named role.");
    registry.register(instance("a", CONTROLLER)).report(READY);
    registry.register(instance(PluginId.of("nfs"), "b", EnumSet.of(NODE, CONTROLLER)));

    assertThatExceptionOfType(PluginException.class)
        .isThrownBy(() -> registry.get(ID, NODE))
        .withMessageContaining(
            "it is registered with the role CONTROLLER, and not registered with the role NODE;"
                + " registered are: 'ebs.csi.example' (instance 'a', controller, ready), 'nfs'"
                + " (instance 'b', node and controller, starting); ");
  }

  @Test
  void ofManyPluginsSomeAreNamedAndTheOthersCounted() {
    for (int i = 0; i < 13; i++) {
      registry.register(instance(PluginId.of("p" + i), "i" + i, Set.of(NODE))).report(READY);
    }

    assertThatExceptionOfType(PluginException.class)
        .isThrownBy(() -> registry.get(ID, NODE))
        .withMessageContaining(" and 3 more; ");
  }

  // ---- waiting

  @Test
  void whoWaitsGetsThePluginWhenItIsReadyAndNotBefore() {
    CompletableFuture<RegisteredPlugin> waiting = registry.await(ID, NODE, Duration.ofMinutes(1));
    assertThat(time.timers()).containsExactly(Duration.ofMinutes(1));

    PluginHandle handle = registry.register(instance("a", NODE));
    time.pass(Duration.ofSeconds(59));
    assertThat(waiting).isNotDone();
    handle.report(READY);
    time.settle();

    assertThat(waiting).isCompletedWithValue(registry.get(ID, NODE));
    assertThat(time.waiting()).as("timers").isZero();
    assertThat(registry.await(ID, NODE, Duration.ZERO))
        .isCompletedWithValue(registry.get(ID, NODE));
  }

  @Test
  @Tag("T-05")
  void whoWaitsInVainIsToldWhatThereIs() {
    CompletableFuture<RegisteredPlugin> absent = registry.await(ID, NODE, Duration.ofSeconds(5));
    time.pass(Duration.ofSeconds(5));
    assertThat(failure(absent))
        .hasMessageContaining("CSI-301 PLUGIN_NOT_REGISTERED: ")
        .hasMessageContaining(
            "after 5 s it is not registered with the role NODE; none is registered; ");
    registry.register(instance("a", NODE)).report(SILENT);

    CompletableFuture<RegisteredPlugin> late = registry.await(ID, NODE, Duration.ofMillis(1500));
    time.pass(Duration.ofMillis(1499));
    assertThat(late).isNotDone();
    time.pass(Duration.ofMillis(1));

    assertThat(failure(late))
        .hasMessageContaining("CSI-302 PLUGIN_NOT_UP: looking for the node plugin")
        .hasMessageContaining(
            "none of its instances was ready within 1500 ms; registered are: 'ebs.csi.example'"
                + " (instance 'a', node, unhealthy); ");
    assertThat(time.waiting()).isZero();
  }

  private static PluginException failure(CompletableFuture<?> future) {
    ExecutionException failed = catchThrowableOfType(ExecutionException.class, future::get);
    assertThat(failed.getCause()).isInstanceOf(PluginException.class);
    return (PluginException) failed.getCause();
  }

  @Test
  void whoDoesNotWaitAnyMoreLeavesNothing() {
    CompletableFuture<RegisteredPlugin> waiting = registry.await(ID, NODE, Duration.ofMinutes(1));

    assertThat(waiting.cancel(true)).isTrue();

    assertThat(time.waiting()).isZero();
  }

  @Test
  void closingEndsTheWaitingAndRefusesWhatComes() {
    List<PluginEvent> events = new ArrayList<>();
    PluginHandle handle = registry.register(instance("a", NODE));
    listen(events::add, unheard -> {});
    time.settle();
    CompletableFuture<RegisteredPlugin> waiting = registry.await(ID, NODE, Duration.ofMinutes(1));

    registry.close();
    time.settle();
    handle.report(READY);

    assertThat(failure(waiting).operatorMessage().code()).isEqualTo(OperatorCode.ENGINE_CLOSED);
    assertThat(
            failure(registry.await(PluginId.of("x"), NODE, Duration.ofMinutes(1)))
                .operatorMessage()
                .code())
        .isEqualTo(OperatorCode.ENGINE_CLOSED);
    assertThatExceptionOfType(PluginException.class)
        .isThrownBy(() -> registry.register(instance("b", NODE)))
        .withMessageContaining("CSI-904 ENGINE_CLOSED")
        .withMessageContaining("ebs.csi.example");
    assertThat(heard(events)).containsExactly("registered a");
    assertThat(time.waiting()).isZero();
  }
}
