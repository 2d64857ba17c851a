package io.csi4j.volume.workload;

import static io.csi4j.volume.workload.PreflightFindings.quoted;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.volume.internal.names.ModeNames;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.workload.WorkloadVolumes.RequestedVolume;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Checks whether the requested volumes of a workload exist and can be used as requested. If a node
 * is given, also checks whether they can be used on this node.
 *
 * @param node the known state of the node; empty for checks that do not depend on a node
 * @param claims returns why the claim that a mount needs would be refused; empty if it would be
 *     granted
 * @param found receives the findings
 */
record VolumeCheck(
    Optional<NodeView> node,
    Function<MountRequest, Optional<OperatorMessage>> claims,
    PreflightFindings found) {

  /**
   * The known state of a node, which is read without calling plugins.
   *
   * @param plugin returns the instance of a plugin that serves volumes on the node
   * @param registered returns all plugins on the node
   * @param volumes returns the status of every volume on the node
   * @param refusal returns why existing mounts on the node prevent a mount; empty if they do not
   */
  record NodeView(
      Function<PluginId, Optional<RegisteredPlugin>> plugin,
      Supplier<List<RegisteredPlugin>> registered,
      Supplier<List<VolumeStatus>> volumes,
      Function<MountRequest, Optional<OperatorMessage>> refusal) {

    /** Returns a view of the manager's node, which always shows the current state. */
    static NodeView of(VolumeManager manager) {
      return new NodeView(
          id -> manager.plugins().find(id, PluginRole.NODE),
          () -> manager.plugins().plugins(),
          manager::volumes,
          manager::refusal);
    }

    /**
     * Returns a view of a node that is only described. The first instance of each plugin serves
     * volumes.
     */
    static NodeView of(Collection<RegisteredPlugin> plugins, Collection<VolumeStatus> volumes) {
      List<RegisteredPlugin> known = List.copyOf(plugins);
      List<VolumeStatus> mounted = List.copyOf(volumes);
      return new NodeView(
          id -> serving(known).filter(each -> each.registration().id().equals(id)).findFirst(),
          () -> known,
          () -> mounted,
          request -> Optional.empty());
    }

    /** Returns the names of the plugins that serve volumes on the node, sorted. */
    SortedSet<PluginId> plugins() {
      return serving(registered.get())
          .map(each -> each.registration().id())
          .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<RegisteredPlugin> serving(List<RegisteredPlugin> plugins) {
      return plugins.stream().filter(each -> each.registration().roles().contains(PluginRole.NODE));
    }
  }

  void check(WorkloadVolumes wanted) {
    for (RequestedVolume volume : wanted.volumes()) {
      checkSource(volume);
      node.ifPresent(
          there ->
              toBeCreated(volume).ifPresent(spec -> checkPlugin(volume, spec.plugin(), there)));
      volume
          .csi()
          .ifPresent(
              csi -> {
                node.ifPresent(there -> checkPlugin(volume, csi.volume().plugin(), there));
                checkAllowed(volume, csi);
                checkOthers(wanted, volume);
                node.flatMap(there -> volume.mountRequest().flatMap(there.refusal()))
                    .ifPresent(found::obstacle);
                volume.mountRequest().flatMap(claims).ifPresent(found::obstacle);
              });
    }
    node.ifPresent(there -> checkLimits(wanted, there));
  }

  /** Returns the spec of a volume that does not exist yet and will be created for the job. */
  private static Optional<VolumeSpec> toBeCreated(RequestedVolume volume) {
    return volume.found().isPresent() ? Optional.empty() : volume.request().created();
  }

  private void checkSource(RequestedVolume volume) {
    if (volume.found().isEmpty() && toBeCreated(volume).isEmpty()) {
      found.obstacle(
          OperatorCode.SOURCE_UNKNOWN,
          PreflightFindings.about(volume),
          "the host knows no "
              + volume.request().type().word()
              + " volume "
              + quoted(volume.source()));
    }
    volume
        .host()
        .filter(ResolvedVolume.Host::readOnly)
        .filter(host -> !volume.request().readOnly())
        .ifPresent(
            host ->
                found.obstacle(
                    OperatorCode.NOT_ALLOWED_HERE,
                    PreflightFindings.about(volume),
                    "the host offers this volume for reading only",
                    "Request it read-only, or request another one"));
  }

  // ---- checks of the plugin

  private void checkPlugin(RequestedVolume volume, PluginId id, NodeView there) {
    Optional<RegisteredPlugin> plugin = there.plugin().apply(id);
    if (plugin.isEmpty()) {
      SortedSet<PluginId> known = there.plugins();
      found.obstacle(
          OperatorCode.PLUGIN_NOT_REGISTERED,
          PreflightFindings.about(volume),
          known.isEmpty()
              ? "no plugin is registered with the role NODE on this node"
              : "registered with the role NODE on this node are: "
                  + known.stream()
                      .map(PreflightFindings::quoted)
                      .collect(Collectors.joining(", ")));
      return;
    }
    checkHealth(volume, plugin.get());
    plugin.get().fingerprint().ifPresent(said -> checkOffered(volume, said));
  }

  /**
   * Checks whether a registered plugin is ready to serve volumes. If the health of the plugin was
   * never queried, it is not an obstacle, because some hosts do not supervise their plugins.
   */
  private void checkHealth(RequestedVolume volume, RegisteredPlugin plugin) {
    PluginHealth health = plugin.health();
    String instance = "instance " + quoted(plugin.registration().instance());
    if (plugin.remembered()) {
      found.obstacle(
          OperatorCode.PLUGIN_NOT_REGISTERED,
          PreflightFindings.about(volume),
          instance
              + " is known from an earlier run, but was not registered with the role NODE since"
              + " this start");
      return;
    }
    switch (health.state()) {
      case READY -> {}
      case STARTING -> {
        if (health.reason() != PluginHealth.Reason.NOT_ASKED) {
          found.obstacle(
              OperatorCode.PLUGIN_NOT_READY,
              PreflightFindings.about(volume),
              instance + " has not been ready since " + health.since() + ": " + health.text());
        }
      }
      case UNHEALTHY ->
          found.obstacle(
              OperatorCode.PLUGIN_UNHEALTHY,
              PreflightFindings.about(volume),
              instance + " is unhealthy since " + health.since() + ": " + health.text());
      case GONE ->
          found.obstacle(
              OperatorCode.PLUGIN_NOT_UP,
              PreflightFindings.about(volume),
              instance + " is gone since " + health.since() + ": " + health.text());
    }
  }

  private void checkOffered(RequestedVolume volume, PluginFingerprint fingerprint) {
    if (fingerprint.node().isEmpty()) {
      found.obstacle(
          OperatorCode.NOT_OFFERED,
          PreflightFindings.about(volume),
          "the plugin has no node service there",
          "Register the instance that serves this node");
      return;
    }
    NodeFacts facts = fingerprint.node().get();
    checkCapabilities(volume, facts);
    if (fingerprint.constrainsTopology()) {
      Optional<Topology> here = facts.topology();
      volume
          .csi()
          .ifPresent(
              csi -> checkPlace(volume, "it can be reached", csi.volume().topologies(), here));
      toBeCreated(volume)
          .flatMap(VolumeSpec::topologies)
          .ifPresent(asked -> checkPlace(volume, "it must be reachable", asked.requisite(), here));
    }
  }

  private void checkCapabilities(RequestedVolume volume, NodeFacts facts) {
    Optional<VolumeCapability> use = volume.mountRequest().map(MountRequest::capability);
    use.flatMap(VolumeCapability::mountOptions)
        .flatMap(MountOptions::volumeMountGroup)
        .filter(group -> !facts.capabilities().offers(NodeCapability.VOLUME_MOUNT_GROUP))
        .ifPresent(
            group ->
                found.obstacle(
                    OperatorCode.NOT_OFFERED,
                    PreflightFindings.about(volume),
                    "the group "
                        + quoted(group)
                        + " for its files needs VOLUME_MOUNT_GROUP, which the plugin does not"
                        + " offer",
                    "Leave the group out, or use a plugin that offers VOLUME_MOUNT_GROUP"));
  }

  private void checkPlace(
      RequestedVolume volume, String demand, Collection<Topology> places, Optional<Topology> here) {
    boolean isReachable =
        places.isEmpty()
            || here.filter(place -> places.stream().anyMatch(place::includes)).isPresent();
    if (!isReachable) {
      found.obstacle(
          OperatorCode.TOPOLOGY_MISMATCH,
          PreflightFindings.about(volume),
          demand
              + " from "
              + places.stream().map(Topology::toString).collect(Collectors.joining(" or "))
              + ", and "
              + here.map(place -> "this node is in " + place)
                  .orElse("the plugin reports no topology for this node"));
    }
  }

  // ---- checks of the volume

  private void checkAllowed(RequestedVolume volume, ResolvedVolume.Csi csi) {
    // Checks the requested mode, because a claim may mount the volume with an older access mode.
    Optional<AccessMode> mode = volume.request().accessMode();
    if (mode.isEmpty() || csi.inline()) {
      return;
    }
    AttachmentMode attachment = volume.request().attachment();
    if (csi.volume().capability(mode.get(), attachment).isEmpty()) {
      found.obstacle(
          OperatorCode.NOT_ALLOWED_HERE,
          PreflightFindings.about(volume),
          "it is requested as "
              + phrase(mode.get(), attachment == AttachmentMode.BLOCK)
              + ", but may be used as "
              + csi.volume().spec().capabilities().stream()
                  .map(way -> phrase(way.accessMode(), way.isBlock()))
                  .distinct()
                  .collect(Collectors.joining(" or ")),
          "Request it in one of the named ways");
    }
  }

  private static String phrase(AccessMode mode, boolean isBlock) {
    return (isBlock ? "block with " : "filesystem with ") + mode;
  }

  // ---- checks against other requests of the workload

  /** Compares the volume with each volume that comes before it in the workload's requests. */
  private void checkOthers(WorkloadVolumes wanted, RequestedVolume volume) {
    for (RequestedVolume other : wanted.volumes()) {
      if (other.equals(volume)) {
        return;
      }
      if (other.mountRequest().isPresent() && volume.mountRequest().isPresent()) {
        checkOther(other, volume);
      }
    }
  }

  private void checkOther(RequestedVolume other, RequestedVolume volume) {
    MountRequest first = other.mountRequest().orElseThrow();
    MountRequest second = volume.mountRequest().orElseThrow();
    VolumeIdentity identity = new VolumeIdentity(second.plugin(), second.handle());
    boolean isSameVolume = identity.equals(new VolumeIdentity(first.plugin(), first.handle()));
    boolean isSameUse = first.usage().equals(second.usage());
    if (!isSameVolume && !isSameUse) {
      return;
    }
    List<String> differences = new ArrayList<>();
    if (!isSameVolume) {
      differences.add("plugin or volume handle");
    }
    differences.addAll(Plan.stated(identity, first).differences(Plan.stated(identity, second)));
    boolean isOneMount =
        WorkloadVolumes.isPartOf(first, second) || WorkloadVolumes.isPartOf(second, first);
    if (isSameUse && first.readOnly() != second.readOnly() && !isOneMount) {
      differences.add(
          Plan.difference(
              "read-only",
              Boolean.toString(first.readOnly()),
              Boolean.toString(second.readOnly())));
    }
    Optional<FileOwnership> owner = other.request().ownership();
    if (volume.request().ownership().isPresent()
        && owner.isPresent()
        && !owner.equals(volume.request().ownership())) {
      differences.add("ownership");
    }
    String request = "request " + quoted(other.alias()) + " is for the same volume";
    if (!differences.isEmpty()) {
      found.obstacle(
          OperatorCode.OPTIONS_DIFFER,
          PreflightFindings.about(volume),
          ForeignText.of(request + "; these differ: " + String.join(", ", differences)),
          "Request it once, and let each task's mount say whether it is read-only");
    } else if (!isSameUse && !isShared(second.capability().accessMode())) {
      found.obstacle(
          OperatorCode.VOLUME_IN_USE,
          PreflightFindings.about(volume),
          request
              + " under the name "
              + first.usage().volume()
              + ", and access mode "
              + ModeNames.limit(second.capability().accessMode()),
          "Request the volume only once, or with an access mode that admits several workloads");
    }
  }

  private static boolean isShared(AccessMode mode) {
    return mode == AccessMode.SINGLE_NODE_MULTI_WRITER || mode.isMultiNode();
  }

  // ---- number of volumes

  private void checkLimits(WorkloadVolumes wanted, NodeView node) {
    Map<PluginId, Set<VolumeId>> more = new LinkedHashMap<>();
    Map<PluginId, Integer> created = new HashMap<>();
    for (RequestedVolume volume : wanted.volumes()) {
      toBeCreated(volume)
          .ifPresent(
              spec -> {
                more.computeIfAbsent(spec.plugin(), id -> new LinkedHashSet<>());
                created.merge(spec.plugin(), 1, Integer::sum);
              });
      volume
          .csi()
          .ifPresent(
              csi ->
                  more.computeIfAbsent(csi.volume().plugin(), id -> new LinkedHashSet<>())
                      .add(csi.volume().id()));
    }
    more.forEach(
        (plugin, handles) ->
            checkLimit(wanted, node, plugin, handles, created.getOrDefault(plugin, 0)));
  }

  private void checkLimit(
      WorkloadVolumes wanted, NodeView node, PluginId plugin, Set<VolumeId> asked, int created) {
    OptionalLong limit = limit(node, plugin);
    if (limit.isEmpty()) {
      return;
    }
    Set<VolumeId> there =
        node.volumes().get().stream()
            .filter(status -> status.plugin().equals(plugin))
            .map(VolumeStatus::handle)
            .collect(Collectors.toSet());
    long fresh = asked.stream().filter(handle -> !there.contains(handle)).count() + created;
    if (fresh > 0 && there.size() + fresh > limit.getAsLong()) {
      found.obstacle(
          OperatorCode.NODE_VOLUME_LIMIT,
          Subject.of(
              "checking workload " + quoted(wanted.workload()) + " with plugin " + quoted(plugin)),
          "the plugin takes "
              + limit.getAsLong()
              + " volumes on this node and has "
              + there.size()
              + ", including uncertain ones; the workload needs "
              + fresh
              + " more");
    }
  }

  private static OptionalLong limit(NodeView node, PluginId plugin) {
    return node.plugin()
        .apply(plugin)
        .flatMap(RegisteredPlugin::fingerprint)
        .flatMap(PluginFingerprint::node)
        .map(PluginFingerprint.NodeFacts::maxVolumes)
        .filter(limit -> limit.orElse(0) > 0)
        .orElse(OptionalLong.empty());
  }
}
