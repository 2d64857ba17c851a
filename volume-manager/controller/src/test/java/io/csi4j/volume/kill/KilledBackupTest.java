package io.csi4j.volume.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.catalog.CatalogEntry.PendingSnapshot;
import io.csi4j.volume.controller.SnapshotBackups;
import io.csi4j.volume.controller.SnapshotName;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that cuts, awaits and keeps snapshots and groups of them is killed. Afterwards there
 * are exactly the snapshots that the host noted or asked for again; all others were on record, and
 * are dropped.
 */
class KilledBackupTest {

  private static final List<String> WAY = List.of("cut 1", "ready 1", "keep 1");

  private static final List<String> MOMENTS =
      List.of(
          "before writing the intent",
          "after writing the intent",
          "before writing the answer",
          "after writing the answer",
          "before writing nothing",
          "after writing nothing");

  private static final List<String> GROUP_WAY =
      List.of("cutGroup 1", "readyGroup 1", "keepGroup 1");

  /** Each of them for the one volume of the group, then for the other. */
  private static final List<String> GROUP_MOMENTS =
      Stream.of("the intent", "the answer", "nothing")
          .flatMap(
              what ->
                  Stream.of("before", "after", "before", "after")
                      .map(when -> when + " writing " + what))
          .toList();

  @TempDir Path directory;
  private FakeCsiPlugin plugin;

  @BeforeEach
  void theVolumesAreThere() {
    plugin =
        FakeCsiPlugin.builder()
            .effects(NodeEffects.none())
            .snapshotsReadyAfter(Duration.ofMillis(10))
            .open();
    try (BackupMain.Open open = open()) {
      for (VolumeKey each : BackupMain.BOTH) {
        assertThat(
                open.controller()
                    .create(
                        each,
                        VolumeSpec.builder(BackupMain.PLUGIN)
                            .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
                            .build())
                    .key())
            .isEqualTo(each);
      }
    }
  }

  @AfterEach
  void theRefereeIsAsked() {
    plugin.assertLawful();
    plugin.close();
  }

  private BackupMain.Open open() {
    return BackupMain.Open.at(directory.resolve("volumes"), plugin.endpoint().path());
  }

  private EngineProcess process() {
    return EngineProcess.start(
        BackupMain.class,
        List.of(directory.resolve("volumes").toString(), plugin.endpoint().path().toString()));
  }

  /** Has a process go the way, and kills it at the nth moment; nothing if it comes to its end. */
  private Optional<String> killedAt(int nth) {
    return killedAt(nth, WAY);
  }

  private Optional<String> killedAt(int nth, List<String> way) {
    try (EngineProcess process = process()) {
      return process.parkAt(nth, way);
    }
  }

  @Test
  void killedBeforeTheAnswerIsWrittenTheNextLifeFindsTheOneSnapshotByItsName() {
    assertThat(killedAt(3)).contains(MOMENTS.get(2));
    assertThat(plugin.contents().snapshots()).as("cut, and nobody was told").hasSize(1);
    askedAgain("before writing the answer");
  }

  /** The host repeats the tick, as after any start. */
  private void askedAgain(String at) {
    SnapshotName name = BackupMain.name(1);
    try (BackupMain.Open open = open()) {
      SnapshotBackups backups = open.controller().backups();
      SnapshotId cut = backups.cut(BackupMain.DB, name, Map.of()).id();
      assertThat(backups.ready(BackupMain.DB, name).id()).as(at).isEqualTo(cut);
      assertThat(plugin.contents().snapshots()).as(at).containsExactly(cut);
      assertThat(open.controller().dropSnapshot(BackupMain.DB, name)).as(at).isTrue();
      assertThat(backups.pending()).as(at).isEmpty();
    }
    assertThat(plugin.contents().snapshots()).as(at).isEmpty();
  }

  @Tag("campaign")
  @PlayedInShares
  @Test
  void whereverItIsKilledTheSameTickHasOneSnapshot() {
    List<String> moments = new ArrayList<>();
    for (Optional<String> at = killedAt(1); at.isPresent(); at = killedAt(moments.size() + 1)) {
      moments.add(at.get());
      askedAgain(at.get());
    }
    assertThat(moments).containsExactlyElementsOf(MOMENTS);
  }

  @Tag("campaign")
  @PlayedInShares
  @Test
  void whereverItIsKilledAHostThatWantsNothingAnyMoreDropsAllButWhatItNoted() {
    for (int nth = 1; nth <= MOMENTS.size(); nth++) {
      String at = killedAt(nth).orElseThrow();
      assertThat(at).isEqualTo(MOMENTS.get(nth - 1));
      // The answer of "ready" was out before the first moment of "keep": the host has noted it.
      boolean isNoted = nth >= 5;
      try (BackupMain.Open open = open()) {
        assertThat(open.controller().backups().pending().isEmpty())
            .as(at)
            .isEqualTo(nth == 1 || nth == 6);
        settle(open, isNoted ? Map.of(BackupMain.name(1), "noted") : Map.of());
        assertThat(open.controller().backups().pending()).as(at).isEmpty();
        assertThat(plugin.contents().snapshots()).as(at).hasSize(isNoted ? 1 : 0);
        if (isNoted) {
          SnapshotId kept = plugin.contents().snapshots().iterator().next();
          open.controller().deleteSnapshot(BackupMain.PLUGIN, kept, Optional.empty());
        }
      }
    }
  }

  // ---- groups

  @Tag("campaign")
  @Test
  void killedBetweenTheAnswersOfAGroupTheNextLifeFindsItByAnyOfItsVolumes() {
    assertThat(killedAt(7, GROUP_WAY)).contains(GROUP_MOMENTS.get(6));
    assertThat(plugin.contents().groups()).hasSize(1);
    groupAskedAgain("between the answers");
  }

  /** The host repeats the tick of a group, as after any start. */
  private void groupAskedAgain(String at) {
    SnapshotName name = BackupMain.groupName(1);
    List<GroupSnapshotId> before = plugin.contents().groups();
    try (BackupMain.Open open = open()) {
      SnapshotBackups backups = open.controller().backups();
      VolumeGroupSnapshot cut = backups.cut(BackupMain.BOTH, name, Map.of());
      assertThat(List.of(cut.id())).as(at).containsAll(before);
      assertThat(plugin.contents().groups()).as(at).containsExactly(cut.id());
      assertThat(cut.snapshots())
          .as(at)
          .extracting(Snapshot::id)
          .hasSameSizeAs(BackupMain.BOTH)
          .containsExactlyInAnyOrderElementsOf(plugin.contents().snapshots());
      VolumeGroupSnapshot ready = backups.readyGroup(BackupMain.DB, name);
      assertThat(BackupMain.words(ready)).as(at).isEqualTo(BackupMain.words(cut));
    }
    try (BackupMain.Open open = open()) {
      SnapshotBackups backups = open.controller().backups();
      assertThat(backups.pending()).as(at).containsOnlyKeys(BackupMain.BOTH);
      assertThat(backups.pending().values())
          .as("%s: all members are on record with each volume", at)
          .allSatisfy(
              cuts ->
                  assertThat(cuts)
                      .singleElement()
                      .satisfies(
                          cut ->
                              assertThat(cut.answer().orElseThrow().snapshots().values())
                                  .containsExactlyInAnyOrderElementsOf(
                                      plugin.contents().snapshots())));
      assertThat(open.controller().dropSnapshot(BackupMain.LOG, name)).as(at).isTrue();
      assertThat(backups.pending()).as(at).isEmpty();
    }
    assertThat(plugin.contents().snapshots()).as(at).isEmpty();
    assertThat(plugin.contents().groups()).as(at).isEmpty();
  }

  @Tag("campaign")
  @PlayedInShares
  @Test
  void whereverItIsKilledTheSameTickHasOneGroup() {
    List<String> moments = new ArrayList<>();
    for (Optional<String> at = killedAt(1, GROUP_WAY);
        at.isPresent();
        at = killedAt(moments.size() + 1, GROUP_WAY)) {
      moments.add(at.get());
      groupAskedAgain(moments.size() + ". " + at.get());
    }
    assertThat(moments).containsExactlyElementsOf(GROUP_MOMENTS);
  }

  @Tag("campaign")
  @PlayedInShares
  @Test
  void whereverItIsKilledTheGroupIsOnRecordUntilItIsSettledByAnyOfItsVolumes() {
    for (int nth = 1; nth <= GROUP_MOMENTS.size(); nth++) {
      String at = killedAt(nth, GROUP_WAY).orElseThrow();
      assertThat(at).isEqualTo(GROUP_MOMENTS.get(nth - 1));
      boolean isNoted = nth >= 9;
      VolumeKey by = nth % 2 == 0 ? BackupMain.DB : BackupMain.LOG;
      try (BackupMain.Open open = open()) {
        SnapshotBackups backups = open.controller().backups();
        boolean isOnRecord = nth > 1 && nth < 12;
        assertThat(backups.pending().isEmpty()).as(at).isEqualTo(!isOnRecord);
        assertThat(
                isNoted
                    ? backups.keep(by, BackupMain.groupName(1))
                    : open.controller().dropSnapshot(by, BackupMain.groupName(1)))
            .as("%s. %s, by %s", nth, at, by)
            .isEqualTo(isOnRecord);
        assertThat(backups.pending()).as(at).isEmpty();
        assertThat(plugin.contents().groups()).as(at).hasSize(isNoted ? 1 : 0);
        assertThat(plugin.contents().snapshots()).as(at).hasSize(isNoted ? 2 : 0);
        if (isNoted) {
          open.controller()
              .deleteGroupSnapshot(
                  BackupMain.PLUGIN,
                  plugin.contents().groups().get(0),
                  List.copyOf(plugin.contents().snapshots()),
                  Optional.empty());
        }
      }
    }
  }

  // ---- at any time

  /** Keeps what the host has noted, and drops all else that is on record. */
  private static void settle(BackupMain.Open open, Map<SnapshotName, String> noted) {
    SnapshotBackups backups = open.controller().backups();
    while (!backups.pending().isEmpty()) {
      VolumeKey volume = backups.pending().firstKey();
      PendingSnapshot cut = backups.pending().get(volume).get(0);
      SnapshotName name = SnapshotName.of(cut.name());
      assertThat(
              noted.containsKey(name)
                  ? backups.keep(volume, name)
                  : open.controller().dropSnapshot(volume, name))
          .isTrue();
      assertThat(backups.pending().getOrDefault(volume, List.of())).doesNotContain(cut);
    }
  }

  @Tag("campaign")
  @PlayedInShares
  @Test
  void killedAtAnyTimeThereAreExactlyTheSnapshotsThatTheHostNoted() {
    long seed = 20261126;
    Random random = new Random(seed);
    plugin.inject(
        Fault.delay(Duration.ofMillis(15)).then(Fault.apply()),
        When.calling(CsiOperation.CREATE_SNAPSHOT));
    plugin.inject(
        Fault.delay(Duration.ofMillis(15)).then(Fault.apply()),
        When.calling(CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT));
    Map<SnapshotName, String> noted = new HashMap<>();
    Set<String> groups = new HashSet<>();
    long tick = 1;
    for (int round = 0; round < 25; round++) {
      String log;
      try (EngineProcess process = process()) {
        for (int i = 0; i < 20; i++) {
          process.order("cut " + (tick + i));
          process.order("ready " + (tick + i));
          process.order("keep " + (tick + i));
          process.order("cutGroup " + (tick + i));
          process.order("readyGroup " + (tick + i));
          process.order("keepGroup " + (tick + i));
        }
        if (round % 4 > 0) {
          // Later kills come while it is warm, and not all before its first answer.
          assertThat(process.answers(1 + random.nextInt(9))).isNotEmpty();
        }
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(60_000)));
        process.kill();
        process.awaitEnd();
        log = process.log();
      }
      log.lines()
          .filter(line -> line.matches("ready \\d+ .+"))
          .map(line -> line.split(" ", -1))
          .forEach(line -> noted.put(BackupMain.name(Long.parseLong(line[1])), line[2]));
      log.lines()
          .filter(line -> line.matches("readyGroup \\d+ .+"))
          .map(line -> line.split(" ", -1))
          .forEach(
              line -> {
                groups.add(line[2]);
                noted.put(BackupMain.groupName(Long.parseLong(line[1])), line[3]);
              });
      assertThat(log.lines().filter(line -> line.startsWith("failed "))).isEmpty();
      tick += 20;
      try (BackupMain.Open open = open()) {
        settle(open, noted);
        assertThat(open.controller().backups().pending()).isEmpty();
      }
      assertThat(plugin.contents().snapshots().stream().map(SnapshotId::value))
          .as("seed %s, round %s:\n%s", seed, round, log)
          .containsExactlyInAnyOrderElementsOf(
              noted.values().stream().flatMap(ids -> Stream.of(ids.split(",", -1))).toList());
      assertThat(plugin.contents().groups().stream().map(GroupSnapshotId::value))
          .as("seed %s, round %s:\n%s", seed, round, log)
          .containsExactlyInAnyOrderElementsOf(groups);
    }
    assertThat(groups).as("groups were cut at all").hasSizeGreaterThan(5);
    assertThat(noted).as("and snapshots alone").hasSizeGreaterThan(groups.size() + 5);
  }
}
