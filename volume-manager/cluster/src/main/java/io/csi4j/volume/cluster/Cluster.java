package io.csi4j.volume.cluster;

import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.volume.agent.ControlPlane;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.catalog.ExpectedInstances;
import io.csi4j.volume.catalog.NodeEntry;
import io.csi4j.volume.catalog.PluginView;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ClaimsOfNode;
import io.csi4j.volume.claim.ReleaseProof;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.claim.coordination.ClaimsOfNodes;
import io.csi4j.volume.controller.ClusterSetup;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.ControllerSettings;
import io.csi4j.volume.controller.JobVolumes;
import io.csi4j.volume.controller.NodeBook;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.node.LeavingUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.NodeExpansion;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;
import io.csi4j.volume.node.PluginOnNode;
import io.csi4j.volume.node.SentSecrets;
import io.csi4j.volume.node.SentUse;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.placement.Placement;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.upkeep.HealthMonitor;
import io.csi4j.volume.upkeep.Reaper;
import io.csi4j.volume.upkeep.VolumeKeeper;
import io.csi4j.volume.workload.VolumeRequest;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * A control plane of a cluster: creates, claims and attaches volumes for the workloads of nodes,
 * and gives each node its orders. Claims and catalog are in one store, which any number of control
 * planes may share; a node may report to any of them.
 *
 * <p>A node is known to all control planes from its first report on: its facts are on record.
 *
 * <p>Methods block as long as the store and the storage system do. Safe for many threads.
 *
 * <pre>{@code
 * try (Cluster cluster = Cluster.builder(store).plugin(plugin, endpoint).open()) {
 *   NodeName node = cluster.nodesFor(usage, request).best().orElseThrow();
 *   ClaimGrant grant = cluster.acquire(node, usage, request); // its agent may mount it now
 *   log.accept(grant.epoch());
 *   log.accept(cluster.release(usage)); // the agent gives it back with its next exchange
 * }
 * }</pre>
 *
 * @since 1.0
 */
public final class Cluster implements ControlPlane, AutoCloseable {

  private final ClusterGround ground;
  private final PluginsOnNodes onNodes;
  private final VolumeController controller;
  private final ClusterSetup setup;
  private final NodeBook nodes;
  private final ClaimBook book;
  private final ClaimCoordinator claims;
  private final ClaimsOfNodes claimsOfNodes;
  private final JobVolumes volumes;
  private final Placement placement;
  private final Duration patience;

  /** Collects what storage systems report of the health of volumes. */
  private final HealthMonitor monitor;

  /**
   * Continues interrupted releases, and deletes ephemeral volumes that nothing claims. Absent if
   * the host does so.
   */
  private final Optional<VolumeKeeper> keeper;

  /**
   * The reported facts that are being processed. A repeated report does not begin their work again.
   */
  private final Set<Object> underWay = ConcurrentHashMap.newKeySet();

  /** The nodes with their last reports to this control plane. */
  private final ConcurrentMap<NodeName, NodeEntry> reported = new ConcurrentHashMap<>();

  private Cluster(
      Builder parts, ClusterGround ground, PluginsOnNodes onNodes, VolumeController controller) {
    this.ground = ground;
    this.onNodes = onNodes;
    this.controller = controller;
    setup = new ClusterSetup(ground.store());
    nodes = new NodeBook(ground.store());
    book = new ClaimBook(ground.store(), parts.clock);
    claims =
        new ClaimCoordinator(
            book.asking(this::whyNotClaimed),
            controller.attachments(),
            parts.clock,
            parts.listener);
    claimsOfNodes = new ClaimsOfNodes(claims);
    volumes = new JobVolumes(controller, claims);
    placement = Placement.builder(controller).claims(book).clock(parts.clock).build();
    patience = parts.patience;
    monitor = HealthMonitor.builder(controller).timer(parts.isKept).open();
    try {
      keeper = parts.isKept ? Optional.of(keeper(parts)) : Optional.empty();
    } catch (RuntimeException | Error failed) {
      monitor.close();
      throw failed;
    }
  }

  private VolumeKeeper keeper(Builder parts) {
    Reaper reaper =
        new Reaper(
            book,
            Reaper.Sources.of(claims).with(Reaper.Sources.Ephemeral.of(volumes)),
            parts.clock,
            Messages::log);
    return parts
        .keeper
        .apply(
            VolumeKeeper.builder()
                .oneAtATime(controller)
                .resuming(claims)
                .reaping(reaper, Reaper.Throttle.oneEach(Duration.ofSeconds(1))))
        .open();
  }

  /**
   * Begins to set up a control plane.
   *
   * @param store the store of claims and catalog, which stays open when the control plane is closed
   */
  public static Builder builder(RecordStore store) {
    return new Builder(Optional.of(store), Optional.empty());
  }

  /**
   * Begins to set up the only control plane of a cluster, with a {@link LocalStore}.
   *
   * @param directory the directory of the store, which is opened and closed with the control plane
   */
  public static Builder builder(Path directory) {
    return new Builder(Optional.empty(), Optional.of(directory));
  }

  /**
   * Begins to set up a control plane that calls the plugins of a registry.
   *
   * @param plugins the registry, which stays open when the control plane is closed
   * @param store the store of claims and catalog, which stays open, too
   */
  public static Builder builder(PluginRegistry plugins, RecordStore store) {
    Builder builder = builder(store);
    builder.registry = Optional.of(plugins);
    return builder;
  }

  // ---- for the host

  /**
   * Ranks the nodes of the cluster for a workload that requests a volume.
   *
   * @throws OperatorException {@link OperatorCode#VOLUME_UNKNOWN} if the volume is not in the
   *     catalog, and the request does not create it; {@link OperatorCode#NOT_ALLOWED_HERE} if its
   *     context has a key of the {@linkplain VolumeRequest#workloadFacts facts} itself; or if the
   *     claims cannot be read
   */
  public Placement.Report nodesFor(VolumeUse usage, VolumeRequest request) {
    Optional<CatalogVolume> volume = controller.find(usage.volume());
    PluginId plugin = volume.map(CatalogVolume::plugin).orElseGet(() -> plugin(usage, request));
    List<Placement.Node> known =
        nodes.all().nodes().stream().map(each -> placed(each, plugin)).toList();
    return volume.isPresent()
        ? placement.candidates(volume.get(), wish(usage, request), known)
        : placement.candidates(spec(usage, request), known);
  }

  /**
   * Prepares a volume for a workload on a node. A missing volume is created where the node can use
   * it, if the request says so. The volume is claimed, and attached if its plugin attaches volumes.
   * From then on the orders of the node name it. A repeated call returns the same grant.
   *
   * @throws OperatorException {@link OperatorCode#NODE_UNKNOWN} if the node has never reported to a
   *     control plane; {@link OperatorCode#NODE_DRAINING} or {@link OperatorCode#NODE_AWAY} if it
   *     takes no new volume; {@link OperatorCode#PLUGIN_NOT_REGISTERED} or {@link
   *     OperatorCode#PLUGIN_NOT_READY} before it has reported the plugin with its properties; if
   *     the volume does not exist, with the reason of {@link #nodesFor} if the node cannot use a
   *     volume that has to be created, or as from {@link JobVolumes#acquire} and {@link
   *     ClaimCoordinator#acquire}
   */
  public ClaimGrant acquire(NodeName node, VolumeUse usage, VolumeRequest request) {
    PluginId plugin = plugin(usage, request);
    Placement.Node where = placed(nodes.get(node), plugin);
    ClaimRequest claim = where.claim(plugin, usage.volume(), wish(usage, request));
    if (request.created().isEmpty()) {
      return claims.acquire(claim);
    }
    VolumeSpec spec = spec(usage, request);
    VolumeSpec placed = placed(where, usage, spec);
    try {
      return volumes.acquire(placed, claim).grant();
    } catch (ControllerException failed) {
      // Another caller may have created it for another node since the record was read.
      VolumeSpec there = placed(where, usage, spec);
      if (failed.code() != OperatorCode.VOLUME_KNOWN_OTHERWISE || there.equals(placed)) {
        throw failed;
      }
      return volumes.acquire(there, claim).grant();
    }
  }

  /** Returns why nothing new may be claimed for a node: it is closed, or its plugin is missing. */
  private Optional<Refused> whyNotClaimed(ClaimRequest request) {
    return controller
        .attachments()
        .plugin(request.usage().volume())
        .map(plugin -> nodes.whyNotClaimed(request, plugin))
        .orElseGet(() -> nodes.whyNotClaimed(request));
  }

  /** Returns a node, marked as closed if it takes no volume of this plugin now. */
  private static Placement.Node placed(NodeEntry known, PluginId plugin) {
    return new Placement.Node(
        known.name(), Placement.Node.of(known).plugins(), known.whyNotClaimed(plugin));
  }

  /**
   * Returns the spec of a volume with its place: the place of the volume if it exists, and
   * otherwise that of the node.
   */
  private VolumeSpec placed(Placement.Node where, VolumeUse usage, VolumeSpec spec) {
    Optional<VolumeSpec> there = controller.find(usage.volume()).map(CatalogVolume::spec);
    if (there.isPresent()) {
      return there
          .flatMap(VolumeSpec::topologies)
          .map(places -> spec.toBuilder().topologies(places).build())
          .orElse(spec);
    }
    Placement.Report report = placement.candidates(spec, List.of(where));
    if (report.candidates().isEmpty()) {
      throw new VolumeException(
          VolumeException.Outcome.REFUSED, report.excluded().get(0).why().get(0), null, null);
    }
    return report.onlyOn(where.name());
  }

  /**
   * Releases the claim of a workload. From now on its node mounts nothing with it, and the next
   * orders of the node say that it must be given back.
   *
   * @throws OperatorException as from {@link JobVolumes#release}
   */
  public JobVolumes.Released release(VolumeUse usage) {
    return volumes.release(usage);
  }

  /**
   * Releases all claims of a node that is fenced from the storage, so that other nodes may have its
   * volumes. If the node comes back, it unmounts its volumes. It gets no volume before its next
   * report.
   *
   * @param by the fence that keeps the node away, as a clause for people
   * @throws OperatorException as from {@link JobVolumes#endNode}; or if the record of the node
   *     cannot be read or written, after its claims were given back
   */
  public List<JobVolumes.Released> nodeIsFenced(NodeName node, ReasonText by) {
    return endNode(
        node, by, claim -> new ReleaseProof.Fenced(claim.usage(), claim.epoch(), node, by));
  }

  /**
   * Releases all claims of a node that is off, or gone for good. It gets no volume before its next
   * report.
   *
   * @param by the person or program that attests this, as a clause for people
   * @throws OperatorException as from {@link JobVolumes#endNode}; or if the record of the node
   *     cannot be read or written, after its claims were given back
   */
  public List<JobVolumes.Released> nodeIsOff(NodeName node, ReasonText by) {
    return endNode(
        node, by, claim -> new ReleaseProof.PowerOff(claim.usage(), claim.epoch(), node, by));
  }

  private List<JobVolumes.Released> endNode(
      NodeName node, ReasonText by, JobVolumes.NodeProof proof) {
    Optional<ControllerException> unnoted = Optional.empty();
    try {
      var unused = nodes.away(node, by, Optional.ofNullable(reported.get(node)));
    } catch (ControllerException failed) {
      // The claims come first: other nodes wait for the volumes.
      unnoted = Optional.of(failed);
    }
    reported.remove(node);
    List<JobVolumes.Released> ended;
    try {
      ended = volumes.endNode(node, proof);
    } catch (RuntimeException | Error failed) {
      unnoted.ifPresent(failed::addSuppressed);
      throw failed;
    }
    if (unnoted.isPresent()) {
      throw unnoted.get();
    }
    return ended;
  }

  /**
   * Removes the record of a node that is gone for good and has no claims left.
   *
   * @throws OperatorException as from {@link NodeBook#forget}
   */
  public void forgetNode(NodeName node) {
    nodes.forget(node, claims);
    reported.remove(node);
    onNodes.forget(node);
  }

  /**
   * Drains a node: nothing new is claimed for it. Its volumes stay until their workloads end.
   *
   * @param why the reason, as a clause for people
   * @throws OperatorException as from {@link NodeBook#drain}
   */
  public NodeEntry drain(NodeName node, ReasonText why) {
    return nodes.drain(node, why);
  }

  /**
   * Ends {@link #drain}. A node that drains itself ({@link io.csi4j.volume.agent.NodeAgent#drain})
   * takes volumes again only when its agent ends that.
   *
   * @throws OperatorException as from {@link NodeBook#undrain}
   */
  public NodeEntry undrain(NodeName node) {
    return nodes.undrain(node);
  }

  /**
   * Returns the known faults of a volume: those that its storage system reports, and those in the
   * last reports of its nodes to any control plane. A node reports at most three faults of a
   * volume, with the first 120 characters of each text. If more than about a hundred volumes of a
   * node have faults, it reports the worst.
   *
   * @throws OperatorException if the record of the volume, or the nodes cannot be read
   */
  public VolumeHealth health(VolumeKey volume) {
    VolumeHealth all = monitor.health(volume);
    for (NodeEntry each : nodes.all().nodes()) {
      all = all.and(each.health(volume));
    }
    return all;
  }

  /**
   * Returns the number of instances of a plugin on the nodes on record and in the registry of this
   * control plane.
   *
   * @param expected the expected number of instances
   * @throws OperatorException if the nodes cannot be read
   */
  public PluginView plugin(PluginId plugin, ExpectedInstances expected) {
    Map<NodeName, List<RegisteredPlugin>> instances = new HashMap<>();
    for (NodeEntry each : nodes.all().nodes()) {
      instances.put(each.name(), Placement.Node.of(each).plugins());
    }
    instances.put(
        NodeName.of("control plane '" + controller.status().controlPlane() + "'"),
        ground.plugins().plugins());
    return PluginView.of(plugin, instances, expected);
  }

  /** Returns the book of nodes. */
  public NodeBook nodes() {
    return nodes;
  }

  /** Returns the controller of volumes and storage systems. */
  public VolumeController volumes() {
    return controller;
  }

  /** Returns the coordinator of claims. */
  public ClaimCoordinator claims() {
    return claims;
  }

  // ---- for the nodes

  @Override
  public NodeOrders exchange(NodeReport report) {
    NodeName node = report.node();
    checkCluster(node, report.cluster());
    NodeEntry latest = reported.merge(node, entry(report), NodeEntry::later);
    onNodes.reported(latest);
    accept(() -> nodes.reported(latest));
    accept(report);
    ClaimsOfNode now =
        report
            .named()
            .map(volumes -> claimsOfNodes.of(node, volumes))
            .orElseGet(() -> claims.ofNode(node));
    List<SentUse> wanted = new ArrayList<>();
    List<LeavingUse> leaving = new ArrayList<>();
    boolean complete = now.unreadable().isEmpty();
    // A node treats a use that its orders do not name as ended, and would report its release as
    // done.
    List<ClaimEpoch> held = new ArrayList<>(now.uncertain());
    for (ClaimsOfNode.Taken each : now.taken()) {
      ClaimEpoch claim = ClaimEpoch.of(each.grant());
      boolean isReadable =
          isReadable(() -> wanted(each).ifPresentOrElse(wanted::add, () -> held.add(claim)));
      if (!isReadable) {
        held.add(claim);
      }
      complete &= isReadable;
    }
    for (ClaimEpoch each : now.leaving()) {
      complete &= isReadable(() -> leaving.add(leaving(each)));
    }
    Optional<String> cluster = setup.identity().map(ClusterIdentity::value);
    return new NodeOrders(node, report.number(), cluster, wanted, leaving, held, complete);
  }

  private static NodeEntry entry(NodeReport report) {
    Map<VolumeKey, CapacityRange> expanded = new HashMap<>();
    for (NodeExpansion each : report.expansions()) {
      if (each.refused().isEmpty()) {
        expanded.putIfAbsent(each.volume(), each.to());
      }
    }
    Map<VolumeKey, VolumeHealth> unwell = new HashMap<>();
    for (VolumeStatus each : report.volumes()) {
      each.keys().forEach(volume -> unwell.merge(volume, each.health(), VolumeHealth::and));
    }
    List<RegisteredPlugin> plugins = report.plugins().stream().map(PluginOnNode::plugin).toList();
    Set<PluginId> draining = new HashSet<>();
    for (PluginOnNode each : report.plugins()) {
      if (each.draining()) {
        draining.add(each.plugin().registration().id());
      }
    }
    return NodeEntry.reported(
            report.node(), report.boot(), report.number(), plugins, report.draining())
        .drainingPlugins(draining)
        .expanded(expanded)
        .unwell(unwell);
  }

  /**
   * Refuses a node of another cluster, whose claims may have the names and epochs of claims here.
   *
   * @param ofNode the cluster that the node belongs to, if it knows one
   */
  private void checkCluster(NodeName node, Optional<String> ofNode) {
    if (ofNode.isEmpty()) {
      return;
    }
    Optional<String> own = setup.identity().map(ClusterIdentity::value);
    if (!ofNode.equals(own)) {
      throw new VolumeException(
          VolumeException.Outcome.HELD,
          Messages.of(
              OperatorCode.CONTROL_PLANE_OTHER,
              Subject.of("answering node '" + node + "'"),
              "the node belongs to cluster '"
                  + ofNode.get()
                  + "', and the control plane to "
                  + own.map(it -> "cluster '" + it + "'")
                      .orElse(
                          "a cluster without an identity; ClusterSetup.create restores a lost "
                              + "one")),
          null,
          null);
    }
  }

  /** Applies work to the record of a volume. Returns false if only that record cannot be read. */
  private static boolean isReadable(Runnable work) {
    try {
      work.run();
      return true;
    } catch (ControllerException failed) {
      if (failed.code() != OperatorCode.CATALOG_UNREADABLE) {
        throw failed;
      }
      return false;
    }
  }

  @Override
  public ClaimStanding standing(ClaimQuestion question) {
    ClaimEpoch claim = question.claim();
    checkCluster(claim.node(), question.cluster());
    return book.standing(claim.usage(), claim.epoch());
  }

  @Override
  public VolumeVerdict verdict(ClaimQuestion question) {
    // Without the claim, the name may belong to another volume by now.
    return standing(question) instanceof ClaimStanding.Current
        ? controller.verdict(question.claim().usage().volume())
        : new VolumeVerdict.Unknown(new ReasonText("the claim is not current"));
  }

  /**
   * Ends the control plane. Its claims and pending work are in the store, so another control plane
   * continues them.
   */
  @Override
  public void close() {
    try (ground;
        controller;
        monitor;
        claimsOfNodes) {
      keeper.ifPresent(VolumeKeeper::close);
    }
  }

  /**
   * Accepts each fact of a report separately. If a fact cannot be accepted now, its claim or size
   * stays in the orders, so the node reports it again. The failure is in the events of the claims
   * and of the controller.
   *
   * <p>Calls to a storage system, and waits for other work on a volume, run in the background: a
   * storage system that hangs must not delay the orders for other volumes.
   */
  private void accept(NodeReport report) {
    NodeName node = report.node();
    List<CompletableFuture<?>> begun = new ArrayList<>();
    // Before the claims end that the same report gives back.
    for (NodeExpansion each : report.expansions()) {
      accept(() -> begin(begun, each, () -> accept(node, each)));
    }
    report.ended().stream()
        .filter(each -> each.node().equals(node))
        .forEach(each -> accept(() -> claims.noteRelease(each)));
    report.receipts().stream()
        .filter(each -> each.node().equals(node))
        .forEach(each -> accept(() -> begin(begun, each, () -> volumes.beginConfirmRelease(each))));
    await(begun);
  }

  /**
   * Records the end of an expansion on a node that uses the volume. The size stays in the orders,
   * and each node reports it, until all nodes that use the volume have recorded it.
   */
  private CompletionStage<?> accept(NodeName node, NodeExpansion ended) {
    Set<NodeName> using = new HashSet<>();
    for (ClaimHolder holder : book.read(ended.volume()).holders().values()) {
      if (!holder.state().isAfter(ClaimHolder.State.UNPUBLISHING)) {
        using.add(holder.node());
      }
    }
    if (!using.contains(node)) {
      return CompletableFuture.completedFuture(ended);
    }
    if (ended.refused().isPresent()) {
      return controller.async().nodeCannotExpand(ended.volume(), ended.to(), ended.refused().get());
    }
    boolean areAll =
        using.stream()
            .allMatch(
                each ->
                    each.equals(node)
                        || nodes
                            .find(each)
                            .filter(it -> it.hasExpanded(ended.volume(), ended.to()))
                            .isPresent());
    return areAll
        ? controller.async().nodeHasExpanded(ended.volume(), ended.to())
        : CompletableFuture.completedFuture(ended);
  }

  private static void accept(Runnable fact) {
    try {
      fact.run();
    } catch (OperatorException again) {
      // The orders show that it was not accepted.
    }
  }

  /** Begins to process a fact, unless that is under way. */
  private void begin(
      List<CompletableFuture<?>> begun, Object fact, Supplier<CompletionStage<?>> work) {
    if (!underWay.add(fact)) {
      return;
    }
    CompletableFuture<Object> end = new CompletableFuture<>();
    end.whenComplete((done, failed) -> underWay.remove(fact));
    try {
      work.get().whenComplete((done, failed) -> end.complete(fact));
    } catch (RuntimeException | Error failed) {
      end.complete(fact);
      throw failed;
    }
    begun.add(end);
  }

  /** Waits a short time, so that the orders usually show the result of the report. */
  private void await(List<CompletableFuture<?>> begun) {
    try {
      CompletableFuture.allOf(begun.toArray(CompletableFuture[]::new))
          .get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException later) {
      // The work continues, and the store has it.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Returns the data that a node needs to mount a volume. Empty if the catalog does not have the
   * volume, or if the context of the volume has a key of the facts of the workload.
   */
  private Optional<SentUse> wanted(ClaimsOfNode.Taken taken) {
    ClaimGrant grant = taken.grant();
    return controller
        .find(grant.usage().volume())
        .filter(volume -> keysOfBoth(taken.facts(), volume).isEmpty())
        .map(
            volume ->
                new SentUse(
                    new WantedUse.Requested(mounting(volume, taken)),
                    volume
                        .spec()
                        .secrets()
                        .map(each -> SentSecrets.named(each.value()))
                        .orElseGet(SentSecrets::none),
                    // This holds also if one of its nodes cannot follow the size: the others can.
                    volume.pendingOnNode()));
  }

  private static MountRequest mounting(CatalogVolume volume, ClaimsOfNode.Taken taken) {
    ClaimGrant grant = taken.grant();
    MountRequest.Builder request =
        MountRequest.builder(
                volume, grant.usage().workload(), taken.use().mode(), taken.use().attachment())
            .readOnly(grant.mode() == ClaimMode.READ)
            .claim(grant);
    taken.facts().ifPresent(request::workloadFacts);
    return request.build();
  }

  private static Set<String> keysOfBoth(Optional<WorkloadFacts> facts, CatalogVolume volume) {
    return facts.<Set<String>>map(it -> it.keysIn(volume.context())).orElse(Set.of());
  }

  /**
   * Returns the data that a node needs to give a volume back, even if the catalog no longer has it.
   */
  private LeavingUse leaving(ClaimEpoch claim) {
    return new LeavingUse(
        claim,
        controller
            .find(claim.usage().volume())
            .map(volume -> new VolumeIdentity(volume.plugin(), volume.id())));
  }

  // ---- what a request says

  private Placement.PlannedClaim wish(VolumeUse usage, VolumeRequest request) {
    if (request.workloadFacts().isPresent()) {
      controller.find(usage.volume()).ifPresent(there -> checkFacts(usage, request, there));
    }
    return new Placement.PlannedClaim(
        usage.workload(),
        new Claim.Use(request.accessMode().orElseThrow(), request.attachment()),
        request.readOnly() ? ClaimMode.READ : ClaimMode.WRITE,
        request.mountOptions(),
        request.workloadFacts(),
        request.selinuxLabel(),
        request.groupIfOffered());
  }

  /** Refuses facts that cannot go beside the context of the volume. */
  private static void checkFacts(VolumeUse usage, VolumeRequest request, CatalogVolume there) {
    Set<String> both = keysOfBoth(request.workloadFacts(), there);
    if (!both.isEmpty()) {
      throw new VolumeException(
          VolumeException.Outcome.REFUSED,
          Messages.of(
              OperatorCode.NOT_ALLOWED_HERE,
              Subject.of("acquiring").by(usage),
              "the volume's context already has "
                  + String.join(", ", both)
                  + ", which the request passes as a fact of the workload"),
          null,
          null);
    }
  }

  private PluginId plugin(VolumeUse usage, VolumeRequest request) {
    return request
        .created()
        .or(() -> controller.record(usage.volume()).map(CatalogEntry::spec))
        .map(VolumeSpec::plugin)
        .orElseThrow(() -> unknown(usage));
  }

  private static VolumeSpec spec(VolumeUse usage, VolumeRequest request) {
    return request.created().orElseThrow(() -> unknown(usage));
  }

  private static VolumeException unknown(VolumeUse usage) {
    return new VolumeException(
        VolumeException.Outcome.REFUSED,
        Messages.of(OperatorCode.VOLUME_UNKNOWN, Subject.of("acquiring").by(usage), ""),
        null,
        null);
  }

  /** Collects the parts of a {@link Cluster}. */
  public static final class Builder {

    private final Optional<RecordStore> store;
    private final Optional<Path> directory;
    private final List<PluginRegistration> plugins = new ArrayList<>();
    private final Set<PluginId> nodeOnly = new HashSet<>();
    private Optional<PluginRegistry> registry = Optional.empty();
    private Function<SecretsReference, SecretsProvider> secrets = name -> SecretsProvider.none();
    private UnaryOperator<CallPolicy.Builder> policy = UnaryOperator.identity();
    private UnaryOperator<VolumeController.Builder> controller = UnaryOperator.identity();
    private UnaryOperator<VolumeKeeper.Builder> keeper = UnaryOperator.identity();
    private boolean isKept = true;
    private ClaimEvent.Listener listener = event -> {};
    private Clock clock = Clock.systemUTC();
    private Duration patience = Duration.ofSeconds(2);

    private Builder(Optional<RecordStore> store, Optional<Path> directory) {
      this.store = store;
      this.directory = directory;
    }

    /** Adds a plugin by the socket of its controller. */
    public Builder plugin(PluginId plugin, CsiEndpoint controller) {
      plugins.add(PluginRegistration.controller(PluginBinding.of(plugin, controller)));
      return this;
    }

    /**
     * Adds a plugin that has no controller. Its volumes are registered, and nodes mount them
     * without an attachment. Its nodes report what it offers.
     */
    public Builder nodeOnly(PluginId plugin) {
      nodeOnly.add(plugin);
      return this;
    }

    /**
     * Sets the source of the secrets of volumes, which the catalog names. There are none by
     * default.
     */
    public Builder secrets(Function<SecretsReference, SecretsProvider> value) {
      secrets = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Changes the deadline and the retries of each call to a controller. By default each operation
     * has its own.
     */
    public Builder policy(UnaryOperator<CallPolicy.Builder> change) {
      policy = Objects.requireNonNull(change, "change");
      return this;
    }

    /**
     * Changes the settings of the controller of volumes. Overrides other settings of this builder.
     */
    public Builder controller(UnaryOperator<VolumeController.Builder> change) {
      controller = Objects.requireNonNull(change, "change");
      return this;
    }

    /**
     * Changes the upkeep, such as its pauses or its listener, or adds chores of the host. It has
     * the chores {@code resume} and {@code reap} of a {@link VolumeKeeper}, for ephemeral volumes;
     * one control plane at a time does each.
     */
    public Builder keeper(UnaryOperator<VolumeKeeper.Builder> change) {
      keeper = Objects.requireNonNull(change, "change");
      return this;
    }

    /**
     * Sets whether the control plane takes part in the upkeep and queries the health of volumes
     * from storage systems. It does so by default. With {@code false} the host opens a {@link
     * VolumeKeeper} and a {@link HealthMonitor}.
     */
    public Builder upkeep(boolean value) {
      isKept = value;
      return this;
    }

    /** Sets the listener that is notified of each event of a claim. */
    public Builder listener(ClaimEvent.Listener value) {
      listener = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the clock for times that people read. No decision depends on it. */
    public Builder clock(Clock value) {
      clock = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets how long the answer to a node waits until the volumes that the node gave back are
     * detached, and deleted if they are ephemeral. Afterwards that work continues in the
     * background. 2 s by default. Must be less than the time that a node waits for one control
     * plane.
     */
    public Builder patience(Duration value) {
      if (value.isNegative()) {
        throw new IllegalArgumentException("The patience cannot be negative: " + value + ".");
      }
      patience = value;
      return this;
    }

    /**
     * Opens the control plane.
     *
     * @throws OperatorException as from {@link VolumeController.Builder#open} and {@link
     *     LocalStore#open}
     */
    public Cluster open() {
      ClusterGround ground = ClusterGround.open(registry, store, directory);
      try {
        plugins.forEach(each -> ground.plugins().register(each));
        return open(ground);
      } catch (RuntimeException | Error failed) {
        ground.close();
        throw failed;
      }
    }

    private Cluster open(ClusterGround ground) {
      PluginsOnNodes onNodes = new PluginsOnNodes(ground.store(), nodeOnly);
      VolumeController opened =
          controller
              .apply(
                  VolumeController.builder(ground.plugins(), ground.store())
                      .elsewhere(onNodes::of)
                      .secrets(secrets)
                      .settings(ControllerSettings.builder().policy(policy).build()))
              .claims(ground.store())
              .open();
      try {
        return new Cluster(this, ground, onNodes, opened);
      } catch (RuntimeException | Error failed) {
        opened.close();
        throw failed;
      }
    }
  }
}
