package io.csi4j.volume.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class PreferenceTest {

  private static final PluginId ID = PluginId.of("p");

  private static RegisteredPlugin of(String name, State state, Reason reason) {
    return of(name, state, reason, EnumSet.of(PluginRole.CONTROLLER), false);
  }

  private static RegisteredPlugin of(
      String name, State state, Reason reason, Set<PluginRole> roles, boolean remembered) {
    return new RegisteredPlugin(
        new PluginRegistration(
            PluginBinding.of(ID, CsiEndpoint.of(Path.of("/run/" + name + ".sock"))),
            InstanceId.of(name),
            roles),
        new PluginHealth(state, reason, new PluginHealth.Text("so it is"), Instant.EPOCH),
        Optional.empty(),
        remembered);
  }

  private static RegisteredPlugin ready(String name) {
    return of(name, State.READY, Reason.ANSWERED);
  }

  private static List<String> order(
      String last, Set<String> lost, RegisteredPlugin... newestFirst) {
    return Preference.order(
            ID,
            Arrays.asList(newestFirst),
            last.isEmpty() ? Optional.empty() : Optional.of(InstanceId.of(last)),
            lost.stream().map(InstanceId::of).collect(Collectors.toSet()))
        .stream()
        .map(each -> each.registration().instance().value())
        .toList();
  }

  @Test
  void theNewestIsTakenFirstAndTheOneOfLastTimeStaysTheFirst() {
    assertThat(order("", Set.of(), ready("new"), ready("old"))).containsExactly("new", "old");
    assertThat(order("old", Set.of(), ready("new"), ready("old"))).containsExactly("old", "new");
  }

  @Test
  void theOneOfLastTimeIsLeftOnlyWhenItIsNotReady() {
    assertThat(order("old", Set.of(), ready("new"), of("old", State.UNHEALTHY, Reason.SILENT)))
        .containsExactly("new");
    assertThat(order("old", Set.of(), ready("new"), of("old", State.STARTING, Reason.NOT_ASKED)))
        .containsExactly("new", "old");
  }

  @Test
  void oneWhoseConnectionBrokeComesAfterOneWhoseDidNot() {
    assertThat(order("old", Set.of("old"), ready("new"), ready("old")))
        .containsExactly("new", "old");
    assertThat(
            order("old", Set.of("old"), of("new", State.STARTING, Reason.NOT_ASKED), ready("old")))
        .containsExactly("old", "new");
  }

  @Test
  void nobodyIsAskedWhoServesNodesOnlyIsRememberedGoneOrAnotherPlugin() {
    assertThat(
            order(
                "",
                Set.of(),
                of("node", State.READY, Reason.ANSWERED, EnumSet.of(PluginRole.NODE), false),
                of(
                    "then",
                    State.STARTING,
                    Reason.NOT_ASKED,
                    EnumSet.of(PluginRole.CONTROLLER),
                    true),
                of("gone", State.GONE, Reason.STOPPED),
                of("wrong", State.STARTING, Reason.REFUSED),
                of("both", State.READY, Reason.ANSWERED, EnumSet.allOf(PluginRole.class), false)))
        .containsExactly("both");
    assertThat(
            Preference.order(PluginId.of("other"), List.of(ready("a")), Optional.empty(), Set.of()))
        .isEmpty();
  }
}
