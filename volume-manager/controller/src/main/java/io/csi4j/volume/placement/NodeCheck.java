package io.csi4j.volume.placement;

import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.InvalidRequestException;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.placement.CapacityReadings.Known;
import io.csi4j.volume.placement.Placement.CapacityReading;
import io.csi4j.volume.placement.Placement.Report.Candidate;
import io.csi4j.volume.placement.Placement.Report.Excluded;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Evaluates nodes for one volume, from values only.
 *
 * @param wanted the volume
 * @param places whether its plugin reports topologies
 * @param counted the volumes of the plugin on each node; empty if they are not counted
 * @param claim why the claims exclude the volume from a node, if they do
 */
record NodeCheck(
    Wanted wanted,
    Places places,
    Optional<Map<NodeName, Set<VolumeKey>>> counted,
    Function<Placement.Node, Optional<OperatorMessage>> claim) {

  /**
   * Whether a plugin reports topologies, by its instances on all nodes.
   *
   * @param constrains whether it reports that some volumes cannot be reached from some nodes
   * @param told whether it reports that, and also the topology of at least one node: some plugins
   *     offer topologies but report none
   */
  record Places(boolean constrains, boolean told) {

    static Places of(PluginId plugin, Collection<Placement.Node> nodes) {
      boolean constrains =
          nodes.stream()
              .flatMap(node -> serving(node, plugin))
              .flatMap(each -> each.fingerprint().stream())
              .anyMatch(PluginFingerprint::constrainsTopology);
      return new Places(
          constrains,
          constrains
              && nodes.stream()
                  .flatMap(node -> facts(node, plugin).stream())
                  .anyMatch(facts -> facts.topology().isPresent()));
    }
  }

  /**
   * The volume to place.
   *
   * @param spec the requested volume
   * @param volume the volume, if it exists
   * @param holders the nodes that have claims on it
   */
  record Wanted(VolumeSpec spec, Optional<CatalogVolume> volume, Set<NodeName> holders) {}

  /** The result for one node: the reasons against it, or a candidate with its rank. */
  private record Judged(Candidate candidate, Rank rank, List<OperatorMessage> why) {}

  /** The criteria of the order of candidates, the most important first; less is better. */
  private record Rank(
      boolean saysZero,
      int preference,
      boolean isElsewhere,
      boolean isUnknown,
      long bytes,
      long slots,
      NodeName name) {

    private static final Comparator<Rank> ORDER =
        Comparator.comparing(Rank::saysZero)
            .thenComparing(Rank::preference)
            .thenComparing(Rank::isElsewhere)
            .thenComparing(Rank::isUnknown)
            .thenComparing(Rank::bytes, Comparator.reverseOrder())
            .thenComparing(Rank::slots, Comparator.reverseOrder())
            .thenComparing(Rank::name);
  }

  Placement.Report report(Collection<Placement.Node> nodes) {
    return report(nodes, none -> Map.of());
  }

  /** Includes the free capacity, which is read only for topologies that nothing else excludes. */
  Placement.Report report(
      Collection<Placement.Node> nodes,
      Function<Collection<Optional<Topology>>, Map<Optional<Topology>, Known>> asking) {
    List<Placement.Node> sorted =
        nodes.stream().sorted(Comparator.comparing(Placement.Node::name)).toList();
    List<List<OperatorMessage>> before = sorted.stream().map(this::obstacles).toList();
    List<Optional<Topology>> left = new ArrayList<>();
    for (int i = 0; i < sorted.size(); i++) {
      if (before.get(i).isEmpty()) {
        left.add(place(sorted.get(i)));
      }
    }
    Map<Optional<Topology>, Known> room = asking.apply(left);
    List<Judged> fit = new ArrayList<>();
    List<Excluded> others = new ArrayList<>();
    for (int i = 0; i < sorted.size(); i++) {
      Placement.Node node = sorted.get(i);
      Judged judged = judged(node, before.get(i), Optional.ofNullable(room.get(place(node))));
      if (judged.why().isEmpty()) {
        fit.add(judged);
      } else {
        others.add(new Excluded(node.name(), judged.why()));
      }
    }
    fit.sort(Comparator.comparing(Judged::rank, Rank.ORDER));
    return new Placement.Report(
        wanted.spec(), fit.stream().map(Judged::candidate).toList(), others);
  }

  // ---- obstacles

  private List<OperatorMessage> obstacles(Placement.Node node) {
    List<OperatorMessage> why = new ArrayList<>();
    node.closed()
        .map(closed -> message(closed.code(), node, closed.because().text()))
        .ifPresent(why::add);
    Optional<RegisteredPlugin> plugin = serving(node, wanted.spec().plugin()).findFirst();
    if (plugin.isEmpty()) {
      add(why, notThere(node));
    } else {
      whyNotServing(node, plugin.get()).ifPresent(seen -> add(why, seen));
      whyNotReachable(node, plugin.get()).ifPresent(seen -> add(why, seen));
      whyFull(node).ifPresent(why::add);
    }
    claim.apply(node).ifPresent(seen -> add(why, seen));
    return why;
  }

  /** The host, the node and the claims may each report the same reason against a node. */
  private static void add(List<OperatorMessage> why, OperatorMessage reason) {
    if (why.stream().noneMatch(each -> each.code() == reason.code())) {
      why.add(reason);
    }
  }

  private OperatorMessage notThere(Placement.Node node) {
    TreeSet<String> known =
        node.plugins().stream()
            .filter(each -> each.registration().roles().contains(PluginRole.NODE))
            .map(each -> "'" + each.registration().id() + "'")
            .collect(Collectors.toCollection(TreeSet::new));
    return message(
        OperatorCode.PLUGIN_NOT_REGISTERED,
        node,
        known.isEmpty()
            ? "no plugin is registered with the role NODE on this node"
            : "registered with the role NODE on this node are: " + String.join(", ", known));
  }

  /** A plugin that was not probed yet excludes no node. */
  private Optional<OperatorMessage> whyNotServing(Placement.Node node, RegisteredPlugin plugin) {
    PluginHealth health = plugin.health();
    String instance = "instance '" + plugin.registration().instance() + "' ";
    if (plugin.remembered()) {
      return Optional.of(
          message(
              OperatorCode.PLUGIN_NOT_REGISTERED,
              node,
              instance
                  + "is known from an earlier run, but was not registered with the role NODE since"
                  + " this start"));
    }
    OperatorCode code =
        switch (health.state()) {
          case STARTING -> OperatorCode.PLUGIN_NOT_READY;
          case READY, UNHEALTHY -> OperatorCode.PLUGIN_UNHEALTHY;
          case GONE -> OperatorCode.PLUGIN_NOT_UP;
        };
    boolean mayServe =
        health.isReady()
            || (health.state() == PluginHealth.State.STARTING
                && health.reason() == PluginHealth.Reason.NOT_ASKED);
    return mayServe
        ? Optional.empty()
        : Optional.of(
            message(
                code,
                node,
                instance
                    + "is "
                    + health.state()
                    + " since "
                    + health.since()
                    + ": "
                    + health.text()));
  }

  private Optional<OperatorMessage> whyNotReachable(Placement.Node node, RegisteredPlugin plugin) {
    Set<Topology> bound = wanted.volume().map(CatalogVolume::topologies).orElse(Set.of());
    boolean isBound = wanted.volume().isPresent() ? !bound.isEmpty() : places.told();
    if (!isBound) {
      return Optional.empty();
    }
    if (plugin.fingerprint().isEmpty()) {
      return Optional.of(
          message(
              OperatorCode.PLUGIN_NOT_READY,
              node,
              "the plugin was not yet asked for the topology of this node"));
    }
    if (!places.constrains()) {
      return Optional.empty();
    }
    Optional<Topology> here = place(node);
    if (here.isEmpty()) {
      return Optional.of(
          message(
              OperatorCode.TOPOLOGY_MISMATCH,
              node,
              "the plugin reports no topology for this node"));
    }
    if (wanted.volume().isEmpty()) {
      return whyNotPlaced(node, here.get());
    }
    return bound.stream().anyMatch(here.get()::includes)
        ? Optional.empty()
        : Optional.of(outside(node, "it can be reached from ", bound, here.get()));
  }

  /**
   * Whether a new volume may be here, by its requested topologies and those of its source snapshot.
   */
  private Optional<OperatorMessage> whyNotPlaced(Placement.Node node, Topology here) {
    VolumeSpec spec = wanted.spec();
    Set<Topology> required = spec.topologies().map(TopologyRequirement::requisite).orElse(Set.of());
    if (!required.isEmpty() && required.stream().noneMatch(here::includes)) {
      return Optional.of(outside(node, "it must be reachable from ", required, here));
    }
    try {
      TopologyRequirement asked = TopologyRequirement.anyOf(Set.of(here));
      boolean isHere =
          spec.toBuilder().topologies(asked).build().topologies().stream()
              .flatMap(narrowed -> narrowed.requisite().stream())
              .anyMatch(here::includes);
      return isHere
          ? Optional.empty()
          : Optional.of(
              message(
                  OperatorCode.TOPOLOGY_MISMATCH,
                  node,
                  "its snapshot can be used from only a part of " + here));
    } catch (InvalidRequestException elsewhere) {
      return Optional.of(
          message(OperatorCode.TOPOLOGY_MISMATCH, node, elsewhere.violations().get(0).toString()));
    }
  }

  private OperatorMessage outside(
      Placement.Node node, String demand, Set<Topology> allowed, Topology here) {
    return message(
        OperatorCode.TOPOLOGY_MISMATCH,
        node,
        demand
            + allowed.stream().map(Topology::toString).sorted().collect(Collectors.joining(" or "))
            + ", and this node is in "
            + here);
  }

  private Optional<OperatorMessage> whyFull(Placement.Node node) {
    OptionalLong free = freeSlots(node);
    return free.isPresent() && free.getAsLong() <= 0 && !isHere(node)
        ? Optional.of(
            message(
                OperatorCode.NODE_VOLUME_LIMIT,
                node,
                "the plugin takes "
                    + limit(node, wanted.spec().plugin()).orElseThrow()
                    + " volumes on this node, and its claims are for "
                    + taken(node)))
        : Optional.empty();
  }

  private Optional<OperatorMessage> whyTooSmall(Placement.Node node, CapacityReading reading) {
    OptionalLong required =
        wanted.spec().capacity().map(range -> range.requiredBytes()).orElse(OptionalLong.empty());
    OptionalLong limit =
        wanted.spec().capacity().map(range -> range.limitBytes()).orElse(OptionalLong.empty());
    long left = reading.capacity().availableBytes();
    OptionalLong most = reading.capacity().maximumVolumeSize();
    OptionalLong least = reading.capacity().minimumVolumeSize();
    String asked = ", asked " + reading.age().toSeconds() + " s ago";
    Optional<String> why = Optional.empty();
    if (left > 0 && required.orElse(0) > left) {
      why = Optional.of(required.getAsLong() + " bytes are requested, but the plugin has " + left);
    } else if (most.orElse(0) > 0 && required.orElse(0) > most.getAsLong()) {
      why =
          Optional.of(
              required.getAsLong()
                  + " bytes are requested, but the largest volume of the plugin has "
                  + most.getAsLong());
    } else if (limit.isPresent() && least.orElse(0) > limit.getAsLong()) {
      why =
          Optional.of(
              "at most "
                  + limit.getAsLong()
                  + " bytes are requested, but the smallest volume of the plugin has "
                  + least.getAsLong());
    }
    return why.map(seen -> message(OperatorCode.STORAGE_TOO_SMALL, node, seen + asked));
  }

  private OperatorMessage message(OperatorCode code, Placement.Node node, String seen) {
    String doing = "placing on node '" + node.name() + "'";
    Subject subject =
        wanted
            .volume()
            .map(it -> Subject.of(doing, new VolumeIdentity(it.plugin(), it.id())))
            .orElseGet(
                () ->
                    Subject.of(
                        "placing a volume of plugin '"
                            + wanted.spec().plugin()
                            + "' on node '"
                            + node.name()
                            + "'"));
    return Messages.of(code, subject, seen);
  }

  // ---- ranking

  private Judged judged(Placement.Node node, List<OperatorMessage> before, Optional<Known> known) {
    List<OperatorMessage> why = new ArrayList<>(before);
    Optional<CapacityReading> reading = known.flatMap(Known::reading);
    if (before.isEmpty()) {
      reading.flatMap(figure -> whyTooSmall(node, figure)).ifPresent(why::add);
    }
    boolean saysZero = reading.filter(it -> it.capacity().availableBytes() == 0).isPresent();
    List<String> remarks = new ArrayList<>();
    if (isHere(node)) {
      remarks.add("has the volume already");
    }
    int preference = preference(node);
    if (preference < Integer.MAX_VALUE) {
      remarks.add("preferred place " + (preference + 1));
    }
    known.map(Known::why).filter(text -> !text.isEmpty()).ifPresent(remarks::add);
    if (saysZero) {
      remarks.add(
          "last, because the plugin reports no free capacity; some plugins never report any");
    }
    OptionalLong free = freeSlots(node);
    Candidate candidate = new Candidate(node.name(), place(node), reading, free, remarks);
    Rank rank =
        new Rank(
            saysZero,
            preference,
            !isHere(node),
            reading.isEmpty(),
            reading.map(it -> it.capacity().availableBytes()).orElse(0L),
            free.orElse(Long.MAX_VALUE),
            node.name());
    return new Judged(candidate, rank, why);
  }

  private int preference(Placement.Node node) {
    List<Topology> preferred =
        wanted.volume().isPresent()
            ? List.of()
            : wanted.spec().topologies().map(TopologyRequirement::preferred).orElse(List.of());
    for (int i = 0; i < preferred.size(); i++) {
      Topology wished = preferred.get(i);
      if (place(node).filter(here -> here.includes(wished)).isPresent()) {
        return i;
      }
    }
    return Integer.MAX_VALUE;
  }

  private boolean isHere(Placement.Node node) {
    return wanted.holders().contains(node.name());
  }

  private OptionalLong freeSlots(Placement.Node node) {
    OptionalLong limit = limit(node, wanted.spec().plugin());
    return limit.isPresent() && counted.isPresent()
        ? OptionalLong.of(limit.getAsLong() - taken(node))
        : OptionalLong.empty();
  }

  private long taken(Placement.Node node) {
    return counted.map(all -> all.getOrDefault(node.name(), Set.of()).size()).orElse(0);
  }

  // ---- facts that a node reports

  /** Returns empty if the plugin has no topologies: calls must not contain one then. */
  private Optional<Topology> place(Placement.Node node) {
    return places.constrains()
        ? facts(node, wanted.spec().plugin()).flatMap(NodeFacts::topology)
        : Optional.empty();
  }

  /** Recorded instances are never ready: one that was not probed yet must not hide one that was. */
  static Optional<NodeFacts> facts(Placement.Node node, PluginId plugin) {
    return serving(node, plugin)
        .flatMap(each -> each.fingerprint().flatMap(PluginFingerprint::node).stream())
        .findFirst();
  }

  static OptionalLong limit(Placement.Node node, PluginId plugin) {
    return facts(node, plugin)
        .map(NodeFacts::maxVolumes)
        .filter(limit -> limit.orElse(0) > 0)
        .orElse(OptionalLong.empty());
  }

  /**
   * Returns the instances on a node that serve volumes; the first is the one that is used, if any
   * is.
   */
  private static Stream<RegisteredPlugin> serving(Placement.Node node, PluginId plugin) {
    return node.plugins().stream()
        .filter(each -> each.registration().id().equals(plugin))
        .filter(each -> each.registration().roles().contains(PluginRole.NODE))
        .sorted(
            Comparator.comparing(RegisteredPlugin::remembered)
                .thenComparing(each -> !each.health().isReady()));
  }
}
