package io.csi4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.mount.real.Eventually;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.UnmountOutcome;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The names of volumes in trouble, and their bound. */
class VolumeTroubleTest {

  private static final PluginId PLUGIN = PluginId.of("fake");
  private static final String HANGING = "fake default/data web-1 STAGE_IN_DOUBT";
  private static final Fault FAILING = Fault.fail(StatusCode.INTERNAL, "a text of the plugin");

  @TempDir Path directory;
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final AtomicLong now = new AtomicLong();
  private final FakeCsiPlugin fake =
      FakeCsiPlugin.open(PluginShape.nodeOnly().with(NodeCapability.GET_VOLUME_HEALTH));

  @AfterEach
  void theFakeEnds() {
    fake.close();
  }

  /** Metrics whose gauges are never older than the scrape. */
  private CsiMetrics metrics(int mostVolumes, Duration ordinary) {
    return CsiMetrics.bindTo(
        registry,
        CsiMetrics.MOST_PLUGINS,
        mostVolumes,
        ordinary,
        () -> now.addAndGet(TimeUnit.SECONDS.toNanos(2)));
  }

  private CsiMetrics metrics() {
    return metrics(CsiMetrics.MOST_VOLUMES, CsiMetrics.ORDINARY);
  }

  private VolumeManager manager(String name) {
    return VolumeManager.builder(directory.resolve(name))
        .plugin(
            PluginBinding.builder(PLUGIN, fake.endpoint())
                .policy(
                    MountPolicy.builder()
                        .requireMount(false)
                        .healthInterval(Duration.ofMillis(50))
                        .build())
                .build())
        .open();
  }

  /** Returns the ages of the named troubles in seconds, by the values of the tags in order. */
  private Map<String, Double> troubles() {
    omitted(); // A look, which names the volumes.
    Map<String, Double> troubles = new TreeMap<>();
    for (Gauge gauge : registry.find(CsiMeter.TROUBLE.id()).gauges()) {
      assertThat(gauge.getId().getTags().stream().map(Tag::getKey))
          .containsExactlyInAnyOrderElementsOf(CsiMeter.TROUBLE.tags());
      troubles.put(
          CsiMeter.TROUBLE.tags().stream()
              .map(gauge.getId()::getTag)
              .collect(Collectors.joining(" ")),
          gauge.value());
    }
    return troubles;
  }

  private int omitted() {
    return (int) registry.get(CsiMeter.TROUBLE_OMITTED.id()).gauge().value();
  }

  private static VolumeUse use(String volume, String workload) {
    return VolumeUse.of(VolumeKey.of(volume), WorkloadId.of(workload));
  }

  private MountRequest request(VolumeUse use) {
    VolumeId handle = VolumeId.of("handle-of-" + use.volume().id());
    fake.addVolume(handle);
    return MountRequest.builder(PLUGIN, use, handle, AccessMode.MULTI_NODE_MULTI_WRITER).build();
  }

  private void mount(VolumeManager manager, VolumeUse use) {
    MountedVolume mounted = manager.mount(request(use));
    assertThat(mounted.usage()).isEqualTo(use);
  }

  /** Leaves the release of a use pending. */
  private static void failToUnmount(VolumeManager manager, VolumeUse use) {
    VolumeException unfinished =
        catchThrowableOfType(VolumeException.class, () -> manager.unmount(use));
    assertThat(unfinished.outcome()).isEqualTo(VolumeException.Outcome.IN_PROGRESS);
    assertThat(unfinished.code()).isEqualTo(OperatorCode.UNPUBLISH_IN_DOUBT);
  }

  @Test
  void aVolumeWhoseReleaseFailsIsNamedWithItsWorkloadAndCodeUntilItIsReleased() throws Exception {
    try (CsiMetrics metrics = metrics();
        VolumeManager manager = manager("v");
        AutoCloseable watched = metrics.watch(manager)) {
      mount(manager, use("data", "web-1"));
      mount(manager, use("other", "web-2"));
      assertThat(troubles()).as("healthy volumes have no series").isEmpty();
      fake.inject(FAILING, When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME));

      failToUnmount(manager, use("data", "web-1"));

      assertThat(troubles()).containsOnlyKeys("fake default/data web-1 UNPUBLISH_IN_DOUBT");
      assertThat(omitted()).isZero();
      fake.clearFaults();
      assertThat(manager.unmount(use("data", "web-1"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(troubles()).isEmpty();
      assertThat(omitted()).isZero();
      assertThat(manager.volumes()).hasSize(1);
      assertThat(watched).isNotNull();
    }
  }

  @Test
  void theSecondsAreThoseSinceTheObstacleAppeared() throws Exception {
    try (CsiMetrics metrics = metrics();
        VolumeManager manager = manager("v");
        AutoCloseable watched = metrics.watch(manager)) {
      mount(manager, use("data", "web-1"));
      fake.inject(FAILING, When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME));
      failToUnmount(manager, use("data", "web-1"));

      double least = since(manager);
      double shown =
          Objects.requireNonNull(troubles().get("fake default/data web-1 UNPUBLISH_IN_DOUBT"));
      double most = since(manager);

      assertThat(shown).isBetween(Math.floor(least * 1000) / 1000, most);
      assertThat(watched).isNotNull();
    }
  }

  /** Returns the seconds for which the only volume has been in trouble, as the manager says. */
  private static double since(VolumeManager manager) {
    return manager
            .explain()
            .volumes()
            .get(0)
            .trouble()
            .flatMap(trouble -> trouble.since())
            .orElseThrow()
            .toNanos()
        / 1e9;
  }

  @Test
  void aFaultIsNamedFromItsFirstSightForAllWorkloadsOfTheVolume() throws Exception {
    try (CsiMetrics metrics = metrics();
        VolumeManager manager = manager("v");
        AutoCloseable watched = metrics.watch(manager)) {
      mount(manager, use("data", "web-2"));
      mount(manager, use("data", "web-1"));
      mount(manager, use("data", "web-3"));
      fake.health(
          VolumeId.of("handle-of-data"),
          VolumeHealthEntry.of(
              VolumeHealthEntry.Status.DEGRADED, HealthReason.of("DiskSlow"), "one is slow"));
      String named = "fake default/data web-1 and 2 more VOLUME_ABNORMAL";
      Eventually.isTrue("it is unwell", () -> troubles().containsKey(named));

      double first = Objects.requireNonNull(troubles().get(named));
      double second = Objects.requireNonNull(troubles().get(named));

      assertThat(second).isGreaterThan(first);
      assertThat(troubles()).containsOnlyKeys(named);
      assertThat(watched).isNotNull();
    }
  }

  @Test
  void aCallThatRunsIsNoTroubleBeforeItTakesLong() throws Exception {
    SimpleMeterRegistry other = new SimpleMeterRegistry();
    try (CsiMetrics metrics = metrics(CsiMetrics.MOST_VOLUMES, Duration.ZERO);
        CsiMetrics patient = CsiMetrics.bindTo(other);
        VolumeManager manager = manager("v");
        AutoCloseable watched = metrics.watch(manager)) {
      fake.inject(Fault.hang(), When.calling(CsiOperation.NODE_STAGE_VOLUME));
      CompletableFuture<MountedVolume> mount =
          manager.async().mount(request(use("data", "web-1"))).toCompletableFuture();

      Eventually.isTrue("the call hangs", () -> troubles().keySet().equals(Set.of(HANGING)));
      try (AutoCloseable also = patient.watch(manager)) {
        assertThat(other.get(CsiMeter.DOUBTED.id()).gauge().value()).isEqualTo(1);
        assertThat(other.find(CsiMeter.TROUBLE.id()).gauge()).isNull();
        assertThat(other.get(CsiMeter.TROUBLE_OMITTED.id()).gauge().value()).isZero();
        assertThat(also).isNotNull();
      }
      fake.clearFaults();
      fake.release();
      assertThat(mount.join().usage()).isEqualTo(use("data", "web-1"));
      assertThat(troubles()).isEmpty();
      assertThat(watched).isNotNull();
    }
  }

  @Test
  void theLongestTroublesAreNamedAndTheOthersAreCounted() throws Exception {
    try (CsiMetrics metrics = metrics(3, CsiMetrics.ORDINARY);
        VolumeManager manager = manager("v");
        AutoCloseable watched = metrics.watch(manager)) {
      for (int i = 0; i < 9; i++) {
        mount(manager, use("data-" + i, "web-" + i));
      }
      fake.inject(FAILING, When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME));
      for (int i = 8; i >= 0; i--) {
        failToUnmount(manager, use("data-" + i, "web-" + i));
      }

      assertThat(troubles())
          .containsOnlyKeys(
              "fake default/data-6 web-6 UNPUBLISH_IN_DOUBT",
              "fake default/data-7 web-7 UNPUBLISH_IN_DOUBT",
              "fake default/data-8 web-8 UNPUBLISH_IN_DOUBT");
      assertThat(omitted()).isEqualTo(6);
      metrics.close();
      assertThat(registry.getMeters()).isEmpty();
      assertThat(watched).isNotNull();
    }
  }

  @Test
  void aHostThatWantsNoNamesHasTheNumber() throws Exception {
    try (CsiMetrics metrics = metrics(0, CsiMetrics.ORDINARY);
        VolumeManager manager = manager("v");
        AutoCloseable watched = metrics.watch(manager)) {
      mount(manager, use("data", "web-1"));
      fake.inject(FAILING, When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME));
      failToUnmount(manager, use("data", "web-1"));

      assertThat(troubles()).isEmpty();
      assertThat(omitted()).isEqualTo(1);
      assertThat(watched).isNotNull();
    }
  }

  @Test
  void volumesOfTwoManagersWithTheSameNamesAreOneSeriesAndTheSecondIsCounted() throws Exception {
    VolumeUse use = use("data", "web-1");
    try (CsiMetrics metrics = metrics();
        VolumeManager one = manager("one");
        VolumeManager two = manager("two");
        AutoCloseable first = metrics.watch(one);
        AutoCloseable second = metrics.watch(two)) {
      mount(one, use);
      // The same name for another volume.
      VolumeId other = VolumeId.of("another");
      fake.addVolume(other);
      MountedVolume mounted =
          two.mount(
              MountRequest.builder(PLUGIN, use, other, AccessMode.MULTI_NODE_MULTI_WRITER).build());
      assertThat(mounted.usage()).isEqualTo(use);
      fake.inject(FAILING, When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME));
      failToUnmount(one, use);
      failToUnmount(two, use);

      assertThat(troubles()).containsOnlyKeys("fake default/data web-1 UNPUBLISH_IN_DOUBT");
      assertThat(omitted()).isEqualTo(1);
      second.close();
      assertThat(omitted()).isZero();
      first.close();
      assertThat(troubles()).isEmpty();
    }
  }

  @Test
  void theNamesHaveNoHandleNoPathAndNoTextOfThePlugin() throws Exception {
    try (CsiMetrics metrics = metrics();
        VolumeManager manager = manager("v");
        AutoCloseable watched = metrics.watch(manager)) {
      mount(manager, use("data", "web-1"));
      fake.inject(FAILING, When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME));
      failToUnmount(manager, use("data", "web-1"));
      assertThat(manager.explain().toString())
          .contains("handle-of-data", directory.toString(), "a text of the plugin");

      assertThat(troubles()).hasSize(1);
      assertThat(registry.getMeters())
          .flatExtracting(meter -> meter.getId().getTags())
          .extracting(Tag::getValue)
          .noneMatch(value -> value.contains("handle-of"))
          .noneMatch(value -> value.contains(directory.toString()))
          .noneMatch(value -> value.contains("text"));
      assertThat(watched).isNotNull();
    }
  }
}
