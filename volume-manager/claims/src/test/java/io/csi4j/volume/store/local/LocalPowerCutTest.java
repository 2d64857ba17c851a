package io.csi4j.volume.store.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.ClaimRules;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.internal.disk.FakeDisk.PowerCut;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.journal.Journal;
import io.csi4j.volume.internal.store.RecordValues.Seen;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.HostIdentity;
import io.csi4j.volume.state.HostIdentity.BootId;
import io.csi4j.volume.state.HostIdentity.HostId;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The power is cut at every operation of a disk on which records are written and removed: what was
 * reported as written is there, and no version is given to two writes.
 */
class LocalPowerCutTest {

  private static final Path ROOT = Path.of("/disk");
  private static final Path STATE = ROOT.resolve("claims");
  private static final List<VolumeKey> KEYS =
      List.of(VolumeKey.of("a"), VolumeKey.of("b"), VolumeKey.of("c"));
  private static final JournalSettings SETTINGS =
      JournalSettings.builder()
          .host(new HostIdentity(new HostId("host-a"), new BootId("boot-1"), 4026531841L))
          .segmentSize(4096)
          .ballastSize(2048)
          .build();

  /** Keeps everything that was not synced, or nothing. */
  private static final class Always extends Random {
    private static final long serialVersionUID = 1L;
    private final boolean kept;

    Always(boolean kept) {
      this.kept = kept;
    }

    @Override
    public boolean nextBoolean() {
      return kept;
    }
  }

  private static LocalStore open(FakeDisk disk) {
    return LocalStore.on(Journal.open(disk, STATE, SETTINGS));
  }

  /** What a host was told of its claims, over all its lives. */
  private static final class Host {
    private final Map<VolumeKey, StoredRecord> acknowledged = new TreeMap<>();
    private final Map<VolumeKey, Map<Long, StateValue>> given = new HashMap<>();
    private @Nullable StoreIdentity identity;
    private Optional<StateValue> underWay = Optional.empty();

    /** Records that were removed, or that a removal under way may have taken. */
    private final Set<VolumeKey> removed = new HashSet<>();

    private int made;

    /** Two lives, each of which fills several segments. */
    void play(FakeDisk disk) {
      for (int life = 0; life < 2; life++) {
        try (LocalStore store = open(disk)) {
          meets(store.identity());
          for (int i = 0; i < 9; i++) {
            write(store, KEYS.get(i % 3), 40 + 150 * (i % 5));
            if (i == 4) {
              remove(store, KEYS.get(1));
            }
          }
        }
      }
    }

    private void meets(StoreIdentity now) {
      if (identity == null) {
        identity = now;
      }
      assertThat(now).isEqualTo(identity);
    }

    void write(LocalStore store, VolumeKey key, int size) {
      Optional<StoredRecord> before = store.read(ClaimCodec.key(key));
      sees(before);
      made++;
      StateValue value =
          StateValue.of(
              new ClaimCodec()
                  .encode(claim(key, made, size), new UUID(1, made), UnknownFields.NONE));
      underWay = Optional.of(value);
      WriteResult result = store.write(new RecordWrite(ClaimCodec.key(key), before, underWay));
      StoredRecord now = ((WriteResult.Written) result).now().get(0);
      assertThat(now.version())
          .isGreaterThan(
              given.getOrDefault(key, Map.of()).keySet().stream()
                  .mapToLong(version -> version)
                  .max()
                  .orElse(0));
      sees(Optional.of(now));
      acknowledged.put(key, now);
      removed.remove(key);
      underWay = Optional.empty();
    }

    private void remove(LocalStore store, VolumeKey key) {
      Optional<StoredRecord> before = store.read(ClaimCodec.key(key));
      removed.add(key);
      assertThat(store.write(new RecordWrite(ClaimCodec.key(key), before, Optional.empty())))
          .isEqualTo(new WriteResult.Written(List.of()));
      acknowledged.remove(key);
    }

    /** A claim that is larger or smaller, by the names in it. */
    private static Claim claim(VolumeKey key, long epoch, int size) {
      ClaimRequest wish =
          ClaimRequest.builder(
                  VolumeUse.of(key, WorkloadId.of("w".repeat(size) + epoch)),
                  NodeName.of("n1"),
                  new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
                  ClaimMode.WRITE)
              .build();
      ClaimDecision decision =
          ClaimRules.claim(Claim.none(key), wish, Optional.empty(), false, Instant.EPOCH);
      return ((ClaimDecision.Granted) decision).next();
    }

    /** A version means one write for ever. */
    private void sees(Optional<StoredRecord> record) {
      record.ifPresent(
          seen -> {
            StateValue other =
                given
                    .computeIfAbsent(seen.key().volume().orElseThrow(), it -> new HashMap<>())
                    .putIfAbsent(seen.version(), seen.value());
            assertThat(other == null || other.equals(seen.value()))
                .as("version %s of one write", seen.version())
                .isTrue();
          });
    }

    /** Looks at what came back, and writes on. */
    void comesBack(FakeDisk disk, String when) {
      try (LocalStore store = open(disk)) {
        meets(store.identity());
        for (VolumeKey key : KEYS) {
          assertThat(store.uncertainty(ClaimCodec.key(key))).as(when).isEmpty();
          Optional<StoredRecord> now = store.read(ClaimCodec.key(key));
          sees(now);
          Optional<StoredRecord> told = Optional.ofNullable(acknowledged.get(key));
          boolean isLate = now.isPresent() && now.map(StoredRecord::value).equals(underWay);
          boolean isGone = now.isEmpty() && removed.contains(key);
          if (!isLate && !isGone) {
            assertThat(now).as("%s: %s", when, key).isEqualTo(told);
          }
          if (isLate) {
            told.ifPresent(
                it ->
                    assertThat(now.orElseThrow().version())
                        .as("%s: %s", when, key)
                        .isGreaterThan(it.version()));
            // Who has seen it once relies on it as on any other.
            acknowledged.put(key, now.orElseThrow());
            underWay = Optional.empty();
          }
        }
        for (VolumeKey key : KEYS) {
          write(store, key, 30);
        }
      }
    }
  }

  private static List<Random> choices(int cut) {
    List<Random> choices = new ArrayList<>(List.of(new Always(false), new Always(true)));
    for (int seed = 0; seed < 6; seed++) {
      choices.add(FakeDisk.chance(cut * 1000L + seed));
    }
    return choices;
  }

  private static int operations() {
    FakeDisk whole = FakeDisk.with(ROOT);
    new Host().play(whole);
    assertThat(whole.history().stream().filter(line -> line.startsWith("RENAME seg-")).count())
        .as("segments")
        .isGreaterThanOrEqualTo(3);
    return whole.operations();
  }

  private static Host playedUntilTheCut(FakeDisk disk) {
    Host host = new Host();
    try {
      host.play(disk);
    } catch (PowerCut e) {
      // What this test is about.
    }
    return host;
  }

  @Test
  void afterAPowerCutAtAnyOperationNothingIsLostAndNoVersionComesTwice() {
    int operations = operations();
    int checked = 0;
    for (int cut = 0; cut < operations; cut++) {
      for (Random choice : choices(cut)) {
        FakeDisk disk = FakeDisk.with(ROOT).cutPowerAt(cut);
        Host host = playedUntilTheCut(disk);
        String when = "cut at " + cut + " of " + operations;

        host.comesBack(disk.restart(choice), when);

        checked++;
      }
    }
    assertThat(checked).isGreaterThan(400);
  }

  @Test
  void afterTwoPowerCutsNothingIsLostAndNoVersionComesTwice() {
    int operations = operations();
    for (int first = 0; first < operations; first += 3) {
      FakeDisk disk = FakeDisk.with(ROOT).cutPowerAt(first);
      Host host = playedUntilTheCut(disk);
      FakeDisk again = disk.restart(FakeDisk.chance(first)).cutPowerAt(first % 14);
      String when = "cuts at " + first + " and " + first % 14;
      try {
        host.comesBack(again, when);
      } catch (PowerCut e) {
        // The second one, while it comes back or writes on.
      }

      host.comesBack(again.restart(FakeDisk.chance(7L * first)), when);
    }
  }

  @Test
  void afterACrashOfTheProcessAtAnyOperationNothingIsLostAndNoVersionComesTwice() {
    int operations = operations();
    for (int crash = 0; crash < operations; crash++) {
      FakeDisk disk = FakeDisk.with(ROOT).cutPowerAt(crash);
      Host host = playedUntilTheCut(disk);

      host.comesBack(disk.restartProcess(), "crash at " + crash);
    }
  }

  @Test
  void damageInTheMiddleOfTheJournalStopsClaimingWhatItConcerns() {
    FakeDisk disk = FakeDisk.with(ROOT);
    Host host = new Host();
    try (LocalStore store = open(disk)) {
      host.write(store, KEYS.get(0), 60);
      host.write(store, KEYS.get(1), 60);
    }
    VolumeKey first = KEYS.get(0);
    VolumeKey last = KEYS.get(1);
    Path segment = STATE.resolve("seg-00000001.j");
    byte[] bytes = disk.content(segment);
    int at = new String(bytes, StandardCharsets.ISO_8859_1).lastIndexOf("www");
    bytes[at] ^= 1;
    disk.overwrite(segment, bytes);

    try (LocalStore store = open(disk.restart(new Always(true)))) {
      assertThat(store.read(ClaimCodec.key(last))).as("it is lost").isEmpty();
      assertThat(store.uncertainty(ClaimCodec.key(last)).orElseThrow().text())
          .startsWith("its journal is uncertain (JOURNAL_DAMAGED): ");
      assertThat(store.read(ClaimCodec.key(first)))
          .as("the other is not")
          .contains(host.acknowledged.get(first));
      assertThat(store.uncertainty(ClaimCodec.key(first))).isEmpty();
      long lost = host.acknowledged.get(last).version();
      Seen<Claim> now = StoredClaims.in(store).write(Claim.none(last));
      assertThat(now.version())
          .as("though it was the highest of all, its version does not come again")
          .isGreaterThan(lost);
    }
  }
}
