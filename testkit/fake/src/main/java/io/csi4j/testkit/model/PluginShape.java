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
 * The shape of a test plugin: its name and version, what it offers, its limits, and how it differs
 * from the plainest lawful plugin. Immutable; each {@code with} gives another one.
 *
 * <p>Begin with one of the shapes found in the wild, such as {@link #full} or {@link #nodeOnly},
 * and change it.
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

  /** The parts of a shape: changed before the shape has them, and never after that. */
  private static final class Parts {
    private PluginName name;
    private String version;

    /** Its capabilities of every kind, and its quirks. */
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

  /** Everything that CSI 1.12 has, on one socket, with 1 TiB to give. */
  public static PluginShape full() {
    Set<Enum<?>> traits = new HashSet<>(EnumSet.allOf(PluginCapability.class));
    traits.addAll(EnumSet.allOf(ControllerCapability.class));
    traits.addAll(EnumSet.allOf(NodeCapability.class));
    traits.addAll(EnumSet.allOf(GroupControllerCapability.class));
    traits.removeAll(NEW_IN_113);
    return new PluginShape(new Parts(PluginName.of("fake.csi4j.example"), "1.0.0", traits));
  }

  /**
   * Everything that CSI 1.13 has, on one socket: health by its own calls, snapshots with a place,
   * and nothing that 1.13 took away.
   */
  public static PluginShape full113() {
    return full112And113()
        .without(ControllerCapability.VOLUME_CONDITION)
        .without(NodeCapability.VOLUME_CONDITION);
  }

  /**
   * Everything that CSI 1.12 or 1.13 has, on one socket: health in the words of both, as a plugin
   * tells it while its callers are upgraded.
   */
  public static PluginShape full112And113() {
    return full().changed(p -> p.traits.addAll(NEW_IN_113));
  }

  /** Everything, with controller and node on sockets of their own. */
  public static PluginShape separateSockets() {
    return full().with(Quirk.SEPARATE_SOCKETS);
  }

  /** A node service that stages, and no controller: volumes are made by other means. */
  public static PluginShape nodeOnly() {
    return full().changed(p -> p.traits.removeIf(trait -> !(trait instanceof NodeCapability)));
  }

  /** Volumes are attached to nodes and published there, never staged. */
  public static PluginShape noStaging() {
    return full().without(NodeCapability.STAGE_UNSTAGE_VOLUME);
  }

  /** Volumes are used without being attached, as network filesystems are. */
  public static PluginShape noAttach() {
    return full()
        .without(
            ControllerCapability.PUBLISH_UNPUBLISH_VOLUME,
            ControllerCapability.PUBLISH_READONLY,
            ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES);
  }

  /** Volumes have to be attached, and a node takes 8 of them. */
  public static PluginShape attachRequired() {
    return full().maxVolumesPerNode(8);
  }

  /** Raw block devices only. */
  public static PluginShape blockOnly() {
    return full().accessTypes(false, true);
  }

  /**
   * A plugin that does what csi-sanity, the Go suite for plugins, asks for beyond the spec: {@link
   * #full}, as {@link #forCsiSanity} changes it, with one place and the mutable parameter {@code
   * tier} alone.
   */
  public static PluginShape csiSanity() {
    return full()
        .topologies(Topology.of(Map.of("zone", "z1")))
        .mutableParameters("tier")
        .forCsiSanity();
  }

  /**
   * Returns this shape as csi-sanity wants it: without the capabilities that csi-sanity does not
   * know, and with the quirks {@link Quirk#RELATIVE_PATH_NOT_FOUND}, {@link
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

  /** Create, publish, unpublish, delete, and nothing more: the least useful plugin there is. */
  public static PluginShape plain() {
    Set<Enum<?>> all =
        Set.of(PluginCapability.CONTROLLER_SERVICE, ControllerCapability.CREATE_DELETE_VOLUME);
    return full().changed(p -> p.traits.retainAll(all));
  }

  /** Returns the name of the plugin. */
  public PluginName name() {
    return parts.name;
  }

  /** Its version, as its vendor writes it. */
  public String vendorVersion() {
    return parts.version;
  }

  /** Returns what the plugin as a whole offers. */
  public Set<PluginCapability> pluginCapabilities() {
    return traits(PluginCapability.class);
  }

  /** Returns what its controller offers. */
  public Set<ControllerCapability> controllerCapabilities() {
    return traits(ControllerCapability.class);
  }

  /** Returns what its nodes offer. */
  public Set<NodeCapability> nodeCapabilities() {
    return traits(NodeCapability.class);
  }

  /** Returns what its group controller offers. */
  public Set<GroupControllerCapability> groupCapabilities() {
    return traits(GroupControllerCapability.class);
  }

  /** How it differs from the plainest lawful plugin. */
  public Set<Quirk> quirks() {
    return traits(Quirk.class);
  }

  /** Whether volumes can be filesystems. */
  public boolean filesystems() {
    return parts.filesystems;
  }

  /** Whether volumes can be raw block devices. */
  public boolean blocks() {
    return parts.blocks;
  }

  /** How many volumes a node takes; 0 if it does not say. */
  public long maxVolumesPerNode() {
    return parts.maxVolumesPerNode;
  }

  /** How many bytes all volumes and snapshots may have together. */
  public long totalBytes() {
    return parts.totalBytes;
  }

  /** Where its nodes are, node by node in their order; nowhere in particular if there are fewer. */
  public List<Topology> topologies() {
    return parts.topologies;
  }

  /** The keys of the mutable parameters that it knows; it refuses others. Empty if it takes any. */
  public Set<String> mutableParameters() {
    return parts.mutableParameters;
  }

  /** Where its {@code index}th node is, if it says. */
  public Optional<Topology> topology(int index) {
    return index < parts.topologies.size()
        ? Optional.of(parts.topologies.get(index))
        : Optional.empty();
  }

  /** Whether it offers this. */
  public boolean offers(PluginCapability capability) {
    return parts.traits.contains(capability);
  }

  /** Whether its controller offers this. */
  public boolean offers(ControllerCapability capability) {
    return offers(PluginCapability.CONTROLLER_SERVICE) && parts.traits.contains(capability);
  }

  /** Whether its nodes offer this. */
  public boolean offers(NodeCapability capability) {
    return parts.traits.contains(capability);
  }

  /** Whether its group controller offers this. */
  public boolean offers(GroupControllerCapability capability) {
    return offers(PluginCapability.GROUP_CONTROLLER_SERVICE) && parts.traits.contains(capability);
  }

  /** Whether it is like this. */
  public boolean has(Quirk quirk) {
    return parts.traits.contains(quirk);
  }

  /**
   * Returns the context of a volume without the facts of a workload that a caller may have added to
   * it where it published: those under the keys of a kubelet that the plugin has not given itself,
   * if it {@linkplain Quirk#WORKLOAD_FACTS_TAKEN takes} any.
   *
   * @param own the context that the plugin has given
   * @param sent the context that it was sent
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
   * Whether a volume that is published with this context is an inline volume, of which the plugin
   * {@linkplain Quirk#INLINE_VOLUMES_TAKEN knows}.
   *
   * @param sent the volume context of the call
   */
  public boolean isInline(Map<String, String> sent) {
    return has(Quirk.INLINE_VOLUMES_TAKEN)
        && "true".equals(sent.get("csi.storage.k8s.io/ephemeral"));
  }

  /** Whether it claims to conform to the spec: none of its quirks breaks it. */
  public boolean conforms() {
    return quirks().stream().allMatch(Quirk::lawful);
  }

  /** Returns the shape under another name. */
  public PluginShape named(PluginName name) {
    return changed(p -> p.name = name);
  }

  /** Returns the shape in another version. */
  public PluginShape vendorVersion(String version) {
    return changed(p -> p.version = version);
  }

  /** Offers this as well. */
  public PluginShape with(PluginCapability... capabilities) {
    return changed(p -> p.traits.addAll(List.of(capabilities)));
  }

  /** Offers this no more. */
  public PluginShape without(PluginCapability... capabilities) {
    return changed(p -> p.traits.removeAll(List.of(capabilities)));
  }

  /** Offers this as well. */
  public PluginShape with(ControllerCapability... capabilities) {
    return changed(p -> p.traits.addAll(List.of(capabilities)));
  }

  /** Offers this no more. */
  public PluginShape without(ControllerCapability... capabilities) {
    return changed(p -> p.traits.removeAll(List.of(capabilities)));
  }

  /** Offers this as well. */
  public PluginShape with(NodeCapability... capabilities) {
    return changed(p -> p.traits.addAll(List.of(capabilities)));
  }

  /** Offers this no more. */
  public PluginShape without(NodeCapability... capabilities) {
    return changed(p -> p.traits.removeAll(List.of(capabilities)));
  }

  /** Offers this as well. */
  public PluginShape with(GroupControllerCapability... capabilities) {
    return changed(p -> p.traits.addAll(List.of(capabilities)));
  }

  /** Offers this no more. */
  public PluginShape without(GroupControllerCapability... capabilities) {
    return changed(p -> p.traits.removeAll(List.of(capabilities)));
  }

  /** Is like this as well. */
  public PluginShape with(Quirk... quirks) {
    return changed(p -> p.traits.addAll(List.of(quirks)));
  }

  /** Is like this no more. */
  public PluginShape without(Quirk... quirks) {
    return changed(p -> p.traits.removeAll(List.of(quirks)));
  }

  /** Serves volumes as filesystems, as raw block devices, or both. */
  public PluginShape accessTypes(boolean filesystems, boolean blocks) {
    return changed(
        p -> {
          p.filesystems = filesystems;
          p.blocks = blocks;
        });
  }

  /** A node takes this many volumes; 0 does not say. */
  public PluginShape maxVolumesPerNode(long volumes) {
    return changed(p -> p.maxVolumesPerNode = volumes);
  }

  /** All volumes and snapshots together have at most so many bytes. */
  public PluginShape totalBytes(long bytes) {
    return changed(p -> p.totalBytes = bytes);
  }

  /** Its nodes are there, node by node in their order. */
  public PluginShape topologies(Topology... topologies) {
    return changed(p -> p.topologies = List.of(topologies));
  }

  /**
   * It knows the mutable parameters with these keys, and refuses others; without keys, it takes
   * any.
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
