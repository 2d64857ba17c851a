package io.csi4j.volume.internal.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.PluginPath;
import io.csi4j.mount.model.MountPath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathViewTest {

  @ParameterizedTest
  @CsvSource({
    "/var/lib/csi, /csi, /var/lib/csi/v/a, /csi/v/a",
    "/var/lib/csi, /csi/, /var/lib/csi/v/a, /csi/v/a",
    "/var/lib/csi/, //csi//, /var/lib/csi//v/a/, /csi/v/a",
    "/var/lib/csi, /csi, /var/lib/csi, /csi",
    "/var/lib/csi, /, /var/lib/csi/v/a, /v/a",
    "/var/lib/csi, /, /var/lib/csi, /",
    "/, /host, /var/lib, /host/var/lib",
    "/, /host, /, /host",
    "/, /, /var/lib, /var/lib",
    "/, /, /, /",
    "/a, /b, /a/ä b, /b/ä b"
  })
  void aPathHasItsPlaceInThePluginsView(String host, String plugin, String path, String seen) {
    assertThat(new PathView(MountPath.of(host), PluginPath.of(plugin)).toPlugin(MountPath.of(path)))
        .isEqualTo(PluginPath.of(seen));
  }

  @Test
  void aPluginOnTheHostSeesEveryPathAsItIs() {
    PathView view = PathView.same(MountPath.of("/var/lib/csi"));

    assertThat(view.toPlugin(MountPath.of("/var/lib/csi/v/a")))
        .isEqualTo(PluginPath.of("/var/lib/csi/v/a"));
    assertThat(PathView.same(MountPath.ROOT).toPlugin(MountPath.of("/a")))
        .isEqualTo(PluginPath.of("/a"));
  }

  @ParameterizedTest
  @CsvSource({"/var/lib", "/var/lib/csi2", "/var/lib/csi2/v", "/", "/other"})
  void aPathThatThePluginDoesNotSeeIsRefused(String path) {
    PathView view = new PathView(MountPath.of("/var/lib/csi"), PluginPath.of("/csi"));

    assertThatThrownBy(() -> view.toPlugin(MountPath.of(path)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "The path "
                + path
                + " is not in /var/lib/csi, the only directory that the plugin "
                + "sees.");
  }

  @ParameterizedTest
  @CsvSource({"/csi/..", "/./csi", "/csi/../other"})
  void aViewThatLeadsElsewhereIsRefused(String plugin) {
    assertThatThrownBy(() -> new PathView(MountPath.of("/a"), PluginPath.of(plugin)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + plugin + "'");
  }

  @Test
  void viewsOfTheSameAreEqual() {
    assertThat(new PathView(MountPath.of("/a/"), PluginPath.of("/csi/")))
        .isEqualTo(new PathView(MountPath.of("/a"), PluginPath.of("/csi")));
  }
}
