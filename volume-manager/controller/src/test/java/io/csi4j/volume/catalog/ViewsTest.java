package io.csi4j.volume.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginName;
import io.csi4j.volume.catalog.PluginView.Count;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogSamples;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is shown of volumes and plugins. */
class ViewsTest {

  private static final PluginId ID = CatalogSamples.spec().plugin();
  private static final Set<PluginRole> BOTH = EnumSet.allOf(PluginRole.class);

  private static final NodeName N1 = NodeName.of("n1");
  private static final NodeName N2 = NodeName.of("n2");

  /** One of a plugin that has to attach its volumes, as its controllers say. */
  private static RegisteredPlugin instance(String name, State state, Set<PluginRole> roles) {
    return instance(name, state, roles, ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
  }

  private static RegisteredPlugin instance(
      String name, State state, Set<PluginRole> roles, ControllerCapability offers) {
    return new RegisteredPlugin(
        new PluginRegistration(
            PluginBinding.of(ID, CsiEndpoint.of(Path.of("/run/" + name + ".sock"))),
            InstanceId.of(name),
            roles),
        new PluginHealth(state, Reason.ANSWERED, new PluginHealth.Text("so it is"), Instant.EPOCH),
        Optional.of(
            new PluginFingerprint(
                PluginName.of("ebs.csi.example"),
                new PluginFingerprint.Version("1"),
                new CapabilitySet<>(Set.of(PluginCapability.CONTROLLER_SERVICE), Set.of()),
                roles.contains(PluginRole.CONTROLLER)
                    ? Optional.of(new CapabilitySet<>(Set.of(offers), Set.of()))
                    : Optional.empty(),
                Optional.empty(),
                Instant.EPOCH)),
        false);
  }

  private static PluginView view(RegisteredPlugin... instances) {
    return PluginView.of(ID, Map.of(N1, List.of(instances)), new ExpectedInstances(2, 3));
  }

  private static PluginView unexpected(List<RegisteredPlugin> instances) {
    return PluginView.of(ID, Map.of(N1, instances), ExpectedInstances.NONE);
  }

  // ---- plugins

  @Test
  @Tag("D-55")
  void whatAVolumeNeedsIsReadFromWhatThePluginSays() {
    assertThat(view(instance("a", State.READY, BOTH)).requiredRoles())
        .containsExactlyInAnyOrder(PluginRole.NODE, PluginRole.CONTROLLER);
    PluginView unattached =
        view(instance("a", State.READY, BOTH, ControllerCapability.CREATE_DELETE_VOLUME));
    assertThat(unattached.requiredRoles())
        .as("a controller that only makes volumes")
        .containsExactly(PluginRole.NODE);
    RegisteredPlugin silent = instance("a", State.READY, BOTH);
    RegisteredPlugin unasked =
        new RegisteredPlugin(silent.registration(), silent.health(), Optional.empty(), false);
    assertThat(view(unasked).requiredRoles()).containsExactly(PluginRole.NODE);
  }

  @Test
  @Tag("D-55")
  void aPluginThatNeverAttachesIsWellWithoutItsControllers() {
    PluginView view =
        view(
            instance("a", State.READY, EnumSet.of(PluginRole.NODE)),
            instance(
                "b",
                State.UNHEALTHY,
                EnumSet.of(PluginRole.CONTROLLER),
                ControllerCapability.CREATE_DELETE_VOLUME));
    assertThat(view.isControllerRequired()).isFalse();
    assertThat(view.isHealthy()).isTrue();
    assertThat(view.controllers().missing()).isEqualTo(2);
  }

  @Test
  @Tag("D-55")
  void aControllerThatHasNotSaidWhatItDoesIsNeededIfItIsExpected() {
    RegisteredPlugin node = instance("a", State.READY, EnumSet.of(PluginRole.NODE));
    assertThat(view(node).isHealthy()).isFalse();
    assertThat(unexpected(List.of(node)).isHealthy()).isTrue();
  }

  @Test
  @Tag("D-56")
  void theSameNameOnTwoNodesIsTwoInstances() {
    Map<NodeName, List<RegisteredPlugin>> told = new HashMap<>();
    told.put(N1, List.of(instance("only", State.READY, BOTH)));
    told.put(N2, List.of(instance("only", State.UNHEALTHY, EnumSet.of(PluginRole.NODE))));
    PluginView both = PluginView.of(ID, told, new ExpectedInstances(1, 2));
    assertThat(both.controllers()).isEqualTo(new Count(1, 1, 1));
    assertThat(both.nodes()).isEqualTo(new Count(1, 2, 2));

    told.remove(N1);
    PluginView left = PluginView.of(ID, told, new ExpectedInstances(1, 2));
    assertThat(left.controllers()).isEqualTo(new Count(0, 0, 1));
    assertThat(left.nodes()).isEqualTo(new Count(0, 1, 2));
  }

  @Test
  @Tag("D-56")
  void anInstanceThatLosesARoleIsNotCountedForItAnyMore() {
    List<RegisteredPlugin> told = new ArrayList<>();
    told.add(instance("a", State.READY, BOTH));
    told.add(instance("b", State.READY, EnumSet.of(PluginRole.NODE)));
    PluginView before = unexpected(told);
    assertThat(before.controllers()).isEqualTo(new Count(1, 1, 0));
    assertThat(before.nodes()).isEqualTo(new Count(2, 2, 0));

    told.add(instance("a", State.READY, EnumSet.of(PluginRole.NODE)));
    PluginView after = unexpected(told);
    assertThat(after.controllers()).isEqualTo(new Count(0, 0, 0));
    assertThat(after.nodes()).isEqualTo(new Count(2, 2, 0));
    assertThat(before.controllers()).isEqualTo(new Count(1, 1, 0));
  }

  @Test
  @Tag("D-56")
  void healthThatComesAndGoesLeavesNoTraceInTheCounts() {
    for (State state : State.values()) {
      assertThat(view(instance("a", state, BOTH)).controllers())
          .isEqualTo(new Count(state == State.READY ? 1 : 0, 1, 2));
    }
  }

  @Test
  @Tag("D-58")
  void whatIsMissingShowsBecauseSomebodySaysWhatIsExpected() {
    PluginView view = view(instance("a", State.READY, BOTH));
    assertThat(view.controllers()).isEqualTo(new Count(1, 1, 2));
    assertThat(view.controllers().missing()).isEqualTo(1);
    assertThat(view.nodes()).isEqualTo(new Count(1, 1, 3));
    assertThat(view.nodes().missing()).isEqualTo(2);
    assertThat(new Count(3, 3, 2).missing()).isZero();
  }

  @Test
  void otherPluginsDoNotCount() {
    RegisteredPlugin other = instance("a", State.READY, BOTH);
    assertThat(
            PluginView.of(PluginId.of("other"), Map.of(N1, List.of(other)), ExpectedInstances.NONE)
                .isUnused())
        .isTrue();
    assertThat(view().isUnused()).isFalse();
    assertThat(unexpected(List.of(other)).isUnused()).isFalse();
  }

  @Test
  @Tag("D-57")
  void aViewDoesNotChangeWithTheListItWasMadeOf() {
    List<RegisteredPlugin> told = new ArrayList<>(List.of(instance("a", State.READY, BOTH)));
    PluginView view = unexpected(told);
    told.clear();
    assertThat(view.nodes().healthy()).isEqualTo(1);
  }

  @Test
  @Tag("D-62")
  void aFreshVolumeOfAPluginThatIsWellIsWell() {
    Claim none = Claim.none(CatalogSamples.KEY);
    assertThat(
            VolumeSummary.of(
                    record(), WRITTEN, List.of(), none, view(instance("a", State.READY, BOTH)))
                .isHealthy())
        .isTrue();
    assertThat(
            VolumeSummary.of(
                    record(),
                    WRITTEN,
                    List.of(),
                    none,
                    view(instance("a", State.READY, EnumSet.of(PluginRole.NODE))))
                .isHealthy())
        .as("a controller is needed, and there is none")
        .isFalse();
    assertThat(
            VolumeSummary.of(
                    record(), WRITTEN, List.of(), none, view(instance("a", State.UNHEALTHY, BOTH)))
                .isHealthy())
        .isFalse();
    for (Class<?> shown : List.of(VolumeSummary.class, PluginView.class)) {
      assertThat(
              Arrays.stream(shown.getRecordComponents())
                  .filter(component -> component.getType() == boolean.class)
                  .map(RecordComponent::getName)
                  .filter(name -> name.toLowerCase(Locale.ROOT).contains("health")))
          .isEmpty();
    }
  }

  // ---- volumes

  private static ClaimHolder holder(String workload, ClaimMode mode, ClaimHolder.State state) {
    return new ClaimHolder(
        WorkloadId.of(workload),
        NodeName.of("n1"),
        Optional.of(NodeId.of("node-1")),
        mode,
        state,
        1,
        Instant.EPOCH,
        new ClaimHolder.Attachment.NotNeeded());
  }

  private static Claim claim() {
    TreeMap<WorkloadId, ClaimHolder> holders = new TreeMap<>();
    for (ClaimHolder each :
        List.of(
            holder("r1", ClaimMode.READ, ClaimHolder.State.TAKEN),
            holder("r2", ClaimMode.READ, ClaimHolder.State.TAKEN),
            holder("w1", ClaimMode.WRITE, ClaimHolder.State.TAKEN),
            holder("w2", ClaimMode.WRITE, ClaimHolder.State.UNPUBLISHING))) {
      holders.put(each.workload(), each);
    }
    return new Claim(
        CatalogSamples.KEY,
        Optional.of(new Claim.Use(AccessMode.MULTI_NODE_MULTI_WRITER, AttachmentMode.FILESYSTEM)),
        holders,
        7,
        Optional.of(Instant.EPOCH));
  }

  private static final VolumeSummary.Written WRITTEN =
      new VolumeSummary.Written(7, Optional.of(Instant.EPOCH), Optional.of(Instant.EPOCH));

  private static CatalogEntry record() {
    return CatalogEntry.of(
        CatalogSamples.volume().toBuilder().providerVersion("1.4.0").build(), Optional.empty());
  }

  /** A claim without holders. */
  private static Claim released(long epoch, Optional<Instant> lastUse) {
    return new Claim(
        CatalogSamples.KEY,
        Optional.empty(),
        new TreeMap<>(),
        epoch,
        Optional.of(Instant.EPOCH),
        List.of(),
        lastUse);
  }

  private static VolumeSummary summary() {
    return summary(claim());
  }

  private static VolumeSummary summary(Claim claim) {
    return VolumeSummary.of(
        record(),
        WRITTEN,
        record().changes(),
        claim,
        view(
            instance("a", State.READY, BOTH),
            instance("b", State.READY, EnumSet.of(PluginRole.NODE))));
  }

  @Test
  @Tag("D-40")
  void everyFieldOfASummaryIsMapped() throws ReflectiveOperationException {
    assertStated(summary(), "unusedSince", "unreadableClaim");
    assertStated(
        summary(released(7, Optional.of(Instant.EPOCH))),
        "use",
        "readers",
        "writers",
        "leaving",
        "unreadableClaim");
    assertStated(summary().plugin());
    assertStated(summary().plugin().controllers());
    assertStated(summary().plugin().nodes());
  }

  /** Whatever was forgotten has the value that nobody gave it. */
  private static void assertStated(Record shown, String... others)
      throws ReflectiveOperationException {
    for (RecordComponent component : shown.getClass().getRecordComponents()) {
      if (List.of(others).contains(component.getName())) {
        continue;
      }
      Object value = component.getAccessor().invoke(shown);
      boolean isStated =
          value instanceof Collection<?> many
              ? !many.isEmpty()
              : !(Optional.empty().equals(value)
                  || OptionalLong.empty().equals(value)
                  || Boolean.FALSE.equals(value)
                  || Integer.valueOf(0).equals(value));
      assertThat(isStated)
          .as("%s.%s", shown.getClass().getSimpleName(), component.getName())
          .isTrue();
    }
  }

  @Test
  void aVolumeIsUnusedSinceItsLastUseOrItsCreation() {
    Instant used = Instant.EPOCH.plusSeconds(9);
    assertThat(summary(released(7, Optional.of(used))).unusedSince()).contains(used);
    assertThat(summary(released(0, Optional.empty())).unusedSince()).contains(Instant.EPOCH);
    assertThat(summary(released(7, Optional.empty())).unusedSince())
        .as("a version that kept no time wrote the last use")
        .isEmpty();
    assertThat(summary(released(7, Optional.of(Instant.EPOCH.minusSeconds(9)))).unusedSince())
        .as("a former volume of the key was used before this one was made")
        .contains(Instant.EPOCH);
    assertThat(summary(claim()).unusedSince()).as("it is used").isEmpty();
  }

  @Test
  @Tag("D-40")
  void aSummarySaysWhatTheVolumeTheClaimAndThePluginSay() {
    VolumeSummary shown = summary();
    assertThat(shown.readers()).isEqualTo(2);
    assertThat(shown.writers()).isEqualTo(1);
    assertThat(shown.leaving()).isEqualTo(1);
    assertThat(shown.plugin().controllers()).isEqualTo(new Count(1, 1, 2));
    assertThat(shown.plugin().nodes()).isEqualTo(new Count(2, 2, 3));
    assertThat(shown.use())
        .contains(new Claim.Use(AccessMode.MULTI_NODE_MULTI_WRITER, AttachmentMode.FILESYSTEM));
    assertThat(shown.topologies()).isEqualTo(CatalogSamples.volume().topologies());
  }
}
