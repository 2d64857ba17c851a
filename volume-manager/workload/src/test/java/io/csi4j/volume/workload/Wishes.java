package io.csi4j.volume.workload;

import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;

/** Wishes of workloads, and nodes to hold them against. */
final class Wishes {

  static final WorkloadId WEB_1 = WorkloadId.of("web-1");
  static final TaskName WEB = TaskName.of("web");
  static final PluginId PLUGIN = PluginId.of("ebs");
  static final VolumeAlias DATA = VolumeAlias.of("data");
  static final VolumeAlias LOGS = VolumeAlias.of("logs");
  static final ResolvedVolume.Csi DB = csi(volume("db", PLUGIN, "vol-7"));
  static final ResolvedVolume.Host VAR_LOG =
      ResolvedVolume.host(VolumeKey.of("var-log"), MountPath.of("/srv/log"), false);
  static final Instant NOON = Instant.parse("2026-01-02T12:00:00Z");

  private Wishes() {}

  static VolumeRequest.Builder data() {
    return VolumeRequest.builder("data", VolumeRequest.Type.CSI, "db")
        .accessMode(AccessMode.SINGLE_NODE_WRITER)
        .attachment(AttachmentMode.FILESYSTEM);
  }

  static VolumeRequest.Builder logs() {
    return VolumeRequest.builder("logs", VolumeRequest.Type.HOST, "var-log");
  }

  /** A volume that may be used in every way. */
  static CatalogVolume.Builder volume(String key, PluginId plugin, String handle) {
    VolumeSpec.Builder spec = VolumeSpec.builder(plugin);
    for (AccessMode mode : AccessMode.values()) {
      if (mode.isStated()) {
        spec.use(mode, AttachmentMode.FILESYSTEM).use(mode, AttachmentMode.BLOCK);
      }
    }
    return CatalogVolume.builder(VolumeKey.of(key), spec.build(), VolumeId.of(handle));
  }

  /** A volume as {@link #DB} that may be used as this says. */
  static CatalogVolume.Builder database(VolumeSpec.Builder spec) {
    return CatalogVolume.builder(DB.key(), spec.build(), DB.volume().id());
  }

  static ResolvedVolume.Csi csi(CatalogVolume.Builder volume) {
    return ResolvedVolume.csi(volume.build(), SecretsProvider.none());
  }

  static TaskRuntime in(String runtime) {
    return TaskRuntime.of(WEB, runtime);
  }

  static TaskRuntime withoutVolumes(String runtime) {
    return TaskRuntime.withoutVolumes(WEB, runtime);
  }

  static VolumeMount.Builder at(String destination) {
    return VolumeMount.builder("data").destination(destination);
  }

  /** A host that knows these volumes by the names of their keys. */
  static ResolvedVolume.Lookup knowing(ResolvedVolume... volumes) {
    return (request, source) ->
        List.of(volumes).stream().filter(each -> each.key().id().equals(source)).findFirst();
  }

  static WorkloadVolumes.Builder workload(ResolvedVolume... known) {
    return WorkloadVolumes.builder(WEB_1, knowing(known));
  }

  // ---- nodes

  static PluginHealth health(PluginHealth.State state, PluginHealth.Reason reason, String text) {
    return new PluginHealth(state, reason, new PluginHealth.Text(text), NOON);
  }

  static PluginHealth ready() {
    return health(PluginHealth.State.READY, PluginHealth.Reason.ANSWERED, "it said so");
  }

  static RegisteredPlugin plugin(PluginHealth health) {
    return new RegisteredPlugin(
        PluginRegistration.node(
            PluginBinding.of(PLUGIN, CsiEndpoint.parse("unix:///run/csi/ebs.sock"))),
        health,
        Optional.empty(),
        false);
  }

  static RegisteredPlugin plugin(NodeFacts facts, PluginCapability... offers) {
    EnumSet<PluginCapability> offered = EnumSet.noneOf(PluginCapability.class);
    offered.addAll(List.of(offers));
    return new RegisteredPlugin(
        plugin(ready()).registration(),
        ready(),
        Optional.of(
            new PluginFingerprint(
                PluginName.of("ebs.csi.example"),
                new PluginFingerprint.Version("1.0"),
                new CapabilitySet<>(offered, Set.of()),
                Optional.empty(),
                Optional.of(facts),
                NOON)),
        false);
  }

  static NodeFacts facts(long maxVolumes, NodeCapability... offers) {
    EnumSet<NodeCapability> offered = EnumSet.noneOf(NodeCapability.class);
    offered.addAll(List.of(offers));
    return new NodeFacts(
        Optional.of(NodeId.of("node-1")),
        maxVolumes == 0 ? OptionalLong.empty() : OptionalLong.of(maxVolumes),
        Optional.empty(),
        new CapabilitySet<>(offered, Set.of()));
  }

  static NodeFacts in(Topology place) {
    NodeFacts facts = facts(0);
    return new NodeFacts(
        facts.nodeId(), facts.maxVolumes(), Optional.of(place), facts.capabilities());
  }

  static Topology place(String... labels) {
    java.util.Map<String, String> segments = new java.util.LinkedHashMap<>();
    for (int i = 0; i < labels.length; i += 2) {
      segments.put(labels[i], labels[i + 1]);
    }
    return Topology.of(Map.copyOf(segments));
  }

  /** Volumes of the plugin that a node has. */
  static List<VolumeStatus> volumes(int count) {
    return IntStream.range(0, count)
        .mapToObj(
            i ->
                new VolumeStatus(
                    PLUGIN,
                    VolumeId.of("vol-" + i),
                    i % 2 == 0 ? PathStatus.PRESENT : PathStatus.IN_DOUBT,
                    List.of(),
                    List.of(),
                    Map.of(),
                    AccessMode.SINGLE_NODE_WRITER,
                    Optional.empty(),
                    false,
                    Optional.empty(),
                    VolumeHealth.well()))
        .toList();
  }

  // ---- mounters

  /** The answer to a call. */
  interface Answer {
    Object to(Object[] arguments) throws Exception;
  }

  /** Returns what behaves like the original but for one method. */
  static <T> T inPlaceOf(Class<T> type, T original, String method, Answer answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, called, arguments) ->
                called.getName().equals(method)
                    ? answer.to(arguments)
                    : called.invoke(original, arguments)));
  }
}
