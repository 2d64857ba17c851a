package io.csi4j.volume.placement;

import io.csi4j.client.controller.Capacity;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.NodeEntry;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimPage;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.placement.NodeCheck.Wanted;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Ranks nodes for a volume, and gives for each other node the reasons why the volume cannot be used
 * there: the plugin is missing, the volume cannot be reached from the node's topology, there is too
 * little free capacity, the node accepts no more volumes, or a claim forbids it. Does not create,
 * claim or mount volumes. Thread-safe.
 *
 * <p>The criteria of the order, from the most to the least important: nodes where the plugin
 * reports no lack of free capacity; preferred topologies in their order; nodes that already have
 * the volume; known capacity before unknown; more capacity; more volumes that the node still
 * accepts; the name.
 *
 * <pre>{@code
 * Placement placement = Placement.builder(controller).claims(book).build();
 * Placement.Report report = placement.candidates(spec, nodes); // the host's nodes, as values
 * NodeName chosen = report.best().orElseThrow(() -> new IllegalStateException(report.text()));
 * CatalogVolume made = controller.create(key, report.onlyOn(chosen));
 * }</pre>
 *
 * @since 1.0
 */
public final class Placement {

  private static final int PAGE = 1000;

  private final VolumeController controller;
  private final @Nullable ClaimBook claims;
  private final CapacityReadings room;

  private Placement(Builder parts) {
    controller = parts.controller;
    claims = parts.claims;
    room = new CapacityReadings(controller, parts.clock, parts.patience);
  }

  /**
   * Returns a builder for the volumes of a controller, without counting claims.
   *
   * @param controller the controller of the volumes, which calls their plugins for capacity
   */
  public static Builder builder(VolumeController controller) {
    return new Builder(controller);
  }

  /**
   * Ranks nodes for a new volume. Plugins are called for their capacity if they offer GET_CAPACITY
   * and no reading is recent enough; a plugin that does not answer in time excludes no node.
   *
   * @throws io.csi4j.volume.claim.ClaimException if a node has a limit and the claims cannot be
   *     counted, for example because one cannot be read
   */
  public Report candidates(VolumeSpec spec, Collection<Node> nodes) {
    NodeCheck check = check(new Wanted(spec, Optional.empty(), Set.of()), nodes, node -> none());
    return check.report(nodes, places -> room.read(spec, places));
  }

  /**
   * Ranks nodes for an existing volume by whether it can be reached from them.
   *
   * @throws io.csi4j.volume.claim.ClaimException if the claims cannot be read
   */
  public Report candidates(CatalogVolume volume, Collection<Node> nodes) {
    return check(wanted(volume), nodes, node -> none()).report(nodes);
  }

  /**
   * Ranks nodes for an existing volume that a workload will claim, by whether it can be reached
   * from them and its claims permit the workload there.
   *
   * @throws io.csi4j.volume.claim.ClaimException if the claims cannot be read
   * @throws IllegalStateException if this was built without claims
   */
  public Report candidates(CatalogVolume volume, PlannedClaim wish, Collection<Node> nodes) {
    ClaimBook book =
        Optional.ofNullable(claims)
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "The placement was built without claims. Pass a ClaimBook to its"
                            + " builder."));
    PlannedClaim claim = inFull(volume, wish);
    return check(
            wanted(volume),
            nodes,
            node -> book.whyNot(node.claim(volume.plugin(), volume.key(), claim)))
        .report(nodes);
  }

  /** A claim is recorded with all mount options, including those of the volume. */
  private static PlannedClaim inFull(CatalogVolume volume, PlannedClaim wish) {
    return volume
        .capability(wish.use().mode(), wish.use().attachment())
        .flatMap(VolumeCapability::mountOptions)
        .map(own -> own.overlaidWith(wish.options()))
        .map(wish::with)
        .orElse(wish);
  }

  /**
   * Discards the capacity readings of a plugin, so that the next report reads them again, for
   * example after CreateVolume was answered with RESOURCE_EXHAUSTED.
   */
  public void forgetRoom(PluginId plugin) {
    room.forget(plugin);
  }

  private static Optional<OperatorMessage> none() {
    return Optional.empty();
  }

  private Wanted wanted(CatalogVolume volume) {
    Set<NodeName> holders = new HashSet<>();
    if (claims != null) {
      claims.read(volume.key()).holders().values().stream()
          .filter(Placement::occupies)
          .forEach(holder -> holders.add(holder.node()));
    }
    return new Wanted(volume.spec(), Optional.of(volume), holders);
  }

  private NodeCheck check(
      Wanted wanted, Collection<Node> nodes, Function<Node, Optional<OperatorMessage>> claim) {
    PluginId plugin = wanted.spec().plugin();
    boolean isLimited = nodes.stream().anyMatch(node -> NodeCheck.limit(node, plugin).isPresent());
    Optional<Map<NodeName, Set<VolumeKey>>> counted =
        isLimited && claims != null ? Optional.of(counted(claims, plugin)) : Optional.empty();
    return new NodeCheck(wanted, NodeCheck.Places.of(plugin, nodes), counted, claim);
  }

  /**
   * Returns the volumes of a plugin on each node, by the claims. A claim that cannot be read may be
   * of any node: unless its volume is known to belong to another plugin, nothing is counted.
   */
  private Map<NodeName, Set<VolumeKey>> counted(ClaimBook book, PluginId plugin) {
    Map<NodeName, Set<VolumeKey>> counted = new HashMap<>();
    Optional<VolumeKey> after = Optional.empty();
    do {
      ClaimPage page = book.page(after, PAGE);
      for (ClaimPage.Unreadable each : page.unreadable()) {
        if (each.volume().filter(volume -> !isOf(plugin, volume)).isEmpty()) {
          throw new ClaimException(ChangeOutcome.HELD, each.message(), null);
        }
      }
      page.claims().stream()
          .filter(claim -> isOf(plugin, claim.volume()))
          .forEach(
              claim ->
                  claim.holders().values().stream()
                      .filter(Placement::occupies)
                      .forEach(
                          holder ->
                              counted
                                  .computeIfAbsent(holder.node(), none -> new HashSet<>())
                                  .add(claim.volume())));
      after = page.next();
    } while (after.isPresent());
    return counted;
  }

  private boolean isOf(PluginId plugin, VolumeKey volume) {
    return controller
        .record(volume)
        .map(CatalogEntry::spec)
        .map(VolumeSpec::plugin)
        .filter(plugin::equals)
        .isPresent();
  }

  /**
   * A claim occupies one of the node's volume slots until the storage system has detached the
   * volume.
   */
  private static boolean occupies(ClaimHolder holder) {
    return !holder.state().isAfter(ClaimHolder.State.NODE_DETACHED);
  }

  /** Builder of a {@link Placement}. */
  public static final class Builder {
    private final VolumeController controller;
    private @Nullable ClaimBook claims;
    private Clock clock = Clock.systemUTC();
    private Duration patience = Duration.ofSeconds(5);

    private Builder(VolumeController controller) {
      this.controller = Objects.requireNonNull(controller, "controller");
    }

    /**
     * Sets the claims: they are counted against the limits of nodes, and decide whether a workload
     * may have a volume. Without claims, limits of nodes are ignored.
     */
    public Builder claims(ClaimBook value) {
      claims = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the maximum time that a report waits for plugins to report their capabilities and
     * capacity. The default is 5 s; later answers count in the next report.
     */
    public Builder patience(Duration value) {
      patience = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the clock for the age of readings. */
    public Builder clock(Clock value) {
      clock = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Returns the placement. */
    public Placement build() {
      return new Placement(this);
    }
  }

  /**
   * A candidate node, as its host knows it.
   *
   * @param name the name of the node, as in claims
   * @param plugins the plugins on the node, as its registry lists them, the newest first; of
   *     several node instances of one plugin, the first ready one counts, or the first if none is
   *     ready
   * @param closed why no new volume may be placed on the node, for example because it is draining
   * @since 1.0
   */
  public record Node(NodeName name, List<RegisteredPlugin> plugins, Optional<Refused> closed) {

    /** Copies the list. */
    public Node {
      Objects.requireNonNull(name, "name");
      plugins = List.copyOf(plugins);
      Objects.requireNonNull(closed, "closed");
    }

    /** Returns the node of this name with these plugins, which accepts volumes. */
    public static Node of(NodeName name, Collection<RegisteredPlugin> plugins) {
      return new Node(name, List.copyOf(plugins), Optional.empty());
    }

    /** Returns a node from its record. */
    public static Node of(NodeEntry known) {
      return new Node(
          known.name(),
          known.plugins().stream().map(NodeEntry.KnownPlugin::registered).toList(),
          known.whyNotClaimed());
    }

    /**
     * Returns the request for a claim on this node, with the node id from the fingerprint of the
     * plugin here.
     *
     * @param plugin the plugin of the volume
     * @param volume the volume, which may not exist yet
     * @param wish the claim to be made
     */
    public ClaimRequest claim(PluginId plugin, VolumeKey volume, PlannedClaim wish) {
      ClaimRequest.Builder request =
          ClaimRequest.builder(VolumeUse.of(volume, wish.workload()), name, wish.use(), wish.mode())
              .options(wish.options());
      Optional<NodeFacts> known = NodeCheck.facts(this, plugin);
      known.flatMap(NodeFacts::nodeId).ifPresent(request::nodeId);
      wish.facts().ifPresent(request::workloadFacts);
      wish.label().ifPresent(request::selinuxLabel);
      boolean takesGroup =
          known
              .filter(it -> it.capabilities().offers(NodeCapability.VOLUME_MOUNT_GROUP))
              .isPresent();
      wish.group().ifPresent(group -> request.groupIfOffered(group).groupOffered(takesGroup));
      return request.build();
    }
  }

  /**
   * The nodes on which a volume can be used, the best first, and the reasons against each excluded
   * node. The same nodes, claims and readings always give the same report.
   *
   * @param spec the volume to place
   * @param candidates the nodes on which it can be used, the best first
   * @param excluded the nodes on which it cannot be used, by name
   * @since 1.0
   */
  public record Report(VolumeSpec spec, List<Candidate> candidates, List<Excluded> excluded) {

    /**
     * A node on which the volume can be used.
     *
     * @param node the node
     * @param place the topology that the plugin reports for the node; empty if there is none
     * @param capacity the free capacity there; empty for an existing volume, or if not known
     * @param freeSlots the number of volumes of the plugin that the node still accepts; empty if no
     *     limit is known
     * @param remarks the reasons for its rank and possible problems, as clauses for people
     */
    public record Candidate(
        NodeName node,
        Optional<Topology> place,
        Optional<CapacityReading> capacity,
        OptionalLong freeSlots,
        List<String> remarks) {

      /** Copies the list. */
      public Candidate {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(place, "place");
        Objects.requireNonNull(capacity, "capacity");
        Objects.requireNonNull(freeSlots, "freeSlots");
        remarks = List.copyOf(remarks);
      }

      private String text() {
        List<String> parts = new ArrayList<>();
        place.ifPresent(where -> parts.add("in " + where));
        capacity.ifPresent(room -> parts.add(room.toString()));
        freeSlots.ifPresent(
            free -> parts.add("takes " + free + (free == 1 ? " more volume" : " more volumes")));
        parts.addAll(remarks);
        return node + (parts.isEmpty() ? "" : ": " + String.join("; ", parts));
      }
    }

    /**
     * An excluded node, on which the volume cannot be used.
     *
     * @param node the node
     * @param why all reasons; at least one
     */
    public record Excluded(NodeName node, List<OperatorMessage> why) {

      /** Copies the list. */
      public Excluded {
        Objects.requireNonNull(node, "node");
        why = List.copyOf(why);
      }
    }

    /** Copies the lists. */
    public Report {
      Objects.requireNonNull(spec, "spec");
      candidates = List.copyOf(candidates);
      excluded = List.copyOf(excluded);
    }

    /** Returns the best node; empty if the volume can be used on none. */
    public Optional<NodeName> best() {
      return nodes().stream().findFirst();
    }

    /** Returns the nodes on which the volume can be used, the best first. */
    public List<NodeName> nodes() {
      return candidates.stream().map(Candidate::node).toList();
    }

    /**
     * Returns the spec for creating the volume before its node is chosen (immediate binding): it
     * must be reachable from the topology of at least one candidate, with those of better
     * candidates preferred. Returns the spec unchanged if the plugin has no topologies.
     */
    public VolumeSpec anywhere() {
      return in(places(candidates));
    }

    /**
     * Returns the spec for creating the volume after its node was chosen (binding that waits for
     * the consumer): it must be reachable from the topology of that node. Returns the spec
     * unchanged if the plugin has no topologies.
     *
     * @throws IllegalArgumentException if the node is not a candidate
     */
    public VolumeSpec onlyOn(NodeName chosen) {
      return in(places(List.of(candidate(chosen))));
    }

    /**
     * Returns the spec for creating the volume in the topology of a chosen node if it has free
     * capacity there, and otherwise in the topology of another candidate.
     *
     * @throws IllegalArgumentException if the node is not a candidate
     */
    public VolumeSpec firstOn(NodeName chosen) {
      List<Candidate> order = new ArrayList<>(List.of(candidate(chosen)));
      order.addAll(candidates);
      return in(places(order));
    }

    private Candidate candidate(NodeName chosen) {
      return candidates.stream()
          .filter(each -> each.node().equals(chosen))
          .findFirst()
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "The node '"
                          + chosen
                          + "' is not a candidate. Choose one of"
                          + " "
                          + nodes()
                          + "."));
    }

    private static Set<Topology> places(List<Candidate> order) {
      Set<Topology> places = new LinkedHashSet<>();
      order.forEach(each -> each.place().ifPresent(places::add));
      return places;
    }

    private VolumeSpec in(Set<Topology> places) {
      return places.isEmpty()
          ? spec
          : spec.toBuilder()
              .topologies(new TopologyRequirement(places, List.copyOf(places)))
              .build();
    }

    /**
     * Returns all nodes as lines of text: the candidates by rank, then the excluded nodes with
     * every reason.
     */
    public String text() {
      StringBuilder lines = new StringBuilder();
      int rank = 1;
      for (Candidate each : candidates) {
        lines.append(rank++).append(". ").append(each.text()).append('\n');
      }
      for (Excluded each : excluded) {
        for (OperatorMessage reason : each.why()) {
          lines.append("-  ").append(each.node()).append(": ").append(reason.line()).append('\n');
        }
      }
      return lines.toString();
    }
  }

  /**
   * The free capacity that a plugin reported for one kind of volume in one topology.
   *
   * @param capacity the answer of the plugin
   * @param age the time since the answer
   * @since 1.0
   */
  public record CapacityReading(Capacity capacity, Duration age) {

    /** Checks that both parts are set. */
    public CapacityReading {
      Objects.requireNonNull(capacity, "capacity");
      Objects.requireNonNull(age, "age");
    }

    /** Returns text such as {@code 1073741824 bytes left, asked 12 s ago}. */
    @Override
    public String toString() {
      return capacity.availableBytes() + " bytes left, asked " + age.toSeconds() + " s ago";
    }
  }

  /**
   * The claim that a workload will request once its node is chosen.
   *
   * @param workload the workload
   * @param use the intended use of the volume
   * @param mode the access mode of the workload
   * @param options mount options that replace the volume's own, part by part
   * @param facts the facts about the workload that the plugin receives, if it receives any
   * @param label the SELinux label for the files, if the workload needs one
   * @param group the group for which the plugin mounts the filesystem, if it can; a number
   * @since 1.0
   */
  public record PlannedClaim(
      WorkloadId workload,
      Claim.Use use,
      ClaimMode mode,
      MountOptions options,
      Optional<WorkloadFacts> facts,
      Optional<SelinuxLabel> label,
      Optional<String> group) {

    /** Checks that all parts are set. */
    public PlannedClaim {
      Objects.requireNonNull(workload, "workload");
      Objects.requireNonNull(use, "use");
      Objects.requireNonNull(mode, "mode");
      Objects.requireNonNull(options, "options");
      Objects.requireNonNull(facts, "facts");
      Objects.requireNonNull(label, "label");
      Objects.requireNonNull(group, "group");
    }

    /** Creates the claim of a workload without mount options, facts, label and group. */
    public PlannedClaim(WorkloadId workload, Claim.Use use, ClaimMode mode, MountOptions options) {
      this(workload, use, mode, options, Optional.empty(), Optional.empty(), Optional.empty());
    }

    private PlannedClaim with(MountOptions all) {
      return new PlannedClaim(workload, use, mode, all, facts, label, group);
    }

    /** Creates a claim with the volume's own mount options. */
    public PlannedClaim(WorkloadId workload, Claim.Use use, ClaimMode mode) {
      this(workload, use, mode, MountOptions.none());
    }
  }
}
