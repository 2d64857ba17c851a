package io.csi4j.testkit;

import static io.csi4j.client.model.CsiOperation.CONTROLLER_GET_CAPABILITIES;
import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME;
import static io.csi4j.client.model.CsiOperation.DELETE_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_GET_INFO;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.client.model.CsiOperation.PROBE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Message;
import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerGetVolumeHealthRequest;
import io.csi4j.client.controller.ControllerGetVolumeRequest;
import io.csi4j.client.identity.IdentityService.Readiness;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.NodeGetInfoRequest;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.RawCaller.Ended;
import io.csi4j.testkit.RawCaller.Pending;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.internal.server.PluginThread;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import io.grpc.CallOptions;
import io.grpc.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Starting, stopping, freezing, and where it listens. */
@Isolated("Counts threads.")
class LifeTest {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Message INFO = NodeGetInfoRequest.getDefaultInstance();
  private static final Message CAPABILITIES = ControllerGetCapabilitiesRequest.getDefaultInstance();

  private static Status.Code call(
      io.csi4j.client.model.CsiEndpoint endpoint, CsiOperation operation, Message request) {
    try (RawCaller caller = new RawCaller(endpoint)) {
      return caller.call(operation, request).code();
    }
  }

  private static Status.Code probe(TestPlugin plugin) {
    return call(plugin.endpoint(), PROBE, Requests.probe());
  }

  // Stop and start

  @Test
  void stoppedItLeavesItsSocketBehindWithNobodyListening() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      Path socket = plugin.endpoint().path();
      plugin.stop();

      assertThat(socket).exists();
      assertThatThrownBy(
              () -> {
                try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                  channel.connect(UnixDomainSocketAddress.of(socket));
                }
              })
          .isInstanceOf(ConnectException.class);

      plugin.start();
      assertThat(probe(plugin)).isEqualTo(Status.Code.OK);
    }
  }

  @Test
  void whoSeesItsConnectionBreakFindsNobodyListening() throws Exception {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      UnixDomainSocketAddress socket = UnixDomainSocketAddress.of(plugin.endpoint().path());
      for (int i = 0; i < 200; i++) {
        try (SocketChannel connection = SocketChannel.open(socket)) {
          CompletableFuture<Void> stopping = CompletableFuture.runAsync(plugin::stop);
          awaitBreak(connection);
          assertThatThrownBy(() -> SocketChannel.open(socket).close())
              .as("stop %s", i)
              .isInstanceOf(ConnectException.class);
          stopping.join();
        }
        plugin.start();
      }
    }
  }

  private static void awaitBreak(SocketChannel connection) {
    ByteBuffer read = ByteBuffer.allocate(4096);
    try {
      while (connection.read(read) >= 0) {
        read.clear();
      }
    } catch (IOException reset) {
      // So it breaks when something was not read.
    }
  }

  @Test
  void aCallInFlightBreaksWhenItIsStoppedAndItsWorkIsNotDone() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        RawCaller caller = new RawCaller(plugin.endpoint())) {
      plugin.inject(Fault.hang(), When.calling(CREATE_VOLUME));
      Pending call = caller.begin(CREATE_VOLUME, Requests.create("a"));
      plugin.journal().await(c -> c.number() == 1, SOON);

      plugin.restart();

      assertThat(call.ended().code()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(plugin.journal().calls())
          .singleElement()
          .satisfies(c -> assertThat(c.end()).contains(new CallEnd.Broken()));
      plugin.release();
      assertThat(probe(plugin)).isEqualTo(Status.Code.OK);
      assertThat(plugin.contents().volumes()).isEmpty();
      assertThat(plugin.journal().events())
          .extracting(Object::getClass)
          .startsWith(
              JournalEvent.Started.class,
              JournalEvent.Began.class,
              JournalEvent.Ended.class,
              JournalEvent.Stopped.class,
              JournalEvent.Started.class);
    }
  }

  @Test
  void theTypedClientGoesOnAfterARestartAndWhatItKnewItKnows() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        CsiPlugin client = CsiPlugin.connect(plugin.endpoint())) {
      assertThat(call(plugin.endpoint(), CREATE_VOLUME, Requests.create("a")))
          .isEqualTo(Status.Code.OK);

      plugin.restart();

      assertThat(client.identity().probe()).isEqualTo(Readiness.READY);
      assertThat(plugin.contents().volumes()).hasSize(1);
      plugin.forget();
      assertThat(plugin.contents().volumes()).isEmpty();
      assertThat(plugin.journal().events()).anyMatch(JournalEvent.Forgot.class::isInstance);
    }
  }

  @Test
  void aReplacedSocketIsAnotherFileAtTheSamePathAndTheClientGoesOn() throws IOException {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        CsiPlugin client = CsiPlugin.connect(plugin.endpoint());
        RawCaller caller = new RawCaller(plugin.endpoint())) {
      plugin.inject(Fault.hang(), When.calling(CREATE_VOLUME));
      Pending call = caller.begin(CREATE_VOLUME, Requests.create("a"));
      plugin.journal().await(c -> c.operation() == CREATE_VOLUME, SOON);
      Object before = inode(plugin);

      plugin.replaceSocket();

      assertThat(inode(plugin)).isNotEqualTo(before);
      assertThat(call.ended().code()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(client.identity().probe()).isEqualTo(Readiness.READY);
      // It went on, and so does its work.
      plugin.release();
      plugin.journal().await(c -> c.operation() == CREATE_VOLUME && c.worked(), SOON);
      assertThat(plugin.contents().volumes()).hasSize(1);
    }
  }

  private static Object inode(TestPlugin plugin) throws IOException {
    return Files.getAttribute(plugin.endpoint().path(), "unix:ino");
  }

  @Test
  void frozenItTakesCallsAndAnswersThemWhenItIsThawed() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        RawCaller caller = new RawCaller(plugin.endpoint())) {
      plugin.freeze();
      Pending first = caller.begin(CREATE_VOLUME, Requests.create("a"));
      plugin.journal().await(c -> c.number() == 1, SOON);
      Pending given = caller.begin(CREATE_VOLUME, Requests.create("b"));
      plugin.journal().await(c -> c.number() == 2, SOON);
      given.cancel();
      plugin
          .journal()
          .await(c -> c.end().filter(new CallEnd.Abandoned()::equals).isPresent(), SOON);
      assertThat(plugin.contents().volumes()).isEmpty();
      assertThat(plugin.journal().inFlight()).hasSize(1);
      assertThat(first.end()).isNotDone();

      plugin.thaw();

      assertThat(first.ended().code()).isEqualTo(Status.Code.OK);
      plugin.journal().await(c -> c.number() == 2 && c.worked(), SOON);
      assertThat(plugin.contents().volumes()).hasSize(2);
    }
  }

  @Test
  void anAnswerThatIsReadyWhenItFreezesWaitsToo() throws Exception {
    CountDownLatch working = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    try (FakeCsiPlugin plugin =
            FakeCsiPlugin.builder()
                .effects(
                    new Staging() {
                      @Override
                      public void stage(VolumeId volume, PluginPath staging) throws IOException {
                        working.countDown();
                        await(finish);
                      }
                    })
                .shape(PluginShape.noAttach())
                .open();
        RawCaller caller = new RawCaller(plugin.endpoint())) {
      plugin.addVolume(VolumeId.of("v"));
      Pending call = caller.begin(NODE_STAGE_VOLUME, Requests.stage("v", "/s"));
      working.await();
      plugin.freeze();
      finish.countDown();
      plugin.journal().await(c -> c.worked(), SOON);

      assertThat(call.end()).isNotDone();
      assertThat(plugin.journal().inFlight()).hasSize(1);
      plugin.thaw();
      assertThat(call.ended().code()).isEqualTo(Status.Code.OK);
    }
  }

  @Test
  void callsThatHangKeepNobodyOutHoweverManyTheyAre() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        RawCaller caller = new RawCaller(plugin.endpoint())) {
      plugin.inject(Fault.hang(), When.calling(CREATE_VOLUME));
      for (int i = 0; i < 300; i++) {
        Pending unused = caller.begin(CREATE_VOLUME, Requests.create("v" + i));
      }
      assertThat(caller.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.OK);
      plugin.journal().await(c -> c.number() == 301, SOON);
      assertThat(plugin.journal().inFlight()).hasSize(300);
    }
  }

  @Test
  void underLoadItsSocketsAreMadeAnewAgainAndAgain() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService callers = Executors.newCachedThreadPool();
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        CsiPlugin client = CsiPlugin.connect(plugin.endpoint())) {
      for (int i = 0; i < 8; i++) {
        Future<?> unused = callers.submit(() -> askUntil(over, client));
      }
      for (int i = 0; i < 100; i++) {
        plugin.replaceSocket();
        plugin.restart();
      }
      over.set(true);
      callers.shutdown();
      assertThat(callers.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
      // The first may still go over connections that broke, of whose end the client is not told.
      long end = System.nanoTime() + SOON.toNanos();
      while (!isAnswered(client)) {
        assertThat(System.nanoTime()).as("a call is answered again").isLessThan(end);
      }
      assertThat(plugin.journal().inFlight()).isEmpty();
    } finally {
      callers.shutdownNow();
    }
  }

  private static void askUntil(AtomicBoolean over, CsiPlugin client) {
    while (!over.get()) {
      boolean unused = isAnswered(client);
    }
  }

  /** Whether a call is answered; otherwise its connection broke, as it must. */
  private static boolean isAnswered(CsiPlugin client) {
    try {
      return client.identity().probe() == Readiness.READY;
    } catch (CsiException e) {
      return false;
    }
  }

  @Test
  void theConditionOfAFaultCannotStartThePluginAnew() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.hang(),
          When.anyCall()
              .where(
                  call -> {
                    plugin.replaceSocket();
                    return true;
                  }));
      assertThat(probe(plugin)).isEqualTo(Status.Code.UNAVAILABLE);
      plugin.clearFaults();
      plugin.restart();
      assertThat(probe(plugin)).isEqualTo(Status.Code.OK);
    }
  }

  @Test
  void theCodeOfAFaultFreezesAndReleasesWithoutWaitingForItself() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        RawCaller caller = new RawCaller(plugin.endpoint())) {
      List<Runnable> moves = List.of(plugin::freeze, plugin::release);
      for (Runnable move : moves) {
        AtomicLong took = new AtomicLong();
        plugin.answer(
            PROBE,
            request -> {
              long began = System.nanoTime();
              move.run();
              took.set(System.nanoTime() - began);
              return Map.of();
            });
        assertThat(caller.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.OK);
        assertThat(Duration.ofNanos(took.get())).isLessThan(Duration.ofSeconds(2));
        plugin.thaw();
        plugin.clearFaults();
      }
    }
  }

  @Test
  void aRestartThaws() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.freeze();
      plugin.restart();
      assertThat(probe(plugin)).isEqualTo(Status.Code.OK);
    }
  }

  @Test
  void upgradedItIsSomethingElse() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        CsiPlugin client = CsiPlugin.connect(plugin.endpoint())) {
      assertThat(client.identity().probe()).isEqualTo(Readiness.READY);
      plugin.upgrade(PluginShape.nodeOnly().vendorVersion("2.0.0"));

      assertThat(plugin.shape().vendorVersion()).isEqualTo("2.0.0");
      assertThat(call(plugin.endpoint(), CONTROLLER_GET_CAPABILITIES, CAPABILITIES))
          .isEqualTo(Status.Code.UNIMPLEMENTED);
      assertThat(plugin.journal().describe()).contains("started as fake.csi4j.example 2.0.0");
    }
  }

  @Test
  void upgradedUnderLoadItTellsTheSameHealthInTheWordsOfTheOtherRelease() throws Exception {
    VolumeId volume = VolumeId.of("v");
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService callers = Executors.newFixedThreadPool(2);
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.addVolume(volume);
      plugin.health(
          volume,
          VolumeHealthEntry.of(
              VolumeHealthEntry.Status.DEGRADED, HealthReason.of("ReplicaLost"), "one leg"));
      List<Future<?>> load =
          IntStream.range(0, 2)
              .<Future<?>>mapToObj(
                  i ->
                      callers.submit(
                          () -> {
                            while (!done.get()) {
                              probe(plugin);
                            }
                          }))
              .toList();
      assertThat(told(plugin, volume)).containsExactly("abnormal DEGRADED ReplicaLost: one leg");
      plugin.upgrade(PluginShape.full112And113());
      assertThat(told(plugin, volume))
          .containsExactly("abnormal DEGRADED ReplicaLost: one leg", "DEGRADED ReplicaLost");
      plugin.upgrade(PluginShape.full113());
      assertThat(told(plugin, volume)).containsExactly("DEGRADED ReplicaLost");
      done.set(true);
      for (Future<?> each : load) {
        each.get(20, TimeUnit.SECONDS);
      }
    } finally {
      done.set(true);
      callers.shutdownNow();
    }
  }

  /** The health of a volume, in the words that the plugin offers. */
  private static List<String> told(FakeCsiPlugin plugin, VolumeId volume) {
    try (CsiPlugin client = CsiPlugin.connect(plugin.endpoint())) {
      List<String> told = new ArrayList<>();
      client
          .controller()
          .getVolume(ControllerGetVolumeRequest.builder(volume).build())
          .condition()
          .ifPresent(condition -> told.add("abnormal " + condition.message()));
      if (plugin.shape().offers(ControllerCapability.GET_VOLUME_HEALTH)) {
        client
            .controller()
            .getVolumeHealth(ControllerGetVolumeHealthRequest.builder(volume).build())
            .entries()
            .stream()
            .map(entry -> entry.status() + " " + entry.reason())
            .forEach(told::add);
      }
      return told;
    }
  }

  @Test
  void itCanBeStoppedInTheMiddleOfItsOwnWork() {
    FakeCsiPlugin[] self = new FakeCsiPlugin[1];
    try (FakeCsiPlugin plugin =
        FakeCsiPlugin.builder()
            .effects(
                new Staging() {
                  @Override
                  public void stage(VolumeId volume, PluginPath staging) {
                    self[0].stop();
                  }
                })
            .shape(PluginShape.noAttach())
            .open()) {
      self[0] = plugin;
      plugin.addVolume(VolumeId.of("v"));
      assertThat(call(plugin.endpoint(), NODE_STAGE_VOLUME, Requests.stage("v", "/s")))
          .isEqualTo(Status.Code.UNAVAILABLE);
      plugin.journal().await(c -> c.worked(), SOON);
      plugin.start();
      assertThat(plugin.contents().staged()).hasSize(1);
    }
  }

  @Test
  void everyLifeCallIsHarmlessTwiceAndFromManyThreads() throws Exception {
    FakeCsiPlugin plugin = FakeCsiPlugin.open();
    ExecutorService many = Executors.newFixedThreadPool(8);
    try {
      List<Runnable> moves =
          List.of(
              plugin::stop,
              plugin::start,
              plugin::replaceSocket,
              plugin::freeze,
              plugin::thaw,
              plugin::restart,
              plugin::release,
              plugin::clearFaults);
      List<? extends Future<?>> all =
          IntStream.range(0, 160).mapToObj(i -> many.submit(moves.get(i % moves.size()))).toList();
      for (Future<?> one : all) {
        one.get();
      }
      plugin.start();
      plugin.start();
      plugin.thaw();
      assertThat(probe(plugin)).isEqualTo(Status.Code.OK);
    } finally {
      many.shutdownNow();
      plugin.close();
    }
    plugin.close();
    plugin.stop();
    assertThatThrownBy(plugin::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  // Where

  @Test
  void closedItLeavesNothingBehind() {
    FakeCsiPlugin plugin = FakeCsiPlugin.builder().nodes(NodeId.of("a"), NodeId.of("b")).open();
    Path directory = plugin.endpoint().path().getParent();
    assertThat(directory).isDirectoryContaining(path -> path.endsWith("b.sock"));
    assertThat(probe(plugin)).isEqualTo(Status.Code.OK);

    plugin.close();

    assertThat(directory).doesNotExist();
    assertThat(threads()).isEmpty();
  }

  static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("csi4j-testkit-"))
        .toList();
  }

  @Test
  void closedByTwoThreadsItLeavesNothingBehindWhenEitherReturns() {
    FakeCsiPlugin plugin = FakeCsiPlugin.open();
    Path directory = plugin.endpoint().path().getParent();

    CompletableFuture.anyOf(
            CompletableFuture.runAsync(plugin::close), CompletableFuture.runAsync(plugin::close))
        .join();

    assertThat(directory).doesNotExist();
    assertThat(PluginThread.of(plugin.journal())).isEmpty();
  }

  @Test
  void whatOthersKeepInItsDirectoryStays(@TempDir Path temp) throws IOException {
    Path directory = temp.resolve("made/deep");
    try (FakeCsiPlugin plugin = FakeCsiPlugin.builder().directory(directory).open()) {
      assertThat(plugin.endpoint().path()).isEqualTo(directory.resolve("csi.sock"));
      Files.createFile(directory.resolve("other"));
    }
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).containsExactly(directory.resolve("other"));
    }
  }

  @Test
  void closedItRemovesEachDirectoryThatItMadeAndNoOther(@TempDir Path temp) throws IOException {
    Path there = Files.createDirectory(temp.resolve("there"));
    FakeCsiPlugin.builder().directory(there.resolve("a/b/c")).open().close();
    assertThat(there).isEmptyDirectory();

    FakeCsiPlugin.builder().directory(there).open().close();
    assertThat(there).isEmptyDirectory();

    try (FakeCsiPlugin outer = FakeCsiPlugin.builder().directory(there.resolve("a/b")).open()) {
      FakeCsiPlugin.builder().directory(there.resolve("a/b/c/d")).open().close();
      assertThat(there.resolve("a/b")).isDirectoryNotContaining(path -> path.endsWith("c"));
      assertThat(probe(outer)).isEqualTo(Status.Code.OK);
      Files.createFile(there.resolve("a/other"));
    }
    assertThat(there.resolve("a")).isDirectoryContaining(path -> path.endsWith("other"));
    assertThat(there.resolve("a/b")).doesNotExist();

    Path tooLong = there.resolve("new").resolve("d".repeat(120));
    assertThatThrownBy(() -> FakeCsiPlugin.builder().directory(tooLong).open())
        .hasMessageContaining("shorter path");
    assertThat(there.resolve("new")).doesNotExist();
  }

  @Test
  void separateSocketsServeTheControllerApartFromTheNodes() {
    NodeId one = NodeId.of("one");
    NodeId two = NodeId.of("../two");
    try (FakeCsiPlugin plugin =
        FakeCsiPlugin.builder().shape(PluginShape.separateSockets()).nodes(one, two).open()) {
      assertThat(plugin.endpoint().path()).hasFileName("controller.sock");
      assertThat(plugin.nodeEndpoint().path()).hasFileName("csi.sock");
      assertThat(plugin.nodeEndpoint(two).path().getParent())
          .isEqualTo(plugin.endpoint().path().getParent());
      assertThat(call(plugin.endpoint(), CONTROLLER_GET_CAPABILITIES, CAPABILITIES))
          .isEqualTo(Status.Code.OK);
      assertThat(call(plugin.endpoint(), NODE_GET_INFO, INFO)).isEqualTo(Status.Code.UNIMPLEMENTED);
      assertThat(call(plugin.nodeEndpoint(one), NODE_GET_INFO, INFO)).isEqualTo(Status.Code.OK);
      assertThat(call(plugin.nodeEndpoint(two), NODE_GET_INFO, INFO)).isEqualTo(Status.Code.OK);
      assertThat(call(plugin.nodeEndpoint(two), CONTROLLER_GET_CAPABILITIES, CAPABILITIES))
          .isEqualTo(Status.Code.UNIMPLEMENTED);
      assertThat(call(plugin.nodeEndpoint(two), PROBE, Requests.probe())).isEqualTo(Status.Code.OK);
      assertThat(plugin.journal().calls(NODE_GET_INFO))
          .extracting(call -> call.node().map(NodeId::value).orElse("none"))
          .containsExactly("none", "one", "../two");
      assertThatThrownBy(() -> plugin.nodeEndpoint(NodeId.of("three")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("three")
          .hasMessageContaining("one");
    }
  }

  @Test
  void aListenerThatAStartingProcessHasInheritedForAMomentIsWaitedFor(@TempDir Path directory)
      throws IOException {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.builder().directory(directory).open();
        ServerSocketChannel inherited = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      plugin.stop();
      Files.delete(plugin.endpoint().path());
      inherited.bind(UnixDomainSocketAddress.of(plugin.endpoint().path()));
      CompletableFuture<Void> end =
          CompletableFuture.runAsync(
              () -> assertThatCode(inherited::close).doesNotThrowAnyException(),
              CompletableFuture.delayedExecutor(30, TimeUnit.MILLISECONDS));

      plugin.start();

      assertThat(probe(plugin)).isEqualTo(Status.Code.OK);
      end.join();
    }
  }

  @Test
  void aLivingServerIsNotPushedAside(@TempDir Path directory) {
    try (FakeCsiPlugin first = FakeCsiPlugin.builder().directory(directory).open()) {
      assertThatThrownBy(() -> FakeCsiPlugin.builder().directory(directory).open())
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("another server listens there");
      assertThat(probe(first)).isEqualTo(Status.Code.OK);
      first.stop();
      try (FakeCsiPlugin second = FakeCsiPlugin.builder().directory(directory).open()) {
        assertThat(probe(second)).isEqualTo(Status.Code.OK);
        assertThatThrownBy(first::start).hasMessageContaining("another server listens there");
        assertThat(probe(second)).isEqualTo(Status.Code.OK);
      }
    }
  }

  @Test
  void aStartOrAReplacementThatFailedStandsInTheJournalAsStopped(@TempDir Path directory)
      throws IOException {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.builder().directory(directory).open();
        RawCaller caller = new RawCaller(plugin.endpoint())) {
      plugin.inject(Fault.hang(), When.calling(CREATE_VOLUME));
      Pending call = caller.begin(CREATE_VOLUME, Requests.create("a"));
      plugin.journal().await(c -> c.number() == 1, SOON);
      Path socket = plugin.endpoint().path();
      Files.delete(socket);
      Files.createFile(socket);

      assertThatThrownBy(plugin::replaceSocket)
          .hasMessageContaining("a file that is not a socket is there");
      assertThat(call.ended().code()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(lastEvent(plugin)).isInstanceOf(JournalEvent.Stopped.class);
      assertThatThrownBy(plugin::start)
          .hasMessageContaining("a file that is not a socket is there");
      assertThat(lastEvent(plugin)).isInstanceOf(JournalEvent.Stopped.class);

      Files.delete(socket);
      plugin.start();
      assertThat(probe(plugin)).isEqualTo(Status.Code.OK);
      plugin.release();
      assertThat(plugin.contents().volumes()).isEmpty();
    }
  }

  private static JournalEvent lastEvent(TestPlugin plugin) {
    List<JournalEvent> events = plugin.journal().events();
    return events.get(events.size() - 1);
  }

  @Test
  void closedItLeavesTheSocketOfTheServerThatTookItsPlace(@TempDir Path directory) {
    try (FakeCsiPlugin first = FakeCsiPlugin.builder().directory(directory).open()) {
      first.stop();
      FakeCsiPlugin.builder().directory(directory).open().close();
      try (FakeCsiPlugin third = FakeCsiPlugin.builder().directory(directory).open()) {
        first.close();
        assertThat(probe(third)).isEqualTo(Status.Code.OK);
      }
      assertThat(directory).isEmptyDirectory();
    }
  }

  @Test
  void aFileThatIsNoSocketStays(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("csi.sock"), "precious");

    assertThatThrownBy(() -> FakeCsiPlugin.builder().directory(directory).open())
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("a file that is not a socket is there");
    assertThat(file).hasContent("precious");
    assertThat(threads()).isEmpty();
  }

  @Test
  void theSocketMayHaveAnyNameAndTheOthersAreBesideItUnderNamesOfTheirOwn(@TempDir Path directory) {
    NodeId first = NodeId.of("a");
    NodeId second = NodeId.of("mine");
    for (String name : List.of("csi.sock", "controller.sock", "mine.sock", "any name")) {
      Path socket = directory.resolve("new").resolve(name);
      try (FakeCsiPlugin plugin =
          FakeCsiPlugin.builder()
              .socket(socket)
              .shape(PluginShape.separateSockets())
              .nodes(first, second)
              .open()) {
        assertThat(plugin.nodeEndpoint(first).path()).isEqualTo(socket);
        assertThat(
                List.of(plugin.endpoint(), plugin.nodeEndpoint(first), plugin.nodeEndpoint(second)))
            .doesNotHaveDuplicates()
            .allSatisfy(each -> assertThat(each.path()).exists().hasParent(socket.getParent()));
      }
      assertThat(directory).isEmptyDirectory();
    }
  }

  @Test
  void aPathThatIsTooLongForASocketIsRefusedWithBothLengths(@TempDir Path temp) {
    Path directory = temp.resolve("d".repeat(120));

    assertThatThrownBy(() -> FakeCsiPlugin.builder().directory(directory).open())
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("allows 107")
        .hasMessageContaining("shorter path");
    assertThat(directory).doesNotExist();
  }

  @Test
  void aDirectoryThatCannotBeMadeIsNamed(@TempDir Path temp) throws IOException {
    Path file = Files.createFile(temp.resolve("file"));

    assertThatThrownBy(() -> FakeCsiPlugin.builder().directory(file.resolve("d")).open())
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("Making the directory");
  }

  // How it is called

  @Test
  void aStrictPluginRefusesAnAuthorityThatIsNotLocalhost() {
    try (FakeCsiPlugin plugin =
            FakeCsiPlugin.open(PluginShape.full().with(Quirk.STRICT_AUTHORITY));
        RawCaller other = new RawCaller(plugin.endpoint(), "other.example");
        RawCaller right = new RawCaller(plugin.endpoint())) {
      assertThat(other.call(PROBE, Requests.probe()).status().getDescription())
          .contains("PROTOCOL_ERROR");
      assertThat(right.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.OK);
      assertThat(plugin.journal().calls())
          .extracting(call -> call.authority() + " " + call.ok())
          .containsExactly("other.example false", "localhost true");
    }
  }

  @Test
  void okCanComeWithAMessage() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(PluginShape.full().with(Quirk.MESSAGE_ON_OK));
        RawCaller caller = new RawCaller(plugin.endpoint())) {
      Ended end = caller.call(PROBE, Requests.probe());

      assertThat(end.code()).isEqualTo(Status.Code.OK);
      assertThat(end.status().getDescription()).isEqualTo("all is well");
    }
  }

  @Test
  void aSilentPluginSaysUnknownAndNothingWhateverFailed() {
    try (FakeCsiPlugin plugin =
            FakeCsiPlugin.open(PluginShape.full().with(Quirk.FAILURES_UNKNOWN_AND_SILENT));
        RawCaller caller = new RawCaller(plugin.endpoint())) {
      Ended end = caller.call(NODE_STAGE_VOLUME, Requests.stage("none", "/x"));

      assertThat(end.code()).isEqualTo(Status.Code.UNKNOWN);
      assertThat(end.status().getDescription()).isNullOrEmpty();
      assertThat(plugin.journal().last(NODE_STAGE_VOLUME).orElseThrow().end())
          .contains(new CallEnd.Failed(2, ""));
    }
  }

  @Test
  void aMethodThatDoesNotExistIsUnimplementedAndBytesThatAreNoRequestAreRefused() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        RawCaller caller = new RawCaller(plugin.endpoint())) {
      assertThat(caller.begin("csi.v1.Identity/Nothing", new byte[0]).ended().code())
          .isEqualTo(Status.Code.UNIMPLEMENTED);
      assertThat(plugin.journal().calls()).isEmpty();
      Ended end = caller.begin(DELETE_VOLUME.fullName(), new byte[] {-1, -1}).ended();
      assertThat(end.code()).isEqualTo(Status.Code.INTERNAL);
      assertThat(plugin.journal().calls())
          .singleElement()
          .satisfies(call -> assertThat(call.worked()).isFalse());
    }
  }

  @Test
  void aCompressedRequestIsRefusedAsWhatThePluginDoesNotKnow() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        RawCaller caller = new RawCaller(plugin.endpoint())) {
      Ended end =
          caller
              .begin(
                  DELETE_VOLUME.fullName(),
                  Requests.delete("v".repeat(100)).toByteArray(),
                  CallOptions.DEFAULT.withCompression("gzip"))
              .ended();

      assertThat(end.code()).isEqualTo(Status.Code.UNIMPLEMENTED);
      assertThat(end.status().getDescription()).contains("compressed");
    }
  }

  @Test
  void aCallerThatHangsUpHasAbandonedItsCall() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(Fault.hang(), When.calling(PROBE));
      try (PlainSocketCaller caller = new PlainSocketCaller(plugin.endpoint().path())) {
        caller.send("/" + PROBE.fullName(), Requests.probe());
        plugin.journal().await(c -> c.number() == 1, SOON);
      }

      assertThat(plugin.journal().await(c -> c.end().isPresent(), SOON).end())
          .contains(new CallEnd.Abandoned());
    }
  }

  @Test
  void everyOperationOfTheSpecIsServedOnTheMainSocket() {
    PluginShape everything =
        PluginShape.full().with(ControllerCapability.values()).with(NodeCapability.values());
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(everything);
        RawCaller caller = new RawCaller(plugin.endpoint())) {
      for (CsiOperation operation : CsiOperation.values()) {
        Ended end = caller.begin(operation.fullName(), new byte[0]).ended();
        assertThat(end.code()).as("%s", operation).isNotEqualTo(Status.Code.UNIMPLEMENTED);
      }
      assertThat(plugin.journal().operations()).containsExactly(CsiOperation.values());
    }
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /** Effects of which only staging matters. */
  private abstract static class Staging implements NodeEffects {
    @Override
    public void unstage(VolumeId volume, PluginPath staging) {}

    @Override
    public void publish(Publication publication) {}

    @Override
    public void unpublish(VolumeId volume, PluginPath target) {}
  }
}
