package io.csi4j.volume.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.volume.internal.plugin.Plugins;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When volumes look at their plugin again. */
class PluginWiringTest {

  private static final PluginRegistration REGISTERED = registration();

  private static PluginRegistration registration() {
    return PluginRegistration.node(
        PluginBinding.of(PluginId.of("plugin"), CsiEndpoint.of(Path.of("/run/csi.sock"))));
  }

  private static RegisteredPlugin known(PluginRegistration registration, State state) {
    return new RegisteredPlugin(
        registration,
        new PluginHealth(state, Reason.ANSWERED, new PluginHealth.Text("so"), Instant.EPOCH),
        Optional.empty(),
        false);
  }

  private static boolean isAnother(State before, State now) {
    return PluginWiring.isAnother(
        Optional.of(known(REGISTERED, before)), Optional.of(known(REGISTERED, now)));
  }

  @Test
  void whenThePluginHasComeOrLeftOrIsElsewhere() {
    Optional<RegisteredPlugin> now = Optional.of(known(REGISTERED, State.STARTING));
    Optional<RegisteredPlugin> anew = Optional.of(known(registration(), State.STARTING));

    assertThat(PluginWiring.isAnother(Optional.empty(), now)).isTrue();
    assertThat(PluginWiring.isAnother(now, Optional.empty())).isTrue();
    assertThat(PluginWiring.isAnother(now, anew)).as("registered anew").isTrue();
    assertThat(PluginWiring.isAnother(now, now)).isFalse();
    assertThat(PluginWiring.isAnother(Optional.empty(), Optional.empty())).isFalse();
  }

  @Test
  void whenItIsReadyOrNotAnyMoreAndNotWithEachReport() {
    assertThat(isAnother(State.STARTING, State.READY)).isTrue();
    assertThat(isAnother(State.UNHEALTHY, State.READY)).isTrue();
    assertThat(isAnother(State.READY, State.UNHEALTHY)).isTrue();
    assertThat(isAnother(State.READY, State.READY)).isFalse();
    assertThat(isAnother(State.STARTING, State.STARTING)).isFalse();
  }

  @Test
  void whenItWasAskedWhoItIsAsAnotherProcessMayBe() {
    RegisteredPlugin before = known(REGISTERED, State.READY);
    RegisteredPlugin asked =
        new RegisteredPlugin(
            REGISTERED, before.health(), Optional.of(Plugins.fingerprint("1")), false);

    assertThat(PluginWiring.isAnother(Optional.of(before), Optional.of(asked))).isTrue();
    assertThat(PluginWiring.isAnother(Optional.of(asked), Optional.of(asked))).isFalse();
  }
}
