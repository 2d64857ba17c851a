package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertAll;

import io.csi4j.client.model.AccessMode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.Uncertainty;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.local.LocalStore;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds docs/stores.md to what really compiles, runs and is there. */
class StoresPageTest {

  private static final VolumeUse USAGE = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web"));

  @TempDir Path directory;
  private final List<Object> told = new ArrayList<>();

  private static ClaimRequest wish() {
    return ClaimRequest.builder(
            USAGE,
            NodeName.of("n1"),
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .build();
  }

  @Test
  void everyReasonOfARefusalHasARow() throws IOException {
    String page = Files.readString(Page.ROOT.resolve("docs/stores.md"));

    assertThat(Arrays.stream(RecordStoreException.Reason.values()).map(Enum::name))
        .allSatisfy(name -> assertThat(page).contains("\n| `" + name + "`"));
  }

  @Test
  void aVolumeIsClaimedOnTheDiskOfTheHostAndGivenBack() {
    StoresSnippets.local(directory.resolve("claims"), wish(), told::add);

    assertThat(told)
        .singleElement()
        .satisfies(holder -> assertThat(((ClaimHolder) holder).epoch()).isEqualTo(1));
    try (LocalStore store = LocalStore.open(directory.resolve("claims"))) {
      Claim claim = new ClaimBook(store, Clock.systemUTC()).read(USAGE.volume());
      assertThat(claim.epoch()).isEqualTo(1);
      assertThat(claim.holders()).isEmpty();
    }
  }

  @Test
  void anEtcdThatIsNotThereIsNamedAndNothingIsClaimed() {
    List<URI> nobody = List.of(URI.create("http://127.0.0.1:1"));

    RecordStoreException refusal =
        catchThrowableOfType(
            RecordStoreException.class,
            () -> StoresSnippets.etcd(nobody, "secret".toCharArray(), wish(), told::add));

    assertThat(refusal.reason()).isEqualTo(RecordStoreException.Reason.UNAVAILABLE);
    assertThat(refusal).hasMessageStartingWith("Opening the store failed: ");
    assertThat(told).isEmpty();
  }

  @Test
  void aDoubtIsSettledByWhoHasCompared() {
    MemoryMedium medium = MemoryMedium.create();
    LocalStore.on(medium.open()).close();
    medium.doubt(
        Uncertainty.aboutMoreThan(
            StateException.Reason.JOURNAL_DAMAGED, List.of(), "It is damaged."));
    try (LocalStore store = LocalStore.on(medium.open())) {
      for (int i = 0; i < 2; i++) {
        StoresSnippets.doubt(store, USAGE.volume(), told::add, () -> told.add("compared"));
      }
    }

    assertThat(told)
        .containsExactly(
            new ReasonText("its journal is uncertain (JOURNAL_DAMAGED): It is damaged."),
            "compared");
  }

  @Test
  void whoWritesAStoreRunsTheChecksOnIt() {
    List<DynamicTest> checks = StoresSnippets.checks(directory).toList();

    assertThat(checks).hasSizeGreaterThan(60);
    assertAll(checks.stream().limit(5).map(DynamicTest::getExecutable));
  }
}
