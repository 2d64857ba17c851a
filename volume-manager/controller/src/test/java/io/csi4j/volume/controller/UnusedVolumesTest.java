package io.csi4j.volume.controller;

import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.volume.catalog.UnusedVolume;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.local.MemoryStore;
import io.csi4j.volume.upkeep.Reaper;
import io.csi4j.volume.upkeep.VolumeKeeper;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Volumes that no workload has used for long: found, and left alone. */
class UnusedVolumesTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final VolumeKey LOG = VolumeKey.of("log");
  private static final Duration MONTH = Duration.ofDays(30);

  private final ControllerWorld world = new ControllerWorld();
  private final FakeCsiPlugin plugin = world.registered();
  private final RecordStore store = new MemoryStore();
  private final VolumeController controller =
      VolumeController.builder(world.registry(), store).claims(store).open();
  private final ClaimBook book = new ClaimBook(store, Clock.systemUTC());
  private final ClaimCoordinator claims =
      new ClaimCoordinator(
          book, controller.attachments(), Clock.systemUTC(), ClaimEvent.Listener.none());
  private final List<OperatorMessage> told = new ArrayList<>();

  @AfterEach
  void close() {
    plugin.assertLawful();
    controller.close();
    world.close();
    store.close();
  }

  private static VolumeSpec.Builder spec() {
    return VolumeSpec.builder(ID).use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM);
  }

  private ClaimGrant use(VolumeKey volume) {
    return claims.acquire(
        ClaimRequest.builder(
                VolumeUse.of(volume, WorkloadId.of("web")),
                NodeName.of("n1"),
                new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
                ClaimMode.WRITE)
            .nodeId(NodeId.of("node-1"))
            .build());
  }

  private void end(ClaimGrant use) {
    claims.release(use.usage());
    claims.confirmRelease(
        new NodeReceipt(
            use.usage(),
            use.epoch(),
            use.node(),
            "boot",
            List.of(Path.of("/v")),
            NodeReceipt.Staging.GONE));
  }

  private static Instant later() {
    return Instant.now().plus(MONTH);
  }

  @Test
  void aVolumeIsFoundOnceItsLastUseHasEndedForLong() {
    CatalogVolume db = controller.create(DB, spec().build());
    controller.create(VolumeKey.of("scratch"), spec().ephemeral(true).build());
    Instant created = controller.unused(later()).get(0).since();
    assertThat(controller.unused(later()))
        .containsExactly(
            new UnusedVolume(
                DB,
                new VolumeIdentity(ID, db.id()),
                CatalogVolume.Origin.CREATED,
                db.capacityBytes(),
                created));
    assertThat(controller.unused(created)).isEmpty();

    ClaimGrant use = use(DB);
    assertThat(controller.unused(later())).as("it is used").isEmpty();

    end(use);
    assertThat(controller.unused(later()))
        .singleElement()
        .satisfies(
            unused -> {
              assertThat(unused.since()).isAfterOrEqualTo(created);
              assertThat(unused.message().code()).isEqualTo(OperatorCode.VOLUME_UNUSED);
              assertThat(unused.message().line())
                  .contains("'default/db'", "it has been unused since " + unused.since());
            });
    assertThat(controller.find(DB)).contains(db);
  }

  @Test
  void aVolumeWhoseClaimCannotBeReadIsNotFound() {
    controller.create(DB, spec().build());
    controller.create(LOG, spec().build());
    assertThat(
            store.write(
                new RecordWrite(
                    RecordKey.of(RecordKey.Space.CLAIMS, DB),
                    Optional.empty(),
                    Optional.of(StateValue.of(new byte[] {8, 9})))))
        .isInstanceOf(WriteResult.Written.class);

    assertThat(controller.unused(later())).extracting(UnusedVolume::key).containsExactly(LOG);
  }

  @Test
  void aControllerWithoutClaimsDoesNotSayWhatIsUnused() {
    try (RecordStore other = new MemoryStore();
        VolumeController without = VolumeController.builder(world.registry(), other).open()) {
      ControllerException refused =
          catchThrowableOfType(ControllerException.class, () -> without.unused(later()));
      assertThat(refused.code()).isEqualTo(OperatorCode.CLAIM_STORE_DOWN);
      assertThat(refused.outcome()).isEqualTo(ChangeOutcome.UNAVAILABLE);
    }
  }

  @Test
  void theReaperReportsAnUnusedVolumeOnceAndDeletesNone() {
    CatalogVolume db = controller.create(DB, spec().build());
    Reaper reaper =
        new Reaper(
            book,
            Reaper.Sources.of(claims).with(Reaper.Sources.Unused.of(controller, MONTH)),
            Clock.fixed(later().plus(MONTH), ZoneOffset.UTC),
            told::add);
    try (VolumeKeeper keeper = VolumeKeeper.builder().reaping(reaper, () -> {}).open()) {
      Instant since = controller.unused(later()).get(0).since();
      for (int round = 0; round < 2; round++) {
        assertThat(keeper.keepNow())
            .extracting(VolumeKeeper.Round::done)
            .containsExactly(
                "0 of 0 items were released; 1 volume is unused: 'default/db' since " + since);
      }
    }
    assertThat(told).extracting(OperatorMessage::code).containsExactly(OperatorCode.VOLUME_UNUSED);
    assertThat(reaper.plan()).isEmpty();
    assertThat(controller.find(DB)).contains(db);

    ClaimGrant use = use(DB);
    assertThat(reaper.unused()).isEmpty();
    end(use);
    assertThat(reaper.unused()).extracting(UnusedVolume::key).containsExactly(DB);
    assertThat(told).as("it was used meanwhile").hasSize(2);
  }
}
