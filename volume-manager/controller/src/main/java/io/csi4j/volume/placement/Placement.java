package io.csi4j.volume.placement;

import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimPage;
import io.csi4j.volume.claim.ClaimState;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.placement.NodeCheck.Wanted;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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
 * PlacementReport report = placement.candidates(spec, nodes); // the host's nodes, as values
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
  public PlacementReport candidates(VolumeSpec spec, Collection<PlacementNode> nodes) {
    NodeCheck check = check(new Wanted(spec, Optional.empty(), Set.of()), nodes, node -> none());
    return check.report(nodes, places -> room.read(spec, places));
  }

  /**
   * Ranks nodes for a volume that exists: those from which it can be reached.
   *
   * @throws io.csi4j.volume.claim.ClaimException if the claims cannot be read
   */
  public PlacementReport candidates(CatalogVolume volume, Collection<PlacementNode> nodes) {
    return check(wanted(volume), nodes, node -> none()).report(nodes);
  }

  /**
   * Ranks nodes for a volume that exists and that a workload will claim: those from which it can be
   * reached, and on which its claims have room for the workload.
   *
   * @throws io.csi4j.volume.claim.ClaimException if the claims cannot be read
   * @throws IllegalStateException if this was built without claims
   */
  public PlacementReport candidates(
      CatalogVolume volume, PlannedClaim wish, Collection<PlacementNode> nodes) {
    ClaimBook book =
        Optional.ofNullable(claims)
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "This placement knows no claims. Give its builder the book of claims."));
    return check(
            wanted(volume),
            nodes,
            node -> book.whyNot(node.claim(volume.plugin(), volume.key(), wish)))
        .report(nodes);
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
      Wanted wanted,
      Collection<PlacementNode> nodes,
      Function<PlacementNode, Optional<OperatorMessage>> claim) {
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
    return !holder.state().isAfter(ClaimState.NODE_DETACHED);
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
}
