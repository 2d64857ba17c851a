package io.csi4j.volume.internal.plugin;

import static io.csi4j.volume.internal.plugin.Plugins.ID;
import static io.csi4j.volume.internal.plugin.Plugins.READY;
import static io.csi4j.volume.internal.plugin.Plugins.fingerprint;
import static io.csi4j.volume.internal.plugin.Plugins.instance;
import static io.csi4j.volume.plugin.PluginRole.CONTROLLER;
import static io.csi4j.volume.plugin.PluginRole.NODE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.client.model.PluginName;
import io.csi4j.volume.internal.link.PluginConnections;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginHandle;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateValue;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What a registry knows after a restart. */
class StoredPluginsTest {

  private final VirtualTime time = new VirtualTime();
  private final MemoryMedium medium = MemoryMedium.create();
  private final List<OperatorMessage> told = new ArrayList<>();
  private final List<Optional<RegisteredPlugin>> served = new ArrayList<>();
  private StateStore state = medium.open();
  private LivePluginRegistry registry = open();

  private LivePluginRegistry open() {
    return LivePluginRegistry.open(
        new LivePluginRegistry.Ground(time, time, time, new PluginConnections()),
        new StoredPlugins(state, told::add),
        (plugin, serving) -> {
          served.add(serving);
          return () -> {};
        });
  }

  /** The power goes, and comes back. */
  private void restart() {
    medium.crash();
    state = medium.open();
    served.clear();
    registry = open();
  }

  private List<String> names() {
    return registry.plugins().stream()
        .map(known -> known.registration().instance() + (known.remembered() ? " (remembered)" : ""))
        .toList();
  }

  @Test
  void aRestartKnowsWhatWasThereBeforeTheSocketsAreBack() {
    registry.register(Plugins.everything()).report(Plugins.everythingSaid());
    registry.register(instance("young", NODE)).report(READY);

    restart();

    assertThat(names()).containsExactly("young (remembered)", "task-7f3 (remembered)");
    RegisteredPlugin old = registry.plugins().get(1);
    assertThat(old.health().state()).isEqualTo(State.STARTING);
    assertThat(old.health().reason()).isEqualTo(Reason.NOT_ASKED);
    assertThat(old.fingerprint()).contains(Plugins.everythingSaid());
    assertThat(old.registration().roles()).containsExactlyInAnyOrder(NODE, CONTROLLER);
    assertThat(old.registration().binding().endpoint())
        .isEqualTo(Plugins.everything().binding().endpoint());
    assertThat(served).as("what serves releases").containsExactly(registry.find(ID, NODE));
    assertThat(served.get(0).orElseThrow().registration().instance())
        .isEqualTo(InstanceId.of("young"));
  }

  /** A state whose writes fail in a way that none should. */
  private static StateStore failing(StateStore state, AtomicReference<Throwable> failure) {
    return (StateStore)
        Proxy.newProxyInstance(
            StateStore.class.getClassLoader(),
            new Class<?>[] {StateStore.class},
            (proxy, method, args) -> {
              if (method.getName().equals("put") && failure.get() != null) {
                throw failure.get();
              }
              return method.invoke(state, args);
            });
  }

  @Test
  void aStateThatFailsUnexpectedlyKeepsNobodyFromBeingToldAndLaterChangesAreRemembered() {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<PluginEvent> events = new ArrayList<>();
    state = failing(state, failure);
    registry = open();
    AutoCloseable listening = registry.listen(NODE, events::add);
    assertThat(listening).isNotNull();

    failure.set(new IllegalStateException("of a test"));
    registry.register(instance("a", NODE));
    time.settle();
    assertThat(events).hasSize(1);
    failure.set(new AssertionError("of a test"));
    registry.register(instance("b", NODE));
    time.settle();
    assertThat(events).hasSize(2);
    failure.set(null);
    registry.register(instance("c", NODE));

    restart();
    assertThat(names())
        .containsExactlyInAnyOrder("a (remembered)", "b (remembered)", "c (remembered)");
  }

  @Test
  void aListenerHearsOfWhatIsRememberedAndThenOfItsReturn() {
    List<PluginEvent> events = new ArrayList<>();
    registry.register(instance("a", NODE)).report(READY);
    restart();
    AutoCloseable listening = registry.listen(NODE, events::add);
    assertThat(listening).isNotNull();

    registry.register(instance("a", NODE)).report(READY);
    time.settle();

    assertThat(events).hasSize(3);
    PluginEvent.Registered remembered = (PluginEvent.Registered) events.get(0);
    PluginEvent.Registered returned = (PluginEvent.Registered) events.get(1);
    assertThat(remembered.registered().remembered()).isTrue();
    assertThat(remembered.update()).isFalse();
    assertThat(returned.registered().remembered()).isFalse();
    assertThat(returned.update()).isTrue();
  }

  @Test
  void whoComesBackKeepsItsPlaceAndWhatItSaidWhereverItsSocketIsNow() {
    registry.register(instance("a", NODE)).report(fingerprint("1"));
    registry.register(instance("b", NODE)).report(READY);
    restart();

    PluginHandle again =
        registry.register(
            new PluginRegistration(
                Plugins.binding(ID, Path.of("/run/elsewhere.sock")),
                InstanceId.of("a"),
                Set.of(NODE)));

    assertThat(names()).containsExactly("b (remembered)", "a");
    assertThat(registry.plugins().get(1).fingerprint()).contains(fingerprint("1"));
    assertThat(registry.plugins().get(1).registration()).isSameAs(again.registration());
  }

  @Test
  void theNameThatAPluginHadIsHeldAgainstTheOneThatComesBack() {
    registry.register(instance("a", NODE)).report(fingerprint("1"));
    restart();
    PluginHandle again = registry.register(instance("b", NODE));

    assertThatExceptionOfType(PluginException.class)
        .isThrownBy(
            () -> again.report(fingerprint(PluginName.of("nfs.csi.example"), "1", Set.of())))
        .withMessageContaining("CSI-313 PLUGIN_NAME_CHANGED")
        .withMessageContaining("it reports the name 'nfs.csi.example'");
    assertThat(registry.get(ID, NODE).remembered()).as("the one that was meant serves").isTrue();
  }

  @Test
  void whatIsOnlyRememberedIsForgottenWhenOneIsReadyThatDoesAllThatItDid() {
    registry.register(instance("old", NODE)).report(READY);
    registry.register(instance(ID, "both", EnumSet.of(NODE, CONTROLLER))).report(READY);
    restart();
    PluginHandle young = registry.register(instance("young", NODE));
    young.report(READY);
    assertThat(names())
        .as("nobody knows yet who it is")
        .containsExactly("young", "both (remembered)", "old (remembered)");

    young.report(fingerprint("2"));

    assertThat(names()).containsExactly("young", "both (remembered)");
    restart();
    assertThat(names()).containsExactly("young (remembered)", "both (remembered)");
  }

  @Test
  void whatWasDeregisteredIsNotRemembered() {
    PluginHandle one = registry.register(instance("a", NODE));
    registry.register(instance(PluginId.of("nfs"), "b", Set.of(NODE))).report(READY);
    one.close();

    restart();

    assertThat(names()).containsExactly("b (remembered)");
    assertThat(registry.deregister(PluginId.of("nfs"), InstanceId.of("b"))).isTrue();
    assertThat(registry.deregister(PluginId.of("nfs"), InstanceId.of("b"))).isFalse();
    restart();
    assertThat(registry.plugins()).isEmpty();
    assertThat(state.load().values()).isEmpty();
  }

  @Test
  void whoLeavesAfterTheManagerWasClosedIsRemembered() {
    PluginHandle handle = registry.register(instance("a", NODE));

    registry.close();
    handle.close();
    assertThat(registry.deregister(ID, InstanceId.of("a"))).isFalse();

    restart();
    assertThat(names()).containsExactly("a (remembered)");
  }

  @Test
  void healthIsNotWrittenDown() {
    PluginHandle handle = registry.register(instance("a", NODE));
    StateValue before = state.load().value(StoredPlugins.key(ID)).orElseThrow();
    medium.refuse(StateException.Reason.STATE_DISK_FULL);

    handle.report(READY);

    assertThat(state.load().value(StoredPlugins.key(ID))).contains(before);
    assertThat(registry.get(ID, NODE).health()).isEqualTo(READY);
  }

  @Test
  void whatANewerVersionWroteAboutAPluginSurvivesThisOne() {
    registry.register(instance("a", NODE)).report(READY);
    StateKey key = StoredPlugins.key(ID);
    byte[] bytes = state.load().value(key).orElseThrow().bytes();
    byte[] newer = Arrays.copyOf(bytes, bytes.length + 2);
    newer[bytes.length] = 9 << 3;
    newer[bytes.length + 1] = 1;
    assertThat(state.put(key, StateValue.of(newer), Durability.REQUIRED)).isNotNull();
    restart();

    registry.register(instance("b", NODE)).report(READY);

    byte[] written = state.load().value(key).orElseThrow().bytes();
    assertThat(written[written.length - 2]).isEqualTo((byte) (9 << 3));
    assertThat(written[written.length - 1]).isEqualTo((byte) 1);
    assertThat(written.length).isGreaterThan(newer.length);
  }

  @Test
  void whatCannotBeReadIsToldAndStandsInNobodysWay() {
    StateKey key = StoredPlugins.key(ID);
    assertThat(state.put(key, StateValue.of(new byte[] {1, 2, 3}), Durability.REQUIRED))
        .isNotNull();
    registry.register(instance(PluginId.of("nfs"), "b", Set.of(NODE))).report(READY);

    restart();

    assertThat(names()).containsExactly("b (remembered)");
    assertThat(told)
        .extracting(OperatorMessage::line)
        .singleElement()
        .asString()
        .startsWith(
            "CSI-110 RECORD_UNREADABLE: reading the stored plugins: "
                + key
                + ": It does not"
                + " say its format; ");
    registry.register(instance("a", NODE)).report(READY);
    restart();
    assertThat(names()).containsExactly("a (remembered)", "b (remembered)");
  }

  @Test
  void ofInstancesWithoutEndTheNewestAreRemembered() {
    for (int i = 0; i < StoredPlugins.INSTANCES + 5; i++) {
      registry.register(instance("i" + i, NODE)).report(READY);
    }

    restart();

    assertThat(names())
        .hasSize(StoredPlugins.INSTANCES)
        .startsWith("i20 (remembered)", "i19 (remembered)")
        .endsWith("i5 (remembered)");
  }

  @Test
  void aStateThatIsClosedIsNoObstacle() {
    state.close();

    registry.register(instance("a", NODE)).report(READY);

    assertThat(registry.get(ID, NODE).health()).isEqualTo(READY);
  }
}
