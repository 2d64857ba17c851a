package io.csi4j.volume.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.claim.etcd.EtcdServer;
import io.csi4j.volume.claim.etcd.EtcdTest;
import io.csi4j.volume.host.HostProgram.PathKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A control plane: a host that takes csi4j-volume-controller and csi4j-claims-etcd. */
class ControlPlaneTest {

  /** Claims a volume through one store, and reads the claim through another. */
  private static final String MAIN =
      """
      package host;

      import io.csi4j.client.model.AccessMode;
      import io.csi4j.volume.store.local.LocalStore;
      import io.csi4j.volume.model.AttachmentMode;
      import io.csi4j.volume.claim.Claim;
      import io.csi4j.volume.claim.ClaimRequest;
      import io.csi4j.volume.claim.coordination.ClaimBook;
      import io.csi4j.volume.claim.etcd.EtcdStore;
      import io.csi4j.volume.claim.etcd.EtcdSettings;
      import io.csi4j.volume.store.RecordStore;
      import io.csi4j.volume.store.RecordStoreException;
      import io.csi4j.volume.controller.VolumeController;
      import io.csi4j.volume.model.ClaimMode;
      import io.csi4j.volume.model.NodeName;
      import io.csi4j.volume.model.VolumeUse;
      import io.csi4j.volume.model.VolumeKey;
      import io.csi4j.volume.model.WorkloadId;
      import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
      import io.csi4j.volume.state.JournalSettings;
      import io.csi4j.volume.state.StateStore;
      import io.csi4j.volume.state.journal.JournalStateStore;
      import java.net.URI;
      import java.nio.file.Path;
      import java.time.Clock;
      import java.util.Optional;

      public final class Main {
        private static final VolumeKey NOTES = VolumeKey.of("notes");

        private Main() {}

        public static void main(String[] args) {
          System.out.println(
              VolumeController.class.getModule().getName()
                  + " "
                  + EtcdStore.class.getModule().getName());
          for (int i = 1; i < args.length; i++) {
            EtcdSettings settings = EtcdSettings.of(URI.create(args[i]));
            try {
              claim(Path.of(args[0]), settings);
              try (RecordStore again = EtcdStore.open(settings)) {
                System.out.println(
                    new ClaimBook(again, Clock.systemUTC()).read(NOTES).holders().keySet());
              }
            } catch (RecordStoreException e) {
              System.out.println(e.getMessage());
            }
          }
        }

        private static void claim(Path directory, EtcdSettings settings) {
          try (RecordStore claims = EtcdStore.open(settings);
              StateStore state = JournalStateStore.open(directory, JournalSettings.defaults());
              VolumeController controller =
                  VolumeController.builder(InMemoryPluginRegistry.open(), LocalStore.on(state))
                      .claims(claims)
                      .open()) {
            System.out.println("volumes " + controller.volumes());
            new ClaimBook(claims, Clock.systemUTC())
                .claim(
                    ClaimRequest.builder(VolumeUse.of(NOTES, WorkloadId.of("web")), NodeName.of("n1"),
                        new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM), ClaimMode.WRITE).build());
          }
        }
      }
      """;

  private static final String UNREACHABLE =
      "Opening the store failed: etcd at %s cannot be reached, or has no leader. Check that etcd"
          + " runs, and that this host can reach it, with TLS if etcd requires it.";

  @TempDir Path directory;

  @Tag("campaign")
  @ParameterizedTest
  @EnumSource
  void aStoreThatIsOpenedSaysThatEtcdCannotBeReached(PathKind kind) throws Exception {
    String plain = "http://127.0.0.1:1";
    String encrypted = "https://127.0.0.1:1";

    assertThat(run(kind, plain, encrypted))
        .containsExactly(
            modules(kind), UNREACHABLE.formatted(plain), UNREACHABLE.formatted(encrypted));
  }

  @EtcdTest
  @Test
  void aClaimThatIsWrittenIsReadBack() throws Exception {
    isWrittenAndReadBack(PathKind.MODULE_PATH);
  }

  @Tag("campaign")
  @Test
  void aClaimThatIsWrittenIsReadBackOnTheClassPath() throws Exception {
    isWrittenAndReadBack(PathKind.CLASS_PATH);
  }

  private void isWrittenAndReadBack(PathKind kind) throws Exception {
    try (EtcdServer etcd = EtcdServer.start(Files.createDirectory(directory.resolve("etcd")))) {
      assertThat(run(kind, etcd.endpoint().toString()))
          .containsExactly(modules(kind), "volumes []", "[web]");
    }
  }

  private List<String> run(PathKind kind, String endpoint, String... more) throws Exception {
    HostProgram host =
        new HostProgram(
            directory,
            MAIN,
            List.of("io.csi4j.volume.controller", "io.csi4j.volume.claims.etcd"),
            "/volume-manager/node/",
            "/csi4j-volume-manager/");
    String[] args = new String[2 + more.length];
    args[0] = directory.resolve("state").toString();
    args[1] = endpoint;
    System.arraycopy(more, 0, args, 2, more.length);
    return host.run(kind, args);
  }

  private static String modules(PathKind kind) {
    return switch (kind) {
      case CLASS_PATH -> "null null";
      case MODULE_PATH -> "io.csi4j.volume.controller io.csi4j.volume.claims.etcd";
    };
  }
}
