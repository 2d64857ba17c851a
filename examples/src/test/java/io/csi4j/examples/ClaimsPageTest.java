package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertAll;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.etcd.EtcdPassword;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.Uncertainty;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
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

/** Holds docs/claims.md to what really compiles, runs and is there. */
class ClaimsPageTest {

  private static final Page PAGE = Page.of("docs/claims.md", "ClaimsSnippets.java");
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
  void thePictureHasEveryStateOfAClaimInItsOrder() throws IOException {
    String picture = PAGE.blocks("mermaid").get(0).group(3);
    assertThat(
            picture
                .lines()
                .skip(2) // its head, and the way into the first state
                .map(arrow -> arrow.strip().replaceFirst(" .*", ""))
                .distinct())
        .containsExactly(
            Arrays.stream(ClaimHolder.State.values()).map(Enum::name).toArray(String[]::new));
  }

  @Test
  void theControllerMakesAVolumeAndLeavesNothing() {
    PluginRegistry plugins = InMemoryPluginRegistry.open();
    try (FakeCsiPlugin storage = FakeCsiPlugin.builder().effects(NodeEffects.none()).open();
        MemoryStore store = new MemoryStore()) {
      PluginId id = PluginId.of("fake");
      plugins.register(PluginRegistration.controller(PluginBinding.of(id, storage.endpoint())));
      ClaimsSnippets.controller(
          plugins,
          store,
          VolumeSpec.builder(id)
              .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
              .build());
      assertThat(storage.journal().operations())
          .contains(
              CsiOperation.CREATE_VOLUME,
              CsiOperation.CREATE_SNAPSHOT,
              CsiOperation.DELETE_SNAPSHOT,
              CsiOperation.CONTROLLER_EXPAND_VOLUME,
              CsiOperation.DELETE_VOLUME);
      assertThat(storage.contents().empty()).isTrue();
      storage.assertLawful();
    }
  }

  @Test
  void everyReasonOfARefusalHasARow() throws IOException {
    String page = Files.readString(Page.ROOT.resolve("docs/claims.md"));

    assertThat(Arrays.stream(RecordStoreException.Reason.values()).map(Enum::name))
        .allSatisfy(name -> assertThat(page).contains("\n| `" + name + "`"));
  }

  @Test
  void aVolumeIsClaimedOnTheDiskOfTheHostAndGivenBack() {
    ClaimsSnippets.local(directory.resolve("claims"), wish(), told::add);

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
            () -> ClaimsSnippets.etcd(nobody, EtcdPassword.of("secret"), wish(), told::add));

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
        ClaimsSnippets.doubt(store, USAGE.volume(), told::add, () -> told.add("compared"));
      }
    }

    assertThat(told)
        .containsExactly(
            new ReasonText("its journal is uncertain (JOURNAL_DAMAGED): It is damaged."),
            "compared");
  }

  @Test
  void whoWritesAStoreRunsTheChecksOnIt() {
    List<DynamicTest> checks = ClaimsSnippets.checks(directory).toList();

    assertThat(checks).hasSizeGreaterThan(60);
    assertAll(checks.stream().limit(5).map(DynamicTest::getExecutable));
  }
}
