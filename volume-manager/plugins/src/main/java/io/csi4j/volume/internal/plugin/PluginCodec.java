package io.csi4j.volume.internal.plugin;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.Topology;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.RecordBytes;
import io.csi4j.volume.internal.fields.StoredParts;
import io.csi4j.volume.internal.fields.proto.PartsProto;
import io.csi4j.volume.internal.plugin.proto.PluginProto;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.MountPolicy.DeadUnmount;
import io.csi4j.volume.model.MountPolicy.OnDeadMount;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.state.StateValue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/**
 * Encodes and decodes stored plugins as messages of {@code state.proto}, which documents each
 * field.
 */
public final class PluginCodec {

  private static final int FORMAT = 1;

  // The policy of a record without a policy. It stays the same even if a default changes.
  private static final MountPolicy UNSAID_POLICY =
      MountPolicy.builder()
          .retryBudget(100)
          .retryRefill(Duration.ofMillis(200))
          .healthInterval(Duration.ofMinutes(1))
          .refreshInterval(Duration.ZERO)
          .build();

  private static final ConnectOptions UNSAID_OPTIONS =
      ConnectOptions.builder()
          .closeTimeout(Duration.ofSeconds(2))
          .maxMessageBytes(4 << 20)
          .maxMetadataBytes(1 << 20)
          .build();

  private PluginCodec() {}

  /** Returns the bytes of a plugin. */
  public static StateValue encode(PluginRecord plugin) {
    PluginProto.Plugin.Builder out =
        PluginProto.Plugin.newBuilder().setFormat(FORMAT).setId(plugin.id().value());
    plugin.instances().forEach(instance -> out.addInstance(instance(instance)));
    return StateValue.of(new RecordBytes<>(out.build(), plugin.unknown()).bytes());
  }

  /** Returns the plugin in these bytes. */
  public static PluginRecord decode(StateValue value) throws MalformedRecordException {
    RecordBytes<PluginProto.Plugin> read =
        RecordBytes.read(PluginProto.Plugin.parser(), value.bytes(), FORMAT);
    PluginProto.Plugin in = read.message();
    PluginId id = RecordBytes.checked("plugin id", () -> PluginId.of(in.getId()));
    List<PluginRecord.Instance> instances = new ArrayList<>();
    Set<InstanceId> seen = new HashSet<>();
    for (PluginProto.Instance each : in.getInstanceList()) {
      PluginRecord.Instance instance = instance(id, each);
      if (!seen.add(instance.registration().instance())) {
        throw new MalformedRecordException("An instance is there twice.");
      }
      instances.add(instance);
    }
    if (instances.isEmpty()) {
      throw new MalformedRecordException("There is no instance.");
    }
    return new PluginRecord(id, instances, read.newer());
  }

  // ---- an instance

  private static PluginProto.Instance instance(PluginRecord.Instance instance) {
    PluginRegistration registration = instance.registration();
    PluginBinding binding = registration.binding();
    PluginProto.Instance.Builder out =
        PluginProto.Instance.newBuilder()
            .setName(registration.instance().value())
            .setNode(registration.roles().contains(PluginRole.NODE))
            .setController(registration.roles().contains(PluginRole.CONTROLLER))
            .setSocket(binding.endpoint().path().toString())
            .setSeesRootAt(binding.seesRootAt().map(PluginPath::value).orElse(""))
            .setPolicy(policy(binding.policy()))
            .setConnecting(connecting(binding.connectOptions()));
    instance.fingerprint().ifPresent(said -> out.setFingerprint(fingerprint(said)));
    return out.build();
  }

  private static PluginRecord.Instance instance(PluginId id, PluginProto.Instance in)
      throws MalformedRecordException {
    Set<PluginRole> roles = EnumSet.noneOf(PluginRole.class);
    if (in.getNode()) {
      roles.add(PluginRole.NODE);
    }
    if (in.getController()) {
      roles.add(PluginRole.CONTROLLER);
    }
    PluginRegistration registration =
        RecordBytes.checked(
            "instance",
            () -> {
              PluginBinding.Builder binding =
                  PluginBinding.builder(id, CsiEndpoint.of(Path.of(in.getSocket())))
                      .policy(policy(in.getPolicy()))
                      .connectOptions(connecting(in.getConnecting()));
              if (!in.getSeesRootAt().isEmpty()) {
                binding.seesRootAt(PluginPath.of(in.getSeesRootAt()));
              }
              return new PluginRegistration(binding.build(), InstanceId.of(in.getName()), roles);
            });
    if (!registration.binding().endpoint().path().toString().equals(in.getSocket())) {
      throw new MalformedRecordException("The socket is not a valid path.");
    }
    return new PluginRecord.Instance(
        registration,
        in.hasFingerprint() ? Optional.of(fingerprint(in.getFingerprint())) : Optional.empty());
  }

  private static PluginProto.Policy policy(MountPolicy policy) {
    PluginProto.Policy.Builder out =
        PluginProto.Policy.newBuilder()
            .setAttemptDeadline(StoredParts.duration(policy.attemptDeadline()))
            .setAttempts(policy.attempts())
            .setBackoff(StoredParts.duration(policy.backoff()))
            .setBackoffCap(StoredParts.duration(policy.backoffCap()))
            .setBackgroundCap(StoredParts.duration(policy.backgroundCap()))
            .setQuarantine(StoredParts.duration(policy.quarantine()))
            .setCallsInFlight(policy.callsInFlight())
            .setRequireMount(policy.requireMount())
            .setRequireStagingMount(policy.requireStagingMount())
            .setRequireDevice(policy.requireDevice())
            .setOnDeadMount(PluginProto.Policy.DeadMount.valueOf(policy.onDeadMount().name()))
            .setForceAfterRefusals(policy.forceAfterRefusals())
            .setUnmountDead(PluginProto.Policy.Unmount.valueOf(policy.unmountDead().name()))
            .setReleaseConfirmedOnly(!policy.releaseUnconfirmed())
            .setRefuseHostDisk(policy.refuseHostDisk())
            .setUnstageMountedElsewhere(policy.unstageMountedElsewhere())
            .setTakesSelinuxLabel(policy.takesSelinuxLabel())
            .setHoldDevices(policy.holdDevices())
            .setRefuseUnreachableStorage(policy.refuseUnreachableStorage());
    if (policy.retryBudget() != UNSAID_POLICY.retryBudget()) {
      out.setRetryBudget(policy.retryBudget());
    }
    ifUnusual(policy.retryRefill(), UNSAID_POLICY.retryRefill(), out::setRetryRefill);
    ifUnusual(policy.healthInterval(), UNSAID_POLICY.healthInterval(), out::setHealthInterval);
    ifUnusual(policy.refreshInterval(), UNSAID_POLICY.refreshInterval(), out::setRefreshInterval);
    return out.build();
  }

  private static void ifUnusual(
      Duration value, Duration usual, Consumer<com.google.protobuf.Duration> out) {
    if (!value.equals(usual)) {
      out.accept(StoredParts.duration(value));
    }
  }

  private static Duration unusual(boolean isThere, com.google.protobuf.Duration in, Duration usual)
      throws MalformedRecordException {
    return unusual(isThere, StoredParts.duration(in), usual);
  }

  /** Returns a decoded value, which must be stored only if it differs from the default. */
  private static <T> T unusual(boolean isThere, T value, T usual) throws MalformedRecordException {
    if (isThere && value.equals(usual)) {
      throw new MalformedRecordException("A default value is written: " + value + ".");
    }
    return isThere ? value : usual;
  }

  private static MountPolicy policy(PluginProto.Policy in) throws MalformedRecordException {
    return RecordBytes.checked(
        "policy",
        () ->
            MountPolicy.builder()
                .attemptDeadline(StoredParts.duration(in.getAttemptDeadline()))
                .attempts(in.getAttempts())
                .backoff(StoredParts.duration(in.getBackoff()))
                .backoffCap(StoredParts.duration(in.getBackoffCap()))
                .backgroundCap(StoredParts.duration(in.getBackgroundCap()))
                .quarantine(StoredParts.duration(in.getQuarantine()))
                .callsInFlight(in.getCallsInFlight())
                .requireMount(in.getRequireMount())
                .requireStagingMount(in.getRequireStagingMount())
                .requireDevice(in.getRequireDevice())
                .onDeadMount(
                    RecordBytes.named(
                        "policy for dead mounts",
                        OnDeadMount.class,
                        in.getOnDeadMount(),
                        in.getOnDeadMountValue()))
                .forceAfterRefusals(in.getForceAfterRefusals())
                .unmountDead(
                    RecordBytes.named(
                        "way to unmount",
                        DeadUnmount.class,
                        in.getUnmountDead(),
                        in.getUnmountDeadValue()))
                .releaseUnconfirmed(!in.getReleaseConfirmedOnly())
                .refuseHostDisk(in.getRefuseHostDisk())
                .unstageMountedElsewhere(in.getUnstageMountedElsewhere())
                .takesSelinuxLabel(in.getTakesSelinuxLabel())
                .holdDevices(in.getHoldDevices())
                .retryBudget(
                    unusual(in.hasRetryBudget(), in.getRetryBudget(), UNSAID_POLICY.retryBudget()))
                .retryRefill(
                    unusual(in.hasRetryRefill(), in.getRetryRefill(), UNSAID_POLICY.retryRefill()))
                .healthInterval(
                    unusual(
                        in.hasHealthInterval(),
                        in.getHealthInterval(),
                        UNSAID_POLICY.healthInterval()))
                .refuseUnreachableStorage(in.getRefuseUnreachableStorage())
                .refreshInterval(
                    unusual(
                        in.hasRefreshInterval(),
                        in.getRefreshInterval(),
                        UNSAID_POLICY.refreshInterval()))
                .build());
  }

  private static PluginProto.Connecting connecting(ConnectOptions options) {
    OptionalInt uid = options.requiredPeerUid();
    PluginProto.Connecting.Builder out =
        PluginProto.Connecting.newBuilder()
            .setDeadline(StoredParts.duration(options.deadline()))
            .setNotReadyToo(!options.requireReady())
            .setTransport(PluginProto.Connecting.Transport.valueOf(options.transport().name()))
            .setAllowSymlink(options.allowSymlink())
            .setAllowUnsafeDirectory(options.allowUnsafeDirectory())
            .setPeerUidAndOne(uid.isPresent() ? 1 + Integer.toUnsignedLong(uid.getAsInt()) : 0)
            .setName(options.requiredName().map(PluginName::value).orElse(""))
            .setNotWaitingForSocket(!options.waitForSocket())
            .setStrictSizes(options.strictSizes())
            .setNoWireLog(!options.wireLog());
    ifUnusual(options.closeTimeout(), UNSAID_OPTIONS.closeTimeout(), out::setCloseTimeout);
    if (options.maxMessageBytes() != UNSAID_OPTIONS.maxMessageBytes()) {
      out.setMaxMessageBytes(options.maxMessageBytes());
    }
    if (options.maxMetadataBytes() != UNSAID_OPTIONS.maxMetadataBytes()) {
      out.setMaxMetadataBytes(options.maxMetadataBytes());
    }
    return out.build();
  }

  private static ConnectOptions connecting(PluginProto.Connecting in)
      throws MalformedRecordException {
    long uid = in.getPeerUidAndOne();
    if (uid < 0 || uid > 1L << 32) {
      throw new MalformedRecordException("The user of the peer is invalid.");
    }
    Duration deadline = StoredParts.duration(in.getDeadline());
    Duration closing =
        unusual(in.hasCloseTimeout(), in.getCloseTimeout(), UNSAID_OPTIONS.closeTimeout());
    return RecordBytes.checked(
        "way to connect",
        () -> {
          ConnectOptions.Builder options =
              ConnectOptions.builder()
                  .deadline(deadline)
                  .requireReady(!in.getNotReadyToo())
                  .transport(
                      RecordBytes.named(
                          "transport",
                          ConnectOptions.Transport.class,
                          in.getTransport(),
                          in.getTransportValue()))
                  .allowSymlink(in.getAllowSymlink())
                  .allowUnsafeDirectory(in.getAllowUnsafeDirectory())
                  .waitForSocket(!in.getNotWaitingForSocket())
                  .strictSizes(in.getStrictSizes())
                  .wireLog(!in.getNoWireLog())
                  .closeTimeout(closing)
                  .maxMessageBytes(
                      unusual(
                          in.hasMaxMessageBytes(),
                          in.getMaxMessageBytes(),
                          UNSAID_OPTIONS.maxMessageBytes()))
                  .maxMetadataBytes(
                      unusual(
                          in.hasMaxMetadataBytes(),
                          in.getMaxMetadataBytes(),
                          UNSAID_OPTIONS.maxMetadataBytes()));
          if (uid > 0) {
            options.requirePeerUid((int) (uid - 1));
          }
          if (!in.getName().isEmpty()) {
            options.requireName(PluginName.of(in.getName()));
          }
          ConnectOptions read = options.build();
          if (!read.deadline().equals(deadline)) {
            throw new MalformedRecordException("The deadline is longer than the maximum.");
          }
          if (!read.closeTimeout().equals(closing)) {
            throw new MalformedRecordException("The time to close is longer than the maximum.");
          }
          return read;
        });
  }

  // ---- its fingerprint

  private static PluginProto.Fingerprint fingerprint(PluginFingerprint said) {
    PluginProto.Fingerprint.Builder out =
        PluginProto.Fingerprint.newBuilder()
            .setName(said.name().value())
            .setVersion(said.version().value())
            .setCapabilities(bits(said.plugin(), PluginCodec::number))
            .setTaken(StoredParts.time(said.taken()));
    said.controller()
        .ifPresent(
            offered ->
                out.setController(
                    PluginProto.Controller.newBuilder()
                        .setCapabilities(bits(offered, ControllerCapability::number))));
    said.node().ifPresent(node -> out.setNode(node(node)));
    return out.build();
  }

  private static PluginFingerprint fingerprint(PluginProto.Fingerprint in)
      throws MalformedRecordException {
    return RecordBytes.checked(
        "fingerprint",
        () ->
            new PluginFingerprint(
                PluginName.of(in.getName()),
                new PluginFingerprint.Version(in.getVersion()),
                set(PluginCapability.class, PluginCodec::number, in.getCapabilities()),
                in.hasController()
                    ? Optional.of(
                        set(
                            ControllerCapability.class,
                            ControllerCapability::number,
                            in.getController().getCapabilities()))
                    : Optional.empty(),
                in.hasNode() ? Optional.of(node(in.getNode())) : Optional.empty(),
                StoredParts.time(in.getTaken())));
  }

  private static PluginProto.Node node(NodeFacts node) {
    PluginProto.Node.Builder out =
        PluginProto.Node.newBuilder()
            .setId(node.nodeId().map(NodeId::value).orElse(""))
            .setMaxVolumesAndOne(
                node.maxVolumes().isPresent() ? node.maxVolumes().getAsLong() + 1 : 0)
            .setCapabilities(bits(node.capabilities(), NodeCapability::number));
    node.topology().ifPresent(topology -> out.setTopology(topology(topology)));
    return out.build();
  }

  private static NodeFacts node(PluginProto.Node in) throws MalformedRecordException {
    long most = in.getMaxVolumesAndOne();
    return RecordBytes.checked(
        "node",
        () ->
            new NodeFacts(
                Optional.of(in.getId()).filter(id -> !id.isEmpty()).map(NodeId::of),
                most == 0 ? OptionalLong.empty() : OptionalLong.of(most - 1),
                in.hasTopology() ? Optional.of(topology(in.getTopology())) : Optional.empty(),
                set(NodeCapability.class, NodeCapability::number, in.getCapabilities())));
  }

  private static PluginProto.Topology topology(Topology topology) {
    PluginProto.Topology.Builder out = PluginProto.Topology.newBuilder();
    topology
        .segments()
        .forEach(
            (key, value) ->
                out.addSegment(PartsProto.Entry.newBuilder().setKey(key).setValue(value)));
    return out.build();
  }

  private static Topology topology(PluginProto.Topology in) throws MalformedRecordException {
    Map<String, String> segments = new LinkedHashMap<>();
    for (PartsProto.Entry segment : in.getSegmentList()) {
      if (segments.put(segment.getKey(), segment.getValue()) != null) {
        throw new MalformedRecordException("A label of the topology is listed twice.");
      }
    }
    return Topology.of(segments);
  }

  private static <C extends Enum<C>> long bits(CapabilitySet<C> set, ToIntFunction<C> number) {
    long bits = 0;
    for (C capability : set.offered()) {
      bits |= 1L << number.applyAsInt(capability);
    }
    return bits;
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

  // ---- numbers, which never change

  private static int number(PluginCapability capability) {
    return switch (capability) {
      case CONTROLLER_SERVICE -> 1;
      case VOLUME_ACCESSIBILITY_CONSTRAINTS -> 2;
      case GROUP_CONTROLLER_SERVICE -> 3;
      case SNAPSHOT_METADATA_SERVICE -> 4;
      case VOLUME_EXPANSION_ONLINE -> 5;
      case VOLUME_EXPANSION_OFFLINE -> 6;
      case SNAPSHOT_ACCESSIBILITY_CONSTRAINTS -> 7;
    };
  }
}
