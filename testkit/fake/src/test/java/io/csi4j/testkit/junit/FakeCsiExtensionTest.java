package io.csi4j.testkit.junit;

import static io.csi4j.client.model.AccessMode.SINGLE_NODE_WRITER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.client.node.NodeUnpublishVolumeRequest;
import io.csi4j.mount.model.MountPath;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.RawCaller;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.internal.server.PluginThread;
import io.csi4j.testkit.journal.CallJournal;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.testkit.model.ShapePreset;
import io.csi4j.testkit.model.VirtualClock;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.testkit.referee.UnlawfulCallerException;
import io.grpc.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** The extension as test engines see it: each case runs a class of tests of its own. */
final class FakeCsiExtensionTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final VolumeCapability CAPABILITY = VolumeCapability.mount(SINGLE_NODE_WRITER);

  private static EngineExecutionResults run(Class<?> tests) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(tests))
        .configurationParameter("junit.jupiter.conditions.deactivate", "*DisabledCondition")
        .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
        .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
        .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "4")
        .execute();
  }

  private static Throwable failureOf(Class<?> tests) {
    List<Throwable> failures =
        run(tests).allEvents().executions().failed().stream()
            .map(each -> each.getTerminationInfo().getExecutionResult())
            .map(TestExecutionResult::getThrowable)
            .map(java.util.Optional::orElseThrow)
            .toList();
    assertThat(failures).hasSize(1);
    return failures.get(0);
  }

  private static void passes(Class<?> tests, int number) {
    EngineExecutionResults results = run(tests);
    assertThat(
            results.allEvents().executions().failed().stream()
                .map(each -> each.getTerminationInfo().getExecutionResult()))
        .isEmpty();
    assertThat(results.testEvents().succeeded().count()).isEqualTo(number);
  }

  // ---- what a test is given

  @Test
  void allParametersOfATestBelongToOnePlugin() {
    passes(Parameters.class, 2);
  }

  @FakeCsi
  static final class Parameters {
    private final FakeCsiPlugin ofConstructor;

    Parameters(FakeCsiPlugin plugin) {
      this.ofConstructor = plugin;
    }

    @BeforeEach
    void prepare(FakeCsiPlugin plugin) {
      assertThat(plugin).isSameAs(ofConstructor);
    }

    @Test
    void all(FakeCsiPlugin plugin, CsiEndpoint endpoint, CsiPlugin client, CallJournal journal) {
      assertThat(plugin).isSameAs(ofConstructor);
      assertThat(endpoint).isEqualTo(plugin.endpoint());
      assertThat(client.endpoint()).isEqualTo(endpoint);
      assertThat(client.identity().getPluginInfo().name()).isEqualTo(plugin.shape().name());
      assertThat(journal.operations()).contains(CsiOperation.GET_PLUGIN_INFO);
    }

    @Test
    void another(FakeCsiPlugin plugin) {
      assertThat(plugin.journal().calls()).isEmpty();
    }
  }

  @Test
  void fieldsAreSetBeforeEachTest() {
    passes(Fields.class, 3);
  }

  static final class Fields {
    @FakeCsi(shape = ShapePreset.NODE_ONLY)
    private FakeCsiPlugin node;

    @FakeCsi(shape = ShapePreset.NODE_ONLY)
    private CallJournal journalOfNode;

    @FakeCsi private CsiPlugin client;

    @FakeCsi(lifetime = PluginLifetime.CLASS, name = "shared")
    private static CsiEndpoint shared;

    private static CsiEndpoint sharedBefore;

    @BeforeAll
    static void keep() {
      sharedBefore = shared;
    }

    @BeforeEach
    void areThere() {
      assertThat(node.journal()).isSameAs(journalOfNode);
      assertThat(journalOfNode.calls()).isEmpty();
      assertThat(client.endpoint()).isNotEqualTo(node.endpoint());
      assertThat(shared).isNotNull().isEqualTo(sharedBefore);
    }

    @RepeatedTest(2)
    void areNewForEachTest() {
      try (CsiPlugin mine = CsiPlugin.connect(node.endpoint())) {
        assertThat(mine.identity().getPluginCapabilities().offered()).isEmpty();
      }
    }

    @Test
    void parametersWithAnEqualAnnotationBelongToThem(
        @FakeCsi(shape = ShapePreset.NODE_ONLY) FakeCsiPlugin same) {
      assertThat(same).isSameAs(node);
    }
  }

  @Test
  void whatAPluginOfAFieldIsLeftWithFailsATestThatPassed() {
    assertThat(failureOf(FieldLeft.class))
        .isExactlyInstanceOf(AssertionError.class)
        .hasMessageContaining("Volume 'vol-1' is still published on node 'node-1' at ");
  }

  static final class FieldLeft {
    @FakeCsi(lawful = false)
    private FakeCsiPlugin plugin;

    @FakeCsi(lawful = false)
    private CsiPlugin client;

    @Test
    void publishes(@TempDir Path dir) {
      publish(plugin, client, dir);
    }
  }

  @Test
  void aFieldOfAnotherTypeIsRefused() {
    assertThat(failureOf(OddField.class))
        .hasMessageContaining("@FakeCsi is on the field text, which cannot be injected")
        .hasMessageContaining("FakeCsiPlugin");
  }

  static final class OddField {
    @FakeCsi String text;

    @Test
    void never() {}
  }

  @Test
  void faultsAreReadFromAFileOfTheTests() {
    passes(FaultsOfAFile.class, 1);
  }

  @FakeCsi(faults = "io/csi4j/testkit/junit/busy.txt")
  static final class FaultsOfAFile {
    @Test
    void actOnTheCallsThatTheyAreFor(FakeCsiPlugin plugin, CsiEndpoint endpoint) {
      try (RawCaller caller = new RawCaller(endpoint)) {
        assertThat(caller.call(CsiOperation.PROBE, ProbeRequest.getDefaultInstance()).code())
            .isEqualTo(Status.Code.OK);
        assertThat(caller.call(CsiOperation.PROBE, ProbeRequest.getDefaultInstance()).status())
            .satisfies(
                status -> {
                  assertThat(status.getCode()).isEqualTo(Status.Code.ABORTED);
                  assertThat(status.getDescription()).isEqualTo("busy");
                });
      }
    }
  }

  @Test
  void aFileOfFaultsThatIsMissingOrMakesNoSenseIsRefused() {
    assertThat(failureOf(MissingFaults.class))
        .hasStackTraceContaining(
            "@FakeCsi(faults = \"no/such/file.txt\") is neither a resource of the class path nor a"
                + " file that can be read.");
    assertThat(failureOf(OddFaults.class))
        .hasStackTraceContaining("io/csi4j/testkit/junit/odd.txt:2:8: 'hung' is not a valid step.");
  }

  @FakeCsi(faults = "no/such/file.txt")
  static final class MissingFaults {
    @Test
    void never(FakeCsiPlugin plugin) {}
  }

  @FakeCsi(faults = "io/csi4j/testkit/junit/odd.txt")
  static final class OddFaults {
    @Test
    void never(FakeCsiPlugin plugin) {}
  }

  @Test
  void theInnermostAnnotationCounts() {
    passes(Shapes.class, 5);
  }

  @FakeCsi(shape = ShapePreset.NO_STAGING)
  static final class Shapes {
    @Test
    void ofTheClass(FakeCsiPlugin plugin) {
      assertThat(plugin.shape()).isEqualTo(PluginShape.noStaging());
    }

    @FakeCsi(
        shape = ShapePreset.PLAIN,
        quirks = Quirk.CAPACITY_UNTOLD,
        nodes = {"a", "b"})
    @Test
    void ofTheMethod(FakeCsiPlugin plugin) {
      assertThat(plugin.shape()).isEqualTo(PluginShape.plain().with(Quirk.CAPACITY_UNTOLD));
      assertThat(plugin.nodes()).containsExactly(NodeId.of("a"), NodeId.of("b"));
    }

    @Test
    void ofTheParameter(
        FakeCsiPlugin usual,
        @FakeCsi(shapeFrom = OwnShape.class) FakeCsiPlugin own,
        @FakeCsi(shapeFrom = OwnShape.class) CsiEndpoint sameOwn,
        @FakeCsi(shapeFrom = OwnShape.class, name = "second") FakeCsiPlugin second) {
      assertThat(usual.shape()).isEqualTo(PluginShape.noStaging());
      assertThat(own.shape().vendorVersion()).isEqualTo("7");
      assertThat(sameOwn).isEqualTo(own.endpoint());
      assertThat(second).isNotSameAs(own);
    }

    @Nested
    final class Inner {
      @Test
      void ofTheClassAround(FakeCsiPlugin plugin) {
        assertThat(plugin.shape()).isEqualTo(PluginShape.noStaging());
      }
    }

    @Nested
    @FakeCsi(shape = ShapePreset.BLOCK_ONLY)
    final class InnerWithItsOwn {
      @Test
      void ofTheNestedClass(FakeCsiPlugin plugin) {
        assertThat(plugin.shape()).isEqualTo(PluginShape.blockOnly());
      }
    }
  }

  static final class OwnShape implements ShapeSource {
    @Override
    public PluginShape get() {
      return PluginShape.full().vendorVersion("7");
    }
  }

  @Test
  void aClockIsGivenToThoseWhoAskForVirtualTime() {
    passes(WithClock.class, 1);
  }

  static final class WithClock {
    @FakeCsi(virtualTime = true)
    @Test
    void stands(FakeCsiPlugin plugin, VirtualClock clock, CsiPlugin client) throws Exception {
      plugin.inject(
          Fault.delay(Duration.ofHours(1)), When.calling(CsiOperation.GET_PLUGIN_INFO).once());
      var info = client.identity().async().getPluginInfo().toCompletableFuture();
      while (clock.pending() == 0 && !info.isDone()) {
        LockSupport.parkNanos(100_000);
      }
      clock.advance(Duration.ofHours(1));
      assertThat(info.get(20, TimeUnit.SECONDS).name()).isEqualTo(plugin.shape().name());
    }
  }

  @Test
  void aClockIsRefusedOnRealTime() {
    assertThat(failureOf(WithoutClock.class)).hasMessageContaining("@FakeCsi(virtualTime = true)");
  }

  @FakeCsi
  static final class WithoutClock {
    @Test
    void none(VirtualClock clock) {}
  }

  @Test
  void theKernelInMemoryIsGivenToThoseWhoAskForMounts() {
    passes(WithMounts.class, 1);
  }

  static final class WithMounts {
    @FakeCsi(shape = ShapePreset.NODE_ONLY, mounts = true, leftovers = LeftoverPolicy.ALLOW_VOLUMES)
    @Test
    void stands(
        FakeCsiPlugin plugin, MemoryKernel kernel, CsiPlugin client, @TempDir Path directory)
        throws Exception {
      VolumeId volume = VolumeId.of("vol-1");
      plugin.addVolume(volume);
      Path staging = Files.createDirectory(directory.resolve("staging"));
      Path target = directory.resolve("target");
      VolumeCapability capability = VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER);
      client
          .node()
          .stageVolume(
              NodeStageVolumeRequest.builder(volume, PluginPath.of(staging.toString()), capability)
                  .build());
      client
          .node()
          .publishVolume(
              NodePublishVolumeRequest.builder(volume, PluginPath.of(target.toString()), capability)
                  .stagingTargetPath(PluginPath.of(staging.toString()))
                  .build());
      assertThat(target).isDirectory();
      assertThat(kernel.table().find(MountPath.of(target))).isPresent();

      client
          .node()
          .unpublishVolume(
              NodeUnpublishVolumeRequest.builder(volume, PluginPath.of(target.toString())).build());
      assertThat(target).doesNotExist();
      assertThat(kernel.table().find(MountPath.of(target))).isEmpty();
      assertThat(kernel.table().find(MountPath.of(staging))).isPresent();
    }
  }

  @Test
  void theKernelInMemoryIsRefusedWhereNothingIsMounted() {
    assertThat(failureOf(WithoutMounts.class)).hasMessageContaining("@FakeCsi(mounts = true)");
  }

  @FakeCsi
  static final class WithoutMounts {
    @Test
    void none(MemoryKernel kernel) {}
  }

  // ---- how long a plugin lives

  @Test
  void parameterizedAndRepeatedTestsHaveAPluginEach() {
    Each.SEEN.clear();
    passes(Each.class, 6);
    assertThat(Each.SEEN).hasSize(6);
  }

  @FakeCsi
  static final class Each {
    static final Set<Path> SEEN = ConcurrentHashMap.newKeySet();

    @ParameterizedTest
    @ValueSource(strings = {"a", "b", "c"})
    void parameterized(String value, FakeCsiPlugin plugin) {
      assertThat(value).isNotEmpty();
      SEEN.add(plugin.endpoint().path());
    }

    @RepeatedTest(3)
    void repeated(FakeCsiPlugin plugin) {
      SEEN.add(plugin.endpoint().path());
    }
  }

  @Test
  void testsThatRunAtTheSameTimeHaveAPluginEach() {
    Parallel.SEEN.clear();
    passes(Parallel.class, 4);
    assertThat(Parallel.SEEN).hasSize(4);
  }

  @FakeCsi
  @Execution(ExecutionMode.CONCURRENT)
  static final class Parallel {
    static final Set<Path> SEEN = ConcurrentHashMap.newKeySet();
    static final CyclicBarrier TOGETHER = new CyclicBarrier(4);

    @RepeatedTest(4)
    void meets(FakeCsiPlugin plugin, CsiPlugin client) throws Exception {
      TOGETHER.await(20, TimeUnit.SECONDS);
      SEEN.add(plugin.endpoint().path());
      assertThat(client.identity().probe().isReady()).isTrue();
      TOGETHER.await(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void anInstanceForAllTestsStillGetsAPluginForEach() {
    passes(OneInstance.class, 2);
  }

  @FakeCsi
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  static final class OneInstance {
    private final Set<FakeCsiPlugin> seen = ConcurrentHashMap.newKeySet();

    @RepeatedTest(2)
    void another(FakeCsiPlugin plugin) {
      assertThat(seen.add(plugin)).isTrue();
    }
  }

  @Test
  void aPluginForTheClassIsTheSameEverywhere() {
    passes(ForClass.class, 3);
  }

  @FakeCsi(lifetime = PluginLifetime.CLASS)
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  static final class ForClass {
    private final FakeCsiPlugin first;

    ForClass(FakeCsiPlugin plugin) {
      this.first = plugin;
    }

    @BeforeAll
    void once(FakeCsiPlugin plugin) {
      assertThat(plugin).isSameAs(first);
    }

    @RepeatedTest(2)
    void again(FakeCsiPlugin plugin, CsiPlugin client) {
      assertThat(plugin).isSameAs(first);
      assertThat(client.identity().probe().isReady()).isTrue();
    }

    @Nested
    final class Inner {
      @Test
      void too(FakeCsiPlugin plugin) {
        assertThat(plugin).isSameAs(first);
      }
    }
  }

  @Test
  void aPluginForOneTestIsNotGivenToWhatRunsOnce() {
    assertThat(failureOf(TooEarly.class))
        .hasMessageContaining("@FakeCsi(lifetime = PluginLifetime.CLASS)");
  }

  @FakeCsi
  static final class TooEarly {
    @BeforeAll
    static void once(FakeCsiPlugin plugin) {}

    @Test
    void never() {}
  }

  @Test
  void leftoversOfAClassFailTheClass() {
    assertThat(failureOf(ClassLeavesVolume.class))
        .isExactlyInstanceOf(AssertionError.class)
        .hasMessageContaining("Volume 'vol-1' is still attached to node 'node-1'");
  }

  @FakeCsi(lifetime = PluginLifetime.CLASS)
  static final class ClassLeavesVolume {
    @RepeatedTest(2)
    void attaches(FakeCsiPlugin plugin, CsiPlugin client) {
      var unused = attach(plugin, client);
    }
  }

  // ---- what a test leaves behind

  @Test
  void volumesInUseFailATestThatPassed() {
    assertThat(failureOf(LeavesVolume.class))
        .isExactlyInstanceOf(AssertionError.class)
        .hasMessageContaining("Volume 'vol-1' is still published on node 'node-1' at ")
        .hasMessageContaining("NodeUnpublishVolume is pending")
        .hasMessageContaining("Volume 'vol-1' is still staged on node 'node-1' at ")
        .hasMessageContaining("NodeUnstageVolume is pending")
        .hasMessageContaining("Volume 'vol-1' is still attached to node 'node-1'")
        .hasMessageContaining("ControllerUnpublishVolume is pending")
        .hasMessageContaining("@FakeCsi(leftovers = LeftoverPolicy.ALLOW_VOLUMES)");
  }

  @FakeCsi(lawful = false)
  static final class LeavesVolume {
    @Test
    void publishes(FakeCsiPlugin plugin, CsiPlugin client, @TempDir Path dir) {
      publish(plugin, client, dir);
    }
  }

  @Test
  void volumesInUseMayBeAllowed() {
    passes(MayLeaveVolume.class, 1);
  }

  @FakeCsi(lawful = false, leftovers = LeftoverPolicy.ALLOW_VOLUMES)
  static final class MayLeaveVolume {
    @Test
    void attaches(FakeCsiPlugin plugin, CsiPlugin client) {
      var unused = attach(plugin, client);
    }
  }

  @Test
  void whatAnAfterEachMethodCleansUpIsNotLeft() {
    passes(CleansUp.class, 1);
  }

  @FakeCsi(lawful = false)
  static final class CleansUp {
    @Test
    void attaches(FakeCsiPlugin plugin, CsiPlugin client) {
      var unused = attach(plugin, client);
    }

    @AfterEach
    void clean(FakeCsiPlugin plugin) {
      plugin.forget();
    }
  }

  @Test
  void callsInFlightFailATestThatPassed() {
    assertThat(failureOf(LeavesCall.class))
        .isExactlyInstanceOf(AssertionError.class)
        .hasMessageContaining("GetPluginInfo, is still in flight");
  }

  @FakeCsi(leftovers = LeftoverPolicy.ALLOW_VOLUMES)
  static final class LeavesCall {
    @Test
    void hangs(FakeCsiPlugin plugin, CsiPlugin client) {
      plugin.inject(Fault.hang(), When.calling(CsiOperation.GET_PLUGIN_INFO));
      long before = plugin.journal().calls().size();
      var unused = client.identity().async().getPluginInfo();
      plugin.journal().await(call -> call.number() > before, Duration.ofSeconds(20));
    }
  }

  @Test
  void filesBesideTheSocketFailATestThatPassed() throws IOException {
    Throwable failure = failureOf(LeavesFile.class);
    assertThat(failure)
        .isExactlyInstanceOf(AssertionError.class)
        .hasMessageContaining("of the plugin's sockets is still there, with [mine]");
    Files.delete(LeavesFile.file);
    Files.delete(LeavesFile.file.getParent());
  }

  @FakeCsi
  static final class LeavesFile {
    static Path file = Path.of("none");

    @Test
    void writes(CsiEndpoint endpoint) throws IOException {
      file = Files.createFile(endpoint.path().resolveSibling("mine"));
    }
  }

  @Test
  void descriptorsOfTheSocketFailATestThatPassed() throws IOException {
    Throwable failure = failureOf(LeavesDescriptor.class);
    assertThat(failure)
        .isExactlyInstanceOf(AssertionError.class)
        .hasMessageContaining("1 descriptor(s) are still open for sockets in the directory '");
    LeavesDescriptor.opened.forEach(FakeCsiExtensionTest::close);
  }

  @Test
  void descriptorsOfASocketThatWasMovedAfterItWasBoundFailATestThatPassed() {
    Throwable failure = failureOf(LeavesDescriptorOfMovedSocket.class);
    assertThat(failure)
        .isExactlyInstanceOf(AssertionError.class)
        .hasMessageContaining("2 descriptor(s) are still open for sockets in the directory '");
    LeavesDescriptorOfMovedSocket.opened.forEach(FakeCsiExtensionTest::close);
  }

  /** As the sockets of the plugin itself are made. */
  @FakeCsi
  static final class LeavesDescriptorOfMovedSocket {
    static final Set<Channel> opened = ConcurrentHashMap.newKeySet();

    @Test
    void listens(FakeCsiPlugin plugin, CsiEndpoint endpoint) throws IOException {
      plugin.stop();
      Path bound = endpoint.path().resolveSibling("bound");
      ServerSocketChannel own = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      opened.add(own.bind(UnixDomainSocketAddress.of(bound)));
      Files.move(bound, endpoint.path(), StandardCopyOption.REPLACE_EXISTING);
      opened.add(SocketChannel.open(UnixDomainSocketAddress.of(endpoint.path())));
      opened.add(own.accept());
      Files.delete(endpoint.path());
    }
  }

  @FakeCsi
  static final class LeavesDescriptor {
    static final Set<ServerSocketChannel> opened = ConcurrentHashMap.newKeySet();

    @Test
    void listens(FakeCsiPlugin plugin, CsiEndpoint endpoint) throws IOException {
      plugin.stop();
      Files.delete(endpoint.path());
      ServerSocketChannel own = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      own.bind(UnixDomainSocketAddress.of(endpoint.path()));
      opened.add(own);
    }
  }

  @Tag("campaign")
  @Test
  void threadsOfAPluginFailATestThatPassed() {
    Throwable failure = failureOf(LeavesThread.class);
    LeavesThread.END.countDown();
    assertThat(failure)
        .isExactlyInstanceOf(AssertionError.class)
        .hasMessageContaining("Thread 'left-1' of the plugin still runs");
  }

  @FakeCsi
  static final class LeavesThread {
    static final CountDownLatch END = new CountDownLatch(1);

    @Test
    void starts(FakeCsiPlugin plugin) {
      assertThat(plugin.nodes()).hasSize(1);
      Thread thread =
          PluginThread.factory(plugin::journal, "left")
              .newThread(
                  () -> {
                    try {
                      END.await();
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                  });
      thread.start();
    }
  }

  @Test
  void threadsOfAPluginThatSomebodyElseHasAreNotThoseOfTheTest() {
    try (OthersPlugin others = new OthersPlugin()) {
      OthersPlugin.CURRENT.set(others);
      passes(BesideAnother.class, 1);
    }
  }

  /** A plugin that is opened, and goes on, while a test has its own. */
  private static final class OthersPlugin implements AutoCloseable {
    static final AtomicReference<OthersPlugin> CURRENT = new AtomicReference<>();
    private final List<FakeCsiPlugin> opened = new java.util.concurrent.CopyOnWriteArrayList<>();

    void open() {
      FakeCsiPlugin plugin = FakeCsiPlugin.open();
      opened.add(plugin);
      try (CsiPlugin client = CsiPlugin.connect(plugin.endpoint())) {
        assertThat(client.name()).isPresent();
      }
    }

    @Override
    public void close() {
      opened.forEach(FakeCsiPlugin::close);
    }
  }

  @FakeCsi
  static final class BesideAnother {
    @Test
    void runs(FakeCsiPlugin plugin) {
      assertThat(plugin.nodes()).hasSize(1);
      OthersPlugin.CURRENT.get().open();
    }
  }

  @Test
  void anythingMayBeAllowed() {
    passes(MayLeaveAll.class, 1);
  }

  @FakeCsi(lawful = false, leftovers = LeftoverPolicy.ALLOW)
  static final class MayLeaveAll {
    @Test
    void leaves(FakeCsiPlugin plugin, CsiPlugin client) {
      var unused = attach(plugin, client);
      new LeavesCall().hangs(plugin, client);
    }
  }

  // ---- the referee

  @Test
  void aBrokenDutyFailsATestThatPassed() {
    assertThat(failureOf(Unlawful.class))
        .isInstanceOf(UnlawfulCallerException.class)
        .hasMessageContaining("D-139");
  }

  @FakeCsi(leftovers = LeftoverPolicy.ALLOW_VOLUMES)
  static final class Unlawful {
    @Test
    void publishesUnstaged(FakeCsiPlugin plugin, CsiPlugin client, @TempDir Path dir) {
      plugin.addVolume(VOLUME);
      assertThat(
              org.assertj.core.api.Assertions.catchThrowable(
                  () ->
                      client
                          .node()
                          .publishVolume(
                              NodePublishVolumeRequest.builder(
                                      VOLUME, PluginPath.of(dir + "/target"), CAPABILITY)
                                  .stagingTargetPath(PluginPath.of(dir + "/staging"))
                                  .build())))
          .isNotNull();
    }
  }

  // ---- tests that fail by themselves

  @Test
  void aFailedTestKeepsItsFailureAndShowsTheJournal() {
    EngineExecutionResults results = run(Fails.class);
    Throwable failure =
        results.testEvents().failed().stream()
            .map(event -> event.getRequiredPayload(TestExecutionResult.class))
            .map(result -> result.getThrowable().orElseThrow())
            .findFirst()
            .orElseThrow();
    assertThat(failure).isExactlyInstanceOf(IllegalStateException.class).hasMessage("mine");
    assertThat(failure.getSuppressed()).hasSize(1);
    assertThat(failure.getSuppressed()[0])
        .isInstanceOf(JournalOfFailedTest.class)
        .hasMessageContaining("ControllerPublishVolume");
    assertThat(
            results.allEvents().reportingEntryPublished().stream()
                .map(event -> event.getRequiredPayload(ReportEntry.class).getKeyValuePairs()))
        .anySatisfy(
            entry -> assertThat(entry.get("csi4j.journal")).contains("ControllerPublishVolume"));
  }

  @FakeCsi
  static final class Fails {
    @Test
    void attaches(FakeCsiPlugin plugin, CsiPlugin client) {
      var unused = attach(plugin, client);
      throw new IllegalStateException("mine");
    }
  }

  @Test
  void aFailedDynamicTestShowsTheJournalAndIsTheOnlyFailure() {
    Throwable failure = failureOf(FailsDynamically.class);
    assertThat(failure).isExactlyInstanceOf(IllegalStateException.class).hasMessage("mine");
    assertThat(failure.getSuppressed())
        .singleElement()
        .isInstanceOf(JournalOfFailedTest.class)
        .asInstanceOf(InstanceOfAssertFactories.THROWABLE)
        .hasMessageContaining("ControllerPublishVolume");
  }

  @FakeCsi
  static final class FailsDynamically {
    @TestFactory
    Stream<DynamicTest> each(FakeCsiPlugin plugin, CsiPlugin client) {
      return Stream.of(
          dynamicTest("fine", () -> {}),
          dynamicTest(
              "attaches",
              () -> {
                var unused = attach(plugin, client);
                throw new IllegalStateException("mine");
              }));
    }
  }

  @Test
  void dynamicTestsThatLeaveSomethingFailTheMethodThatMadeThem() {
    assertThat(failureOf(LeavesDynamically.class)).isExactlyInstanceOf(AssertionError.class);
  }

  @FakeCsi(lawful = false)
  static final class LeavesDynamically {
    @TestFactory
    Stream<DynamicTest> each(FakeCsiPlugin plugin, CsiPlugin client) {
      return Stream.of(dynamicTest("attaches", () -> attach(plugin, client)));
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {FailsInBeforeEach.class, FailsInConstructor.class})
  void aTestThatNeverBeganKeepsItsFailureAndItsPluginIsClosed(Class<?> tests) {
    assertThat(failureOf(tests)).isExactlyInstanceOf(IllegalStateException.class);
    assertThat(OPENED.remove(tests).path().getParent()).doesNotExist();
  }

  private static final Map<Class<?>, CsiEndpoint> OPENED = new ConcurrentHashMap<>();

  @FakeCsi
  static final class FailsInBeforeEach {
    @BeforeEach
    void prepare(FakeCsiPlugin plugin, CsiPlugin client) {
      OPENED.put(FailsInBeforeEach.class, plugin.endpoint());
      var unused = attach(plugin, client);
      throw new IllegalStateException("mine");
    }

    @Test
    void never() {}
  }

  @FakeCsi
  static final class FailsInConstructor {
    FailsInConstructor(FakeCsiPlugin plugin, CsiPlugin client) {
      OPENED.put(FailsInConstructor.class, plugin.endpoint());
      var unused = attach(plugin, client);
      throw new IllegalStateException("mine");
    }

    @Test
    void never() {}
  }

  @Test
  void anAbortedTestOwesNothing() {
    EngineExecutionResults results = run(Aborts.class);
    assertThat(results.testEvents().aborted().count()).isEqualTo(1);
    assertThat(results.allEvents().stream().map(Event::getType).distinct()).isNotEmpty();
    assertThat(results.testEvents().failed().count()).isZero();
  }

  @FakeCsi
  static final class Aborts {
    @Test
    void attaches(FakeCsiPlugin plugin, CsiPlugin client) {
      var unused = attach(plugin, client);
      Assumptions.abort("not here");
    }
  }

  // ---- what tests do

  private static PublishContext attach(FakeCsiPlugin plugin, CsiPlugin client) {
    plugin.addVolume(VOLUME);
    return client
        .controller()
        .publishVolume(
            ControllerPublishVolumeRequest.builder(
                    VOLUME, client.node().getInfo().nodeId(), CAPABILITY)
                .build())
        .publishContext();
  }

  private static void publish(FakeCsiPlugin plugin, CsiPlugin client, Path dir) {
    PublishContext context = attach(plugin, client);
    PluginPath staging = PluginPath.of(dir.toString());
    client
        .node()
        .stageVolume(
            NodeStageVolumeRequest.builder(VOLUME, staging, CAPABILITY)
                .publishContext(context)
                .build());
    client
        .node()
        .publishVolume(
            NodePublishVolumeRequest.builder(VOLUME, PluginPath.of(dir + "/target"), CAPABILITY)
                .stagingTargetPath(staging)
                .publishContext(context)
                .build());
  }

  private static void close(Channel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
