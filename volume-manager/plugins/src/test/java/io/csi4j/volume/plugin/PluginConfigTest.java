package io.csi4j.volume.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.ConnectOptions.Transport;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginPath;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PluginConfigTest {

  private static final Path SOCKETS = Path.of("/run/csi/hostpath");
  private static final Path ROOT = Path.of("/var/lib/host/volumes");

  private static PluginConfig.Builder good() {
    return PluginConfig.builder("hostpath", SOCKETS).volumeRoot(ROOT);
  }

  /** What it is refused for, each for itself. */
  private static List<String> refused(PluginConfig.Builder builder) {
    try {
      PluginConfig config = builder.build();
      throw new AssertionError("not refused: " + config);
    } catch (PluginException refused) {
      OperatorMessage told = refused.operatorMessage();
      assertThat(told.code()).isEqualTo(OperatorCode.PLUGIN_CONFIG_REFUSED);
      return List.of(told.seen().text().split("; ", -1));
    }
  }

  @Test
  void mostOfItHasADefault() {
    PluginConfig config = good().build();

    assertThat(config.id()).isEqualTo(PluginId.of("hostpath"));
    assertThat(config.roles()).containsExactly(PluginRole.NODE);
    assertThat(config.socketDirectory()).isEqualTo(SOCKETS);
    assertThat(config.socketName()).isEqualTo("csi.sock");
    assertThat(config.volumeRoot()).contains(ROOT);
    assertThat(config.healthTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.startInterval()).isEqualTo(Duration.ofSeconds(5));
    assertThat(config.probeInterval()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.infoInterval()).isEqualTo(Duration.ofMinutes(10));
    assertThat(config.probeLimit()).isEqualTo(Duration.ofSeconds(5));
    assertThat(config.failuresToUnhealthy()).isEqualTo(3);
    assertThat(config.answersToReady()).isEqualTo(1);
    assertThat(config.endpoint()).isEqualTo(CsiEndpoint.parse("unix:///run/csi/hostpath/csi.sock"));
    assertThat(config.pluginEndpoint()).isEqualTo(config.endpoint());
    assertThat(config).hasToString("PluginConfig[hostpath at unix:///run/csi/hostpath/csi.sock]");
  }

  @Test
  void aSocketSaysItsDirectoryAndItsName() {
    CsiEndpoint socket = CsiEndpoint.parse("unix:///run/csi/hostpath/a.sock");
    PluginConfig config = PluginConfig.builder("hostpath", socket).volumeRoot(ROOT).build();

    assertThat(config.endpoint()).isEqualTo(socket);
    assertThat(config.socketDirectory()).isEqualTo(SOCKETS);
    assertThat(config.socketName()).isEqualTo("a.sock");
  }

  @Test
  void aPluginInAContainerSeesBothDirectoriesElsewhere() {
    PluginConfig config =
        good()
            .socketName("a.sock")
            .seesSocketDirectoryAt(PluginPath.of("/csi"))
            .seesVolumeRootAt(PluginPath.of("/local/csi"))
            .build();

    assertThat(config.endpoint()).isEqualTo(CsiEndpoint.parse("unix:///run/csi/hostpath/a.sock"));
    assertThat(config.pluginEndpoint()).isEqualTo(CsiEndpoint.parse("unix:///csi/a.sock"));
    PluginRegistration registration = config.registration(InstanceId.of("task-1"));
    assertThat(registration.instance()).isEqualTo(InstanceId.of("task-1"));
    assertThat(registration.roles()).containsExactly(PluginRole.NODE);
    assertThat(registration.binding().endpoint()).isEqualTo(config.endpoint());
    assertThat(registration.binding().seesRootAt()).contains(PluginPath.of("/local/csi"));
  }

  @Test
  void aRoleMayBeAWordOfAConfiguration() {
    assertThat(good().role("monolith").build().roles())
        .isEqualTo(EnumSet.of(PluginRole.NODE, PluginRole.CONTROLLER));
    assertThat(PluginConfig.builder("c", SOCKETS).role("controller").build().volumeRoot())
        .isEqualTo(Optional.empty());
  }

  @Test
  void allThatIsWrongIsSaidAtOnce() {
    PluginConfig.Builder wrong =
        PluginConfig.builder("", Path.of("run/../csi"))
            .role("both")
            .socketName("csi/plugin")
            .healthTimeout(Duration.ZERO)
            .probeInterval(Duration.ofSeconds(-1))
            .failuresToUnhealthy(0);

    assertThat(refused(wrong))
        .containsExactly(
            "its id is empty",
            "it must serve node, controller or monolith, not 'both'",
            "the name of its socket 'csi/plugin' must be a single name without a slash",
            "the directory of its socket 'run/../csi' must be absolute, without . and ..",
            "a plugin that serves nodes needs the directory of the volume manager",
            "the health timeout must be positive, but is PT0S",
            "the probe interval must be positive, but is PT-1S",
            "the number of failures until it is unhealthy must be 1 or more, but is 0");
  }

  @Test
  void theMessageSaysWhatFailedWhyAndWhatToDo() {
    assertThatThrownBy(() -> PluginConfig.builder("", SOCKETS).volumeRoot(ROOT).build())
        .isInstanceOf(PluginException.class)
        .hasMessage(
            "CSI-328 PLUGIN_CONFIG_REFUSED: configuring the plugin '': its id is empty; nothing"
                + " was begun. Correct the configuration as the message says.");
  }

  @Test
  void noRoleAtAllIsRefused() {
    assertThat(refused(good().roles(Set.of())))
        .containsExactly("it must serve node, controller or monolith, not nothing");
  }

  @ParameterizedTest
  @Tag("nomad19440")
  @ValueSource(strings = {"/run/csi/hostpath", "/run/csi/hostpath/volumes", "/run/csi", "/run"})
  void nomad19440_oneDirectoryInsideTheOtherIsRefused(String root) {
    assertThat(refused(good().volumeRoot(Path.of(root))))
        .containsExactly(
            "the directory of its socket '/run/csi/hostpath' and that of the volume manager '"
                + root
                + "', on this host, must be separate, neither inside the other");
  }

  @Test
  @Tag("nomad19440")
  void nomad19440_directoriesThatAreApartHereMayNotBeSoForThePlugin() {
    PluginConfig.Builder nested =
        good()
            .seesSocketDirectoryAt(PluginPath.of("/csi"))
            .seesVolumeRootAt(PluginPath.of("/csi/volumes"));

    assertThat(refused(nested))
        .containsExactly(
            "the directory of its socket '/csi' and that of the volume manager '/csi/volumes', as"
                + " the plugin sees them, must be separate, neither inside the other");
  }

  @Test
  void directoriesWithACommonBeginningOfTheirNamesAreApart() {
    assertThat(good().volumeRoot(Path.of("/run/csi/hostpath-volumes")).build().volumeRoot())
        .contains(Path.of("/run/csi/hostpath-volumes"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"csi", "csi.socket", "", "csi.sock.bak"})
  void d028_theNameOfASocketEndsInSock(String name) {
    assertThat(refused(good().socketName(name)))
        .containsExactly("the name of its socket '" + name + "' does not end in .sock");
  }

  @Test
  void aPathThatNoSocketCanHaveIsRefused() {
    Path longest = Path.of("/" + "d".repeat(106 - "/".length() - "/csi.sock".length()));
    assertThat(good().build().endpoint().path().getFileName()).hasToString("csi.sock");
    assertThat(PluginConfig.builder("p", longest).volumeRoot(ROOT).build().socketDirectory())
        .isEqualTo(longest);

    Path longer = Path.of(longest + "d");
    assertThat(refused(PluginConfig.builder("p", longer).volumeRoot(ROOT)))
        .containsExactly("the path of its socket has 107 bytes, but only 106 fit");
    ConnectOptions epoll = ConnectOptions.builder().transport(Transport.EPOLL).build();
    assertThat(
            PluginConfig.builder("p", longer)
                .volumeRoot(ROOT)
                .connectOptions(epoll)
                .build()
                .socketDirectory())
        .isEqualTo(longer);
    assertThat(refused(good().seesSocketDirectoryAt(PluginPath.of(longer + "d"))))
        .containsExactly(
            "the path of its socket as the plugin sees it has 108 bytes, but only " + "107 fit");
  }
}
