package io.csi4j.volume.host;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.StoredCatalog;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.etcd.EtcdServer;
import io.csi4j.volume.claim.etcd.EtcdSettings;
import io.csi4j.volume.claim.etcd.EtcdStore;
import io.csi4j.volume.claim.etcd.EtcdTest;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.journal.JournalStateStore;
import io.csi4j.volume.state.seal.AesGcmSealer;
import io.csi4j.volume.state.seal.SealedStateStore;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.LocalStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a disk and etcd know of the values of plugins: nothing, where the host gives a key. */
class SealedAtRestTest {

  private static final String CANARY = "canary-5d1c0e";
  private static final VolumeKey DB = VolumeKey.of("db");

  @TempDir Path directory;

  private static Sealer sealer() {
    return AesGcmSealer.of(AesGcmSealer.Keys.of("k1", new byte[32]));
  }

  /** A claim whose publish context has a password. */
  private static void claim(RecordStore store) {
    ClaimHolder holder =
        new ClaimHolder(
            WorkloadId.of("web"),
            NodeName.of("n1"),
            Optional.empty(),
            ClaimMode.WRITE,
            ClaimHolder.State.TAKEN,
            1,
            Instant.parse("2026-01-01T00:00:00Z"),
            new ClaimHolder.Attachment.Attached(PublishContext.of(Map.of("chap", CANARY))));
    Claim claim =
        new Claim(
            DB,
            Optional.of(new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)),
            new TreeMap<>(Map.of(holder.workload(), holder)),
            1,
            Optional.empty());

    assertThat(StoredClaims.in(store).write(claim).value()).contains(claim);
    assertThat(StoredClaims.in(store).claim(DB)).isEqualTo(claim);
  }

  /** A volume with a password as a mount flag, as a parameter, and in its context. */
  private static void remember(RecordStore store) {
    MountOptions options = MountOptions.none().withFlags(MountFlags.of("password=" + CANARY));
    VolumeSpec spec =
        VolumeSpec.builder(PluginId.of("fake.csi4j.example"))
            .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
            .parameters(Map.of("token", CANARY))
            .mountOptions(options)
            .build();
    CatalogVolume volume =
        CatalogVolume.builder(DB, spec, VolumeId.of("vol-1"))
            .context(VolumeContext.of(Map.of("note", CANARY)))
            .build();
    CatalogEntry entry =
        new CatalogEntry(DB, spec, Optional.empty(), new CatalogEntry.State.Present(volume));

    StoredCatalog.put(store, entry);
    assertThat(StoredCatalog.entries(store)).containsExactly(entry);
  }

  /** How many files below this directory have the canary in them. */
  private static long filesThatTell(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile)
          .filter(
              file -> {
                try {
                  return new String(Files.readAllBytes(file), US_ASCII).contains(CANARY);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              })
          .count();
    }
  }

  private void keepOnDisk(Function<StateStore, StateStore> over) {
    try (LocalStore claims = LocalStore.on(over.apply(state("claims")))) {
      claim(claims);
    }
    try (LocalStore catalog = LocalStore.on(over.apply(state("catalog")))) {
      remember(catalog);
    }
  }

  private StateStore state(String name) {
    return JournalStateStore.open(directory.resolve(name), JournalSettings.defaults());
  }

  @Test
  void aDiskKnowsNothingThatWasSealed() throws IOException {
    keepOnDisk(state -> SealedStateStore.on(state, sealer()));

    assertThat(filesThatTell(directory)).isZero();
    try (RecordStore claims = LocalStore.open(directory.resolve("claims"), sealer())) {
      assertThat(StoredClaims.in(claims).claim(DB).holders()).containsKey(WorkloadId.of("web"));
    }
  }

  @Test
  void aDiskKnowsAllThatWasNot() throws IOException {
    keepOnDisk(state -> state);

    assertThat(filesThatTell(directory)).as("files of claims, files of the catalog").isEqualTo(2);
  }

  @EtcdTest
  @Test
  void etcdKnowsNothingThatWasSealed() throws IOException {
    assertThat(filesOfEtcd(settings -> settings.toBuilder().sealer(sealer()).build())).isZero();
  }

  @EtcdTest
  @Test
  void etcdKnowsAllThatWasNot() throws IOException {
    assertThat(filesOfEtcd(settings -> settings)).isPositive();
  }

  private long filesOfEtcd(Function<EtcdSettings, EtcdSettings> how) throws IOException {
    Path data = Files.createDirectory(directory.resolve("etcd"));
    try (EtcdServer etcd = EtcdServer.start(data);
        RecordStore store = EtcdStore.open(how.apply(EtcdSettings.of(etcd.endpoint())))) {
      claim(store);
    }
    return filesThatTell(data);
  }
}
