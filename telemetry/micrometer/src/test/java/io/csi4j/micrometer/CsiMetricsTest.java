package io.csi4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.real.Eventually;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimPage;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.File;
import java.net.StandardProtocolFamily;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The metrics of csi4j: names, tags and counts of real operations, and their bounds. */
class CsiMetricsTest {

  private static final PluginId PLUGIN = PluginId.of("fake");
  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final VolumeUse USE = VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("web-1"));

  @TempDir Path directory;
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final AtomicLong now = new AtomicLong();

  /** Metrics whose gauges are never older than the scrape. */
  private CsiMetrics metrics() {
    return bound(() -> now.addAndGet(TimeUnit.SECONDS.toNanos(2)));
  }

  private CsiMetrics bound(LongSupplier nanoTime) {
    return CsiMetrics.bindTo(
        registry, CsiMetrics.MOST_PLUGINS, CsiMetrics.MOST_VOLUMES, CsiMetrics.ORDINARY, nanoTime);
  }

  /** The times of a timer, by the values of its tags in order. */
  private Map<String, Long> counts(CsiMeter meter) {
    Map<String, Long> counts = new TreeMap<>();
    registry
        .find(meter.id())
        .timers()
        .forEach(timer -> counts.put(values(timer.getId(), meter), timer.count()));
    registry
        .find(meter.id())
        .counters()
        .forEach(counter -> counts.put(values(counter.getId(), meter), (long) counter.count()));
    registry
        .find(meter.id())
        .gauges()
        .forEach(gauge -> counts.put(values(gauge.getId(), meter), (long) gauge.value()));
    return counts;
  }

  private static String values(Meter.Id id, CsiMeter meter) {
    assertThat(id.getTags().stream().map(Tag::getKey))
        .containsExactlyInAnyOrderElementsOf(meter.tags());
    return meter.tags().stream().map(id::getTag).collect(Collectors.joining(" "));
  }

  // ---- real operations

  @Test
  void realOperationsAreCountedByPluginOperationCallAndCode() throws Exception {
    try (CsiMetrics metrics = metrics();
        RealRun run = RealRun.in(directory, metrics)) {
      Eventually.isTrue(
          "the events are told", () -> counts(CsiMeter.OPERATIONS).containsKey("fake unmount OK"));
      Eventually.isTrue(
          "the fault is told", () -> counts(CsiMeter.NOTICES).containsKey("VOLUME_ABNORMAL"));
      Eventually.isTrue(
          "the fault is shown", () -> counts(CsiMeter.UNWELL).getOrDefault("fake", 0L) == 1);

      assertThat(counts(CsiMeter.OPERATIONS))
          .containsOnly(
              Map.entry("fake mount OK", 2L),
              Map.entry("fake mount REFUSED_BY_PLUGIN", 1L),
              Map.entry("fake unmount OK", 1L));
      assertThat(counts(CsiMeter.OPEN_OPERATIONS)).containsOnly(Map.entry("fake", 0L));
      String name = name();
      assertThat(counts(CsiMeter.ATTEMPTS))
          .containsEntry(name + " NodeStageVolume OK", 2L)
          .containsEntry(name + " NodeStageVolume INVALID_ARGUMENT", 1L)
          .containsEntry(name + " NodePublishVolume OK", 2L)
          .containsEntry(name + " NodeUnpublishVolume OK", 1L);
      assertThat(counts(CsiMeter.WARNINGS)).containsOnlyKeys(name + " NodeGetInfo");
      assertThat(counts(CsiMeter.NOTICES)).containsEntry("VOLUME_ABNORMAL", 1L);
      assertThat(counts(CsiMeter.HEALTH_CHANGES)).containsOnly(Map.entry("fake ready", 1L));
      assertThat(counts(CsiMeter.CLAIMS))
          .containsOnly(
              Map.entry("acquire OK", 1L),
              Map.entry("attach OK", 1L),
              Map.entry("acquire CLAIM_HELD_BY", 1L));
    }
  }

  @Test
  void aClaimThatCannotBeReadIsCountedByItsCode() {
    ClaimPage.Unreadable claim =
        new ClaimPage.Unreadable("key", Optional.empty(), "It is damaged.");
    try (CsiMetrics metrics = metrics()) {
      metrics.claims().on(new ClaimEvent.Unreadable(claim.volume(), claim.message()));

      assertThat(counts(CsiMeter.NOTICES)).containsOnly(Map.entry("CLAIM_UNREADABLE", 1L));
    }
  }

  /** The name that the plugin has itself, which is another one than the host has for it. */
  private String name() {
    return registry.find(CsiMeter.ATTEMPTS.id()).timers().stream()
        .filter(timer -> "NodeStageVolume".equals(timer.getId().getTag("call")))
        .map(timer -> String.valueOf(timer.getId().getTag("plugin")))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theGaugesShowWhatTheManagerShows() throws Exception {
    try (CsiMetrics metrics = metrics();
        RealRun run = RealRun.in(directory, metrics)) {
      Eventually.isTrue(
          "the fault is shown", () -> counts(CsiMeter.UNWELL).getOrDefault("fake", 0L) == 1);

      assertThat(run.manager.volumes()).hasSize(1);
      assertThat(counts(CsiMeter.PLUGINS)).containsOnly(Map.entry("", 1L));
      assertThat(counts(CsiMeter.INSTANCES))
          .containsOnly(
              Map.entry("fake not_asked", 0L),
              Map.entry("fake starting", 0L),
              Map.entry("fake ready", 1L),
              Map.entry("fake unhealthy", 0L),
              Map.entry("fake gone", 0L));
      assertThat(counts(CsiMeter.VOLUMES)).containsOnly(Map.entry("fake", 1L));
      assertThat(counts(CsiMeter.USES))
          .containsOnly(
              Map.entry("fake in_doubt", 0L),
              Map.entry("fake present", 1L),
              Map.entry("fake going", 0L),
              Map.entry("fake dead", 0L));
      for (CsiMeter nothing :
          List.of(CsiMeter.DOUBTED, CsiMeter.OWED, CsiMeter.TROUBLED, CsiMeter.STORAGE_FAULTS)) {
        assertThat(counts(nothing)).as(nothing.id()).containsOnly(Map.entry("fake", 0L));
      }
    }
  }

  @Test
  void theGaugesShareALookThatIsAtMostASecondOld() throws Exception {
    try (CsiMetrics metrics = bound(now::get);
        FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly());
        VolumeManager manager = manager(fake, metrics.volumes())) {
      AutoCloseable watched = metrics.watch(manager);
      fake.addVolume(VOLUME);
      assertThat(manager.mount(request()).usage()).isEqualTo(USE);

      now.addAndGet(TimeUnit.SECONDS.toNanos(1));
      assertThat(counts(CsiMeter.VOLUMES)).doesNotContainEntry("fake", 1L);

      now.incrementAndGet();
      assertThat(counts(CsiMeter.PLUGINS)).containsOnly(Map.entry("", 1L));
      assertThat(counts(CsiMeter.VOLUMES)).containsOnly(Map.entry("fake", 1L));
      watched.close();
    }
  }

  @Test
  void whatIsOwedAndInTheWayIsShownUntilItIsDone() throws Exception {
    try (CsiMetrics metrics = metrics();
        FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly());
        VolumeManager manager = manager(fake, metrics.volumes())) {
      AutoCloseable watched = metrics.watch(manager);
      fake.addVolume(VOLUME);
      MountedVolume mounted = manager.mount(request());
      assertThat(mounted.usage()).isEqualTo(USE);
      fake.stop();
      Eventually.isTrue("its end is noticed", () -> code(manager) == OperatorCode.PLUGIN_NOT_UP);
      VolumeException unfinished =
          catchThrowableOfType(VolumeException.class, () -> manager.unmount(USE));
      assertThat(unfinished.outcome()).isEqualTo(VolumeException.Outcome.IN_PROGRESS);
      assertThat(unfinished.code()).isEqualTo(OperatorCode.PLUGIN_NOT_UP);
      Eventually.isTrue("it is owed", () -> counts(CsiMeter.OWED).getOrDefault("fake", 0L) == 1);
      Eventually.isTrue(
          "it is kept back", () -> counts(CsiMeter.TROUBLED).getOrDefault("fake", 0L) == 1);
      assertThat(counts(CsiMeter.USES)).containsEntry("fake present", 0L);
      Eventually.isTrue(
          "the failure is counted",
          () -> counts(CsiMeter.OPERATIONS).getOrDefault("fake unmount PLUGIN_NOT_UP", 0L) == 1);

      fake.start();
      Eventually.isTrue(
          "nothing is owed", () -> counts(CsiMeter.OWED).getOrDefault("fake", 1L) == 0);
      assertThat(counts(CsiMeter.VOLUMES)).containsEntry("fake", 0L);
      watched.close();
    }
  }

  @Test
  void aPluginWithoutASupervisorIsAsWellAsItsLastCallShowed() throws Exception {
    try (CsiMetrics metrics = metrics();
        FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly());
        VolumeManager manager = manager(fake, metrics.volumes())) {
      AutoCloseable watched = metrics.watch(manager);
      fake.addVolume(VOLUME);
      assertThat(counts(CsiMeter.INSTANCES))
          .containsEntry("fake not_asked", 1L)
          .containsEntry("fake starting", 0L);

      MountedVolume mounted = manager.mount(request());

      assertThat(mounted.usage()).isEqualTo(USE);
      Eventually.isTrue("it has answered", () -> instances("ready") == 1);
      assertThat(instances("not_asked") + instances("starting") + instances("unhealthy")).isZero();
      fake.stop();
      Eventually.isTrue("its end is noticed", () -> code(manager) == OperatorCode.PLUGIN_NOT_UP);
      Eventually.isTrue("it has not answered", () -> instances("unhealthy") == 1);
      assertThat(instances("ready")).isZero();
      fake.start();
      assertThat(manager.unmount(USE)).isEqualTo(UnmountOutcome.LAST);
      Eventually.isTrue("it has answered again", () -> instances("ready") == 1);
      watched.close();
    }
  }

  @Test
  void aPluginThatIsNotReachedForItsFirstCallIsUnhealthyWhateverIsInTheWay() throws Exception {
    Path stale = directory.resolve("stale");
    try (ServerSocketChannel left = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      left.bind(UnixDomainSocketAddress.of(stale));
    }
    Map<OperatorCode, Path> sockets =
        Map.of(
            OperatorCode.PLUGIN_NOT_UP, directory.resolve("missing"),
            OperatorCode.PLUGIN_SOCKET_STALE, stale,
            OperatorCode.PLUGIN_SOCKET_TOO_LONG, Path.of("/" + "x".repeat(200)));
    try (CsiMetrics metrics = metrics();
        VolumeManager manager =
            VolumeManager.builder(directory.resolve("v")).listener(metrics.volumes()).open()) {
      AutoCloseable watched = metrics.watch(manager);
      for (Map.Entry<OperatorCode, Path> each : sockets.entrySet()) {
        PluginId plugin = PluginId.of(each.getKey().name());
        manager.register(PluginBinding.of(plugin, CsiEndpoint.of(each.getValue())));

        VolumeException failed =
            catchThrowableOfType(
                VolumeException.class,
                () ->
                    manager.mount(
                        MountRequest.builder(plugin, USE, VOLUME, AccessMode.SINGLE_NODE_WRITER)
                            .build()));

        assertThat(failed.code()).isEqualTo(each.getKey());
        Eventually.isTrue(
            each.getKey().name(),
            () ->
                counts(CsiMeter.PLUGINS).containsKey("")
                    && counts(CsiMeter.INSTANCES).getOrDefault(plugin + " unhealthy", 0L) == 1);
      }
      watched.close();
    }
  }

  private long instances(String health) {
    return counts(CsiMeter.INSTANCES).getOrDefault("fake " + health, -1L);
  }

  /** What a call to the plugin meets now. */
  private static OperatorCode code(VolumeManager manager) {
    return catchThrowableOfType(VolumeException.class, () -> manager.stats(USE)).code();
  }

  // ---- bounds

  @Test
  void aThousandPluginsHaveAHundredNamesAndShareOneMore() {
    try (CsiMetrics metrics = metrics()) {
      CsiListener calls = metrics.calls();
      VolumeEvent.Listener volumes = metrics.volumes();
      for (int i = 0; i < 1000; i++) {
        CsiListener.Started call = started(i);
        calls.onStart(call);
        calls.onEnd(ended(call));
        VolumeEvent.Started operation = operation(i);
        volumes.on(operation);
        volumes.on(new VolumeEvent.Ended(operation, Duration.ofMillis(1), Optional.empty()));
      }

      for (CsiMeter meter : List.of(CsiMeter.ATTEMPTS, CsiMeter.OPERATIONS)) {
        Map<String, Long> counts = counts(meter);
        assertThat(counts).as(meter.id()).hasSize(CsiMetrics.MOST_PLUGINS + 1);
        assertThat(counts.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(1000);
      }
      assertThat(counts(CsiMeter.ATTEMPTS))
          .containsEntry("p0 Probe OK", 1L)
          .containsEntry("p99 Probe OK", 1L)
          .containsEntry("other Probe OK", 900L)
          .doesNotContainKey("p100 Probe OK");
      assertThat(counts(CsiMeter.OPEN_ATTEMPTS)).hasSize(101).containsEntry("other", 0L);
      assertThat(registry.getMeters())
          .as("but for the buckets of timers")
          .filteredOn(meter -> !meter.getId().getName().endsWith(".histogram"))
          .hasSize(4 * 101);
    }
  }

  @Test
  void aThousandRegisteredPluginsHaveNoMoreGaugesThanTheBound() throws Exception {
    PluginRegistry plugins = InMemoryPluginRegistry.open();
    try (CsiMetrics metrics = CsiMetrics.bindTo(registry, 3)) {
      for (int i = 0; i < 1000; i++) {
        var unused =
            plugins.register(
                new PluginRegistration(
                    PluginBinding.of(
                        PluginId.of("p%03d".formatted(i)),
                        CsiEndpoint.of(directory.resolve(i + ".sock"))),
                    InstanceId.ONLY,
                    Set.of(PluginRole.NODE)));
      }
      AutoCloseable watched = metrics.watch(plugins);

      assertThat(counts(CsiMeter.PLUGINS)).containsOnly(Map.entry("", 1000L));
      assertThat(tagsOf("plugin")).containsExactly("other", "p000", "p001", "p002");
      assertThat(counts(CsiMeter.INSTANCES))
          .containsEntry("p000 not_asked", 1L)
          .containsEntry("other not_asked", 997L);
      watched.close();
      assertThat(tagsOf("plugin")).isEmpty();
    }
  }

  @Test
  void aBoundBelowZeroIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CsiMetrics.bindTo(registry, -1))
        .withMessageContaining("plugins")
        .withMessageContaining("-1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CsiMetrics.bindTo(registry, 100, -2))
        .withMessageContaining("volumes in trouble")
        .withMessageContaining("-2");
  }

  @Test
  void noTagButThoseOfVolumesInTroubleHoldsANameOfAVolumeAPathOrAText() throws Exception {
    try (CsiMetrics metrics = metrics();
        RealRun run = RealRun.in(directory, metrics)) {
      Eventually.isTrue(
          "the fault is shown", () -> counts(CsiMeter.UNWELL).getOrDefault("fake", 0L) == 1);
      assertThat(run.manager.volumes()).isNotEmpty();

      Set<String> values =
          registry.getMeters().stream()
              .filter(meter -> !meter.getId().getName().equals(CsiMeter.TROUBLE.id()))
              .flatMap(meter -> meter.getId().getTags().stream())
              .map(Tag::getValue)
              .collect(Collectors.toCollection(TreeSet::new));
      assertThat(values)
          .isNotEmpty()
          .allMatch(value -> value.matches("[A-Za-z0-9._-]{1,63}"))
          .noneMatch(value -> value.contains("vol-2") || value.contains("web-"))
          .noneMatch(value -> value.contains("nnn") || value.contains("kept"));
    }
  }

  private Set<String> tagsOf(String key) {
    return registry.getMeters().stream()
        .map(meter -> meter.getId().getTag(key))
        .filter(Objects::nonNull)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private CsiListener.Started started(int i) {
    return new CsiListener.Started(
        i,
        CsiOperation.PROBE,
        Optional.of(PluginName.of("p" + i)),
        CsiEndpoint.of(directory.resolve("csi.sock")),
        1);
  }

  private static CsiListener.Ended ended(CsiListener.Started started) {
    return new CsiListener.Ended(started, StatusCode.OK, Optional.empty(), Duration.ofMillis(1));
  }

  private static VolumeEvent.Started operation(int i) {
    return new VolumeEvent.Started(
        new OperationId(i), VolumeEvent.Operation.MOUNT, PluginId.of("p" + i), Optional.of(USE));
  }

  // ---- what is not told in full

  @Test
  void aFailureOfAnOperationWhoseStartWasNotToldLeavesNothingOpen() {
    try (CsiMetrics metrics = metrics()) {
      VolumeEvent.Listener volumes = metrics.volumes();
      volumes.on(operation(1));
      volumes.on(new VolumeEvent.Ended(operation(2), Duration.ofMillis(1), Optional.empty()));

      assertThat(counts(CsiMeter.OPEN_OPERATIONS)).containsOnly(Map.entry("p1", 1L));
    }
  }

  @Test
  void aPluginThatHasNotToldItsNameIsUnknown() {
    try (CsiMetrics metrics = metrics()) {
      CsiListener.Started nameless =
          new CsiListener.Started(
              1,
              CsiOperation.GET_PLUGIN_INFO,
              Optional.empty(),
              CsiEndpoint.of(directory.resolve("csi.sock")),
              1);
      metrics.calls().onStart(nameless);

      assertThat(counts(CsiMeter.OPEN_ATTEMPTS)).containsOnly(Map.entry("unknown", 1L));
    }
  }

  @Test
  void theCallsOfAPluginThatTheHostNamesHaveThatName() {
    ConnectOptions.Builder options = ConnectOptions.builder();
    try (CsiMetrics metrics = metrics();
        FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly());
        CsiPlugin plugin =
            CsiPlugin.connect(fake.endpoint(), options.listener(metrics.calls("nfs")).build())) {
      assertThat(plugin.identity().getPluginInfo().name().value()).isEqualTo("fake.csi4j.example");

      assertThat(counts(CsiMeter.ATTEMPTS).keySet())
          .containsOnly("nfs GetPluginInfo OK", "nfs Probe OK");
      assertThat(counts(CsiMeter.CONNECTIONS)).containsOnly(Map.entry("nfs made", 1L));
    }
  }

  @Test
  void aConnectionThatIsLostAndMadeAgainIsCounted() {
    ConnectOptions.Builder options = ConnectOptions.builder();
    try (CsiMetrics metrics = metrics();
        FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly());
        CsiPlugin plugin =
            CsiPlugin.connect(fake.endpoint(), options.listener(metrics.calls()).build())) {
      String node = plugin.node().getInfo().nodeId().value();
      fake.restart();
      Eventually.isTrue("it is lost", () -> connections("lost") == 1);
      assertThat(plugin.node().getInfo().nodeId().value()).isEqualTo(node);
      Eventually.isTrue("it is made again", () -> connections("made") == 2);
      assertThat(connections("lost")).isEqualTo(1);
    }
  }

  /**
   * The connections that were made or lost, whether the plugin had told its name by then or not.
   */
  private long connections(String event) {
    return counts(CsiMeter.CONNECTIONS).entrySet().stream()
        .filter(entry -> entry.getKey().matches("(unknown|fake\\.csi4j\\.example) " + event))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  @Test
  void aMessageIsCountedByItsCode() {
    try (CsiMetrics metrics = metrics()) {
      OperatorMessage.Part part = new OperatorMessage.Part("a text that is no tag");
      metrics.message(
          new OperatorMessage(OperatorCode.ACCESS_MODE_REPLACED, part, part, part, part));

      assertThat(counts(CsiMeter.NOTICES)).containsOnly(Map.entry("ACCESS_MODE_REPLACED", 1L));
    }
  }

  // ---- the end

  @Test
  void closingRemovesAllMetersAndNothingIsCountedAfterIt() throws Exception {
    List<CsiListener> calls = new ArrayList<>();
    try (CsiMetrics metrics = metrics();
        RealRun run = RealRun.in(directory, metrics)) {
      assertThat(run.manager.volumes()).isNotEmpty();
      assertThat(registry.getMeters()).isNotEmpty();
      calls.add(metrics.calls());
      metrics.close();
      assertThat(registry.getMeters()).isEmpty();
      assertThat(run.manager.unmount(RealRun.KEPT)).isEqualTo(UnmountOutcome.LAST);
    }
    calls.get(0).onStart(started(1));
    calls.get(0).onEnd(ended(started(1)));
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void aManagerThatIsClosedOverAHangingCallLeavesNoOperationOpen() {
    try (CsiMetrics metrics = metrics();
        FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly())) {
      fake.addVolume(VOLUME);
      fake.inject(Fault.hang(), When.calling(CsiOperation.NODE_STAGE_VOLUME));
      CompletionStage<MountedVolume> mount;
      try (VolumeManager manager =
          VolumeManager.builder(directory.resolve("v"))
              .listener(metrics.volumes())
              .plugin(binding(fake))
              .settings(ManagerSettings.builder().closing(Duration.ofMillis(100)).build())
              .open()) {
        mount = manager.async().mount(request());
        Eventually.isTrue(
            "it is told to begin",
            () -> counts(CsiMeter.OPEN_OPERATIONS).getOrDefault("fake", 0L) == 1);
      }
      assertThat(mount.toCompletableFuture()).isCompletedExceptionally();
      assertThat(counts(CsiMeter.OPEN_OPERATIONS)).containsExactly(Map.entry("fake", 0L));
      assertThat(registry.get(CsiMeter.OPERATIONS.id()).tag("code", "CLOSED_WITH").timer().count())
          .isEqualTo(1);
    }
  }

  @Test
  void aPluginThatIsDeregisteredAndHasNoVolumesHasNoGauges() throws Exception {
    try (CsiMetrics metrics = metrics();
        FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly());
        VolumeManager manager = manager(fake, metrics.volumes())) {
      AutoCloseable watched = metrics.watch(manager);
      fake.addVolume(VOLUME);
      MountedVolume mounted = manager.mount(request());
      assertThat(mounted.usage()).isEqualTo(USE);
      assertThat(manager.deregister(PLUGIN)).isTrue();
      Eventually.isTrue(
          "it has no instance", () -> instances("not_asked") + instances("ready") == 0);
      assertThat(counts(CsiMeter.VOLUMES)).as("its volumes stay").containsEntry("fake", 1L);

      var unused = manager.register(binding(fake));
      assertThat(manager.unmount(USE)).isEqualTo(UnmountOutcome.LAST);
      assertThat(manager.deregister(PLUGIN)).isTrue();
      Eventually.isTrue("it is gone", () -> counts(CsiMeter.PLUGINS).get("") == 0);
      assertThat(counts(CsiMeter.VOLUMES)).isEmpty();
      assertThat(counts(CsiMeter.INSTANCES)).isEmpty();
      watched.close();
    }
  }

  @Test
  void twoManagersAreAddedUpAndOneIsLeftWhenTheOtherIsNotWatchedAnyMore() throws Exception {
    try (CsiMetrics metrics = metrics();
        FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly());
        FakeCsiPlugin second = FakeCsiPlugin.open(PluginShape.nodeOnly());
        VolumeManager one = manager(fake, metrics.volumes());
        VolumeManager two =
            VolumeManager.builder(directory.resolve("two")).plugin(binding(second)).open()) {
      AutoCloseable firstWatched = metrics.watch(one);
      AutoCloseable secondWatched = metrics.watch(two);
      fake.addVolume(VOLUME);
      second.addVolume(VOLUME);
      assertThat(List.of(one.mount(request()), two.mount(request()))).hasSize(2);
      Eventually.isTrue(
          "both are shown", () -> counts(CsiMeter.VOLUMES).getOrDefault("fake", 0L) == 2);

      firstWatched.close();

      assertThat(counts(CsiMeter.VOLUMES)).containsOnly(Map.entry("fake", 1L));
      secondWatched.close();
      assertThat(Search.in(registry).tag("plugin", "fake").gauges())
          .extracting(gauge -> gauge.getId().getName())
          .filteredOn(name -> !name.endsWith(".histogram"))
          .containsOnly(CsiMeter.OPEN_OPERATIONS.id());
    }
  }

  // ---- trouble

  @Test
  void aRegistryThatThrowsHurtsNeitherCallsNorOperations() throws Exception {
    registry
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public Meter.Id map(Meter.Id id) {
                throw new IllegalStateException("a broken filter");
              }
            });
    try (CsiMetrics metrics = metrics();
        FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.nodeOnly());
        VolumeManager manager =
            VolumeManager.builder(directory.resolve("v"))
                .listener(metrics.volumes())
                .plugin(
                    PluginBinding.builder(PLUGIN, fake.endpoint())
                        .policy(MountPolicy.builder().requireMount(false).build())
                        .connectOptions(ConnectOptions.builder().listener(metrics.calls()).build())
                        .build())
                .open()) {
      fake.addVolume(VOLUME);
      assertThat(manager.mount(request()).usage()).isEqualTo(USE);
      assertThat(manager.unmount(USE)).isEqualTo(UnmountOutcome.LAST);
      fake.assertLawful();
    }
  }

  @Test
  void aProgramWithTheClientAloneNeedsNoVolumeManager() throws Exception {
    List<URL> path = new ArrayList<>();
    for (String part : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (!part.contains("volume-") && !part.contains("csi4j-claims")) {
        path.add(Path.of(part).toUri().toURL());
      }
    }
    try (URLClassLoader alone =
        new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Runnable counting =
          (Runnable) alone.loadClass(ClientAlone.class.getName()).getConstructor().newInstance();
      counting.run();
      assertThat(counting).hasToString("1 attempt");
    }
  }

  private static PluginBinding binding(FakeCsiPlugin fake) {
    return PluginBinding.builder(PLUGIN, fake.endpoint())
        .policy(MountPolicy.builder().requireMount(false).build())
        .build();
  }

  private VolumeManager manager(FakeCsiPlugin fake, VolumeEvent.Listener listener) {
    return VolumeManager.builder(directory.resolve("v"))
        .listener(listener)
        .plugin(binding(fake))
        .open();
  }

  private static MountRequest request() {
    return MountRequest.builder(PLUGIN, USE, VOLUME, AccessMode.SINGLE_NODE_WRITER).build();
  }
}
