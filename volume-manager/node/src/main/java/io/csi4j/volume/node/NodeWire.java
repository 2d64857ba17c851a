package io.csi4j.volume.node;

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
import io.csi4j.volume.internal.fields.FieldReader;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.wire.Envelopes;
import io.csi4j.volume.internal.wire.WireParts;
import io.csi4j.volume.internal.wire.WireSchema;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.StorageFinding;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.wire.ClusterMessage;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * Converts the values of a node to messages and back. The failures are the same as in {@link
 * io.csi4j.volume.wire.Wire}, which converts claims. Nodes and control planes both use this class.
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

  private static ClusterMessage written(ClusterMessage.Kind kind, FieldWriter body) {
    return ClusterMessage.decode(Envelopes.bytes(kind.name(), body));
  }

  private static <T> T read(
      ClusterMessage message, ClusterMessage.Kind kind, FieldReader.Fields<T> body) {
    return Envelopes.read(message.encode(), kind.name(), body);
  }

  // ---- messages

  /** Returns a message that contains a report. */
  public static ClusterMessage report(NodeReport report) {
    FieldWriter out =
        new FieldWriter()
            .text(1, report.node().value())
            .text(2, report.boot())
            .part(3, WireParts.time(report.at()))
            .number(4, report.number())
            .flag(5, report.draining());
    report.plugins().forEach(each -> out.part(6, plugin(each)));
    report.volumes().forEach(each -> out.part(7, volume(each)));
    report.ended().forEach(each -> out.part(8, WireParts.claim(each)));
    report.receipts().forEach(each -> out.part(9, WireParts.receipt(each)));
    report.expansions().forEach(each -> out.part(10, expansion(each)));
    out.text(11, report.cluster().orElse(""));
    report.asked().ifPresent(each -> out.part(12, asked(each)));
    return written(ClusterMessage.Kind.NODE_REPORT, out);
  }

  /** Returns the report in a message. */
  public static NodeReport report(ClusterMessage message) {
    return read(
        message,
        ClusterMessage.Kind.NODE_REPORT,
        in -> {
          NodeName node = NodeName.of(in.text(1));
          String boot = in.text(2);
          Instant at = in.required(3, WireParts::time);
          long number = in.number(4);
          boolean isDraining = in.flag(5);
          List<PluginOnNode> plugins = in.parts(6, NodeWire::plugin);
          List<VolumeStatus> volumes = in.parts(7, NodeWire::volume);
          List<ClaimEpoch> ended = in.parts(8, WireParts::claim);
          List<NodeReceipt> receipts = in.parts(9, WireParts::receipt);
          List<NodeExpansion> expansions = in.parts(10, NodeWire::expansion);
          Optional<String> cluster = WireParts.said(in.text(11));
          return new NodeReport(
              node,
              cluster,
              boot,
              at,
              number,
              isDraining,
              plugins,
              volumes,
              ended,
              receipts,
              expansions,
              in.part(12, NodeWire::asked));
        });
  }

  /** Returns a message that contains orders. */
  public static ClusterMessage orders(NodeOrders orders) {
    FieldWriter out =
        new FieldWriter()
            .text(1, orders.node().value())
            .number(2, orders.answers())
            .text(3, orders.cluster().orElse(""));
    orders.wanted().forEach(each -> out.part(4, wanted(each)));
    for (LeavingUse each : orders.leaving()) {
      each.volume().ifPresent(volume -> out.part(5, leaving(each.claim(), volume)));
    }
    out.flag(6, !orders.complete());
    // Leaving uses without a volume go into a separate field, because an older node skips that
    // field.
    orders.leaving().stream()
        .filter(each -> each.volume().isEmpty())
        .forEach(each -> out.part(7, WireParts.claim(each.claim())));
    orders.held().forEach(each -> out.part(8, WireParts.claim(each)));
    return written(ClusterMessage.Kind.NODE_ORDERS, out);
  }

  /**
   * Returns the orders in a message.
   *
   * @param secrets returns the provider of the secrets for a request of a use. The function is
   *     called for each call that needs secrets, but not for {@link SentSecrets#none}. If the
   *     function throws, the manager does not make the call that needs the secrets
   */
  public static NodeOrders orders(
      ClusterMessage message, BiFunction<VolumeUse, SentSecrets, SecretsProvider> secrets) {
    return read(
        message,
        ClusterMessage.Kind.NODE_ORDERS,
        in -> {
          NodeName node = NodeName.of(in.text(1));
          long answers = in.number(2);
          Optional<String> cluster = WireParts.said(in.text(3));
          List<SentUse> wanted = in.parts(4, each -> wanted(each, secrets));
          List<LeavingUse> leaving = new ArrayList<>(in.parts(5, NodeWire::leaving));
          boolean isIncomplete = in.flag(6);
          in.parts(7, WireParts::claim)
              .forEach(claim -> leaving.add(new LeavingUse(claim, Optional.empty())));
          List<ClaimEpoch> held = in.parts(8, WireParts::claim);
          return new NodeOrders(node, answers, cluster, wanted, leaving, held, !isIncomplete);
        });
  }

  /** Returns a message that contains one mount request for a node. */
  public static ClusterMessage mount(MountRequest request, SentSecrets secrets) {
    return written(ClusterMessage.Kind.MOUNT_REQUEST, mounting(request, secrets));
  }

  /**
   * Returns the mount request in a message.
   *
   * @param secrets returns the provider of the secrets, if the request has any. The function is
   *     called for each call that needs secrets
   */
  public static MountRequest mount(
      ClusterMessage message, BiFunction<VolumeUse, SentSecrets, SecretsProvider> secrets) {
    return read(message, ClusterMessage.Kind.MOUNT_REQUEST, in -> mounting(in, secrets).request());
  }

  /** Returns a message that contains the status of volumes on a node. */
  public static ClusterMessage volumes(Collection<VolumeStatus> volumes) {
    FieldWriter out = new FieldWriter();
    volumes.forEach(each -> out.part(1, volume(each)));
    return written(ClusterMessage.Kind.VOLUME_LIST, out);
  }

  /** Returns the status of the volumes in a message. */
  public static List<VolumeStatus> volumes(ClusterMessage message) {
    return read(
        message, ClusterMessage.Kind.VOLUME_LIST, in -> List.copyOf(in.parts(1, NodeWire::volume)));
  }

  // ---- orders

  private static FieldWriter wanted(SentUse sent) {
    FieldWriter out = new FieldWriter();
    if (sent.use() instanceof WantedUse.Requested requested) {
      out.part(1, mounting(requested.request(), sent.secrets()));
    } else {
      out.part(2, WireParts.use(sent.use().usage()));
    }
    sent.grown().ifPresent(to -> out.part(3, WireParts.range(to)));
    return out;
  }

  private static SentUse wanted(
      FieldReader in, BiFunction<VolumeUse, SentSecrets, SecretsProvider> provider)
      throws MalformedRecordException {
    Optional<Mounting> request = in.part(1, part -> mounting(part, provider));
    Optional<VolumeUse> named = in.part(2, WireParts::use);
    Optional<CapacityRange> grown = in.part(3, WireParts::range);
    if (request.isPresent()) {
      return new SentUse(
          new WantedUse.Requested(request.get().request()), request.get().secrets(), grown);
    }
    return new SentUse(
        new WantedUse.Named(
            named.orElseThrow(() -> new MalformedRecordException("a wanted use is empty"))),
        SentSecrets.none(),
        grown);
  }

  private static FieldWriter leaving(ClaimEpoch claim, VolumeIdentity volume) {
    return new FieldWriter()
        .part(1, WireParts.claim(claim))
        .text(2, volume.plugin().value())
        .text(3, volume.handle().value());
  }

  private static LeavingUse leaving(FieldReader in) throws MalformedRecordException {
    return new LeavingUse(
        in.required(1, WireParts::claim),
        Optional.of(new VolumeIdentity(PluginId.of(in.text(2)), VolumeId.of(in.text(3)))));
  }

  private static FieldWriter mounting(MountRequest request, SentSecrets secrets) {
    FieldWriter out =
        new FieldWriter()
            .text(1, request.plugin().value())
            .part(2, WireParts.use(request.usage()))
            .text(3, request.isInline() ? "" : request.handle().value())
            .flag(4, request.isInline())
            .part(5, WireParts.capability(request.capability()))
            .flag(6, request.readOnly());
    WireParts.context(out, 7, request.ownContext());
    request
        .workloadFacts()
        .ifPresent(facts -> out.part(8, WireParts.entries(new FieldWriter(), 1, facts.entries())));
    out.text(9, request.selinuxLabel().map(SelinuxLabel::value).orElse(""))
        .text(10, request.groupIfOffered().orElse(""));
    request
        .claim()
        .ifPresentOrElse(
            grant -> out.part(12, WireParts.grant(grant)),
            () -> WireParts.context(out, 11, request.publishContext()));
    return secrets.equals(SentSecrets.none()) ? out : out.part(13, secrets(secrets));
  }

  /**
   * A received request and its secrets. The secrets are kept separately because the request's
   * provider does not reveal their source.
   */
  private record Mounting(MountRequest request, SentSecrets secrets) {}

  private static Mounting mounting(
      FieldReader in, BiFunction<VolumeUse, SentSecrets, SecretsProvider> provider)
      throws MalformedRecordException {
    PluginId plugin = PluginId.of(in.text(1));
    VolumeUse use = in.required(2, WireParts::use);
    String handle = in.text(3);
    boolean isInline = in.flag(4);
    VolumeCapability capability = in.required(5, WireParts::capability);
    if (isInline && !handle.isEmpty()) {
      throw new MalformedRecordException("an inline volume has an id");
    }
    MountRequest.Builder out =
        isInline
            ? MountRequest.inline(plugin, use, capability.accessMode())
            : MountRequest.builder(plugin, use, VolumeId.of(handle), capability.accessMode());
    out.block(capability.isBlock())
        .volumeOptions(capability.mountOptions().orElse(MountOptions.none()))
        .readOnly(in.flag(6))
        .volumeContext(WireParts.volumeContext(in, 7));
    in.part(8, part -> WireParts.map(part, 1))
        .ifPresent(facts -> out.workloadFacts(WorkloadFacts.from(facts)));
    WireParts.said(in.text(9)).map(SelinuxLabel::of).ifPresent(out::selinuxLabel);
    WireParts.said(in.text(10)).ifPresent(out::groupIfOffered);
    out.publishContext(WireParts.publishContext(in, 11));
    in.part(12, WireParts::grant).ifPresent(out::claim);
    SentSecrets secrets = in.part(13, NodeWire::secrets).orElse(SentSecrets.none());
    if (!secrets.equals(SentSecrets.none())) {
      // The secrets are looked up only when a call needs them, so an unknown name does not affect
      // other uses.
      out.secrets(
          SecretsProvider.async(
              operation -> provider.apply(use, secrets).asyncSecretsFor(operation)));
    }
    MountRequest request = out.build();
    if (!request.capability().equals(capability)) {
      throw new MalformedRecordException(
          "a request and its claim differ in how the volume is " + "mounted");
    }
    return new Mounting(request, secrets);
  }

  private static FieldWriter secrets(SentSecrets secrets) {
    FieldWriter out = new FieldWriter().text(1, secrets.name().orElse(""));
    new TreeMap<>(secrets.sealed())
        .forEach(
            (operation, bytes) ->
                out.part(
                    2,
                    new FieldWriter()
                        .text(1, operation.rpcName())
                        .data(2, HexFormat.of().parseHex(bytes))));
    return out;
  }

  private static SentSecrets secrets(FieldReader in) throws MalformedRecordException {
    String name = in.text(1);
    Map<CsiOperation, String> all = new EnumMap<>(CsiOperation.class);
    for (Map.Entry<String, String> each : in.parts(2, NodeWire::sealedBytes)) {
      CsiOperation operation =
          CsiOperation.ofRpcName(each.getKey())
              .orElseThrow(
                  () -> Envelopes.newer("it has secrets for a call that this csi4j does not know"));
      if (all.put(operation, each.getValue()) != null) {
        throw new MalformedRecordException("secrets for a call are listed twice");
      }
    }
    if (name.isEmpty() == all.isEmpty()) {
      throw new MalformedRecordException("secrets are neither named nor sealed, or are both");
    }
    return all.isEmpty() ? SentSecrets.named(name) : SentSecrets.sealed(all);
  }

  private static Map.Entry<String, String> sealedBytes(FieldReader in)
      throws MalformedRecordException {
    return Map.entry(in.text(1), HexFormat.of().formatHex(in.data(2)));
  }

  // ---- plugins

  private static FieldWriter plugin(PluginOnNode plugin) {
    RegisteredPlugin known = plugin.plugin();
    PluginRegistration registration = known.registration();
    FieldWriter out =
        new FieldWriter()
            .text(1, registration.id().value())
            .text(2, registration.instance().value())
            .text(3, registration.binding().endpoint().path().toString())
            .flag(4, registration.roles().contains(PluginRole.NODE))
            .flag(5, registration.roles().contains(PluginRole.CONTROLLER))
            .part(6, health(known.health()));
    known.fingerprint().ifPresent(said -> out.part(7, fingerprint(said)));
    out.flag(8, known.remembered())
        .flag(9, plugin.draining())
        .optional(10, plugin.availableBytes());
    plugin.storage().forEach(each -> out.part(11, finding(each)));
    return out;
  }

  private static PluginOnNode plugin(FieldReader in) throws MalformedRecordException {
    PluginId id = PluginId.of(in.text(1));
    InstanceId instance = InstanceId.of(in.text(2));
    PluginBinding binding = PluginBinding.of(id, CsiEndpoint.of(Path.of(in.text(3))));
    Set<PluginRole> roles = EnumSet.noneOf(PluginRole.class);
    if (in.flag(4)) {
      roles.add(PluginRole.NODE);
    }
    if (in.flag(5)) {
      roles.add(PluginRole.CONTROLLER);
    }
    RegisteredPlugin known =
        new RegisteredPlugin(
            new PluginRegistration(binding, instance, roles),
            in.required(6, NodeWire::health),
            in.part(7, NodeWire::fingerprint),
            in.flag(8));
    return new PluginOnNode(known, in.flag(9), in.optional(10), in.parts(11, NodeWire::finding));
  }

  private static FieldWriter health(PluginHealth health) {
    return new FieldWriter()
        .number(1, WireSchema.number("PluginHealth.State", health.state()))
        .number(2, WireSchema.number("PluginHealth.Reason", health.reason()))
        .text(3, health.text().value())
        .part(4, WireParts.time(health.since()));
  }

  /**
   * Returns the health of a plugin. An unknown state, from a newer version, is read as {@code
   * UNHEALTHY}.
   */
  private static PluginHealth health(FieldReader in) throws MalformedRecordException {
    return new PluginHealth(
        WireParts.known(PluginHealth.State.class, "PluginHealth.State", in.number(1))
            .orElse(PluginHealth.State.UNHEALTHY),
        WireParts.known(PluginHealth.Reason.class, "PluginHealth.Reason", in.number(2))
            .orElse(PluginHealth.Reason.ERROR),
        new PluginHealth.Text(WireParts.shown(in.text(3))),
        in.required(4, WireParts::time));
  }

  private static FieldWriter fingerprint(PluginFingerprint said) {
    FieldWriter out =
        new FieldWriter().text(1, said.name().value()).text(2, said.version().value());
    names(out, 3, said.plugin());
    said.controller().ifPresent(offered -> out.part(4, names(new FieldWriter(), 1, offered)));
    said.node().ifPresent(facts -> out.part(5, facts(facts)));
    return out.part(6, WireParts.time(said.taken()));
  }

  private static PluginFingerprint fingerprint(FieldReader in) throws MalformedRecordException {
    return new PluginFingerprint(
        PluginName.of(in.text(1)),
        new PluginFingerprint.Version(WireParts.shown(in.text(2))),
        set(PluginCapability.class, in.texts(3)),
        in.part(4, controller -> set(ControllerCapability.class, controller.texts(1))),
        in.part(5, NodeWire::facts),
        in.required(6, WireParts::time));
  }

  private static FieldWriter facts(NodeFacts facts) {
    FieldWriter out =
        new FieldWriter()
            .text(1, facts.nodeId().map(NodeId::value).orElse(""))
            .optional(2, facts.maxVolumes());
    facts.topology().ifPresent(place -> out.part(3, WireParts.place(place)));
    return names(out, 4, facts.capabilities());
  }

  private static NodeFacts facts(FieldReader in) throws MalformedRecordException {
    return new NodeFacts(
        WireParts.said(in.text(1)).map(NodeId::of),
        in.optional(2),
        in.part(3, WireParts::place),
        set(NodeCapability.class, in.texts(4)));
  }

  private static FieldWriter names(FieldWriter out, int field, CapabilitySet<?> set) {
    Collection<String> names = new TreeSet<>(set.unrecognized());
    set.offered().forEach(capability -> names.add(capability.name()));
    names.forEach(name -> out.text(field, name));
    return out;
  }

  /**
   * Returns the capabilities with these names. Names that this version does not know are kept only
   * to be shown to people.
   */
  private static <C extends Enum<C>> CapabilitySet<C> set(Class<C> type, List<String> names) {
    Set<C> offered = EnumSet.noneOf(type);
    Set<String> unrecognized = new TreeSet<>();
    for (String name : names) {
      Stream.of(type.getEnumConstants())
          .filter(each -> each.name().equals(name))
          .findFirst()
          .ifPresentOrElse(offered::add, () -> unrecognized.add(WireParts.shown(name)));
    }
    return new CapabilitySet<>(offered, unrecognized);
  }

  private static FieldWriter finding(StorageFinding finding) {
    StorageHealthEntry entry = finding.entry();
    FieldWriter out =
        new FieldWriter()
            .number(1, entry.number())
            .text(2, entry.reason().word())
            .text(3, entry.message());
    entry.capability().ifPresent(each -> out.part(4, WireParts.capability(each)));
    return out.part(5, WireParts.time(finding.since())).part(6, WireParts.time(finding.asOf()));
  }

  private static StorageFinding finding(FieldReader in) throws MalformedRecordException {
    return new StorageFinding(
        StorageHealthEntry.of(
            (int) in.number(1),
            HealthReason.of(in.text(2)),
            in.text(3),
            in.part(4, WireParts::capability)),
        in.required(5, WireParts::time),
        in.required(6, WireParts::time));
  }

  // ---- volumes

  private static FieldWriter asked(Set<VolumeKey> volumes) {
    FieldWriter out = new FieldWriter();
    new TreeSet<>(volumes).forEach(each -> out.part(1, WireParts.key(each)));
    return out;
  }

  private static Set<VolumeKey> asked(FieldReader in) throws MalformedRecordException {
    return Set.copyOf(in.parts(1, WireParts::key));
  }

  private static FieldWriter expansion(NodeExpansion expansion) {
    FieldWriter out =
        new FieldWriter()
            .part(1, WireParts.key(expansion.volume()))
            .part(2, WireParts.range(expansion.to()));
    expansion.refused().ifPresent(why -> out.part(3, WireParts.message(why)));
    return out;
  }

  private static NodeExpansion expansion(FieldReader in) throws MalformedRecordException {
    return new NodeExpansion(
        in.required(1, WireParts::key),
        in.required(2, WireParts::range),
        in.part(3, WireParts::message));
  }

  private static FieldWriter volume(VolumeStatus volume) {
    FieldWriter out =
        new FieldWriter()
            .text(1, volume.plugin().value())
            .text(2, volume.handle().value())
            .number(3, status(volume.staging()));
    volume.uses().forEach(each -> out.part(4, use(each)));
    volume.leaving().forEach(each -> out.part(5, WireParts.use(each)));
    new TreeMap<>(volume.abandoned())
        .forEach(
            (use, reason) ->
                out.part(6, new FieldWriter().part(1, WireParts.use(use)).text(2, reason)));
    out.number(7, FieldWriter.number(volume.accessMode()))
        .text(8, volume.fsType().orElse(""))
        .flag(9, volume.block());
    volume.trouble().ifPresent(each -> out.part(10, WireParts.message(each)));
    return out.part(11, WireParts.health(volume.health()));
  }

  private static VolumeStatus volume(FieldReader in) throws MalformedRecordException {
    PluginId plugin = PluginId.of(in.text(1));
    VolumeId handle = VolumeId.of(in.text(2));
    PathStatus staging = status(in.number(3));
    List<VolumeStatus.Use> uses = in.parts(4, NodeWire::use);
    List<VolumeUse> leaving = in.parts(5, WireParts::use);
    Map<VolumeUse, String> abandoned = new LinkedHashMap<>();
    for (Map.Entry<VolumeUse, String> each :
        in.parts(
            6,
            part -> Map.entry(part.required(1, WireParts::use), WireParts.shown(part.text(2))))) {
      if (abandoned.put(each.getKey(), each.getValue()) != null) {
        throw new MalformedRecordException("a use was abandoned twice");
      }
    }
    return new VolumeStatus(
        plugin,
        handle,
        staging,
        uses,
        leaving,
        abandoned,
        WireParts.accessMode(in.number(7)).orElse(AccessMode.UNRECOGNIZED),
        WireParts.said(in.text(8)),
        in.flag(9),
        in.part(10, WireParts::message),
        in.required(11, WireParts::health));
  }

  private static FieldWriter use(VolumeStatus.Use use) {
    return new FieldWriter()
        .part(1, WireParts.use(use.key()))
        .number(2, status(use.status()))
        .flag(3, use.readOnly())
        .text(4, use.path().toString());
  }

  private static VolumeStatus.Use use(FieldReader in) throws MalformedRecordException {
    return new VolumeStatus.Use(
        in.required(1, WireParts::use), status(in.number(2)), in.flag(3), Path.of(in.text(4)));
  }

  private static int status(PathStatus status) {
    return WireSchema.number("PathStatus", status);
  }

  /**
   * Returns the status of a path. An unknown status, from a newer version, is read as uncertain.
   */
  private static PathStatus status(long number) throws MalformedRecordException {
    return WireParts.known(PathStatus.class, "PathStatus", number).orElse(PathStatus.IN_DOUBT);
  }
}
