package io.csi4j.volume.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.controller.JobVolumes;
import io.csi4j.volume.controller.JobVolumes.VolumeOutcome;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.upkeep.Reaper;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that looks after the volume of a job is killed before and after each thing that it
 * writes. What the next process finds is used, or taken away by its reaper; and there were never
 * two volumes. The plugin's referee judges both.
 */
class KilledJobTest {

  /** All that is written on the way, in this order; with the calls between. */
  private static final List<String> WRITES =
      List.of(
          "volume Creating",
          "volume Present",
          "claim TAKEN InDoubt",
          "claim TAKEN Attached",
          "claim UNPUBLISHING Attached",
          "claim NODE_DETACHED Attached",
          "claim CONTROLLER_DETACHED NotNeeded",
          "claim READY_TO_FREE NotNeeded",
          "claim nothing",
          "volume Present DELETION",
          "claim held for deletion",
          "volume Deleting",
          "claim nothing",
          "volume gone");

  @TempDir Path directory;
  private FakeCsiPlugin plugin;
  private ClaimMain.Places places;
  private NodeId node;

  @BeforeEach
  void aPluginIsThere() {
    plugin = FakeCsiPlugin.builder().effects(NodeEffects.none()).open();
    try (CsiPlugin itself = CsiPlugin.connect(plugin.nodeEndpoint())) {
      node = itself.node().getInfo().nodeId();
    }
    places =
        new ClaimMain.Places(
            directory.resolve("claims"), directory.resolve("volumes"), plugin.endpoint().path());
  }

  @AfterEach
  void theRefereeIsAsked() {
    plugin.assertLawful();
    plugin.close();
  }

  /** Has a process go the way, and kills it at the nth moment; nothing if it comes to its end. */
  private Optional<String> killedAt(int nth, String first) {
    List<String> words = new ArrayList<>(places.words());
    words.add(node.value());
    try (EngineProcess process = EngineProcess.start(JobMain.class, words)) {
      return process.parkAt(nth, List.of(first, "release", "receipt"));
    }
  }

  private static List<String> moments() {
    return WRITES.stream().flatMap(at -> List.of("before " + at, "after " + at).stream()).toList();
  }

  /** A reaper of a host whose node has nothing mounted, and that wants nothing. */
  private static void reapAll(JobMain.Open open) {
    Reaper reaper =
        new Reaper(
            open.book(),
            Reaper.Sources.of(open.coordinator())
                .with(Reaper.Sources.Node.of(JobMain.NODE, JobMain::receipt, usage -> false))
                .with(Reaper.Sources.Ephemeral.of(open.volumes())),
            Clock.systemUTC(),
            message -> {});
    // The first round may give back a claim, the second deletes its volume.
    reaper.apply(reaper.plan(), () -> {});
    reaper.apply(reaper.plan(), () -> {});
  }

  private void assertNothingIsLeft(JobMain.Open open, String at) {
    // What was being deleted is also gone on with in the background.
    Waits.until(() -> open.controller().ephemeral().isEmpty());
    assertThat(plugin.contents().volumes()).as(at).isEmpty();
    assertThat(plugin.contents().attached()).as(at).isEmpty();
    assertThat(open.book().read(JobMain.SCRATCH).holders()).as(at).isEmpty();
    assertThat(open.volumes().unclaimed()).as(at).isEmpty();
  }

  private void whereverItIsKilledTheReaperLeavesNothing(List<Integer> moments) {
    for (int nth : moments) {
      String at = killedAt(nth, "acquire").orElseThrow();
      assertThat(at).isEqualTo(moments().get(nth - 1));
      assertThat(plugin.contents().volumes()).as(at).hasSizeLessThan(2);
      try (JobMain.Open open = JobMain.Open.at(places)) {
        reapAll(open);
        assertNothingIsLeft(open, at);
      }
    }
  }

  @Test
  void killedBetweenTheCreationAndTheClaimItLeavesNothingBehind() {
    whereverItIsKilledTheReaperLeavesNothing(List.of(4));
  }

  @Tag("campaign")
  @PlayedInShares
  @Test
  void whereverItIsKilledTheReaperOfTheNextProcessLeavesNothingInTheStorageSystem() {
    whereverItIsKilledTheReaperLeavesNothing(
        IntStream.rangeClosed(1, 2 * WRITES.size()).boxed().toList());
    assertThat(killedAt(2 * WRITES.size() + 1, "acquire")).isEmpty();
    assertThat(plugin.contents().empty()).isTrue();
  }

  @Tag("campaign")
  @PlayedInShares
  @Test
  void whereverItIsKilledTheSameTaskFindsItsVolumeOrGetsOneAndNeverTwo() {
    for (int nth = 1; nth <= 2 * WRITES.size(); nth++) {
      String at = killedAt(nth, "acquire").orElseThrow();
      Set<VolumeId> before = Set.copyOf(plugin.contents().volumes());
      try (JobMain.Open open = JobMain.Open.at(places)) {
        JobVolumes volumes = open.volumes();
        // A claim on its way back is brought to its end first, as at any start.
        open.book()
            .read(JobMain.SCRATCH)
            .holder(JobMain.USE.workload())
            .filter(own -> own.state() != ClaimHolder.State.TAKEN)
            .ifPresent(own -> reapAll(open));
        JobVolumes.Acquired acquired =
            volumes.acquire(JobMain.spec(false), JobMain.wish(JobMain.USE, node));
        assertThat(plugin.contents().volumes()).as(at).containsExactly(acquired.volume().id());
        assertThat(plugin.contents().attached()).as(at).hasSize(1);
        if (nth <= 8) {
          assertThat(before).as(at).isSubsetOf(acquired.volume().id());
        }
        assertThat(volumes.release(JobMain.USE).volume()).as(at).isEqualTo(VolumeOutcome.CLAIMED);
        assertThat(
                volumes
                    .confirmRelease(JobMain.receipt(JobMain.USE, acquired.grant().epoch()))
                    .volume())
            .as(at)
            .isEqualTo(VolumeOutcome.DELETED);
        assertNothingIsLeft(open, at);
      }
    }
  }

  @Tag("campaign")
  @PlayedInShares
  @Test
  void aVolumeThatIsRetainedIsKeptWhereverTheProcessIsKilled() {
    VolumeUse next = VolumeUse.of(JobMain.SCRATCH, WorkloadId.of("next"));
    for (int nth = 1; nth <= 2 * 9; nth++) {
      String at = killedAt(nth, "retain").orElse("nowhere");
      try (JobMain.Open open = JobMain.Open.at(places)) {
        reapAll(open);
        JobVolumes.Acquired acquired =
            open.volumes().acquire(JobMain.spec(true), JobMain.wish(next, node));
        assertThat(plugin.contents().volumes()).as(at).containsExactly(acquired.volume().id());
        assertThat(open.volumes().release(next).volume()).as(at).isEqualTo(VolumeOutcome.CLAIMED);
        assertThat(
                open.volumes()
                    .confirmRelease(JobMain.receipt(next, acquired.grant().epoch()))
                    .volume())
            .as(at)
            .isEqualTo(VolumeOutcome.RETAINED);
        assertThat(plugin.contents().attached()).as(at).isEmpty();
      }
    }
    assertThat(plugin.contents().volumes()).hasSize(1);
  }
}
