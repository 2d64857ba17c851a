package io.csi4j.volume.cluster;

import static io.csi4j.volume.cluster.ClusterWorld.A;
import static io.csi4j.volume.cluster.ClusterWorld.LIMIT;
import static io.csi4j.volume.cluster.ClusterWorld.REQUEST;
import static io.csi4j.volume.cluster.ClusterWorld.WEB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.mount.real.Eventually;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.agent.ControlPlane;
import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.catalog.NodeEntry;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.controller.ClusterSetup;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;
import io.csi4j.volume.node.SentSecrets;
import io.csi4j.volume.node.SentUse;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.local.MemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent of one node, when its plugin, its control plane or its host is in trouble. */
class AgentTroubleTest {

  private static final VolumeUse LOG = VolumeUse.of(VolumeKey.of("log"), WEB.workload());

  @TempDir private Path temp;
  private final MemoryStore store = new MemoryStore();
  private final Line line = new Line();
  private ClusterWorld world;
  private volatile Cluster cluster;
  private NodeAgent agent;

  /** The line to the control plane. */
  private final class Line implements ControlPlane {

    private volatile UnaryOperator<NodeOrders> orders = UnaryOperator.identity();
    private volatile Consumer<VolumeUse> beforeStanding = usage -> {};
    private volatile Consumer<NodeReport> beforeExchange = report -> {};

    @Override
    public NodeOrders exchange(NodeReport report) {
      beforeExchange.accept(report);
      return orders.apply(cluster.exchange(report));
    }

    @Override
    public ClaimStanding standing(ClaimQuestion question) {
      beforeStanding.accept(question.claim().usage());
      return cluster.standing(question);
    }

    @Override
    public VolumeVerdict verdict(ClaimQuestion question) {
      return cluster.verdict(question);
    }
  }

  @BeforeEach
  void open() throws IOException {
    world = new ClusterWorld(temp);
    cluster = world.cluster(store);
    agent = world.agent(A, line);
    agent.exchange();
  }

  @AfterEach
  void close() {
    world.storage.release();
    agent.close();
    cluster.close();
    world.close();
  }

  // ---- sizes

  private boolean isGrown() {
    return cluster.volumes().find(WEB.volume()).orElseThrow().pendingOnNode().isEmpty();
  }

  private void mountAndGrow() {
    cluster.acquire(A, WEB, REQUEST);
    agent.mount(WEB);
    cluster.volumes().expand(WEB.volume(), CapacityRange.atLeast(32 << 20));
    assertThat(isGrown()).isFalse();
  }

  @Test
  void aSizeStaysPendingWhileThePluginIsNotUp() {
    mountAndGrow();
    agent.close();
    world.storage.stop();
    agent = world.agent(A, line, UnaryOperator.identity());

    VolumeException refused = catchThrowableOfType(VolumeException.class, () -> agent.exchange());

    assertThat(refused.code()).isEqualTo(OperatorCode.PLUGIN_NOT_REGISTERED);
    assertThat(refused.outcome()).isEqualTo(VolumeException.Outcome.REFUSED);
    assertThat(cluster.volumes().changes(WEB.volume()))
        .extracting(VolumeChange::progress)
        .containsExactly(VolumeChange.Progress.PENDING_ON_NODE);
    world.storage.start();
    ClusterWorld.awaitPlugin(agent);
    agent.exchange();
    assertThat(isGrown()).isTrue();
    world.storage.assertLawful();
  }

  @Test
  void aSizeStaysPendingWhenThePluginMayTakeItLater() {
    mountAndGrow();
    FaultRule denied =
        world.storage.inject(
            Fault.fail(StatusCode.PERMISSION_DENIED, "the key has expired"),
            When.calling(CsiOperation.NODE_EXPAND_VOLUME));

    VolumeException refused = catchThrowableOfType(VolumeException.class, () -> agent.exchange());

    assertThat(refused.code()).isEqualTo(OperatorCode.CALL_FAILED);
    assertThat(refused.outcome()).isEqualTo(VolumeException.Outcome.REFUSED);
    denied.close();
    agent.exchange();
    assertThat(isGrown()).isTrue();
    world.storage.assertLawful();
  }

  @Test
  void aSizeThatThePluginRefusesForGoodIsNotOrderedAgain() {
    mountAndGrow();
    world.storage.inject(
        Fault.fail(StatusCode.OUT_OF_RANGE, "too large for this filesystem"),
        When.calling(CsiOperation.NODE_EXPAND_VOLUME));

    agent.exchange();
    agent.exchange();

    assertThat(cluster.volumes().changes(WEB.volume()))
        .extracting(VolumeChange::progress)
        .containsExactly(VolumeChange.Progress.INFEASIBLE_ON_NODE);
    assertThat(world.storage.journal().calls(CsiOperation.NODE_EXPAND_VOLUME)).hasSize(1);
  }

  // ---- its end

  @Test
  void anAgentThatEndsDoesNotMissThePluginOfTheVolumesThatStayMounted() {
    BlockingQueue<OperatorCode> noticed = new LinkedBlockingQueue<>();
    agent.close();
    agent =
        world.agent(
            A,
            line,
            builder ->
                builder.manager(
                    manager ->
                        world
                            .inMemory(manager)
                            .listener(
                                event -> {
                                  if (event instanceof VolumeEvent.Noticed seen) {
                                    noticed.add(seen.message().code());
                                  }
                                })));
    ClusterWorld.awaitPlugin(agent);
    agent.exchange();
    cluster.acquire(A, WEB, REQUEST);
    agent.mount(WEB);

    agent.close();

    assertThat(noticed).isEmpty();
    agent = world.agent(A, line);
    assertThat(agent.manager().hasMount(WEB)).isTrue();
    world.storage.assertLawful();
  }

  // ---- one use in trouble

  @Test
  void secretsThatTheHostDoesNotKnowStopTheirUseAlone() {
    agent.close();
    agent =
        world.agent(
            A,
            line,
            builder ->
                builder.secrets(
                    name -> {
                      throw new NoSuchElementException(name.value());
                    }));
    ClusterWorld.awaitPlugin(agent);
    line.orders = orders -> withSecrets(orders, LOG, SentSecrets.named("lost"));
    cluster.acquire(A, LOG, REQUEST);
    cluster.acquire(A, WEB, REQUEST);

    agent.exchange();

    assertThat(agent.mount(WEB).usage()).isEqualTo(WEB);
    assertThat(catchThrowableOfType(VolumeException.class, () -> agent.mount(LOG)).code())
        .isEqualTo(OperatorCode.SECRETS_UNAVAILABLE);
    agent.release(WEB);
    assertThat(world.publishedOn()).isEmpty();
    world.storage.assertLawful();
  }

  private static NodeOrders withSecrets(NodeOrders orders, VolumeUse usage, SentSecrets secrets) {
    return new NodeOrders(
        orders.node(),
        orders.answers(),
        orders.cluster(),
        orders.wanted().stream()
            .map(
                each ->
                    each.use().usage().equals(usage)
                        ? new SentUse(each.use(), secrets, each.grown())
                        : each)
            .toList(),
        orders.leaving(),
        orders.held(),
        orders.complete());
  }

  @Test
  void aFailureOfTheTransportAtOneUseStopsNoOther() {
    cluster.acquire(A, LOG, REQUEST);
    cluster.acquire(A, WEB, REQUEST);
    agent.mount(LOG);
    agent.mount(WEB);
    cluster.release(LOG);
    cluster.release(WEB);
    AtomicBoolean isFirst = new AtomicBoolean(true);
    Thread caller = Thread.currentThread(); // others look at claims at intervals
    line.beforeStanding =
        usage -> {
          if (Thread.currentThread().equals(caller) && isFirst.getAndSet(false)) {
            throw new NoSuchElementException("no line");
          }
        };

    assertThat(catchThrowableOfType(NoSuchElementException.class, () -> agent.exchange()))
        .hasMessage("no line");

    assertThat(cluster.claims().ofNode(A).all()).hasSize(1);
    agent.exchange();
    assertThat(cluster.claims().ofNode(A).all()).isEmpty();
    assertThat(world.storage.contents().idle()).isTrue();
  }

  // ---- slow work

  /** Stops a thread when it asks the manager for a second operation. */
  private static final class SecondAsk implements VolumeEvent.Listener {

    private final CompletableFuture<Void> asks = new CompletableFuture<>();
    private final CompletableFuture<Void> goesOn = new CompletableFuture<>();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile Thread watched;

    @Override
    public void on(VolumeEvent event) {}

    @Override
    public void asked(OperationId operation) {
      if (Thread.currentThread().equals(watched) && asked.incrementAndGet() == 2) {
        asks.complete(null);
        goesOn.join();
      }
    }
  }

  @Test
  void aReleaseThatIsLateTakesNothingFromALaterClaim() {
    SecondAsk second = new SecondAsk();
    agent.close();
    agent =
        world.agent(
            A,
            line,
            builder -> builder.manager(manager -> world.inMemory(manager).listener(second)));
    ClusterWorld.awaitPlugin(agent);
    cluster.acquire(A, WEB, REQUEST);
    agent.mount(WEB);
    world.storage.inject(Fault.hang(), When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME).once());
    CompletableFuture<Void> late =
        CompletableFuture.runAsync(
            () -> {
              second.watched = Thread.currentThread();
              agent.release(WEB);
            });
    assertThat(
            world
                .storage
                .journal()
                .await(call -> call.operation() == CsiOperation.NODE_UNPUBLISH_VOLUME, LIMIT)
                .end())
        .isEmpty();
    world.storage.release();
    CompletableFuture.anyOf(late, second.asks).orTimeout(30, TimeUnit.SECONDS).join();

    agent.exchange();
    cluster.acquire(A, WEB, REQUEST);
    agent.mount(WEB);
    second.goesOn.complete(null);
    Throwable failed =
        late.orTimeout(30, TimeUnit.SECONDS).handle((done, failure) -> failure).join();

    assertThat(agent.manager().hasMount(WEB)).isTrue();
    assertThat(failed).isNull();
    assertThat(world.publishedOn()).containsExactly("a");
    world.storage.assertLawful();
  }

  @Test
  void aMountThatHangsHoldsNoExchangeUp() {
    cluster.acquire(A, LOG, REQUEST);
    cluster.acquire(A, WEB, REQUEST);
    agent.mount(LOG);
    world.storage.inject(Fault.hang(), When.calling(CsiOperation.NODE_PUBLISH_VOLUME));
    CompletableFuture<?> hangs = CompletableFuture.runAsync(() -> agent.mount(WEB));
    Eventually.isTrue(
        "the plugin hangs",
        () ->
            world.storage.journal().inFlight().stream()
                .anyMatch(call -> call.operation() == CsiOperation.NODE_PUBLISH_VOLUME));
    cluster.release(LOG);
    cluster.release(WEB);

    CompletableFuture.runAsync(() -> agent.exchange()).orTimeout(20, TimeUnit.SECONDS).join();

    assertThat(hangs.isDone()).isFalse();
    assertThat(cluster.claims().ofNode(A).all()).extracting(ClaimEpoch::usage).containsExactly(WEB);
    world.storage.clearFaults();
    world.storage.release();
    Eventually.isTrue(
        "the hanging one is given back, too",
        () -> {
          // The mount and the unmounts of both exchanges end one after the other.
          VolumeException failed =
              catchThrowableOfType(VolumeException.class, () -> agent.exchange());
          assertThat(failed == null || failed.code() == OperatorCode.RECEIPT_REFUSED).isTrue();
          return cluster.claims().ofNode(A).all().isEmpty();
        });
    Eventually.isTrue("the mount has ended", hangs::isDone);
    assertThat(world.storage.contents().idle()).isTrue();
  }

  // ---- claims that cannot be read

  /** Makes a record unreadable; closing it writes the record back. */
  private AutoCloseable damaged(RecordKey key) {
    StoredRecord good = store.read(key).orElseThrow();
    write(good, StateValue.of(new byte[] {8, 9}));
    return () -> write(store.read(key).orElseThrow(), good.value());
  }

  private void write(StoredRecord seen, StateValue next) {
    assertThat(
            store.write(List.of(new RecordWrite(seen.key(), Optional.of(seen), Optional.of(next)))))
        .isInstanceOf(RecordStore.WriteResult.Written.class);
  }

  private static RecordKey claim(VolumeUse usage) {
    return RecordKey.of(RecordKey.Space.CLAIMS, usage.volume());
  }

  @Test
  void aReleaseWhoseClaimIsUnreadableGoesOnWhenItIsReadableAgain() throws Exception {
    cluster.acquire(A, WEB, REQUEST);
    agent.mount(WEB);
    AutoCloseable unreadable = damaged(claim(WEB));

    VolumeException late = catchThrowableOfType(VolumeException.class, () -> agent.release(WEB));

    assertThat(late.code()).isEqualTo(OperatorCode.CLAIM_BEING_RELEASED);
    assertThat(late.outcome()).isEqualTo(VolumeException.Outcome.IN_PROGRESS);
    assertThat(agent.manager().hasMount(WEB)).isTrue();
    unreadable.close();
    agent.exchange();
    assertThat(world.storage.contents().idle()).isTrue();
    assertThat(cluster.claims().ofNode(A).all()).isEmpty();
    agent.release(WEB);
    world.storage.assertLawful();
  }

  @Test
  void aReleaseOfAUseThatIsNotKnownIsRefusedWhileClaimsAreUnreadable() throws Exception {
    cluster.acquire(A, WEB, REQUEST);
    agent.mount(WEB);
    agent.close();
    AutoCloseable unreadable = damaged(claim(WEB));
    agent = world.agent(A, line);

    VolumeException refused = catchThrowableOfType(VolumeException.class, () -> agent.release(WEB));

    assertThat(refused.code()).isEqualTo(OperatorCode.CLAIM_UNCONFIRMED);
    assertThat(refused.outcome()).isEqualTo(VolumeException.Outcome.REFUSED);
    assertThat(agent.manager().hasMount(WEB)).isTrue();
    unreadable.close();
    agent.release(WEB);
    assertThat(world.storage.contents().idle()).isTrue();
    world.storage.assertLawful();
  }

  @Test
  void aRebootedNodeMountsAgainWhatBecomesReadableLater() throws Exception {
    cluster.acquire(A, WEB, REQUEST);
    agent.mount(WEB);
    agent.close();
    world.kernel.reboot();
    AutoCloseable unreadable = damaged(claim(WEB));
    agent = world.agent(A, line);

    agent.exchange();
    assertThat(agent.manager().hasMount(WEB)).isFalse();
    unreadable.close();
    agent.exchange();

    Eventually.isTrue("it is there without being asked for", () -> agent.manager().hasMount(WEB));
  }

  // ---- a node that has lost its state

  @Test
  void aLeavingUseIsGivenBackByAnAgentThatHasLostItsState() throws IOException {
    cluster.acquire(A, WEB, REQUEST);
    agent.mount(WEB);
    agent.close();
    cluster.release(WEB);
    try (Stream<Path> state = Files.walk(temp.resolve("a/state"))) {
      for (Path each : state.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
    agent = world.agent(A, line);

    agent.exchange();

    assertThat(world.storage.contents().idle()).isTrue();
    assertThat(cluster.claims().ofNode(A).all()).isEmpty();
    world.storage.assertLawful();
  }

  // ---- a silent control plane

  /** A thread that exchanges or mounts, with its failure. */
  private static final class Caller extends Thread {

    private final Runnable work;
    private volatile RuntimeException failure;

    Caller(Runnable work) {
      super("agent-trouble-caller");
      this.work = work;
      start();
    }

    @Override
    public void run() {
      try {
        work.run();
      } catch (RuntimeException failed) {
        failure = failed;
      }
    }

    void awaitWaiting() {
      Eventually.isTrue("it waits", () -> getState() == Thread.State.WAITING);
    }

    RuntimeException failure() throws InterruptedException {
      join(LIMIT.toMillis());
      assertThat(isAlive()).isFalse();
      return failure;
    }
  }

  /** The control plane answers nothing until the gate is open, and only then counts. */
  private final class Silence {

    private final CompletableFuture<Void> gate = new CompletableFuture<>();
    private final AtomicInteger reports = new AtomicInteger();

    Silence(Runnable answer) {
      line.beforeExchange =
          report -> {
            reports.incrementAndGet();
            try {
              gate.get();
            } catch (InterruptedException | ExecutionException e) {
              Thread.currentThread().interrupt();
              throw new IllegalStateException(e);
            }
            answer.run();
          };
    }
  }

  @Test
  void callersThatWaitShareTheNextReport() throws InterruptedException {
    Silence silence =
        new Silence(
            () -> {
              throw new NoSuchElementException("no answer in time");
            });
    List<Caller> callers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      VolumeUse use = VolumeUse.of(VolumeKey.of("v" + i), WEB.workload());
      callers.add(new Caller(() -> agent.mount(use)));
    }
    callers.forEach(Caller::awaitWaiting);

    silence.gate.complete(null);

    for (Caller each : callers) {
      assertThat(each.failure()).isInstanceOf(NoSuchElementException.class);
    }
    assertThat(silence.reports).hasValue(2);
  }

  @Test
  void anInterruptEndsTheWaitingOfItsCallerAlone() throws InterruptedException {
    Silence silence = new Silence(() -> {});
    Caller first = new Caller(() -> agent.exchange());
    Eventually.isTrue("it has reported", () -> silence.reports.get() == 1);
    Caller second = new Caller(() -> agent.exchange());
    second.awaitWaiting();
    Caller third = new Caller(() -> agent.exchange());
    third.awaitWaiting();
    Caller fourth = new Caller(() -> agent.exchange());
    fourth.awaitWaiting();

    third.interrupt();
    assertThat(third.failure()).isInstanceOf(VolumeException.class);
    assertThat(((VolumeException) third.failure()).code())
        .isEqualTo(OperatorCode.CLAIM_UNCONFIRMED);
    first.interrupt();
    assertThat(first.failure()).isInstanceOf(IllegalStateException.class);
    Eventually.isTrue("the second reports", () -> silence.reports.get() == 2);
    second.interrupt();
    assertThat(second.failure()).isInstanceOf(IllegalStateException.class);
    Eventually.isTrue("the fourth reports instead", () -> silence.reports.get() == 3);
    silence.gate.complete(null);
    assertThat(fourth.failure()).isNull();
  }

  @Test
  void reportsAreNumberedHigherThanThoseOfTheAgentBefore() {
    List<Long> numbers = new ArrayList<>();
    line.beforeExchange = report -> numbers.add(report.number());
    agent.exchange();
    agent.exchange();
    agent.close();
    agent = world.agent(A, line);

    agent.exchange();

    assertThat(numbers).hasSize(3).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void aReleaseWithoutAnAnswerIsDoneByTheNextExchange() {
    cluster.acquire(A, WEB, REQUEST);
    agent.mount(WEB);
    line.beforeExchange =
        report -> {
          throw new NoSuchElementException("no answer in time");
        };
    assertThat(catchThrowableOfType(NoSuchElementException.class, () -> agent.release(WEB)))
        .hasMessage("no answer in time");
    assertThat(agent.manager().hasMount(WEB)).isTrue();
    line.beforeExchange = report -> {};

    agent.exchange();

    assertThat(cluster.claims().ofNode(A).all()).isEmpty();
    assertThat(world.storage.contents().idle()).isTrue();
    world.storage.assertLawful();
  }

  // ---- the timer

  private NodeAgent timed(Duration interval, Consumer<OperatorMessage> listener) {
    NodeAgent timed =
        world.agent(A, line, parts -> parts.timer(true).interval(interval).listener(listener));
    ClusterWorld.awaitPlugin(timed);
    return timed;
  }

  /** The plugin is not up with the first report; that it is up lets the next one begin. */
  private void awaitReport() {
    Eventually.isTrue(
        "the plugin was reported", () -> cluster.nodesFor(WEB, REQUEST).nodes().equals(List.of(A)));
  }

  private boolean hasClaim(VolumeUse usage) {
    return cluster.claims().ofNode(A).all().stream().anyMatch(each -> each.usage().equals(usage));
  }

  @Test
  void anAgentWithATimerGivesBackWithoutBeingAsked() {
    agent.close();
    agent = timed(Duration.ofMillis(50), message -> {});
    awaitReport();
    cluster.acquire(A, WEB, REQUEST);
    agent.mount(WEB);

    cluster.release(WEB);

    Eventually.isTrue("the node has given it back", () -> !hasClaim(WEB));
    assertThat(world.publishedOn()).isEmpty();
    world.storage.assertLawful();
  }

  @Test
  void aMountOfOneVolumeLetsTheTimerGiveAnotherBackAtOnce() {
    agent.close();
    cluster.forgetNode(A);
    agent = timed(Duration.ofDays(1), message -> {});
    awaitReport();
    cluster.acquire(A, WEB, REQUEST);
    cluster.acquire(A, LOG, REQUEST);
    agent.mount(WEB);
    cluster.release(WEB);

    agent.mount(LOG);

    Eventually.isTrue("the node has given it back", () -> !hasClaim(WEB));
    assertThat(hasClaim(LOG)).isTrue();
  }

  @Test
  void theTimerReportsAFailureOnceUntilAnExchangeSucceeds() {
    agent.close();
    BlockingQueue<OperatorCode> reported = new LinkedBlockingQueue<>();
    AtomicInteger failed = new AtomicInteger();
    AtomicBoolean isCut = new AtomicBoolean(true);
    line.beforeExchange =
        report -> {
          if (isCut.get()) {
            failed.incrementAndGet();
            throw new IllegalStateException("the line is cut");
          }
        };
    agent = timed(Duration.ofMillis(10), message -> reported.add(message.code()));

    Eventually.isTrue("it has tried several times", () -> failed.get() > 3);
    assertThat(reported).containsExactly(OperatorCode.STEP_FAILED);
    isCut.set(false);
    agent.exchange();
    CompletableFuture<NodeReport> next = new CompletableFuture<>();
    line.beforeExchange = next::complete;
    assertThat(next.orTimeout(30, TimeUnit.SECONDS).join().node()).isEqualTo(A);
    failed.set(0);
    line.orders =
        orders -> {
          failed.incrementAndGet();
          return new NodeOrders(
              A, orders.answers() - 1, orders.cluster(), List.of(), List.of(), List.of(), true);
        };
    Eventually.isTrue("it has tried several times again", () -> failed.get() > 3);
    assertThat(reported).containsExactly(OperatorCode.STEP_FAILED, OperatorCode.CLAIM_UNCONFIRMED);
  }

  // ---- the cluster of the node

  @Test
  void aNodeIsOfTheClusterOfItsFirstOrdersAndDoesNothingForAnother() throws IOException {
    ClusterIdentity blue = new ClusterSetup(store).create();
    cluster.acquire(A, WEB, REQUEST);
    agent.mount(WEB);
    assertThat(agent.manager().cluster()).contains(blue.value());
    MemoryStore stores = new MemoryStore();
    new ClusterSetup(stores).create();
    Cluster own = cluster;
    AtomicInteger asked = new AtomicInteger();
    try (Cluster other = world.cluster(stores)) {
      other.exchange(
          new NodeReport(
              A,
              Optional.empty(),
              "b",
              Instant.EPOCH,
              1,
              false,
              List.of(),
              List.of(),
              List.of(),
              List.of(),
              List.of(),
              Optional.empty()));
      cluster = other;
      agent.close();
      line.beforeStanding = usage -> asked.incrementAndGet();
      agent = world.agent(A, line);

      for (Runnable call : List.<Runnable>of(() -> agent.exchange(), () -> agent.mount(WEB))) {
        VolumeException refused = catchThrowableOfType(VolumeException.class, call::run);
        assertThat(refused.code()).isEqualTo(OperatorCode.CONTROL_PLANE_OTHER);
        assertThat(refused.outcome()).isEqualTo(VolumeException.Outcome.HELD);
      }
      assertThat(agent.manager().hasMount(WEB)).isTrue();
      assertThat(asked).as("another cluster knows nothing of its claims").hasValue(0);
    } finally {
      cluster = own;
    }
    agent.exchange();
    assertThat(agent.mount(WEB).usage()).isEqualTo(WEB);
    agent.release(WEB);
    assertThat(asked).hasPositiveValue();
    assertThat(hasClaim(WEB)).isFalse();
    world.storage.assertLawful();
  }

  @Test
  void aStoreThatHasLostTheIdentityAloneGetsItBackForItsNodes() {
    ClusterIdentity blue = new ClusterSetup(store).create();
    cluster.acquire(A, WEB, REQUEST);
    agent.mount(WEB);
    cluster.close();
    RecordKey key = new RecordKey(RecordKey.Space.CLUSTER, "identity");
    assertThat(store.write(List.of(new RecordWrite(key, store.read(key), Optional.empty()))))
        .isInstanceOf(RecordStore.WriteResult.Written.class);
    cluster = world.cluster(store);

    VolumeException refused = catchThrowableOfType(VolumeException.class, () -> agent.exchange());

    assertThat(refused.code()).isEqualTo(OperatorCode.CONTROL_PLANE_OTHER);
    assertThat(refused.operatorMessage().seen().text())
        .isEqualTo(
            "the node belongs to cluster '"
                + blue
                + "', and the control plane to a cluster without an identity; "
                + "ClusterSetup.create restores a lost one");
    assertThat(new ClusterSetup(store).create(blue)).isEqualTo(blue);
    agent.exchange();
    agent.release(WEB);
    assertThat(hasClaim(WEB)).isFalse();
  }

  /** A cluster with the same names of nodes and volumes; its node a has the same volume. */
  private final class Namesake implements AutoCloseable {

    private final ClusterWorld there = new ClusterWorld(temp.resolve("namesake"));
    private final MemoryStore theirs = new MemoryStore();
    private final Cluster other = there.cluster(theirs);
    private final NodeAgent theirAgent;
    private final Cluster own = cluster;

    Namesake() throws IOException {
      assertThat(new ClusterSetup(theirs).create()).isNotEqualTo(new ClusterSetup(store).create());
      theirAgent = there.agent(A, other);
      theirAgent.exchange();
      mount();
    }

    private void mount() {
      other.acquire(A, WEB, REQUEST);
      theirAgent.mount(WEB);
    }

    /** The agent of our node reaches it from now on. */
    void answersOurNode() {
      cluster = other;
    }

    @Override
    public void close() {
      cluster = own;
      theirAgent.close();
      other.close();
      there.close();
    }
  }

  @Test
  void aControlPlaneOfAnotherClusterAcceptsNothingOfARunningAgent() throws IOException {
    try (Namesake namesake = new Namesake()) {
      long epoch = cluster.acquire(A, WEB, REQUEST).epoch();
      agent.mount(WEB);
      assertThat(namesake.other.claims().ofNode(A).all())
          .as("the same claim by its name")
          .containsExactly(new ClaimEpoch(A, WEB, epoch));
      NodeEntry record = namesake.other.nodes().get(A);
      namesake.answersOurNode();

      VolumeException refused =
          catchThrowableOfType(VolumeException.class, () -> agent.release(WEB));

      assertThat(refused.code()).isEqualTo(OperatorCode.CONTROL_PLANE_OTHER);
      assertThat(refused.outcome()).isEqualTo(VolumeException.Outcome.HELD);
      assertThat(namesake.other.claims().ofNode(A).taken()).hasSize(1);
      assertThat(namesake.other.nodes().get(A)).isEqualTo(record);
      namesake.theirAgent.exchange();
      assertThat(namesake.theirAgent.manager().hasMount(WEB)).isTrue();
    }
    agent.exchange();
    assertThat(hasClaim(WEB)).as("its own cluster learns that the workload has ended").isFalse();
    world.storage.assertLawful();
  }

  @Test
  void aControlPlaneOfAnotherClusterDoesNotSayWhatAClaimIsWorth() throws IOException {
    try (Namesake namesake = new Namesake()) {
      namesake.theirAgent.release(WEB);
      namesake.mount();
      long epoch = cluster.acquire(A, WEB, REQUEST).epoch();
      agent.mount(WEB);
      assertThat(namesake.other.claims().ofNode(A).all().get(0).epoch())
          .as("there the claim is stale")
          .isGreaterThan(epoch);
      AtomicInteger asked = new AtomicInteger();
      line.beforeStanding = usage -> asked.incrementAndGet();

      namesake.answersOurNode();
      asked.set(0);

      Eventually.isTrue("the claim was looked at several times", () -> asked.get() > 3);
      assertThat(agent.manager().hasMount(WEB)).isTrue();
      for (ClaimQuestion each :
          List.of(
              new ClaimQuestion(new ClaimEpoch(A, WEB, epoch), agent.manager().cluster()),
              new ClaimQuestion(new ClaimEpoch(A, LOG, 1), Optional.of("another")))) {
        VolumeException refused =
            catchThrowableOfType(VolumeException.class, () -> namesake.other.verdict(each));
        assertThat(refused.code()).isEqualTo(OperatorCode.CONTROL_PLANE_OTHER);
        assertThat(refused.outcome()).isEqualTo(VolumeException.Outcome.HELD);
      }
    }
    agent.exchange();
    assertThat(agent.mount(WEB).usage()).isEqualTo(WEB);
  }
}
