package io.csi4j.testkit.model;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.group.GroupControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Topology;
import io.csi4j.client.node.NodeCapability;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The shape of a test plugin: its name and version, its capabilities and limits, and its {@link
 * Quirk quirks}. A shape is immutable; each {@code with} returns a changed copy.
 *
 * <p>Start with a predefined shape, such as {@link #full} or {@link #nodeOnly}, and change it.
 *
 * @since 1.0
 */
public final class PluginShape {

  private final Parts parts;

  private PluginShape(Parts parts) {
    this.parts = parts;
  }

  /** The capabilities that CSI 1.13 added. */
  private static final Set<Enum<?>> NEW_IN_113 =
      Set.of(
          PluginCapability.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS,
          ControllerCapability.GET_VOLUME_HEALTH,
          ControllerCapability.LIST_VOLUME_HEALTH,
          NodeCapability.GET_VOLUME_HEALTH,
          NodeCapability.GET_STORAGE_HEALTH);

  /** The values of a shape. They change only before the shape is created. */
  private static final class Parts {
    private PluginName name;
    private String version;

    /** Capabilities of every kind, and quirks. */
    private final Set<Enum<?>> traits;

    private boolean filesystems = true;
    private boolean blocks = true;
    private long maxVolumesPerNode;
    private long totalBytes = 1L << 40;
    private List<Topology> topologies = List.of();
    private Set<String> mutableParameters = Set.of();

    Parts(PluginName name, String version, Set<Enum<?>> traits) {
      this.name = name;
      this.version = version;
      this.traits = new HashSet<>(traits);
    }

    Parts copy() {
      Parts copy = new Parts(name, version, traits);
      copy.filesystems = filesystems;
      copy.blocks = blocks;
      copy.maxVolumesPerNode = maxVolumesPerNode;
      copy.totalBytes = totalBytes;
      copy.topologies = topologies;
      copy.mutableParameters = mutableParameters;
      return copy;
    }

    List<Object> all() {
      List<Object> flags = List.of(filesystems, blocks, maxVolumesPerNode, totalBytes);
      return List.of(name, version, traits, flags, topologies, mutableParameters);
    }
  }

  /**
   * Returns a shape with all capabilities of CSI 1.12, on one socket, with a total capacity of 1
   * TiB.
   */
  public static PluginShape full() {
    Set<Enum<?>> traits = new HashSet<>(EnumSet.allOf(PluginCapability.class));
    traits.addAll(EnumSet.allOf(ControllerCapability.class));
    traits.addAll(EnumSet.allOf(NodeCapability.class));
    traits.addAll(EnumSet.allOf(GroupControllerCapability.class));
    traits.removeAll(NEW_IN_113);
    return new PluginShape(new Parts(PluginName.of("fake.csi4j.example"), "1.0.0", traits));
  }

  /**
   * Returns a shape with all capabilities of CSI 1.13, on one socket. It has separate calls for
   * health and snapshots with a topology, but no capability that 1.13 removed.
   */
  public static PluginShape full113() {
    return full112And113()
        .without(ControllerCapability.VOLUME_CONDITION)
        .without(NodeCapability.VOLUME_CONDITION);
  }

  /**
   * Returns a shape with all capabilities of CSI 1.12 and 1.13, on one socket. The plugin reports
   * health in both forms, for callers of either version.
   */
  public static PluginShape full112And113() {
    return full().changed(p -> p.traits.addAll(NEW_IN_113));
  }

  /** Returns the shape {@link #full} with separate sockets for controller and node. */
  public static PluginShape separateSockets() {
    return full().with(Quirk.SEPARATE_SOCKETS);
  }

  /**
   * Returns a shape without a controller, whose node service stages volumes. All volumes are
   * pre-provisioned.
   */
  public static PluginShape nodeOnly() {
    return full().changed(p -> p.traits.removeIf(trait -> !(trait instanceof NodeCapability)));
  }

  /**
   * Returns a shape whose volumes are attached to nodes and published on them, but never staged.
   */
  public static PluginShape noStaging() {
    return full().without(NodeCapability.STAGE_UNSTAGE_VOLUME);
  }

  /** Returns a shape whose volumes are used without attaching, as network filesystems are. */
  public static PluginShape noAttach() {
    return full()
        .without(
            ControllerCapability.PUBLISH_UNPUBLISH_VOLUME,
            ControllerCapability.PUBLISH_READONLY,
            ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES);
  }

  /** Returns a shape whose volumes must be attached, with at most 8 volumes per node. */
  public static PluginShape attachRequired() {
    return full().maxVolumesPerNode(8);
  }

  /** Returns a shape with raw block devices only. */
  public static PluginShape blockOnly() {
    return full().accessTypes(false, true);
  }

  /**
   * Returns a shape for csi-sanity, the Go test suite for plugins, which requires more than the
   * spec. The shape is {@link #full}, changed by {@link #forCsiSanity}, with one topology and only
   * the mutable parameter {@code tier}.
   */
  public static PluginShape csiSanity() {
    return full()
        .topologies(Topology.of(Map.of("zone", "z1")))
        .mutableParameters("tier")
        .forCsiSanity();
  }

  /**
   * Returns this shape, changed for csi-sanity. The shape lacks the capabilities that csi-sanity
   * does not support, and has the quirks {@link Quirk#RELATIVE_PATH_NOT_FOUND}, {@link
   * Quirk#SNAPSHOT_IDS_NOT_NEEDED} and {@link Quirk#VOLUME_CONTEXT_NOT_NEEDED}.
   */
  public PluginShape forCsiSanity() {
    return changed(p -> p.traits.removeAll(NEW_IN_113))
        .without(PluginCapability.SNAPSHOT_METADATA_SERVICE)
        .without(ControllerCapability.GET_SNAPSHOT)
        .with(
            Quirk.RELATIVE_PATH_NOT_FOUND,
            Quirk.SNAPSHOT_IDS_NOT_NEEDED,
            Quirk.VOLUME_CONTEXT_NOT_NEEDED);
  }

  /**
   * Returns the smallest useful shape: its volumes can only be created, published, unpublished and
   * deleted.
   */
  public static PluginShape plain() {
    Set<Enum<?>> all =
        Set.of(PluginCapability.CONTROLLER_SERVICE, ControllerCapability.CREATE_DELETE_VOLUME);
    return full().changed(p -> p.traits.retainAll(all));
  }

  /** Returns the name of the plugin. */
  public PluginName name() {
    return parts.name;
  }

  /** Returns the vendor's version of the plugin. */
  public String vendorVersion() {
    return parts.version;
  }

  /** Returns the capabilities of the plugin as a whole. */
  public Set<PluginCapability> pluginCapabilities() {
    return traits(PluginCapability.class);
  }

  /** Returns the capabilities of the controller. */
  public Set<ControllerCapability> controllerCapabilities() {
    return traits(ControllerCapability.class);
  }

  /** Returns the capabilities of the nodes. */
  public Set<NodeCapability> nodeCapabilities() {
    return traits(NodeCapability.class);
  }

  /** Returns the capabilities of the group controller. */
  public Set<GroupControllerCapability> groupCapabilities() {
    return traits(GroupControllerCapability.class);
  }

  /** Returns the plugin's quirks: its differences from the simplest plugin that obeys the spec. */
  public Set<Quirk> quirks() {
    return traits(Quirk.class);
  }

  /** Returns whether volumes can be filesystems. */
  public boolean filesystems() {
    return parts.filesystems;
  }

  /** Returns whether volumes can be raw block devices. */
  public boolean blocks() {
    return parts.blocks;
  }

  /** Returns the maximum number of volumes on a node; 0 if the plugin does not report a maximum. */
  public long maxVolumesPerNode() {
    return parts.maxVolumesPerNode;
  }

  /** Returns the maximum number of bytes of all volumes and snapshots together. */
  public long totalBytes() {
    return parts.totalBytes;
  }

  /**
   * Returns the topologies of the nodes, in the order of the nodes. Nodes beyond the end of the
   * list report no topology.
   */
  public List<Topology> topologies() {
    return parts.topologies;
  }

  /**
   * Returns the keys of the mutable parameters that the plugin accepts; empty if it accepts any
   * key.
   */
  public Set<String> mutableParameters() {
    return parts.mutableParameters;
  }

  /** Returns the topology of the node at {@code index}, if the node reports a topology. */
  public Optional<Topology> topology(int index) {
    return index < parts.topologies.size()
        ? Optional.of(parts.topologies.get(index))
        : Optional.empty();
  }

  /** Returns whether the plugin offers this capability. */
  public boolean offers(PluginCapability capability) {
    return parts.traits.contains(capability);
  }

  /** Returns whether the controller offers this capability. */
  public boolean offers(ControllerCapability capability) {
    return offers(PluginCapability.CONTROLLER_SERVICE) && parts.traits.contains(capability);
  }

  /** Returns whether the nodes offer this capability. */
  public boolean offers(NodeCapability capability) {
    return parts.traits.contains(capability);
  }

  /** Returns whether the group controller offers this capability. */
  public boolean offers(GroupControllerCapability capability) {
    return offers(PluginCapability.GROUP_CONTROLLER_SERVICE) && parts.traits.contains(capability);
  }

  /** Returns whether the plugin has this quirk. */
  public boolean has(Quirk quirk) {
    return parts.traits.contains(quirk);
  }

  /**
   * Returns the received context of a volume without the data about the workload, which a caller
   * may add when it publishes the volume. If the plugin {@linkplain Quirk#WORKLOAD_FACTS_TAKEN
   * accepts} this data, the method removes the entries with the keys of a kubelet, except those
   * that the plugin itself has set.
   *
   * @param own the context that the plugin returned
   * @param sent the context that the plugin received
   */
  public Map<String, String> withoutFacts(Map<String, String> own, Map<String, String> sent) {
    Map<String, String> left = new HashMap<>(sent);
    left.keySet()
        .removeIf(
            key ->
                has(Quirk.WORKLOAD_FACTS_TAKEN)
                    && key.startsWith("csi.storage.k8s.io/")
                    && !own.containsKey(key));
    return left;
  }

  /**
   * Returns whether a volume that is published with this context is an inline volume. The result is
   * false if the plugin does not {@linkplain Quirk#INLINE_VOLUMES_TAKEN support} inline volumes.
   *
   * @param sent the volume context of the call
   */
  public boolean isInline(Map<String, String> sent) {
    return has(Quirk.INLINE_VOLUMES_TAKEN)
        && "true".equals(sent.get("csi.storage.k8s.io/ephemeral"));
  }

  /** Returns whether the plugin conforms to the spec: none of its quirks breaks a rule. */
  public boolean conforms() {
    return quirks().stream().allMatch(Quirk::lawful);
  }

  /** Returns the shape with another plugin name. */
  public PluginShape named(PluginName name) {
    return changed(p -> p.name = name);
  }

  /** Returns the shape with another version. */
  public PluginShape vendorVersion(String version) {
    return changed(p -> p.version = version);
  }

  /** Returns the shape with these capabilities added. */
  public PluginShape with(PluginCapability... capabilities) {
    return changed(p -> p.traits.addAll(List.of(capabilities)));
  }

  /** Returns the shape without these capabilities. */
  public PluginShape without(PluginCapability... capabilities) {
    return changed(p -> p.traits.removeAll(List.of(capabilities)));
  }

  /** Returns the shape with these capabilities added. */
  public PluginShape with(ControllerCapability... capabilities) {
    return changed(p -> p.traits.addAll(List.of(capabilities)));
  }

  /** Returns the shape without these capabilities. */
  public PluginShape without(ControllerCapability... capabilities) {
    return changed(p -> p.traits.removeAll(List.of(capabilities)));
  }

  /** Returns the shape with these capabilities added. */
  public PluginShape with(NodeCapability... capabilities) {
    return changed(p -> p.traits.addAll(List.of(capabilities)));
  }

  /** Returns the shape without these capabilities. */
  public PluginShape without(NodeCapability... capabilities) {
    return changed(p -> p.traits.removeAll(List.of(capabilities)));
  }

  /** Returns the shape with these capabilities added. */
  public PluginShape with(GroupControllerCapability... capabilities) {
    return changed(p -> p.traits.addAll(List.of(capabilities)));
  }

  /** Returns the shape without these capabilities. */
  public PluginShape without(GroupControllerCapability... capabilities) {
    return changed(p -> p.traits.removeAll(List.of(capabilities)));
  }

  /** Returns the shape with these quirks added. */
  public PluginShape with(Quirk... quirks) {
    return changed(p -> p.traits.addAll(List.of(quirks)));
  }

  /** Returns the shape without these quirks. */
  public PluginShape without(Quirk... quirks) {
    return changed(p -> p.traits.removeAll(List.of(quirks)));
  }

  /** Returns the shape with volumes that can be filesystems, raw block devices, or both. */
  public PluginShape accessTypes(boolean filesystems, boolean blocks) {
    return changed(
        p -> {
          p.filesystems = filesystems;
          p.blocks = blocks;
        });
  }

  /**
   * Returns the shape with this maximum number of volumes on a node. With 0, the plugin reports no
   * maximum.
   */
  public PluginShape maxVolumesPerNode(long volumes) {
    return changed(p -> p.maxVolumesPerNode = volumes);
  }

  /** Returns the shape with this maximum number of bytes of all volumes and snapshots together. */
  public PluginShape totalBytes(long bytes) {
    return changed(p -> p.totalBytes = bytes);
  }

  /** Returns the shape with these topologies, in the order of the nodes. */
  public PluginShape topologies(Topology... topologies) {
    return changed(p -> p.topologies = List.of(topologies));
  }

  /**
   * Returns the shape with these keys of mutable parameters. The plugin refuses all other keys.
   * Without keys, it accepts any key.
   */
  public PluginShape mutableParameters(String... keys) {
    return changed(p -> p.mutableParameters = Set.of(keys));
  }

  private <E extends Enum<E>> Set<E> traits(Class<E> kind) {
    Set<E> found = EnumSet.noneOf(kind);
    parts.traits.stream().filter(kind::isInstance).map(kind::cast).forEach(found::add);
    return Collections.unmodifiableSet(found);
  }

  private PluginShape changed(Consumer<Parts> change) {
    Parts changed = parts.copy();
    change.accept(changed);
    return new PluginShape(changed);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PluginShape shape && shape.parts.all().equals(parts.all());
  }

  @Override
  public int hashCode() {
    return parts.all().hashCode();
  }

  @Override
  public String toString() {
    String capabilities = "" + pluginCapabilities() + controllerCapabilities() + nodeCapabilities();
    return parts.name + " " + parts.version + " " + capabilities + groupCapabilities() + quirks();
  }
}
