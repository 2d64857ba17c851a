package io.csi4j.volume.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.catalog.CatalogEntry.Cut;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.controller.SnapshotBackups;
import io.csi4j.volume.controller.SnapshotName;
import io.csi4j.volume.model.AttachmentMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that cuts, awaits and keeps snapshots is killed. Afterwards there are exactly the
 * snapshots that the host noted or asked for again; all others were on record, and are dropped.
 */
@Timeout(300)
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

  @TempDir Path directory;
  private FakeCsiPlugin plugin;

  @BeforeEach
  void aVolumeIsThere() {
    plugin =
        FakeCsiPlugin.builder()
            .effects(NodeEffects.none())
            .snapshotsReadyAfter(Duration.ofMillis(10))
            .open();
    try (BackupMain.Open open = open()) {
      assertThat(
              open.controller()
                  .create(
                      BackupMain.DB,
                      VolumeSpec.builder(BackupMain.PLUGIN)
                          .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
                          .build())
                  .key())
          .isEqualTo(BackupMain.DB);
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
    try (EngineProcess process = process()) {
      return process.parkAt(nth, WAY);
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

  /** Keeps what the host has noted, and drops all else that is on record. */
  private static void settle(BackupMain.Open open, Map<SnapshotName, String> noted) {
    SnapshotBackups backups = open.controller().backups();
    for (Cut cut : backups.pending().getOrDefault(BackupMain.DB, List.of())) {
      SnapshotName name = SnapshotName.of(cut.name());
      assertThat(
              noted.containsKey(name)
                  ? backups.keep(BackupMain.DB, name)
                  : open.controller().dropSnapshot(BackupMain.DB, name))
          .isTrue();
    }
  }

  @Tag("campaign")
  @Test
  void killedAtAnyTimeThereAreExactlyTheSnapshotsThatTheHostNoted() {
    long seed = 20261126;
    Random random = new Random(seed);
    plugin.inject(
        Fault.delay(Duration.ofMillis(15)).then(Fault.apply()),
        When.calling(CsiOperation.CREATE_SNAPSHOT));
    Map<SnapshotName, String> noted = new HashMap<>();
    long tick = 1;
    for (int round = 0; round < 25; round++) {
      String log;
      try (EngineProcess process = process()) {
        for (int i = 0; i < 20; i++) {
          process.order("cut " + (tick + i));
          process.order("ready " + (tick + i));
          process.order("keep " + (tick + i));
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
      assertThat(log.lines().filter(line -> line.startsWith("failed "))).isEmpty();
      tick += 20;
      try (BackupMain.Open open = open()) {
        settle(open, noted);
        assertThat(open.controller().backups().pending()).isEmpty();
      }
      assertThat(plugin.contents().snapshots().stream().map(SnapshotId::value))
          .as("seed %s, round %s:\n%s", seed, round, log)
          .containsExactlyInAnyOrderElementsOf(noted.values());
    }
    assertThat(noted).as("something was cut at all").hasSizeGreaterThan(5);
  }
}
