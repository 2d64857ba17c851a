package io.csi4j.volume.internal.catalog;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.volume.catalog.NodeEntry;
import io.csi4j.volume.internal.catalog.proto.CatalogProto;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.RecordBytes;
import io.csi4j.volume.internal.fields.StoredParts;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.store.ValueCodec;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStoreException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;

/** The stored form of nodes: the messages of {@code state.proto}. */
public final class NodeCodec implements ValueCodec<NodeEntry> {

  private static final int FORMAT = 1;
  private static final String PREFIX = "node/";

  /** Earlier versions did not record the health of plugins. */
  private static final PluginHealth NOT_TOLD =
      new PluginHealth(
          PluginHealth.State.STARTING,
          PluginHealth.Reason.NOT_ASKED,
          new PluginHealth.Text("its node is known from a record"),
          Instant.EPOCH);

  /** A key that sorts before the records of all nodes. */
  public static final RecordKey BEFORE_ALL = new RecordKey(RecordKey.Space.CLUSTER, PREFIX);

  /** Creates the codec, which has no state. */
  public NodeCodec() {}

  @Override
  public RecordKey.Space space() {
    return RecordKey.Space.CLUSTER;
  }

  @Override
  public RecordKey key(NodeEntry value) {
    return key(value.name());
  }

  /** Returns the key of the record of a node. */
  public static RecordKey key(NodeName node) {
    return new RecordKey(RecordKey.Space.CLUSTER, PREFIX + node.value());
  }

  /** Whether a key belongs to the record of a node. */
  public static boolean isOfNode(RecordKey key) {
    return key.space() == RecordKey.Space.CLUSTER
        && key.name().startsWith(PREFIX)
        && key.name().length() > PREFIX.length();
  }

  @Override
  public String named(RecordKey key) {
    return isOfNode(key)
        ? "the record of node '" + key.name().substring(PREFIX.length()) + "'"
        : "the record of the cluster '" + key.name() + "'";
  }

  @Override
  public boolean removes() {
    return true;
  }

  @Override
  public byte[] encode(NodeEntry value, UUID mark, UnknownFields newer) {
    CatalogProto.KnownNode.Builder out =
        CatalogProto.KnownNode.newBuilder()
            .setFormat(FORMAT)
            .setName(value.name().value())
            .setBoot(value.boot())
            .setReport(value.report())
            .setDraining(value.isDraining())
            .setDrained(value.drained().map(ReasonText::text).orElse(""))
            .setAway(value.away().map(ReasonText::text).orElse(""))
            .setMarkHigh(mark.getMostSignificantBits())
            .setMarkLow(mark.getLeastSignificantBits());
    for (NodeEntry.KnownPlugin each : value.plugins()) {
      out.addPlugin(plugin(each)).addHealth(health(each));
    }
    new TreeMap<>(value.expanded())
        .forEach(
            (volume, to) ->
                out.addExpanded(
                    CatalogProto.NodeExpanded.newBuilder()
                        .setVolume(StoredParts.key(volume))
                        .setTo(StoredParts.range(to))));
    value.unwell().forEach((volume, health) -> out.addUnwell(unwell(volume, health)));
    byte[] bytes = new RecordBytes<>(out.build(), newer).bytes();
    if (bytes.length > StateValue.MAX_SIZE) {
      throw new RecordStoreException(
          RecordStoreException.Reason.TOO_LARGE,
          "The record of node '"
              + value.name()
              + "' needs "
              + bytes.length
              + " bytes, but the limit is "
              + StateValue.MAX_SIZE
              + ". Give the node fewer plugins, or fewer volumes at a time to expand.");
    }
    return bytes;
  }

  @Override
  public Decoded<NodeEntry> decode(byte[] bytes) throws MalformedRecordException {
    RecordBytes<CatalogProto.KnownNode> read =
        RecordBytes.read(CatalogProto.KnownNode.parser(), bytes, FORMAT);
    CatalogProto.KnownNode in = read.message();
    List<NodeEntry.KnownPlugin> plugins = new ArrayList<>();
    for (CatalogProto.NodePlugin each : in.getPluginList()) {
      plugins.add(RecordBytes.checked("plugin", () -> plugin(each, in.getHealthList())));
    }
    NodeEntry node =
        RecordBytes.checked(
            "node",
            () ->
                new NodeEntry(
                    NodeName.of(in.getName()),
                    in.getBoot(),
                    in.getReport(),
                    plugins,
                    in.getDraining(),
                    reason(in.getDrained()),
                    reason(in.getAway()),
                    expanded(in.getExpandedList()),
                    unwell(in.getUnwellList())));
    return new Decoded<>(node, read.newer());
  }

  private static Optional<ReasonText> reason(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(new ReasonText(text));
  }

  private static Map<VolumeKey, CapacityRange> expanded(List<CatalogProto.NodeExpanded> in)
      throws MalformedRecordException {
    SortedMap<VolumeKey, CapacityRange> all = new TreeMap<>();
    for (CatalogProto.NodeExpanded each : in) {
      RecordBytes.add(
          all,
          StoredParts.key(each.getVolume()),
          StoredParts.range(each.getTo()),
          "The expanded volumes are not in order, or one is listed twice.");
    }
    return all;
  }

  // ---- health

  private static CatalogProto.NodeUnwell unwell(VolumeKey volume, VolumeHealth health) {
    CatalogProto.NodeUnwell.Builder out =
        CatalogProto.NodeUnwell.newBuilder().setVolume(StoredParts.key(volume));
    for (VolumeHealth.Finding each : health.findings()) {
      out.addFault(
          CatalogProto.NodeFault.newBuilder()
              .setStatus(each.entry().number())
              .setReason(each.entry().reason().word())
              .setMessage(each.entry().message())
              .setSeen(each.source().kind() == VolumeHealth.Source.Kind.HOST)
              .setNode(each.source().node().map(NodeName::value).orElse(""))
              .setSince(each.since().toEpochMilli()));
    }
    return out.build();
  }

  private static Map<VolumeKey, VolumeHealth> unwell(List<CatalogProto.NodeUnwell> in)
      throws MalformedRecordException {
    Map<VolumeKey, VolumeHealth> all = new LinkedHashMap<>();
    for (CatalogProto.NodeUnwell each : in) {
      List<VolumeHealth.Finding> faults =
          each.getFaultList().stream().map(NodeCodec::fault).toList();
      if (faults.isEmpty()
          || all.put(StoredParts.key(each.getVolume()), new VolumeHealth(faults)) != null) {
        throw new MalformedRecordException("A listed volume has no fault, or is listed twice.");
      }
    }
    return all;
  }

  private static VolumeHealth.Finding fault(CatalogProto.NodeFault in) {
    Instant since = Instant.ofEpochMilli(in.getSince());
    return new VolumeHealth.Finding(
        VolumeHealthEntry.of(in.getStatus(), HealthReason.of(in.getReason()), in.getMessage()),
        new VolumeHealth.Source(
            in.getSeen() ? VolumeHealth.Source.Kind.HOST : VolumeHealth.Source.Kind.NODE,
            in.getNode().isEmpty() ? Optional.empty() : Optional.of(NodeName.of(in.getNode()))),
        since,
        since);
  }

  private static CatalogProto.HealthOfPlugin health(NodeEntry.KnownPlugin plugin) {
    PluginHealth health = plugin.health();
    return CatalogProto.HealthOfPlugin.newBuilder()
        .setState(health.state().name())
        .setReason(health.reason().name())
        .setText(health.text().value())
        .setSince(health.since().toEpochMilli())
        .setDraining(plugin.isDraining())
        .setId(plugin.id().value())
        .setInstance(plugin.instance().value())
        .build();
  }

  private static PluginHealth health(CatalogProto.HealthOfPlugin in) {
    return new PluginHealth(
        named(PluginHealth.State.class, in.getState()).orElse(PluginHealth.State.UNHEALTHY),
        named(PluginHealth.Reason.class, in.getReason()).orElse(PluginHealth.Reason.ERROR),
        new PluginHealth.Text(in.getText()),
        Instant.ofEpochMilli(in.getSince()));
  }

  private static <E extends Enum<E>> Optional<E> named(Class<E> type, String name) {
    return Stream.of(type.getEnumConstants()).filter(each -> each.name().equals(name)).findFirst();
  }

  // ---- plugins

  private static CatalogProto.NodePlugin plugin(NodeEntry.KnownPlugin plugin) {
    CatalogProto.NodePlugin.Builder out =
        CatalogProto.NodePlugin.newBuilder()
            .setId(plugin.id().value())
            .setInstance(plugin.instance().value())
            .setSocket(plugin.endpoint().path().toString())
            .setNode(plugin.roles().contains(PluginRole.NODE))
            .setController(plugin.roles().contains(PluginRole.CONTROLLER));
    plugin.said().ifPresent(said -> out.setSaid(said(said)));
    return out.build();
  }

  private static NodeEntry.KnownPlugin plugin(
      CatalogProto.NodePlugin in, List<CatalogProto.HealthOfPlugin> all)
      throws MalformedRecordException {
    Optional<CatalogProto.HealthOfPlugin> health =
        all.stream()
            .filter(each -> each.getId().equals(in.getId()))
            .filter(each -> each.getInstance().equals(in.getInstance()))
            .findFirst();
    Set<PluginRole> roles = EnumSet.noneOf(PluginRole.class);
    if (in.getNode()) {
      roles.add(PluginRole.NODE);
    }
    if (in.getController()) {
      roles.add(PluginRole.CONTROLLER);
    }
    return new NodeEntry.KnownPlugin(
        PluginId.of(in.getId()),
        InstanceId.of(in.getInstance()),
        CsiEndpoint.of(Path.of(in.getSocket())),
        roles,
        in.hasSaid() ? Optional.of(said(in.getSaid())) : Optional.empty(),
        health.map(NodeCodec::health).orElse(NOT_TOLD),
        health.filter(CatalogProto.HealthOfPlugin::getDraining).isPresent());
  }

  private static CatalogProto.PluginOfNode said(PluginFingerprint said) {
    CatalogProto.PluginOfNode.Builder out =
        CatalogProto.PluginOfNode.newBuilder()
            .setName(said.name().value())
            .setVersion(said.version().value())
            .addAllCapability(names(said.plugin()));
    said.controller()
        .ifPresent(
            offered -> out.setHasController(true).addAllControllerCapability(names(offered)));
    said.node()
        .ifPresent(
            facts ->
                out.setHasNode(true)
                    .setNodeId(facts.nodeId().map(NodeId::value).orElse(""))
                    .setMaxVolumesAndOne(
                        facts.maxVolumes().isPresent() ? facts.maxVolumes().getAsLong() + 1 : 0)
                    .addAllPlace(StoredParts.places(facts.topology().stream().toList()))
                    .addAllNodeCapability(names(facts.capabilities())));
    return out.build();
  }

  private static PluginFingerprint said(CatalogProto.PluginOfNode in)
      throws MalformedRecordException {
    return new PluginFingerprint(
        PluginName.of(in.getName()),
        new PluginFingerprint.Version(in.getVersion()),
        set(PluginCapability.class, in.getCapabilityList()),
        in.getHasController()
            ? Optional.of(set(ControllerCapability.class, in.getControllerCapabilityList()))
            : Optional.empty(),
        in.getHasNode() ? Optional.of(facts(in)) : Optional.empty(),
        Instant.EPOCH);
  }

  private static NodeFacts facts(CatalogProto.PluginOfNode in) throws MalformedRecordException {
    List<Topology> places = StoredParts.places(in.getPlaceList());
    if (places.size() > 1) {
      throw new MalformedRecordException("A node has more than one topology.");
    }
    long most = in.getMaxVolumesAndOne();
    return new NodeFacts(
        in.getNodeId().isEmpty() ? Optional.empty() : Optional.of(NodeId.of(in.getNodeId())),
        most == 0 ? OptionalLong.empty() : OptionalLong.of(most - 1),
        places.stream().findFirst(),
        set(NodeCapability.class, in.getNodeCapabilityList()));
  }

  private static Set<String> names(CapabilitySet<?> set) {
    Set<String> names = new TreeSet<>(set.unrecognized());
    set.offered().forEach(capability -> names.add(capability.name()));
    return names;
  }

  private static <C extends Enum<C>> CapabilitySet<C> set(Class<C> type, List<String> names) {
    Set<C> offered = EnumSet.noneOf(type);
    Set<String> unrecognized = new TreeSet<>();
    for (String name : names) {
      named(type, name).ifPresentOrElse(offered::add, () -> unrecognized.add(name));
    }
    return new CapabilitySet<>(offered, unrecognized);
  }
}
