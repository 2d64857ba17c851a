package io.csi4j.volume.placement;

import io.csi4j.client.controller.Capacity;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.Topology;
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
import io.csi4j.volume.model.RequestedTopologies;
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
 * Ranks nodes for a volume, and says of each other node why the volume cannot be used there: its
 * plugin is not there, the node is in no place from which the volume can be reached, there is too
 * little room, the node takes no more volumes, or a claim forbids it. Creates, claims and mounts
 * nothing. Safe for many threads.
 *
 * <p>The order is, from the most important to the least: nodes where the plugin has room or says
 * nothing of it before nodes where it says that it has none; preferred places in their order; nodes
 * that have the volume already; known room before unknown; more room; more volumes that the node
 * still takes; the name.
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
   * Begins with volumes of a controller, whose claims nobody counts.
   *
   * @param controller who knows the volumes, and asks their plugins for room
   */
  public static Builder builder(VolumeController controller) {
    return new Builder(controller);
  }

  /**
   * Ranks nodes for a volume that is to be created. Plugins are asked for their room, if they offer
   * GET_CAPACITY and no figure is new enough; a plugin that does not answer in time excludes no
   * node.
   *
   * @throws io.csi4j.volume.claim.ClaimException if a node has a limit and the claims cannot be
   *     counted, be it for one that cannot be read
   */
  public Report candidates(VolumeSpec spec, Collection<Node> nodes) {
    NodeCheck check = check(new Wanted(spec, Optional.empty(), Set.of()), nodes, node -> none());
    return check.report(nodes, places -> room.read(spec, places));
  }

  /**
   * Ranks nodes for a volume that exists: those from which it can be reached.
   *
   * @throws io.csi4j.volume.claim.ClaimException if the claims cannot be read
   */
  public Report candidates(CatalogVolume volume, Collection<Node> nodes) {
    return check(wanted(volume), nodes, node -> none()).report(nodes);
  }

  /**
   * Ranks nodes for a volume that exists and that a workload will claim: those from which it can be
   * reached, and on which its claims have room for the workload.
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
                        "This placement knows no claims. Give its builder the book of claims."));
    PlannedClaim claim = inFull(volume, wish);
    return check(
            wanted(volume),
            nodes,
            node -> book.whyNot(node.claim(volume.plugin(), volume.key(), claim)))
        .report(nodes);
  }

  /** A claim is kept with all mount options, those of the volume among them. */
  private static PlannedClaim inFull(CatalogVolume volume, PlannedClaim wish) {
    return volume
        .capability(wish.use().mode(), wish.use().attachment())
        .flatMap(VolumeCapability::mountOptions)
        .map(own -> own.overlaidWith(wish.options()))
        .map(wish::with)
        .orElse(wish);
  }

  /**
   * Forgets the room that a plugin said it has, so that the next report asks again: after
   * CreateVolume was answered with RESOURCE_EXHAUSTED, for example.
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
   * Returns the volumes of a plugin that each node has, by the claims. A claim that cannot be read
   * may be of any node: unless its volume is known to be none of this plugin, nothing is counted.
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

  /** A claim takes one of the node's volumes until the storage system has detached it. */
  private static boolean occupies(ClaimHolder holder) {
    return !holder.state().isAfter(ClaimHolder.State.NODE_DETACHED);
  }

  /** Collects the parts of a {@link Placement}. */
  public static final class Builder {
    private final VolumeController controller;
    private @Nullable ClaimBook claims;
    private Clock clock = Clock.systemUTC();
    private Duration patience = Duration.ofSeconds(5);

    private Builder(VolumeController controller) {
      this.controller = Objects.requireNonNull(controller, "controller");
    }

    /**
     * Sets the claims: they are counted against the limits of nodes, and asked whether a workload
     * may have a volume. Without them no limit is looked at.
     */
    public Builder claims(ClaimBook value) {
      claims = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets how long a report waits for plugins to say whether they tell how much room they have,
     * and how much that is. 5 s by default; what comes later counts in the next report.
     */
    public Builder patience(Duration value) {
      patience = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the time, for the age of figures. */
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
   * A node among which a volume is placed, as its host knows it.
   *
   * @param name the node; the same name as in claims
   * @param plugins the plugins there, as the registry of the node lists them, the newest first; of
   *     several instances of a plugin that serve nodes, the first that is ready counts, and the
   *     first if none is
   * @param closed why no new volume may be placed there, such as that it drains
   * @since 1.0
   */
  public record Node(NodeName name, List<RegisteredPlugin> plugins, Optional<Refused> closed) {

    /** Copies the list. */
    public Node {
      Objects.requireNonNull(name, "name");
      plugins = List.copyOf(plugins);
      Objects.requireNonNull(closed, "closed");
    }

    /** Returns the node of this name with these plugins, which takes volumes. */
    public static Node of(NodeName name, Collection<RegisteredPlugin> plugins) {
      return new Node(name, List.copyOf(plugins), Optional.empty());
    }

    /** Returns a node as it is on record. */
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
     * @param volume the volume, which need not exist yet
     * @param wish who claims it, and for what
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
   * The nodes on which a volume can be used, the best first, and why each of the excluded cannot.
   * The same nodes, claims and figures always give the same report.
   *
   * @param spec the volume that is placed
   * @param candidates the nodes on which it can be used, the best first
   * @param excluded the nodes on which it cannot be used, by name
   * @since 1.0
   */
  public record Report(VolumeSpec spec, List<Candidate> candidates, List<Excluded> excluded) {

    /**
     * A node on which the volume can be used.
     *
     * @param node the node
     * @param place where the plugin says that the node is; nothing if it has no places
     * @param capacity the room there; nothing for a volume that exists, or if it is not known
     * @param freeSlots how many more volumes of the plugin the node takes; nothing if no limit is
     *     known
     * @param remarks what decided its rank and what may go wrong, as clauses for people
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
     * A node that was excluded, as the volume cannot be used there.
     *
     * @param node the node
     * @param why every reason; at least one
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

    /** Returns the best node; nothing if the volume can be used on none. */
    public Optional<NodeName> best() {
      return nodes().stream().findFirst();
    }

    /** Returns the nodes on which the volume can be used, the best first. */
    public List<NodeName> nodes() {
      return candidates.stream().map(Candidate::node).toList();
    }

    /**
     * Returns the spec of a volume that is created before its node is chosen (immediate binding):
     * it has to be reachable from the place of at least one candidate, those of better candidates
     * preferred. Unchanged where the plugin has no places.
     */
    public VolumeSpec anywhere() {
      return in(places(candidates));
    }

    /**
     * Returns the spec of a volume that is created after its node was chosen (binding that waits
     * for the consumer): it has to be reachable from the place of that node. Unchanged where the
     * plugin has no places.
     *
     * @throws IllegalArgumentException if the node is no candidate
     */
    public VolumeSpec onlyOn(NodeName chosen) {
      return in(places(List.of(candidate(chosen))));
    }

    /**
     * Returns the spec of a volume that is created where a chosen node is, if there is room, and
     * otherwise in the place of another candidate.
     *
     * @throws IllegalArgumentException if the node is no candidate
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
                      "The node '" + chosen + "' is no candidate. Choose one of " + nodes() + "."));
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
              .topologies(new RequestedTopologies(places, List.copyOf(places)))
              .build();
    }

    /**
     * All nodes in lines for people: the candidates by rank, then the excluded nodes with every
     * reason.
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
   * The room that a plugin said it has for volumes of one kind in one place.
   *
   * @param capacity the answer of the plugin
   * @param age how long ago it answered
   * @since 1.0
   */
  public record CapacityReading(Capacity capacity, Duration age) {

    /** Checks that both parts are set. */
    public CapacityReading {
      Objects.requireNonNull(capacity, "capacity");
      Objects.requireNonNull(age, "age");
    }

    /** As in {@code 1073741824 bytes left, asked 12 s ago}. */
    @Override
    public String toString() {
      return capacity.availableBytes() + " bytes left, asked " + age.toSeconds() + " s ago";
    }
  }

  /**
   * The claim that a workload will ask for once its node is chosen.
   *
   * @param workload the workload
   * @param use how the volume is to be used
   * @param mode what the workload does with it
   * @param options the mount options that take the place of the volume's own, part by part
   * @param facts what the plugin is told of the workload, if it is told of it
   * @param label the label of SELinux for the files, if the workload needs one
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

    /** A claim of a workload that brings nothing to its volume. */
    public PlannedClaim(WorkloadId workload, Claim.Use use, ClaimMode mode, MountOptions options) {
      this(workload, use, mode, options, Optional.empty(), Optional.empty(), Optional.empty());
    }

    private PlannedClaim with(MountOptions all) {
      return new PlannedClaim(workload, use, mode, all, facts, label, group);
    }

    /** A claim of a volume that is mounted with its own mount options. */
    public PlannedClaim(WorkloadId workload, Claim.Use use, ClaimMode mode) {
      this(workload, use, mode, MountOptions.none());
    }
  }
}
