package io.csi4j.volume.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.engine.HostList.Planned;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.Reconciliation;
import io.csi4j.volume.node.Reconciliation.Action;
import io.csi4j.volume.node.WantedUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReconcilingTest {

  private static final VolumeLayout LAYOUT = new VolumeLayout(MountPath.of("/root"));
  private static final PluginId PLUGIN = PluginId.of("plugin");
  private static final VolumeIdentity IDENTITY = new VolumeIdentity(PLUGIN, VolumeId.of("vol-1"));
  private static final VolumeUse USE = VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("web"));
  private static final WantedUse NAMED = new WantedUse.Named(USE);
  private static final WantedUse WANTED =
      new WantedUse.Requested(
          MountRequest.builder(PLUGIN, USE, IDENTITY.handle(), AccessMode.MULTI_NODE_MULTI_WRITER)
              .build());

  private static VolumeRecord record(PathStatus status) {
    return staged().withTarget(new TargetRecord(USE, false, PathRecord.NONE.as(status)));
  }

  private static VolumeRecord staged() {
    return VolumeRecord.fresh(
            IDENTITY,
            new Plan(true, false, AccessMode.MULTI_NODE_MULTI_WRITER, "", "", ""),
            new Place("boot", 1))
        .withStaging(PathRecord.present(Optional.empty()));
  }

  private static List<Reconciliation.Item> plan(List<VolumeRecord> records, List<WantedUse> live) {
    return HostList.plan(LAYOUT, records, live, List.of()).stream().map(Planned::item).toList();
  }

  @Test
  void whatIsWantedAndThereNeedsNothing() {
    assertThat(plan(List.of(record(PathStatus.PRESENT)), List.of(WANTED))).isEmpty();
    assertThat(plan(List.of(record(PathStatus.PRESENT)), List.of(NAMED))).isEmpty();
  }

  @Test
  void whatIsNotWantedIsReleased() {
    List<Reconciliation.Item> items = plan(List.of(record(PathStatus.PRESENT)), List.of());

    assertThat(items)
        .singleElement()
        .satisfies(
            item -> {
              assertThat(item.action()).isEqualTo(Action.RELEASE);
              assertThat(item.plugin()).contains(PLUGIN);
              assertThat(item.usage()).contains(USE);
              assertThat(item.path()).isEqualTo(LAYOUT.target(IDENTITY, USE).toPath());
              assertThat(item.reason().text()).isEqualTo("the host does not want it");
            });
  }

  @Test
  void whatIsWantedAndInDoubtIsMountedAgain() {
    assertThat(plan(List.of(record(PathStatus.IN_DOUBT)), List.of(WANTED)))
        .singleElement()
        .satisfies(
            item -> {
              assertThat(item.action()).isEqualTo(Action.MOUNT);
              assertThat(item.reason().text()).isEqualTo("the host wants it, and it is IN_DOUBT");
            });
  }

  @Test
  void whatIsWantedAndNotOnRecordIsMounted() {
    assertThat(plan(List.of(), List.of(WANTED)))
        .singleElement()
        .satisfies(item -> assertThat(item.action()).isEqualTo(Action.MOUNT));
  }

  @Test
  void whatIsWantedByNameAloneAndGoneWaitsForTheHost() {
    assertThat(plan(List.of(record(PathStatus.GOING)), List.of(NAMED)))
        .singleElement()
        .satisfies(
            item -> {
              assertThat(item.action()).isEqualTo(Action.WAIT_FOR_HOST);
              assertThat(item.path()).isEqualTo(LAYOUT.target(IDENTITY, USE).toPath());
            });
  }

  @Test
  void aVolumeThatNobodyUsesIsReleasedAsAWhole() {
    assertThat(HostList.plan(LAYOUT, List.of(staged()), List.of(), List.of()))
        .singleElement()
        .satisfies(
            planned -> {
              assertThat(planned.item().action()).isEqualTo(Action.RELEASE);
              assertThat(planned.item().usage()).isEmpty();
              assertThat(planned.identity()).contains(IDENTITY);
              assertThat(planned.item().path()).isEqualTo(LAYOUT.staging(IDENTITY).toPath());
            });
  }

  @Test
  void aMountThatNobodyExplainsIsLeft() {
    MountPath path = LAYOUT.volumes().resolve("x");

    assertThat(HostList.plan(LAYOUT, List.of(), List.of(), List.of(path)))
        .singleElement()
        .satisfies(
            planned -> {
              assertThat(planned.item().action()).isEqualTo(Action.LEAVE);
              assertThat(planned.item().path()).isEqualTo(path.toPath());
            });
  }

  @Test
  void anyNumberOfItemsThatEndAtOnceIsDone() {
    int uses = 20_000;
    HostList.Run run =
        new HostList.Run(
            HostList.plan(LAYOUT, List.of(), named(uses), List.of()),
            part -> CompletableFuture.completedFuture(null),
            8);

    run.start();

    assertThat(run.remaining()).isZero();
    assertThat(run.done().toCompletableFuture())
        .isCompletedWithValueMatching(
            summary -> summary.failed() == uses && summary.left().size() == uses);
  }

  @Test
  void theTextOfAReconciliationNamesFiveItemsThatAreNotDoneAndCountsTheOthers() {
    assertThat(textWithoutRecords(5)).contains(" 5 not done (").doesNotContain(" more");
    assertThat(textWithoutRecords(7)).contains(" 7 not done (").endsWith("; and 2 more)]");
  }

  /** Returns the text of a reconciliation of uses that are named, and of which no record exists. */
  private static String textWithoutRecords(int uses) {
    HostList.Run run =
        new HostList.Run(
            HostList.plan(LAYOUT, List.of(), named(uses), List.of()),
            part -> CompletableFuture.completedFuture(null),
            8);
    run.start();
    return run.toString();
  }

  @Test
  void soManyItemsOfAPluginAsWereAskedForAreUnderWayAndTheEndOfOneBeginsTheNext() {
    List<CompletableFuture<Void>> begun = new ArrayList<>();
    HostList.Run run =
        new HostList.Run(
            HostList.plan(LAYOUT, List.of(), named(5), List.of()),
            part -> {
              CompletableFuture<Void> end = new CompletableFuture<>();
              begun.add(end);
              return end;
            },
            2);

    run.start();
    assertThat(begun).hasSize(2);
    for (int i = 0; i < 5; i++) {
      assertThat(run.done().toCompletableFuture()).isNotDone();
      assertThat(begun).hasSize(Math.min(5, i + 2));
      begun.get(i).complete(null);
    }

    assertThat(run.done().toCompletableFuture()).isCompleted();
  }

  private static List<WantedUse> named(int uses) {
    return IntStream.range(0, uses)
        .mapToObj(each -> VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("web-" + each)))
        .<WantedUse>map(WantedUse.Named::new)
        .toList();
  }
}
