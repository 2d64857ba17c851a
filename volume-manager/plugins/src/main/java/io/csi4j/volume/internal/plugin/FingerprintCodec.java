package io.csi4j.volume.internal.plugin;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Topology;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.volume.internal.fields.FieldReader;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.TimeCodec;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * The form of what a plugin said of itself. Capabilities are bits, by their numbers.
 *
 * <pre>
 * fingerprint  1 name  2 version  3 plugin's capabilities  4 controller  5 node  6 time
 * controller   1 capabilities
 * node         1 id  2 most volumes and one  3 topology  4 capabilities
 * topology     1 segment...
 * segment      1 key  2 value
 * </pre>
 */
final class FingerprintCodec {

  private FingerprintCodec() {}

  static FieldWriter encode(PluginFingerprint said) {
    FieldWriter out =
        new FieldWriter()
            .text(1, said.name().value())
            .text(2, said.version().value())
            .number(3, bits(said.plugin(), FingerprintCodec::number));
    said.controller()
        .ifPresent(
            offered ->
                out.part(
                    4, new FieldWriter().number(1, bits(offered, ControllerCapability::number))));
    said.node().ifPresent(node -> out.part(5, node(node)));
    return out.part(6, TimeCodec.encode(said.taken()));
  }

  private static FieldWriter node(NodeFacts node) {
    FieldWriter out =
        new FieldWriter()
            .text(1, node.nodeId().map(NodeId::value).orElse(""))
            .number(2, node.maxVolumes().isPresent() ? node.maxVolumes().getAsLong() + 1 : 0);
    node.topology().ifPresent(topology -> out.part(3, topology(topology)));
    return out.number(4, bits(node.capabilities(), NodeCapability::number));
  }

  private static FieldWriter topology(Topology topology) {
    FieldWriter out = new FieldWriter();
    topology
        .segments()
        .forEach((key, value) -> out.part(1, new FieldWriter().text(1, key).text(2, value)));
    return out;
  }

  private static <C extends Enum<C>> long bits(CapabilitySet<C> set, ToIntFunction<C> number) {
    long bits = 0;
    for (C capability : set.offered()) {
      bits |= 1L << number.applyAsInt(capability);
    }
    return bits;
  }

  static PluginFingerprint decode(FieldReader in) throws MalformedRecordException {
    String name = in.text(1);
    String version = in.text(2);
    CapabilitySet<PluginCapability> plugin =
        set(PluginCapability.class, FingerprintCodec::number, in.number(3));
    Optional<FieldReader> controller = in.part(4);
    Optional<FieldReader> node = in.part(5);
    Instant taken = TimeCodec.instant(in.required(6));
    in.end();
    Optional<CapabilitySet<ControllerCapability>> offered =
        controller.isEmpty() ? Optional.empty() : Optional.of(controller(controller.get()));
    Optional<NodeFacts> facts =
        node.isEmpty() ? Optional.empty() : Optional.of(nodeFacts(node.get()));
    return FieldReader.checked(
        "fingerprint",
        () ->
            new PluginFingerprint(
                PluginName.of(name),
                new PluginFingerprint.Version(version),
                plugin,
                offered,
                facts,
                taken));
  }

  private static CapabilitySet<ControllerCapability> controller(FieldReader in)
      throws MalformedRecordException {
    CapabilitySet<ControllerCapability> offered =
        set(ControllerCapability.class, ControllerCapability::number, in.number(1));
    in.end();
    return offered;
  }

  private static NodeFacts nodeFacts(FieldReader in) throws MalformedRecordException {
    String id = in.text(1);
    long most = in.number(2);
    Optional<FieldReader> segments = in.part(3);
    CapabilitySet<NodeCapability> offered =
        set(NodeCapability.class, NodeCapability::number, in.number(4));
    in.end();
    Optional<Topology> topology =
        segments.isEmpty() ? Optional.empty() : Optional.of(topology(segments.get()));
    return FieldReader.checked(
        "node",
        () ->
            new NodeFacts(
                id.isEmpty() ? Optional.empty() : Optional.of(NodeId.of(id)),
                most == 0 ? OptionalLong.empty() : OptionalLong.of(most - 1),
                topology,
                offered));
  }

  private static Topology topology(FieldReader in) throws MalformedRecordException {
    Map<String, String> segments = new LinkedHashMap<>();
    for (Optional<FieldReader> part = in.part(1); part.isPresent(); part = in.part(1)) {
      FieldReader segment = part.get();
      if (segments.put(segment.text(1), segment.text(2)) != null) {
        throw new MalformedRecordException("A label of the topology is there twice.");
      }
      segment.end();
    }
    in.end();
    return Topology.of(segments);
  }

  private static <C extends Enum<C>> CapabilitySet<C> set(
      Class<C> type, ToIntFunction<C> number, long bits) throws MalformedRecordException {
    EnumSet<C> offered = EnumSet.noneOf(type);
    long left = bits;
    for (C capability : EnumSet.allOf(type)) {
      long bit = 1L << number.applyAsInt(capability);
      if ((bits & bit) != 0) {
        offered.add(capability);
        left &= ~bit;
      }
    }
    if (left != 0) {
      throw new MalformedRecordException("A capability is not known.");
    }
    return new CapabilitySet<>(offered, Set.of());
  }

  // ---- numbers, for ever

  private static int number(PluginCapability capability) {
    return switch (capability) {
      case CONTROLLER_SERVICE -> 1;
      case VOLUME_ACCESSIBILITY_CONSTRAINTS -> 2;
      case GROUP_CONTROLLER_SERVICE -> 3;
      case SNAPSHOT_METADATA_SERVICE -> 4;
      case VOLUME_EXPANSION_ONLINE -> 5;
      case VOLUME_EXPANSION_OFFLINE -> 6;
    };
  }
}
