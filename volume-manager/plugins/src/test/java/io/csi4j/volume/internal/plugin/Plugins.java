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
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.MountPolicy.DeadUnmount;
import io.csi4j.volume.model.MountPolicy.OnDeadMount;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Plugins for tests. */
public final class Plugins {

  public static final PluginId ID = PluginId.of("ebs.csi.example");
  static final Instant NOON = Instant.parse("2026-01-01T12:00:00.000000123Z");
  static final PluginHealth READY =
      new PluginHealth(State.READY, Reason.ANSWERED, new PluginHealth.Text("it is ready"), NOON);
  static final PluginHealth SILENT =
      new PluginHealth(
          State.UNHEALTHY,
          Reason.SILENT,
          new PluginHealth.Text("it did not answer three times in a row"),
          NOON);

  private Plugins() {}

  static PluginBinding binding(PluginId id, Path socket) {
    return PluginBinding.of(id, CsiEndpoint.of(socket));
  }

  /** An instance with a socket of its own. */
  static PluginRegistration instance(String name, PluginRole first, PluginRole... more) {
    return instance(ID, name, EnumSet.of(first, more));
  }

  static PluginRegistration instance(PluginId id, String name, Set<PluginRole> roles) {
    return new PluginRegistration(
        binding(id, Path.of("/run/" + name + ".sock")), InstanceId.of(name), roles);
  }

  /** What a plugin for nodes says of itself. */
  public static PluginFingerprint fingerprint(String version) {
    return fingerprint(
        PluginName.of("ebs.csi.example"),
        version,
        Set.of(NodeCapability.STAGE_UNSTAGE_VOLUME, NodeCapability.EXPAND_VOLUME));
  }

  static PluginFingerprint fingerprint(
      PluginName name, String version, Set<NodeCapability> capabilities) {
    return new PluginFingerprint(
        name,
        new PluginFingerprint.Version(version),
        new CapabilitySet<>(Set.of(PluginCapability.CONTROLLER_SERVICE), Set.of()),
        Optional.empty(),
        Optional.of(
            new PluginFingerprint.NodeFacts(
                Optional.of(NodeId.of("node-1")),
                OptionalLong.of(25),
                Optional.empty(),
                new CapabilitySet<>(capabilities, Set.of()))),
        NOON);
  }

  /** Everything that can be said of an instance. */
  public static PluginRegistration everything() {
    return new PluginRegistration(
        PluginBinding.builder(ID, CsiEndpoint.of(Path.of("/run/csi/ebs é.sock")))
            .seesRootAt(PluginPath.of("/csi"))
            .policy(
                MountPolicy.builder()
                    .attemptDeadline(Duration.ofSeconds(90))
                    .attempts(7)
                    .backoff(Duration.ofMillis(250))
                    .backoffCap(Duration.ofSeconds(40))
                    .backgroundCap(Duration.ofMinutes(6))
                    .quarantine(Duration.ofMinutes(3))
                    .callsInFlight(5)
                    .requireMount(false)
                    .requireStagingMount(true)
                    .requireDevice(false)
                    .onDeadMount(OnDeadMount.REMOUNT)
                    .forceAfterRefusals(4)
                    .unmountDead(DeadUnmount.LAZY)
                    .releaseUnconfirmed(true)
                    .refuseHostDisk(false)
                    .build())
            .connectOptions(
                ConnectOptions.builder()
                    .deadline(Duration.ofMillis(4500))
                    .requireReady(false)
                    .transport(ConnectOptions.Transport.JDK)
                    .allowSymlink(true)
                    .allowUnsafeDirectory(true)
                    .requirePeerUid(1000)
                    .requireName(PluginName.of("ebs.csi.example"))
                    .build())
            .build(),
        InstanceId.of("task-7f3"),
        EnumSet.allOf(PluginRole.class));
  }

  /** Everything that a plugin for CSI 1.12 can say of itself. */
  public static PluginFingerprint everythingSaid() {
    Map<String, String> place = new LinkedHashMap<>();
    place.put("zone", "z-2");
    place.put("Rack", "r/1");
    return new PluginFingerprint(
        PluginName.of("ebs.csi.example"),
        new PluginFingerprint.Version("v1.2.3-é"),
        new CapabilitySet<>(
            EnumSet.complementOf(EnumSet.of(PluginCapability.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS)),
            Set.of()),
        Optional.of(
            new CapabilitySet<>(
                EnumSet.complementOf(
                    EnumSet.of(
                        ControllerCapability.GET_VOLUME_HEALTH,
                        ControllerCapability.LIST_VOLUME_HEALTH)),
                Set.of())),
        Optional.of(
            new PluginFingerprint.NodeFacts(
                Optional.of(NodeId.of("i-0123")),
                OptionalLong.of(0),
                Optional.of(Topology.of(place)),
                new CapabilitySet<>(
                    EnumSet.complementOf(
                        EnumSet.of(
                            NodeCapability.GET_VOLUME_HEALTH, NodeCapability.GET_STORAGE_HEALTH)),
                    Set.of()))),
        NOON);
  }
}
