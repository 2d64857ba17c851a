package io.csi4j.volume.node;

import com.google.protobuf.ByteString;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.StorageHealthEntry;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.StoredParts;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.wire.Envelopes;
import io.csi4j.volume.internal.wire.WireParts;
import io.csi4j.volume.internal.wire.proto.WireProto;
import io.csi4j.volume.internal.wire.proto.WireProto.Envelope;
import io.csi4j.volume.internal.wire.proto.WireProto.Envelope.BodyCase;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.StorageFinding;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.wire.ClusterMessage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * Values of a node as messages, and back, as {@link io.csi4j.volume.wire.Wire} does it for claims,
 * with the same failures. A control plane uses it for the other direction.
 *
 * <pre>{@code
 * byte[] sent = NodeWire.report(report).encode(); // on a node
 *
 * NodeReport received = NodeWire.report(ClusterMessage.decode(sent)); // in a control plane
 * }</pre>
 *
 * @since 1.0
 */
public final class NodeWire {

  private NodeWire() {}

  private static ClusterMessage written(Envelope.Builder out) {
    return ClusterMessage.decode(Envelopes.bytes(out));
  }

  /** Maps a part of a message. */
  @FunctionalInterface
  private interface Mapping<P, T> {
    T read(P part) throws MalformedRecordException;
  }

  private static <P, T> List<T> all(List<P> parts, Mapping<P, T> mapping)
      throws MalformedRecordException {
    List<T> all = new ArrayList<>();
    for (P part : parts) {
      all.add(mapping.read(part));
    }
    return all;
  }

  private static <P, T> Optional<T> one(boolean isThere, P part, Mapping<P, T> mapping)
      throws MalformedRecordException {
    return isThere ? Optional.of(mapping.read(part)) : Optional.empty();
  }

  // ---- messages

  /** Returns a message with all that a node reports. */
  public static ClusterMessage report(NodeReport report) {
    WireProto.NodeReport.Builder out =
        WireProto.NodeReport.newBuilder()
            .setNode(report.node().value())
            .setBoot(report.boot())
            .setAt(StoredParts.time(report.at()))
            .setNumber(report.number())
            .setDraining(report.draining());
    report.plugins().forEach(each -> out.addPlugin(plugin(each)));
    report.volumes().forEach(each -> out.addVolume(volume(each)));
    report.ended().forEach(each -> out.addEnded(WireParts.claim(each)));
    report.receipts().forEach(each -> out.addReceipt(WireParts.receipt(each)));
    report.expansions().forEach(each -> out.addExpansion(expansion(each)));
    return written(Envelope.newBuilder().setNodeReport(out));
  }

  /** Returns all that a node reports. */
  public static NodeReport report(ClusterMessage message) {
    return Envelopes.read(message.encode(), BodyCase.NODE_REPORT, in -> report(in.getNodeReport()));
  }

  private static NodeReport report(WireProto.NodeReport in) throws MalformedRecordException {
    List<ClaimEpoch> ended = all(in.getEndedList(), WireParts::claim);
    List<NodeReceipt> receipts = all(in.getReceiptList(), WireParts::receipt);
    return new NodeReport(
        NodeName.of(in.getNode()),
        in.getBoot(),
        WireParts.time(in.hasAt(), in.getAt()),
        in.getNumber(),
        in.getDraining(),
        all(in.getPluginList(), NodeWire::plugin),
        all(in.getVolumeList(), NodeWire::volume),
        ended,
        receipts,
        all(in.getExpansionList(), NodeWire::expansion));
  }

  /** Returns a message with all that a node is wanted to have. */
  public static ClusterMessage orders(NodeOrders orders) {
    WireProto.NodeOrders.Builder out =
        WireProto.NodeOrders.newBuilder()
            .setNode(orders.node().value())
            .setAnswers(orders.answers())
            .setCluster(orders.cluster().orElse(""))
            .setIncomplete(!orders.complete());
    orders.wanted().forEach(each -> out.addWanted(wanted(each)));
    orders.leaving().forEach(each -> out.addLeaving(leaving(each)));
    return written(Envelope.newBuilder().setNodeOrders(out));
  }

  /**
   * Returns all that a node is wanted to have.
   *
   * @param secrets returns the provider of the secrets that a request of a use has; for {@link
   *     SentSecrets#none} it is not asked
   */
  public static NodeOrders orders(
      ClusterMessage message, BiFunction<VolumeUse, SentSecrets, SecretsProvider> secrets) {
    return Envelopes.read(
        message.encode(),
        BodyCase.NODE_ORDERS,
        in -> {
          WireProto.NodeOrders orders = in.getNodeOrders();
          return new NodeOrders(
              NodeName.of(orders.getNode()),
              orders.getAnswers(),
              WireParts.said(orders.getCluster()),
              all(orders.getWantedList(), each -> wanted(each, secrets)),
              all(orders.getLeavingList(), NodeWire::leaving),
              !orders.getIncomplete());
        });
  }

  /** Returns a message for a node that mounts one volume. */
  public static ClusterMessage mount(MountRequest request, SentSecrets secrets) {
    return written(Envelope.newBuilder().setMountRequest(mounting(request, secrets)));
  }

  /**
   * Returns the request of one mount.
   *
   * @param secrets returns the provider of its secrets, if it has any
   */
  public static MountRequest mount(
      ClusterMessage message, BiFunction<VolumeUse, SentSecrets, SecretsProvider> secrets) {
    return Envelopes.read(
        message.encode(),
        BodyCase.MOUNT_REQUEST,
        in -> mounting(in.getMountRequest(), secrets(in.getMountRequest().getSecrets()), secrets));
  }

  /** Returns a message with volumes of a node. */
  public static ClusterMessage volumes(Collection<VolumeStatus> volumes) {
    WireProto.VolumeList.Builder out = WireProto.VolumeList.newBuilder();
    volumes.forEach(each -> out.addVolume(volume(each)));
    return written(Envelope.newBuilder().setVolumeList(out));
  }

  /** Returns volumes of a node. */
  public static List<VolumeStatus> volumes(ClusterMessage message) {
    return Envelopes.read(
        message.encode(),
        BodyCase.VOLUME_LIST,
        in -> List.copyOf(all(in.getVolumeList().getVolumeList(), NodeWire::volume)));
  }

  // ---- orders

  private static WireProto.SentUse wanted(SentUse sent) {
    WireProto.SentUse.Builder out = WireProto.SentUse.newBuilder();
    sent.grown().ifPresent(to -> out.setGrown(StoredParts.range(to)));
    if (sent.use() instanceof WantedUse.Requested requested) {
      return out.setRequest(mounting(requested.request(), sent.secrets())).build();
    }
    return out.setNamed(WireParts.use(sent.use().usage())).build();
  }

  private static SentUse wanted(
      WireProto.SentUse in, BiFunction<VolumeUse, SentSecrets, SecretsProvider> provider)
      throws MalformedRecordException {
    Optional<CapacityRange> grown = one(in.hasGrown(), in.getGrown(), StoredParts::range);
    return switch (in.getWishCase()) {
      case REQUEST -> {
        SentSecrets secrets = secrets(in.getRequest().getSecrets());
        MountRequest request = mounting(in.getRequest(), secrets, provider);
        yield new SentUse(new WantedUse.Requested(request), secrets, grown);
      }
      case NAMED ->
          new SentUse(new WantedUse.Named(WireParts.use(in.getNamed())), SentSecrets.none(), grown);
      case WISH_NOT_SET -> throw new MalformedRecordException("a wanted use is empty");
    };
  }

  private static WireProto.LeavingUse leaving(LeavingUse leaving) {
    return WireProto.LeavingUse.newBuilder()
        .setClaim(WireParts.claim(leaving.claim()))
        .setPlugin(leaving.plugin().value())
        .setHandle(leaving.handle().value())
        .build();
  }

  private static LeavingUse leaving(WireProto.LeavingUse in) {
    return new LeavingUse(
        WireParts.claim(in.getClaim()), PluginId.of(in.getPlugin()), VolumeId.of(in.getHandle()));
  }

  private static WireProto.MountRequest mounting(MountRequest request, SentSecrets secrets) {
    WireProto.MountRequest.Builder out =
        WireProto.MountRequest.newBuilder()
            .setPlugin(request.plugin().value())
            .setUse(WireParts.use(request.usage()))
            .setHandle(request.isInline() ? "" : request.handle().value())
            .setInline(request.isInline())
            .setCapability(WireParts.capability(request.capability()))
            .setReadOnly(request.readOnly())
            .addAllVolumeContext(StoredParts.entries(request.ownContext()))
            .setSelinuxLabel(request.selinuxLabel().map(SelinuxLabel::value).orElse(""))
            .setGroupIfOffered(request.groupIfOffered().orElse(""));
    if (!secrets.equals(SentSecrets.none())) {
      out.setSecrets(secrets(secrets));
    }
    request
        .workloadFacts()
        .ifPresent(
            facts ->
                out.setFacts(
                    WireProto.WorkloadFacts.newBuilder()
                        .addAllEntry(StoredParts.entries(facts.entries()))));
    request
        .claim()
        .ifPresentOrElse(
            grant -> out.setClaim(WireParts.grant(grant)),
            () -> out.addAllPublishContext(StoredParts.entries(request.publishContext())));
    return out.build();
  }

  private static MountRequest mounting(
      WireProto.MountRequest in,
      SentSecrets secrets,
      BiFunction<VolumeUse, SentSecrets, SecretsProvider> provider)
      throws MalformedRecordException {
    PluginId plugin = PluginId.of(in.getPlugin());
    VolumeUse use = WireParts.use(in.getUse());
    VolumeCapability capability = WireParts.capability(in.getCapability());
    AccessMode mode = capability.accessMode();
    if (in.getInline() && !in.getHandle().isEmpty()) {
      throw new MalformedRecordException("an inline volume has an id");
    }
    MountRequest.Builder out =
        in.getInline()
            ? MountRequest.inline(plugin, use, mode)
            : MountRequest.builder(plugin, use, VolumeId.of(in.getHandle()), mode);
    out.block(capability.isBlock())
        .volumeOptions(capability.mountOptions().orElse(MountOptions.none()))
        .readOnly(in.getReadOnly())
        .volumeContext(StoredParts.volumeContext(in.getVolumeContextList()))
        .publishContext(StoredParts.publishContext(in.getPublishContextList()));
    if (in.hasFacts()) {
      out.workloadFacts(WorkloadFacts.of(StoredParts.entries(in.getFacts().getEntryList())));
    }
    WireParts.said(in.getSelinuxLabel()).map(SelinuxLabel::of).ifPresent(out::selinuxLabel);
    WireParts.said(in.getGroupIfOffered()).ifPresent(out::groupIfOffered);
    one(in.hasClaim(), in.getClaim(), WireParts::grant).ifPresent(out::claim);
    if (!secrets.equals(SentSecrets.none())) {
      out.secrets(provider.apply(use, secrets));
    }
    MountRequest request = out.build();
    if (!request.capability().equals(capability)) {
      throw new MalformedRecordException("a request and its claim differ in how it is mounted");
    }
    return request;
  }

  private static WireProto.Secrets secrets(SentSecrets secrets) {
    WireProto.Secrets.Builder out =
        WireProto.Secrets.newBuilder().setName(secrets.name().orElse(""));
    new TreeMap<>(secrets.sealed())
        .forEach(
            (operation, bytes) ->
                out.addSealed(
                    WireProto.Secrets.Sealed.newBuilder()
                        .setOperation(operation.rpcName())
                        .setBytes(ByteString.copyFrom(HexFormat.of().parseHex(bytes)))));
    return out.build();
  }

  private static SentSecrets secrets(WireProto.Secrets in) throws MalformedRecordException {
    if (!in.getName().isEmpty()) {
      if (in.getSealedCount() > 0) {
        throw new MalformedRecordException("secrets are named and sealed");
      }
      return SentSecrets.named(in.getName());
    }
    Map<CsiOperation, String> all = new EnumMap<>(CsiOperation.class);
    for (WireProto.Secrets.Sealed each : in.getSealedList()) {
      CsiOperation operation =
          CsiOperation.ofRpcName(each.getOperation())
              .orElseThrow(
                  () -> Envelopes.newer("it has secrets for a call that this csi4j does not know"));
      String bytes = HexFormat.of().formatHex(each.getBytes().toByteArray());
      if (all.put(operation, bytes) != null) {
        throw new MalformedRecordException("secrets for a call are there twice");
      }
    }
    return all.isEmpty() ? SentSecrets.none() : SentSecrets.sealed(all);
  }

  // ---- plugins

  private static WireProto.PluginOnNode plugin(PluginOnNode plugin) {
    RegisteredPlugin known = plugin.plugin();
    PluginRegistration registration = known.registration();
    WireProto.PluginOnNode.Builder out =
        WireProto.PluginOnNode.newBuilder()
            .setId(registration.id().value())
            .setInstance(registration.instance().value())
            .setEndpoint(registration.binding().endpoint().path().toString())
            .setNodeRole(registration.roles().contains(PluginRole.NODE))
            .setControllerRole(registration.roles().contains(PluginRole.CONTROLLER))
            .setHealth(
                WireProto.PluginHealth.newBuilder()
                    .setState(WireProto.PluginHealth.State.valueOf(known.health().state().name()))
                    .setReason(
                        WireProto.PluginHealth.Reason.valueOf(known.health().reason().name()))
                    .setText(known.health().text().value())
                    .setSince(StoredParts.time(known.health().since())))
            .setRemembered(known.remembered())
            .setDraining(plugin.draining());
    known.fingerprint().ifPresent(said -> out.setFingerprint(fingerprint(said)));
    plugin.availableBytes().ifPresent(out::setAvailableBytes);
    plugin.storage().forEach(each -> out.addStorage(finding(each)));
    return out.build();
  }

  private static PluginOnNode plugin(WireProto.PluginOnNode in) throws MalformedRecordException {
    Set<PluginRole> roles = EnumSet.noneOf(PluginRole.class);
    if (in.getNodeRole()) {
      roles.add(PluginRole.NODE);
    }
    if (in.getControllerRole()) {
      roles.add(PluginRole.CONTROLLER);
    }
    PluginRegistration registration =
        new PluginRegistration(
            PluginBinding.of(PluginId.of(in.getId()), CsiEndpoint.of(Path.of(in.getEndpoint()))),
            InstanceId.of(in.getInstance()),
            roles);
    return new PluginOnNode(
        new RegisteredPlugin(
            registration,
            health(in.getHealth()),
            one(in.hasFingerprint(), in.getFingerprint(), NodeWire::fingerprint),
            in.getRemembered()),
        in.getDraining(),
        in.hasAvailableBytes() ? OptionalLong.of(in.getAvailableBytes()) : OptionalLong.empty(),
        all(in.getStorageList(), NodeWire::finding));
  }

  /** A state that this version does not know is none in which volumes may be mounted. */
  private static PluginHealth health(WireProto.PluginHealth in) throws MalformedRecordException {
    if (in.getStateValue() == 0 || in.getReasonValue() == 0) {
      throw new MalformedRecordException("the health of a plugin is missing");
    }
    return new PluginHealth(
        WireParts.known(PluginHealth.State.class, in.getState())
            .orElse(PluginHealth.State.UNHEALTHY),
        WireParts.known(PluginHealth.Reason.class, in.getReason())
            .orElse(PluginHealth.Reason.ERROR),
        new PluginHealth.Text(ForeignText.of(in.getText(), WireParts.TEXT)),
        WireParts.time(in.hasSince(), in.getSince()));
  }

  private static WireProto.Fingerprint fingerprint(PluginFingerprint said) {
    WireProto.Fingerprint.Builder out =
        WireProto.Fingerprint.newBuilder()
            .setName(said.name().value())
            .setVersion(said.version().value())
            .addAllCapability(names(said.plugin()))
            .setTaken(StoredParts.time(said.taken()));
    said.controller()
        .ifPresent(
            offered ->
                out.setController(
                    WireProto.Fingerprint.Controller.newBuilder()
                        .addAllCapability(names(offered))));
    said.node().ifPresent(facts -> out.setNode(facts(facts)));
    return out.build();
  }

  private static PluginFingerprint fingerprint(WireProto.Fingerprint in)
      throws MalformedRecordException {
    return new PluginFingerprint(
        PluginName.of(in.getName()),
        new PluginFingerprint.Version(ForeignText.of(in.getVersion())),
        set(PluginCapability.class, in.getCapabilityList()),
        one(
            in.hasController(),
            in.getController(),
            controller -> set(ControllerCapability.class, controller.getCapabilityList())),
        one(in.hasNode(), in.getNode(), NodeWire::facts),
        WireParts.time(in.hasTaken(), in.getTaken()));
  }

  private static WireProto.Fingerprint.Node facts(NodeFacts facts) {
    WireProto.Fingerprint.Node.Builder out =
        WireProto.Fingerprint.Node.newBuilder()
            .setId(facts.nodeId().map(NodeId::value).orElse(""))
            .addAllCapability(names(facts.capabilities()));
    facts.maxVolumes().ifPresent(out::setMaxVolumes);
    facts.topology().ifPresent(place -> out.setTopology(StoredParts.places(List.of(place)).get(0)));
    return out.build();
  }

  private static NodeFacts facts(WireProto.Fingerprint.Node in) throws MalformedRecordException {
    if (in.getMaxVolumes() < 0) {
      throw new MalformedRecordException("a limit of volumes is too large");
    }
    return new NodeFacts(
        WireParts.said(in.getId()).map(NodeId::of),
        in.hasMaxVolumes() ? OptionalLong.of(in.getMaxVolumes()) : OptionalLong.empty(),
        one(in.hasTopology(), in.getTopology(), place -> StoredParts.places(List.of(place)).get(0)),
        set(NodeCapability.class, in.getCapabilityList()));
  }

  private static Collection<String> names(CapabilitySet<?> set) {
    Collection<String> names = new TreeSet<>(set.unrecognized());
    set.offered().forEach(capability -> names.add(capability.name()));
    return names;
  }

  /** A capability that this version does not know is shown to people, and nothing depends on it. */
  private static <C extends Enum<C>> CapabilitySet<C> set(Class<C> type, List<String> names) {
    Set<C> offered = EnumSet.noneOf(type);
    Set<String> unrecognized = new TreeSet<>();
    for (String name : names) {
      Stream.of(type.getEnumConstants())
          .filter(each -> each.name().equals(name))
          .findFirst()
          .ifPresentOrElse(offered::add, () -> unrecognized.add(ForeignText.of(name)));
    }
    return new CapabilitySet<>(offered, unrecognized);
  }

  private static WireProto.StorageFinding finding(StorageFinding finding) {
    StorageHealthEntry entry = finding.entry();
    WireProto.StorageFinding.Builder out =
        WireProto.StorageFinding.newBuilder()
            .setStatus(entry.number())
            .setReason(entry.reason().word())
            .setMessage(entry.message())
            .setSince(StoredParts.time(finding.since()))
            .setAsOf(StoredParts.time(finding.asOf()));
    entry.capability().ifPresent(each -> out.setCapability(WireParts.capability(each)));
    return out.build();
  }

  private static StorageFinding finding(WireProto.StorageFinding in)
      throws MalformedRecordException {
    return new StorageFinding(
        StorageHealthEntry.of(
            in.getStatus(),
            HealthReason.of(in.getReason()),
            in.getMessage(),
            one(in.hasCapability(), in.getCapability(), WireParts::capability)),
        WireParts.time(in.hasSince(), in.getSince()),
        WireParts.time(in.hasAsOf(), in.getAsOf()));
  }

  // ---- volumes

  private static WireProto.NodeExpansion expansion(NodeExpansion expansion) {
    WireProto.NodeExpansion.Builder out =
        WireProto.NodeExpansion.newBuilder()
            .setVolume(StoredParts.key(expansion.volume()))
            .setTo(StoredParts.range(expansion.to()));
    expansion.refused().ifPresent(why -> out.setRefused(WireParts.message(why)));
    return out.build();
  }

  private static NodeExpansion expansion(WireProto.NodeExpansion in)
      throws MalformedRecordException {
    return new NodeExpansion(
        StoredParts.key(in.getVolume()),
        StoredParts.range(in.getTo()),
        one(in.hasRefused(), in.getRefused(), WireParts::message));
  }

  private static WireProto.VolumeStatus volume(VolumeStatus volume) {
    WireProto.VolumeStatus.Builder out =
        WireProto.VolumeStatus.newBuilder()
            .setPlugin(volume.plugin().value())
            .setHandle(volume.handle().value())
            .setStaging(status(volume.staging()))
            .setAccessMode(FieldWriter.number(volume.accessMode()))
            .setFsType(volume.fsType().orElse(""))
            .setBlock(volume.block())
            .setHealth(WireParts.health(volume.health()));
    volume.uses().forEach(each -> out.addUse(use(each)));
    volume.leaving().forEach(each -> out.addLeaving(WireParts.use(each)));
    new TreeMap<>(volume.abandoned())
        .forEach(
            (use, reason) ->
                out.addAbandoned(
                    WireProto.Abandoned.newBuilder().setUse(WireParts.use(use)).setReason(reason)));
    volume.trouble().ifPresent(each -> out.setTrouble(WireParts.message(each)));
    return out.build();
  }

  private static VolumeStatus volume(WireProto.VolumeStatus in) throws MalformedRecordException {
    Map<VolumeUse, String> abandoned = new LinkedHashMap<>();
    for (WireProto.Abandoned each : in.getAbandonedList()) {
      if (abandoned.put(WireParts.use(each.getUse()), each.getReason()) != null) {
        throw new MalformedRecordException("a use was abandoned twice");
      }
    }
    Optional<OperatorMessage> trouble = one(in.hasTrouble(), in.getTrouble(), WireParts::message);
    return new VolumeStatus(
        PluginId.of(in.getPlugin()),
        VolumeId.of(in.getHandle()),
        status(in.getStaging()),
        all(in.getUseList(), NodeWire::use),
        all(in.getLeavingList(), WireParts::use),
        abandoned,
        WireParts.accessMode(in.getAccessMode()).orElse(AccessMode.UNRECOGNIZED),
        WireParts.said(in.getFsType()),
        in.getBlock(),
        trouble,
        WireParts.health(in.getHealth()));
  }

  private static WireProto.UseStatus use(VolumeStatus.Use use) {
    return WireProto.UseStatus.newBuilder()
        .setUse(WireParts.use(use.key()))
        .setStatus(status(use.status()))
        .setReadOnly(use.readOnly())
        .setPath(use.path().toString())
        .build();
  }

  private static VolumeStatus.Use use(WireProto.UseStatus in) throws MalformedRecordException {
    return new VolumeStatus.Use(
        WireParts.use(in.getUse()),
        status(in.getStatus()),
        in.getReadOnly(),
        Path.of(in.getPath()));
  }

  private static WireProto.PathStatus status(PathStatus status) {
    return WireProto.PathStatus.valueOf(status.name());
  }

  /** A status that this version does not know says nothing for sure. */
  private static PathStatus status(WireProto.PathStatus in) throws MalformedRecordException {
    if (in == WireProto.PathStatus.NO_STATUS) {
      throw new MalformedRecordException("the status of a path is missing");
    }
    return WireParts.known(PathStatus.class, in).orElse(PathStatus.IN_DOUBT);
  }
}
