package io.csi4j.testkit.model;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.group.GroupControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Topology;
import io.csi4j.client.node.NodeCapability;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * What a test plugin is: its name and version, what it offers, its limits, and how it differs from
 * the plainest lawful plugin. Immutable; each {@code with} gives another one.
 *
 * <p>Begin with one of the shapes found in the wild, such as {@link #full} or {@link #nodeOnly},
 * and change it.
 */
public final class PluginShape {

  private final Parts parts;

  private PluginShape(Parts parts) {
    this.parts = parts;
  }

  private record Parts(
      PluginName name,
      String version,
      Set<PluginCapability> plugin,
      Set<ControllerCapability> controller,
      Set<NodeCapability> node,
      Set<GroupControllerCapability> group,
      Set<Quirk> quirks,
      boolean filesystems,
      boolean blocks,
      long maxVolumesPerNode,
      long totalBytes,
      List<Topology> topologies) {

    Parts {
      plugin = frozen(plugin, PluginCapability.class);
      controller = frozen(controller, ControllerCapability.class);
      node = frozen(node, NodeCapability.class);
      group = frozen(group, GroupControllerCapability.class);
      quirks = frozen(quirks, Quirk.class);
      topologies = List.copyOf(topologies);
    }

    private static <E extends Enum<E>> Set<E> frozen(Collection<E> set, Class<E> type) {
      EnumSet<E> copy = EnumSet.noneOf(type);
      copy.addAll(set);
      return Collections.unmodifiableSet(copy);
    }
  }

  /** Everything that CSI 1.12 has, on one socket, with 1 TiB to give. */
  public static PluginShape full() {
    return new PluginShape(
        new Parts(
            PluginName.of("fake.csi4j.example"),
            "1.0.0",
            EnumSet.allOf(PluginCapability.class),
            EnumSet.allOf(ControllerCapability.class),
            EnumSet.allOf(NodeCapability.class),
            EnumSet.allOf(GroupControllerCapability.class),
            EnumSet.noneOf(Quirk.class),
            true,
            true,
            0,
            1L << 40,
            List.of()));
  }

  /** Everything, with controller and node on sockets of their own. */
  public static PluginShape separateSockets() {
    return full().with(Quirk.SEPARATE_SOCKETS);
  }

  /** A node service that stages, and no controller: volumes are made by other means. */
  public static PluginShape nodeOnly() {
    Parts all = full().parts;
    return new PluginShape(
        new Parts(
            all.name,
            all.version,
            EnumSet.noneOf(PluginCapability.class),
            EnumSet.noneOf(ControllerCapability.class),
            all.node,
            EnumSet.noneOf(GroupControllerCapability.class),
            all.quirks,
            true,
            true,
            0,
            all.totalBytes,
            List.of()));
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

  /** Create, publish, unpublish, delete, and nothing more: the least useful plugin there is. */
  public static PluginShape plain() {
    Parts all = full().parts;
    return new PluginShape(
        new Parts(
            all.name,
            all.version,
            EnumSet.of(PluginCapability.CONTROLLER_SERVICE),
            EnumSet.of(ControllerCapability.CREATE_DELETE_VOLUME),
            EnumSet.noneOf(NodeCapability.class),
            EnumSet.noneOf(GroupControllerCapability.class),
            all.quirks,
            true,
            true,
            0,
            all.totalBytes,
            List.of()));
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
    return parts.plugin;
  }

  /** Returns what its controller offers. */
  public Set<ControllerCapability> controllerCapabilities() {
    return parts.controller;
  }

  /** Returns what its nodes offer. */
  public Set<NodeCapability> nodeCapabilities() {
    return parts.node;
  }

  /** Returns what its group controller offers. */
  public Set<GroupControllerCapability> groupCapabilities() {
    return parts.group;
  }

  /** How it differs from the plainest lawful plugin. */
  public Set<Quirk> quirks() {
    return parts.quirks;
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

  /** Where its {@code index}th node is, if it says. */
  public Optional<Topology> topology(int index) {
    return index < parts.topologies.size()
        ? Optional.of(parts.topologies.get(index))
        : Optional.empty();
  }

  /** Whether it offers this. */
  public boolean offers(PluginCapability capability) {
    return parts.plugin.contains(capability);
  }

  /** Whether its controller offers this. */
  public boolean offers(ControllerCapability capability) {
    return offers(PluginCapability.CONTROLLER_SERVICE) && parts.controller.contains(capability);
  }

  /** Whether its nodes offer this. */
  public boolean offers(NodeCapability capability) {
    return parts.node.contains(capability);
  }

  /** Whether its group controller offers this. */
  public boolean offers(GroupControllerCapability capability) {
    return offers(PluginCapability.GROUP_CONTROLLER_SERVICE) && parts.group.contains(capability);
  }

  /** Whether it is like this. */
  public boolean has(Quirk quirk) {
    return parts.quirks.contains(quirk);
  }

  /** Whether it claims to conform to the spec: none of its quirks breaks it. */
  public boolean conforms() {
    return parts.quirks.stream().allMatch(Quirk::lawful);
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
    return changed(p -> p.plugin.addAll(Arrays.asList(capabilities)));
  }

  /** Offers this no more. */
  public PluginShape without(PluginCapability... capabilities) {
    return changed(p -> p.plugin.removeAll(Arrays.asList(capabilities)));
  }

  /** Offers this as well. */
  public PluginShape with(ControllerCapability... capabilities) {
    return changed(p -> p.controller.addAll(Arrays.asList(capabilities)));
  }

  /** Offers this no more. */
  public PluginShape without(ControllerCapability... capabilities) {
    return changed(p -> p.controller.removeAll(Arrays.asList(capabilities)));
  }

  /** Offers this as well. */
  public PluginShape with(NodeCapability... capabilities) {
    return changed(p -> p.node.addAll(Arrays.asList(capabilities)));
  }

  /** Offers this no more. */
  public PluginShape without(NodeCapability... capabilities) {
    return changed(p -> p.node.removeAll(Arrays.asList(capabilities)));
  }

  /** Offers this as well. */
  public PluginShape with(GroupControllerCapability... capabilities) {
    return changed(p -> p.group.addAll(Arrays.asList(capabilities)));
  }

  /** Offers this no more. */
  public PluginShape without(GroupControllerCapability... capabilities) {
    return changed(p -> p.group.removeAll(Arrays.asList(capabilities)));
  }

  /** Is like this as well. */
  public PluginShape with(Quirk... quirks) {
    return changed(p -> p.quirks.addAll(Arrays.asList(quirks)));
  }

  /** Is like this no more. */
  public PluginShape without(Quirk... quirks) {
    return changed(p -> p.quirks.removeAll(Arrays.asList(quirks)));
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

  /** The shape that {@code change} makes of this one, for chains that depend on something. */
  public PluginShape changedBy(UnaryOperator<PluginShape> change) {
    return change.apply(this);
  }

  private PluginShape changed(java.util.function.Consumer<Draft> change) {
    Draft draft = new Draft(parts);
    change.accept(draft);
    return new PluginShape(draft.parts());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PluginShape shape && shape.parts.equals(parts);
  }

  @Override
  public int hashCode() {
    return Objects.hash(parts);
  }

  @Override
  public String toString() {
    return parts.name
        + " "
        + parts.version
        + " "
        + parts.plugin
        + parts.controller
        + parts.node
        + parts.group
        + parts.quirks;
  }

  private static final class Draft {
    private PluginName name;
    private String version;
    private final EnumSet<PluginCapability> plugin = EnumSet.noneOf(PluginCapability.class);
    private final EnumSet<ControllerCapability> controller =
        EnumSet.noneOf(ControllerCapability.class);
    private final EnumSet<NodeCapability> node = EnumSet.noneOf(NodeCapability.class);
    private final EnumSet<GroupControllerCapability> group =
        EnumSet.noneOf(GroupControllerCapability.class);
    private final EnumSet<Quirk> quirks = EnumSet.noneOf(Quirk.class);
    private boolean filesystems;
    private boolean blocks;
    private long maxVolumesPerNode;
    private long totalBytes;
    private List<Topology> topologies;

    Draft(Parts parts) {
      name = parts.name;
      version = parts.version;
      plugin.addAll(parts.plugin);
      controller.addAll(parts.controller);
      node.addAll(parts.node);
      group.addAll(parts.group);
      quirks.addAll(parts.quirks);
      filesystems = parts.filesystems;
      blocks = parts.blocks;
      maxVolumesPerNode = parts.maxVolumesPerNode;
      totalBytes = parts.totalBytes;
      topologies = new ArrayList<>(parts.topologies);
    }

    Parts parts() {
      return new Parts(
          name,
          version,
          plugin,
          controller,
          node,
          group,
          quirks,
          filesystems,
          blocks,
          maxVolumesPerNode,
          totalBytes,
          topologies);
    }
  }
}
