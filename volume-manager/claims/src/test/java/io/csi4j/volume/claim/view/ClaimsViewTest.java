package io.csi4j.volume.claim.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.client.model.AccessMode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.journal.JournalStateStore;
import io.csi4j.volume.store.local.LocalStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClaimsViewTest {

  private static final VolumeUse WEB = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web-1"));

  @TempDir Path temp;

  private StateStore state() {
    return JournalStateStore.open(
        temp.resolve("claims"), JournalSettings.builder().acceptAnyFilesystem(true).build());
  }

  @Test
  void theClaimsOfAStoreAreReadWhileItIsOpenAndAfterwards() {
    try (LocalStore store = LocalStore.on(state())) {
      new ClaimBook(store, Clock.systemUTC())
          .claim(
              ClaimRequest.builder(
                      WEB,
                      NodeName.of("n1"),
                      new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
                      ClaimMode.WRITE)
                  .build());

      ClaimsView open = ClaimsView.read(temp.resolve("claims"));

      assertThat(open.journal().isHeld()).isTrue();
      assertThat(open.identity()).contains(store.identity());
      assertThat(open.claims()).hasSize(1);
      assertThat(open.claims().get(0).holders()).containsOnlyKeys(WEB.workload());
      assertThat(open.claims().get(0)).isEqualTo(StoredClaims.in(store).claim(WEB.volume()));
    }
    ClaimsView closed = ClaimsView.read(temp.resolve("claims"));
    assertThat(closed.journal().isHeld()).isFalse();
    assertThat(closed.claims()).hasSize(1);
    assertThat(closed.unreadable()).isEmpty();
    assertThat(closed.uncertainties()).isEmpty();
  }

  @Test
  void theStateOfAVolumeManagerIsNotTakenForClaims() {
    try (StateStore store = state()) {
      assertThat(
              store.put(StateKey.volume("v"), StateValue.of(new byte[] {1}), Durability.REQUIRED))
          .isNotNull();
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClaimsView.read(temp.resolve("claims")))
        .withMessage(
            "The state contains VOLUME/v, so it belongs to a volume manager. Use the state of a"
                + " LocalStore, which contains only claims and a catalog.");
  }

  @Test
  void theDirectoryOfAVolumeManagerIsRefusedAsThat() throws IOException {
    Files.createDirectory(temp.resolve("state"));
    Files.createDirectory(temp.resolve("v"));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClaimsView.read(temp))
        .withMessage(
            "Reading the records in "
                + temp
                + " failed: it is the directory of a volume manager. Use the directory of a"
                + " LocalStore.");
  }

  @Test
  void aClaimThatCannotBeReadHidesNoOther() {
    try (LocalStore store = LocalStore.on(state())) {
      assertThat(store.identity()).isNotNull();
    }
    try (StateStore store = state()) {
      assertThat(
              store.put(StateKey.claim("odd"), StateValue.of(new byte[] {8}), Durability.REQUIRED))
          .isNotNull();
    }
    ClaimsView view = ClaimsView.read(temp.resolve("claims"));
    assertThat(view.claims()).isEmpty();
    assertThat(view.unreadable())
        .singleElement()
        .asString()
        .contains("CLAIM/odd", "failed: It is not a protobuf message.");
  }
}
