package io.csi4j.volume.agent;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.OperationEnd;
import io.csi4j.volume.internal.time.Turns;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.LeavingUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.node.NodeExpansion;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;
import io.csi4j.volume.node.PluginOnNode;
import io.csi4j.volume.node.SentUse;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.plugin.supervision.PluginSupervisor;
import io.csi4j.volume.state.seal.Sealer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The agent of a node: mounts the volumes for which the node has claims, and gives them back. A
 * {@link VolumeManager} does the work. A {@link ControlPlane} gives the orders, and confirms each
 * before it is carried out.
 *
 * <p>Without an answer of a control plane nothing new is mounted, and nothing is unmounted. After a
 * restart the first orders name the wanted volumes: those that are still mounted are kept, those
 * that are not are mounted again, and volumes that the orders do not name stay as they are.
 *
 * <p>Methods block until their work is done, and the manager does the work of one volume in order.
 * Safe for many threads.
 *
 * <pre>{@code
 * try (NodeAgent agent = NodeAgent.builder(node, directory, controlPlane).plugin(config).open()) {
 *   MountedVolume mounted = agent.mount(usage); // claimed for this node by the control plane
 *   log.accept(mounted.path());
 *   agent.release(usage); // the workload has ended
 * }
 * }</pre>
 *
 * @since 1.0
 */
public final class NodeAgent implements AutoCloseable {

  /** The statuses with which a plugin refuses an expansion for good. */
  private static final Set<StatusCode> REFUSALS =
      Set.of(
          StatusCode.INVALID_ARGUMENT,
          StatusCode.OUT_OF_RANGE,
          StatusCode.FAILED_PRECONDITION,
          StatusCode.UNIMPLEMENTED);

  private final NodeName node;
  private final ControlPlane controlPlane;
  private final ClusterConfirmation confirmation;
  private final Function<SecretsReference, SecretsProvider> secrets;
  private final Sealer sealer;
  private final Duration patience;
  private final Clock clock;
  private final VolumeManager manager;
  private final PluginSupervisor supervisor;
  private final PendingReport pending = new PendingReport();

  /** The lock of each use, held to begin its mount or unmount and not until its end. */
  private final Turns<VolumeUse> uses = new Turns<>();

  private final ReportRounds rounds;

  /** Starts exchanges at intervals. Absent if the host does so. */
  private final Optional<ExchangeTimer> timer;

  /** Whether the host wants no more volumes here. */
  private volatile boolean isDraining;

  /** Whether the volumes that were found at the start are settled; read in a round of reports. */
  private boolean isSettled;

  /** The number of the last report; in a round of reports. */
  private long number;

  private NodeAgent(
      Builder parts,
      ClusterConfirmation confirmation,
      VolumeManager manager,
      PluginSupervisor supervisor) {
    this.confirmation = confirmation;
    this.manager = manager;
    this.supervisor = supervisor;
    node = parts.node;
    controlPlane = parts.controlPlane;
    secrets = parts.secrets;
    patience = parts.patience;
    sealer = parts.sealer;
    clock = parts.clock;
    rounds = new ReportRounds(node, this::round);
    timer =
        parts.hasTimer
            ? Optional.of(ExchangeTimer.of(parts.interval, this::exchange, parts.listener))
            : Optional.empty();
  }

  /**
   * Begins to set up an agent.
   *
   * @param node the name of the node in claims
   * @param directory the directory of its volumes and its state, which belongs to it alone
   * @param controlPlane the control planes of its cluster
   */
  public static Builder builder(NodeName node, Path directory, ControlPlane controlPlane) {
    return new Builder(node, directory, controlPlane);
  }

  /**
   * Begins to set up the agent of a node that belongs to no cluster. Its host says to the
   * {@linkplain #manager manager} what is to be mounted; what was found at the start stays as it
   * is.
   *
   * @param node the name of the node
   * @param directory the directory of its volumes and its state, which belongs to it alone
   */
  public static Builder builder(NodeName node, Path directory) {
    return new Builder(node, directory, new NoControlPlane());
  }

  /**
   * Reports, and does what the orders say: gives back what is leaving, and lets filesystems follow
   * the size of their volumes. The first one also settles what was found at the start. The timer of
   * the agent does so at intervals; failed work is repeated with the next exchange.
   *
   * <p>Calls during a report share the next one, and an interrupt ends the wait. All volumes are
   * processed at the same time. If a plugin takes longer than the patience of the agent, its work
   * continues, and the next call finds it.
   *
   * @throws OperatorException if there are no orders, or with the first failure and the others
   *     suppressed; an exception of the host's code is passed on unchanged
   */
  public void exchange() {
    NodeOrders orders = orders();
    Set<RuntimeException> failures = new LinkedHashSet<>();
    List<Begun> begun = new ArrayList<>();
    for (LeavingUse each : orders.leaving()) {
      attempt(failures, () -> beginUnmount(each).ifPresent(begun::add));
    }
    for (SentUse each : orders.wanted()) {
      attempt(failures, () -> beginExpansion(each).ifPresent(begun::add));
    }
    await(begun);
    begun.stream().filter(Begun::isDone).forEach(each -> attempt(failures, each.end()));
    if (pending.takeNews()) {
      attempt(failures, this::orders);
    }
    if (!failures.isEmpty()) {
      RuntimeException first = failures.iterator().next();
      failures.stream().skip(1).forEach(first::addSuppressed);
      throw first;
    }
  }

  /**
   * Work of the manager that an exchange has begun.
   *
   * @param work its end
   * @param end the action after that
   */
  private record Begun(CompletableFuture<?> work, Runnable end) {

    boolean isDone() {
      return work.isDone();
    }
  }

  private void await(List<Begun> begun) {
    CompletableFuture<Void> all =
        CompletableFuture.allOf(begun.stream().map(Begun::work).toArray(CompletableFuture[]::new));
    try {
      all.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException later) {
      // Each result is checked separately.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Does the work of one use. A failure, even of the host's code, must not stop other uses. */
  private static void attempt(Set<RuntimeException> failures, Runnable work) {
    try {
      work.run();
    } catch (RuntimeException failed) {
      failures.add(failed);
    }
  }

  /**
   * Waits until a plugin is ready here, and reports it: from then on the control plane claims its
   * volumes for this node. For a host that starts jobs right after its own start.
   *
   * @param limit the longest time to wait for the plugin
   * @throws OperatorException if the plugin is not ready by then, or as from {@link #exchange}
   */
  public void awaitPlugin(PluginId plugin, Duration limit) {
    CompletableFuture<RegisteredPlugin> ready =
        manager.plugins().await(plugin, PluginRole.NODE, limit);
    var unused = result(ready);
    exchange();
  }

  /**
   * Mounts a volume that was claimed for a workload on this node. A repeated call returns the same
   * mount.
   *
   * @throws OperatorException {@link OperatorCode#CLAIM_MISSING} if the node has no claim of the
   *     use, or none with which it can mount now; or as {@link VolumeManager#mount}
   */
  public MountedVolume mount(VolumeUse usage) {
    SentUse wanted = wanted("mounting", usage);
    MountRequest request = request("mounting", usage, wanted);
    CompletableFuture<MountedVolume> work =
        uses.during(usage, () -> manager.async().mount(request).toCompletableFuture());
    MountedVolume mounted =
        OperationEnd.await(work, manager.patience(), Subject.of("mounting").by(usage));
    beginExpansion(wanted).ifPresent(this::finishLater);
    return mounted;
  }

  /** Begins with the first exchange; a plugin that comes, goes or changes is reported at once. */
  private void begin(ExchangeTimer exchanges) {
    // The subscription ends with the manager.
    var unused =
        manager
            .plugins()
            .listen(
                PluginRole.NODE,
                event -> {
                  if (!(event instanceof PluginEvent.Noticed)) {
                    exchanges.wake();
                  }
                });
    exchanges.wake();
  }

  /** Wakes the timer for orders about other uses. */
  private void wakeFor(NodeOrders orders, VolumeUse done) {
    boolean hasWork =
        orders.leaving().stream().anyMatch(each -> !each.claim().usage().equals(done))
            || orders.wanted().stream()
                .filter(each -> each.grown().isPresent())
                .map(each -> each.use().usage())
                .anyMatch(each -> !each.equals(done) && manager.hasMount(each));
    if (hasWork) {
      timer.ifPresent(ExchangeTimer::wake);
    }
  }

  /**
   * Publishes a mounted volume again, with the current contexts and secrets, as {@link
   * VolumeManager#refresh} does.
   *
   * @throws OperatorException as from {@link #mount}
   */
  public MountedVolume refresh(VolumeUse usage) {
    return manager.refresh(request("refreshing", usage, wanted("refreshing", usage)));
  }

  /**
   * Gives back the volume of a workload that has ended: its claim is on its way back, nothing is
   * mounted for it here, and the control plane has the receipt. Does nothing if the node has no
   * claim for the use.
   *
   * @throws OperatorException if the release has not ended yet. With {@link
   *     VolumeException.Outcome#IN_PROGRESS} the same call, and each {@link #exchange}, goes on
   *     with it; with {@link OperatorCode#CLAIM_UNCONFIRMED} only the same call does: the control
   *     plane cannot read all claims, and the agent does not know a claim for this use
   */
  public void release(VolumeUse usage) {
    boolean isKnown = pending.end(usage);
    NodeOrders orders = orders(usage);
    if (pending.end(usage)) {
      isKnown = true;
      orders = orders(usage);
    }
    Optional<LeavingUse> leaving = PendingReport.leaving(orders, usage);
    leaving.ifPresent(this::giveBack);
    if (manager.hasMount(usage) && isOver(orders, usage)) {
      unmountWithoutClaim(usage);
    }
    if (pending.hasReceipt(usage)) {
      orders = orders(usage);
    }
    wakeFor(orders, usage);
    if (pending.hasEnded(usage) || leaving.filter(orders.leaving()::contains).isPresent()) {
      throw unreleased(
          VolumeException.Outcome.IN_PROGRESS,
          OperatorCode.CLAIM_BEING_RELEASED,
          usage,
          "the control plane has not accepted it yet");
    }
    if (!isKnown && leaving.isEmpty() && !orders.complete()) {
      throw unreleased(
          VolumeException.Outcome.REFUSED,
          OperatorCode.CLAIM_UNCONFIRMED,
          usage,
          "the control plane cannot read all claims, and one of them may be for this use");
    }
  }

  /** Whether the node has no claim for a use, not even one that it must give back. */
  private static boolean isOver(NodeOrders orders, VolumeUse usage) {
    return orders.complete()
        && PendingReport.wanted(orders, usage).isEmpty()
        && PendingReport.leaving(orders, usage).isEmpty()
        && !PendingReport.isHeld(orders, usage);
  }

  /**
   * Unmounts a use whose claim was ended by an attestation, such as that the node is fenced: no
   * order gives it back then. The orders are read under the lock of the use, so a later claim is
   * either in them, or its mount begins after the unmount.
   */
  private void unmountWithoutClaim(VolumeUse usage) {
    CompletableFuture<?> work =
        uses.during(
            usage,
            () ->
                isOver(orders(usage), usage)
                    ? manager.async().unmount(usage).toCompletableFuture()
                    : CompletableFuture.completedFuture(usage));
    OperationEnd.await(work, manager.patience(), Subject.of("giving back").by(usage));
  }

  private static VolumeException unreleased(
      VolumeException.Outcome outcome, OperatorCode code, VolumeUse usage, String seen) {
    return new VolumeException(
        outcome, Messages.of(code, Subject.of("giving back").by(usage), seen), null, null);
  }

  /**
   * Drains this node: it takes no more volumes, and reports that. Its volumes stay. The agent does
   * not store this: after a restart the host calls it again. {@code Cluster.drain} is stored.
   *
   * @throws OperatorException if there are no orders now; a later report says it
   */
  public void drain() {
    isDraining = true;
    var unused = orders();
  }

  /**
   * Ends {@link #drain}, and reports that.
   *
   * @throws OperatorException if there are no orders now; a later report says it
   */
  public void undrain() {
    isDraining = false;
    var unused = orders();
  }

  /** Returns the manager of the volumes of this node. */
  public VolumeManager manager() {
    return manager;
  }

  /** Ends the agent, and waits up to 5 s for an exchange of its timer. Nothing is unmounted. */
  @Override
  public void close() {
    // The manager ends first, so that it does not see its plugins as deregistered.
    try (supervisor;
        manager) {
      timer.ifPresent(ExchangeTimer::close);
    }
  }

  // ---- the exchange with the control plane

  private NodeOrders orders() {
    return rounds.orders();
  }

  /** Returns orders that name all claims of the volume of a use. */
  private NodeOrders orders(VolumeUse usage) {
    return pending.asking(usage.volume(), this::orders);
  }

  private NodeOrders round() {
    NodeReport report = report();
    NodeOrders orders = controlPlane.exchange(report);
    if (!orders.node().equals(node) || orders.answers() != report.number()) {
      throw new VolumeException(
          VolumeException.Outcome.REFUSED,
          Messages.of(
              OperatorCode.CLAIM_UNCONFIRMED,
              Subject.of("reporting for node '" + node + "'"),
              "the control plane sent orders for node '"
                  + orders.node()
                  + "' and report "
                  + orders.answers()
                  + ", not for report "
                  + report.number()),
          null,
          null);
    }
    checkCluster(orders);
    pending.accepted(report, orders);
    settle(orders);
    return orders;
  }

  /** Trusts no answer about a claim while the control plane belongs to another cluster. */
  private void checkCluster(NodeOrders orders) {
    boolean isOurs = false;
    try {
      manager.checkCluster(orders);
      isOurs = true;
    } finally {
      confirmation.isOfCluster(manager.cluster(), isOurs);
    }
  }

  /**
   * Settles the volumes that were found at the start. A wanted volume whose mount is gone is
   * mounted again; everything else stays as it is. A use that has ended is released by the orders,
   * or by the manager when its claim is stale. Incomplete orders settle the claims that they name,
   * and the next orders do so again.
   */
  private void settle(NodeOrders orders) {
    if (isSettled) {
      return;
    }
    List<WantedUse> live = new ArrayList<>();
    Set<VolumeUse> named = new HashSet<>();
    for (SentUse each : orders.wanted()) {
      live.add(use(each));
      named.add(each.use().usage());
    }
    Set<VolumeIdentity> found = new HashSet<>();
    for (VolumeStatus volume : manager.volumes()) {
      found.add(new VolumeIdentity(volume.plugin(), volume.handle()));
      volume.uses().stream()
          .map(VolumeStatus.Use::key)
          .filter(named::add)
          .forEach(usage -> live.add(new WantedUse.Named(usage)));
    }
    // After a loss of its state, the manager has found the mount but not the name of its use.
    orders.leaving().stream()
        .filter(each -> each.volume().filter(found::contains).isPresent())
        .map(each -> each.claim().usage())
        .filter(named::add)
        .forEach(usage -> live.add(new WantedUse.Named(usage)));
    manager.reconcile(live).done();
    isSettled = orders.complete();
  }

  private NodeReport report() {
    // The time since the boot: an agent that is opened again continues with higher numbers.
    number = Math.max(number + 1, System.nanoTime());
    List<PluginOnNode> plugins =
        manager.plugins().plugins().stream()
            .map(
                each ->
                    new PluginOnNode(
                        each,
                        manager.isDraining(each.registration().id()),
                        OptionalLong.empty(),
                        manager.storageHealth(each.registration().id())))
            .toList();
    return new NodeReport(
        node,
        manager.cluster(),
        manager.boot(),
        clock.instant(),
        number,
        isDraining,
        plugins,
        manager.volumes(),
        pending.ended(),
        pending.receipts(),
        pending.expansions(),
        // Volumes that were mounted before a reboot are in no report, and must be in the first
        // orders.
        isSettled ? Optional.of(pending.asked()) : Optional.empty());
  }

  /** Returns the request of a use for which the node has a claim. */
  private MountRequest request(String doing, VolumeUse usage, SentUse wanted) {
    if (use(wanted) instanceof WantedUse.Requested requested) {
      return requested.request();
    }
    throw missing(doing, usage, false);
  }

  private SentUse wanted(String doing, VolumeUse usage) {
    NodeOrders orders = orders(usage);
    wakeFor(orders, usage);
    return PendingReport.wanted(orders, usage)
        .orElseThrow(() -> missing(doing, usage, PendingReport.isHeld(orders, usage)));
  }

  private VolumeException missing(String doing, VolumeUse usage, boolean isHeld) {
    return new VolumeException(
        VolumeException.Outcome.REFUSED,
        Messages.of(
            OperatorCode.CLAIM_MISSING,
            Subject.of(doing).by(usage),
            "node '"
                + node
                + (isHeld
                    ? "' cannot mount with its claim: it is unknown whether the volume is "
                        + "attached, or the volume is not recorded"
                    : "' has no claim for it")),
        null,
        null);
  }

  /** Returns a use as the manager takes it, with the secrets that this host has. */
  private WantedUse use(SentUse wanted) {
    return wanted.use() instanceof WantedUse.Requested requested
        ? new WantedUse.Requested(requested.request().toBuilder().secrets(secrets(wanted)).build())
        : wanted.use();
  }

  private SecretsProvider secrets(SentUse wanted) {
    return wanted
        .secrets()
        .provider(wanted.use().usage(), name -> secrets.apply(SecretsReference.of(name)), sealer);
  }

  // ---- what the orders say

  /**
   * Begins to unmount a use, if its claim is still being released: orders may be late. No mount
   * under a later claim can begin in between, because that takes the lock of its use. A mount that
   * began before is ahead in the queue of its volume.
   */
  private Optional<Begun> beginUnmount(LeavingUse leaving) {
    VolumeUse usage = leaving.claim().usage();
    return uses.during(
        usage,
        () -> {
          if (!(confirmation.standing(usage, leaving.claim().epoch())
              instanceof ClaimStanding.Leaving)) {
            return Optional.empty();
          }
          CompletableFuture<UnmountOutcome> work =
              manager.async().unmount(usage).toCompletableFuture();
          return Optional.of(
              new Begun(
                  work,
                  () -> {
                    result(work);
                    pending.add(receipt(leaving));
                  }));
        });
  }

  /** Unmounts a use, and waits for that as long as a call of the manager does. */
  private void giveBack(LeavingUse leaving) {
    beginUnmount(leaving)
        .ifPresent(
            begun -> {
              Subject subject = Subject.of("giving back").by(leaving.claim().usage());
              OperationEnd.await(begun.work(), manager.patience(), subject);
              begun.end().run();
            });
  }

  private NodeReceipt receipt(LeavingUse leaving) {
    ClaimEpoch claim = leaving.claim();
    return leaving
        .volume()
        .map(it -> manager.receipt(claim.usage(), claim.epoch(), it.plugin(), it.handle()))
        .orElseGet(() -> manager.receipt(claim.usage(), claim.epoch()));
  }

  /** Expands the filesystem of a mounted volume if the volume has grown. */
  private Optional<Begun> beginExpansion(SentUse wanted) {
    VolumeUse usage = wanted.use().usage();
    if (wanted.grown().isEmpty()
        || pending.isAnswered(usage.volume(), wanted.grown().get())
        || !manager.hasMount(usage)) {
      return Optional.empty();
    }
    CapacityRange size = wanted.grown().get();
    CompletableFuture<OptionalLong> work =
        manager.async().expand(usage, size, secrets(wanted)).toCompletableFuture();
    return Optional.of(new Begun(work, () -> pending.add(expansion(usage, size, work))));
  }

  /**
   * Waits a limited time for an expansion. If it does not succeed in time, it stays in the orders.
   */
  private void finishLater(Begun begun) {
    await(List.of(begun));
    if (begun.isDone()) {
      attempt(new LinkedHashSet<>(), begun.end());
    }
  }

  /** Returns the end of an expansion; throws if the size has to stay in the orders. */
  private static NodeExpansion expansion(
      VolumeUse usage, CapacityRange size, CompletableFuture<OptionalLong> work) {
    try {
      result(work);
      return new NodeExpansion(usage.volume(), size, Optional.empty());
    } catch (VolumeException failed) {
      if (!isFinal(failed)) {
        throw failed;
      }
      return new NodeExpansion(usage.volume(), size, Optional.of(failed.operatorMessage()));
    }
  }

  /**
   * Whether the plugin itself has refused an expansion for good. The agent then does not try the
   * size again. So an expansion that failed because the plugin is not running, or because of the
   * configuration, is not final.
   */
  private static boolean isFinal(VolumeException failed) {
    return failed.code() == OperatorCode.NOT_OFFERED
        || (failed.getCause() instanceof CsiException answer
            && answer.failure().answered()
            && REFUSALS.contains(answer.code()));
  }

  /** Returns the result of work that has ended, or throws its failure. */
  private static <T> T result(CompletableFuture<T> work) {
    try {
      return work.join();
    } catch (CompletionException failed) {
      throw Unwrapped.of(failed) instanceof RuntimeException cause ? cause : failed;
    }
  }

  /** Collects the parts of a {@link NodeAgent}. */
  public static final class Builder {

    private final NodeName node;
    private final Path directory;
    private final ControlPlane controlPlane;
    private final List<PluginConfig.Builder> plugins = new ArrayList<>();
    private Function<SecretsReference, SecretsProvider> secrets = name -> SecretsProvider.none();
    private Sealer sealer = new NoKey();
    private Duration patience = Duration.ofSeconds(5);
    private Duration interval = Duration.ofSeconds(10);
    private boolean hasTimer = true;
    private Consumer<OperatorMessage> listener = Messages::log;
    private Clock clock = Clock.systemUTC();
    private UnaryOperator<NodeClaims.Builder> claims = UnaryOperator.identity();
    private UnaryOperator<VolumeManager.Builder> manager = UnaryOperator.identity();

    private Builder(NodeName node, Path directory, ControlPlane controlPlane) {
      this.node = Objects.requireNonNull(node, "node");
      this.directory = Objects.requireNonNull(directory, "directory");
      this.controlPlane = Objects.requireNonNull(controlPlane, "controlPlane");
    }

    /**
     * Adds a plugin, which is supervised from the start. The agent sets the directory of its
     * volumes.
     */
    public Builder plugin(PluginConfig.Builder config) {
      plugins.add(Objects.requireNonNull(config, "config"));
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

    /** Sets the key that control planes and nodes share, for secrets that are sent sealed. */
    public Builder sealer(Sealer value) {
      sealer = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the clock for the times in reports, which people read. No decision depends on it. */
    public Builder clock(Clock value) {
      clock = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the time between two exchanges, a fifth more or less. 10 s by default. */
    public Builder interval(Duration value) {
      interval = positive("interval", value);
      return this;
    }

    /**
     * Sets whether the agent exchanges at intervals on its own. It does so by default. With {@code
     * false} the host calls {@link NodeAgent#exchange}.
     */
    public Builder timer(boolean value) {
      hasTimer = value;
      return this;
    }

    /**
     * Sets the listener for failures of exchanges that the timer begins: notified once, until an
     * exchange succeeds or fails for another reason. It is notified between two exchanges, which
     * wait for it. By default messages are logged.
     */
    public Builder listener(Consumer<OperatorMessage> value) {
      listener = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets how long an exchange waits for plugins. 5 s by default. */
    public Builder patience(Duration value) {
      patience = positive("patience", value);
      return this;
    }

    private static Duration positive(String name, Duration value) {
      if (value.isNegative() || value.isZero()) {
        throw new IllegalArgumentException(
            "The " + name + " has to be positive, not " + value + ".");
      }
      return value;
    }

    /** Changes the settings by which claims are checked. */
    public Builder claims(UnaryOperator<NodeClaims.Builder> change) {
      claims = Objects.requireNonNull(change, "change");
      return this;
    }

    /** Changes the settings of the volume manager. */
    public Builder manager(UnaryOperator<VolumeManager.Builder> change) {
      manager = Objects.requireNonNull(change, "change");
      return this;
    }

    /**
     * Opens the agent, and finds what is mounted. Its timer then begins with the first exchange.
     *
     * @throws VolumeException as from {@link VolumeManager.Builder#open}
     * @throws io.csi4j.volume.plugin.PluginException if the configuration of a plugin is impossible
     */
    public NodeAgent open() {
      ClusterConfirmation confirmation = new ClusterConfirmation(node, controlPlane);
      VolumeManager opened =
          manager
              .apply(VolumeManager.builder(directory))
              .claims(claims.apply(NodeClaims.builder(node, confirmation)).build())
              .open();
      try {
        confirmation.isOfCluster(opened.cluster(), opened.cluster().isEmpty());
        NodeAgent agent = new NodeAgent(this, confirmation, opened, supervisor(opened));
        agent.timer.ifPresent(agent::begin);
        return agent;
      } catch (RuntimeException | Error failed) {
        opened.close();
        throw failed;
      }
    }

    private PluginSupervisor supervisor(VolumeManager opened) {
      PluginSupervisor supervisor = PluginSupervisor.open(opened.plugins());
      try {
        plugins.forEach(each -> supervisor.supervise(each.volumeRoot(directory).build()));
        return supervisor;
      } catch (RuntimeException | Error failed) {
        supervisor.close();
        throw failed;
      }
    }
  }
}
