package io.csi4j.volume.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.host.HostProgram.PathKind;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node's agent: a host that takes csi4j-volume-manager alone. */
class NodeAgentTest {

  /** Opens a manager, and prints which modules of csi4j there are. */
  private static final String MAIN =
      """
      package host;

      import io.csi4j.volume.manager.VolumeManager;
      import java.nio.file.Path;
      import java.util.List;

      public final class Main {
        private Main() {}

        public static void main(String[] args) {
          try (VolumeManager manager = VolumeManager.open(Path.of(args[0]))) {
            System.out.println("owed " + manager.reconcile(List.of()).plan());
            System.out.println("volumes " + manager.volumes());
          }
          ModuleLayer.boot().modules().stream()
              .map(Module::getName)
              .filter(name -> name.startsWith("io.csi4j"))
              .sorted()
              .forEach(System.out::println);
        }
      }
      """;

  private static final List<String> MODULES =
      List.of(
          "io.csi4j.client",
          "io.csi4j.client.model",
          "io.csi4j.mount",
          "io.csi4j.volume.model",
          "io.csi4j.volume.node",
          "io.csi4j.volume.plugins",
          "io.csi4j.volume.state");

  @TempDir Path directory;

  private HostProgram agent() {
    return new HostProgram(directory, MAIN, List.of("io.csi4j.volume.node"));
  }

  private List<String> run(PathKind kind) throws Exception {
    return agent().run(kind, directory.resolve("volumes").toString());
  }

  @Test
  void itsPathHasNeitherClaimsNorControllerNorEtcdNorConformance() {
    assertThat(agent().modules()).containsExactlyElementsOf(MODULES);
    assertThat(agent().path())
        .anyMatch(entry -> entry.contains("/io/grpc/"))
        .noneMatch(entry -> entry.contains("/io/etcd/") || entry.contains("/io/netty/"));
  }

  @Tag("campaign")
  @Test
  void itRunsOnTheClassPath() throws Exception {
    assertThat(run(PathKind.CLASS_PATH)).containsExactly("owed []", "volumes []");
  }

  @Test
  void itRunsOnTheModulePathWithTheModulesBelowItAlone() throws Exception {
    assertThat(run(PathKind.MODULE_PATH))
        .startsWith("owed []", "volumes []")
        .endsWith(MODULES.toArray(String[]::new))
        .hasSize(2 + MODULES.size());
  }
}
