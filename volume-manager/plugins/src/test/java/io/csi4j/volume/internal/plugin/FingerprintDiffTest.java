package io.csi4j.volume.internal.plugin;

import static io.csi4j.volume.internal.plugin.Plugins.fingerprint;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.Change.Gained;
import io.csi4j.volume.plugin.PluginFingerprint.Change.Lost;
import io.csi4j.volume.plugin.PluginFingerprint.Change.Part;
import io.csi4j.volume.plugin.PluginFingerprint.Change.Value;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.PluginHealth;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FingerprintDiffTest {

  private static final PluginFingerprint SAID = Plugins.everythingSaid();
  private static final NodeFacts NODE = SAID.node().orElseThrow();

  private static List<PluginFingerprint.Change> changes(PluginFingerprint now) {
    return FingerprintDiff.of(SAID, now);
  }

  private static PluginFingerprint with(NodeFacts node) {
    return new PluginFingerprint(
        SAID.name(),
        SAID.version(),
        SAID.plugin(),
        SAID.controller(),
        Optional.of(node),
        SAID.taken());
  }

  private static PluginFingerprint.Change value(Part part, String values) {
    return new Value(part, new PluginHealth.Text(values));
  }

  @Test
  void nothingIsNewInWhatIsTheSameAndWasSaidLater() {
    PluginFingerprint later =
        new PluginFingerprint(
            SAID.name(),
            SAID.version(),
            new CapabilitySet<>(SAID.plugin().offered(), Set.of("rpc 99")),
            SAID.controller(),
            SAID.node(),
            SAID.taken().plusSeconds(30));

    assertThat(changes(later)).isEmpty();
  }

  @Test
  void everyPartOfTheNodeIsCompared() {
    assertThat(
            changes(
                with(
                    new NodeFacts(
                        Optional.of(NodeId.of("i-9")),
                        OptionalLong.empty(),
                        Optional.of(Topology.of(Map.of("zone", "z-3"))),
                        NODE.capabilities()))))
        .containsExactly(
            value(Part.NODE_ID, "'i-0123' -> 'i-9'"),
            value(Part.MAX_VOLUMES, "'0' -> 'no limit'"),
            value(Part.TOPOLOGY, "'{zone=z-2, Rack=r/1}' -> '{zone=z-3}'"));
    assertThat(
            changes(
                with(
                    new NodeFacts(
                        NODE.nodeId(), OptionalLong.of(1), Optional.empty(), NODE.capabilities()))))
        .containsExactly(
            value(Part.MAX_VOLUMES, "'0' -> '1'"),
            value(Part.TOPOLOGY, "'{zone=z-2, Rack=r/1}' -> 'none'"));
  }

  @Test
  void aNodeThatDoesNotSayWhichItIsAnyMoreIsTold() {
    assertThat(
            changes(
                with(
                    new NodeFacts(
                        Optional.empty(),
                        NODE.maxVolumes(),
                        NODE.topology(),
                        NODE.capabilities()))))
        .containsExactly(value(Part.NODE_ID, "'i-0123' -> 'none'"));
  }

  @Test
  void capabilitiesOfAllServicesAreGainedAndLost() {
    PluginFingerprint less =
        new PluginFingerprint(
            SAID.name(),
            new PluginFingerprint.Version(""),
            without(SAID.plugin(), PluginCapability.CONTROLLER_SERVICE),
            SAID.controller().map(can -> without(can, ControllerCapability.EXPAND_VOLUME)),
            Optional.of(
                new NodeFacts(
                    NODE.nodeId(),
                    NODE.maxVolumes(),
                    NODE.topology(),
                    without(NODE.capabilities(), NodeCapability.STAGE_UNSTAGE_VOLUME))),
            SAID.taken());

    assertThat(changes(less))
        .containsExactly(
            value(Part.VERSION, "'v1.2.3-é' -> ''"),
            new Lost(PluginCapability.CONTROLLER_SERVICE),
            new Lost(ControllerCapability.EXPAND_VOLUME),
            new Lost(NodeCapability.STAGE_UNSTAGE_VOLUME));
    assertThat(FingerprintDiff.of(less, SAID))
        .containsExactly(
            value(Part.VERSION, "'' -> 'v1.2.3-é'"),
            new Gained(PluginCapability.CONTROLLER_SERVICE),
            new Gained(ControllerCapability.EXPAND_VOLUME),
            new Gained(NodeCapability.STAGE_UNSTAGE_VOLUME));
  }

  private static <C extends Enum<C>> CapabilitySet<C> without(CapabilitySet<C> all, C lost) {
    EnumSet<C> left = EnumSet.copyOf(all.offered());
    left.remove(lost);
    return new CapabilitySet<>(left, Set.of());
  }

  @Test
  void aServiceThatWasNotAskedBothTimesIsNotCompared() {
    PluginFingerprint nodeOnly = fingerprint("1");
    PluginFingerprint neither =
        new PluginFingerprint(
            nodeOnly.name(),
            nodeOnly.version(),
            nodeOnly.plugin(),
            Optional.of(new CapabilitySet<>(Set.of(ControllerCapability.GET_CAPACITY), Set.of())),
            Optional.empty(),
            nodeOnly.taken());

    assertThat(FingerprintDiff.of(nodeOnly, neither)).isEmpty();
    assertThat(FingerprintDiff.of(neither, nodeOnly)).isEmpty();
  }
}
