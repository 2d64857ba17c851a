package io.csi4j.volume.plugin.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.PluginPath;
import io.csi4j.mount.model.Propagation;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.launch.PluginLaunchPlan.Bind;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What has to be done for a plugin before it starts. */
@Tag("S-37")
class PluginLaunchPlanTest {

  @TempDir Path directory;

  private PluginConfig.Builder config() {
    return PluginConfig.builder("disk.csi", directory.resolve("csi"))
        .volumeRoot(directory.resolve("volumes"));
  }

  private PluginConfig contained() {
    return config()
        .seesSocketDirectoryAt(PluginPath.of("/csi"))
        .seesVolumeRootAt(PluginPath.of("/local/csi"))
        .build();
  }

  private Path socket() {
    return directory.resolve("csi/csi.sock");
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(
        Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
  }

  private void refused(PluginLaunchPlan plan, OperatorCode code, String... words) {
    assertThatThrownBy(plan::prepare)
        .isInstanceOfSatisfying(
            PluginException.class,
            refused -> {
              assertThat(refused.operatorMessage().code()).isEqualTo(code);
              assertThat(refused.operatorMessage().doing().text())
                  .startsWith("preparing the start of plugin 'disk.csi' at " + directory);
              assertThat(refused.getMessage()).contains(words);
            });
  }

  // ---- the plan

  @Test
  void aPluginOnTheHostHasItsPathsAndNeedsNoBinds() {
    PluginLaunchPlan plan = PluginLaunchPlan.of(config().build());

    assertThat(plan.isContained()).isFalse();
    assertThat(plan.binds()).isEmpty();
    assertThat(plan.directories())
        .containsExactly(directory.resolve("csi"), directory.resolve("volumes"));
    assertThat(plan.environment()).isEqualTo(Map.of("CSI_ENDPOINT", "unix://" + socket()));
    assertThat(plan.endpoint().path()).isEqualTo(socket());
    assertThat(plan.binding().seesRootAt()).isEmpty();
  }

  @Test
  @Tag("D-043")
  @Tag("D-045")
  void aPluginInAContainerIsBoundItsSocketsItsVolumesBothWaysAndItsDevices() {
    PluginLaunchPlan plan = PluginLaunchPlan.of(contained());

    assertThat(plan.isContained()).isTrue();
    assertThat(plan.binds())
        .containsExactly(
            new Bind(directory.resolve("csi"), PluginPath.of("/csi"), Propagation.PRIVATE),
            new Bind(
                directory.resolve("volumes"),
                PluginPath.of("/local/csi"),
                Propagation.BIDIRECTIONAL),
            new Bind(Path.of("/dev"), PluginPath.of("/dev"), Propagation.PRIVATE));
    assertThat(plan.environment()).isEqualTo(Map.of("CSI_ENDPOINT", "unix:///csi/csi.sock"));
    assertThat(plan.capabilities()).containsExactly("CAP_SYS_ADMIN");
    assertThat(plan.endpoint().path()).isEqualTo(socket());
    assertThat(plan.binding().seesRootAt()).contains(PluginPath.of("/local/csi"));
  }

  @Test
  void aContainerMayHaveThePathsOfTheHost() {
    PluginLaunchPlan plan = PluginLaunchPlan.of(config().build()).withContained(true);

    assertThat(plan.binds())
        .extracting(bind -> bind.source() + " -> " + bind.target())
        .containsExactly(
            directory.resolve("csi") + " -> " + directory.resolve("csi"),
            directory.resolve("volumes") + " -> " + directory.resolve("volumes"),
            "/dev -> /dev");
  }

  @Test
  void aPluginThatMountsNothingGetsNeitherVolumesNorDevicesNorPrivileges() {
    PluginConfig controller =
        PluginConfig.builder("disk.csi", directory.resolve("csi"))
            .roles(Set.of(PluginRole.CONTROLLER))
            .seesSocketDirectoryAt(PluginPath.of("/csi"))
            .build();
    PluginLaunchPlan plan = PluginLaunchPlan.of(controller);

    assertThat(plan.binds())
        .containsExactly(
            new Bind(directory.resolve("csi"), PluginPath.of("/csi"), Propagation.PRIVATE));
    assertThat(plan.capabilities()).isEmpty();
    assertThat(plan.directories()).containsExactly(directory.resolve("csi"));
  }

  @Test
  @Tag("D-031")
  void variablesOfTheUserAreKeptAndNoneIsInvented() {
    PluginLaunchPlan plan =
        PluginLaunchPlan.of(contained())
            .withEnvironment(Map.of("CSI_MODE", "node", "PASSWORD", "hunter22"))
            .withEnvironment(Map.of("LOG_LEVEL", "5"));

    assertThat(plan.environment())
        .isEqualTo(
            Map.of(
                "CSI_ENDPOINT",
                "unix:///csi/csi.sock",
                "CSI_MODE",
                "node",
                "LOG_LEVEL",
                "5",
                "PASSWORD",
                "hunter22"));
    assertThat(plan.toString()).contains("disk.csi", "PASSWORD").doesNotContain("hunter22");
  }

  @ParameterizedTest
  @ValueSource(strings = {"unix:///csi/csi.sock", "unix:/csi/csi.sock"})
  @Tag("D-021")
  void anEndpointOfTheUserIsKeptIfItIsTheOneThatTheHostConnectsTo(String endpoint) {
    assertThat(
            PluginLaunchPlan.of(contained())
                .withEnvironment(Map.of("CSI_ENDPOINT", endpoint))
                .environment())
        .isEqualTo(Map.of("CSI_ENDPOINT", endpoint));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "unix:///csi/other.sock", "tcp://127.0.0.1:10000", "csi.sock"})
  @Tag("D-021")
  void anEndpointOfTheUserThatNamesAnotherSocketIsRefused(String endpoint) {
    PluginLaunchPlan plan = PluginLaunchPlan.of(contained());

    assertThatThrownBy(() -> plan.withEnvironment(Map.of("CSI_ENDPOINT", endpoint)))
        .isInstanceOfSatisfying(
            PluginException.class,
            refused -> {
              assertThat(refused.operatorMessage().code())
                  .isEqualTo(OperatorCode.PLUGIN_CONFIG_REFUSED);
              assertThat(refused.operatorMessage().seen())
                  .hasToString(
                      "CSI_ENDPOINT is set to '"
                          + endpoint
                          + "', but this host connects to what the plugin sees as"
                          + " 'unix:///csi/csi.sock'; leave it out, or change the directory or"
                          + " name of the socket");
            });
  }

  // ---- the preparation

  @Test
  void missingDirectoriesAreMadeForThisUserAloneAndDoingItAgainChangesNothing() throws IOException {
    PluginConfig deep =
        PluginConfig.builder("disk.csi", directory.resolve("a/b/csi"))
            .volumeRoot(directory.resolve("a/volumes"))
            .build();
    PluginLaunchPlan plan = PluginLaunchPlan.of(deep);

    plan.prepare();
    for (String made : List.of("a", "a/b", "a/b/csi", "a/volumes")) {
      assertThat(mode(directory.resolve(made))).as(made).isEqualTo("rwx------");
    }
    Files.writeString(directory.resolve("a/volumes/kept"), "");
    Files.writeString(directory.resolve("a/b/csi/log"), "");
    plan.prepare();
    assertThat(directory.resolve("a/volumes/kept")).exists();
    assertThat(directory.resolve("a/b/csi/log")).exists();
  }

  @Test
  void aDirectoryThatIsThereKeepsItsMode() throws IOException {
    Files.createDirectory(
        directory.resolve("csi"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-x---")));

    PluginLaunchPlan.of(config().build()).prepare();

    assertThat(mode(directory.resolve("csi"))).isEqualTo("rwxr-x---");
  }

  @Test
  void aSocketAtWhichNobodyListensIsRemovedAndNothingElse() throws IOException {
    PluginLaunchPlan plan = PluginLaunchPlan.of(config().build());
    plan.prepare();
    listen().close();
    Files.writeString(directory.resolve("csi/other.sock"), "");
    assertThat(socket()).exists();

    plan.prepare();

    try (Stream<Path> left = Files.list(directory.resolve("csi"))) {
      assertThat(left).containsExactly(directory.resolve("csi/other.sock"));
    }
  }

  @Test
  void aSocketAtWhichSomebodyListensStays() throws IOException {
    PluginLaunchPlan plan = PluginLaunchPlan.of(config().build());
    plan.prepare();
    try (ServerSocketChannel unused = listen()) {
      refused(plan, OperatorCode.PLUGIN_DUPLICATE, "a process already listens at its socket");
      assertThat(socket()).exists();
    }
  }

  @Test
  void whatIsNoSocketIsNeverRemoved() throws IOException {
    PluginLaunchPlan plan = PluginLaunchPlan.of(config().build());
    plan.prepare();
    Files.writeString(socket(), "notes");
    refused(plan, OperatorCode.PATH_IN_THE_WAY, "is a file of 5 bytes instead of a socket");
    assertThat(socket()).hasContent("notes");

    Files.delete(socket());
    Files.createDirectory(socket());
    refused(plan, OperatorCode.PATH_IN_THE_WAY, "is a directory instead of a socket");
    assertThat(socket()).isDirectory();
  }

  @Test
  void aLinkInThePlaceOfTheSocketIsNeitherFollowedNorRemoved() throws IOException {
    PluginLaunchPlan plan = PluginLaunchPlan.of(config().build());
    plan.prepare();
    Path elsewhere = directory.resolve("elsewhere.sock");
    try (ServerSocketChannel unused = listen(elsewhere)) {
      Files.createSymbolicLink(socket(), elsewhere);
    }

    refused(
        plan,
        OperatorCode.PLUGIN_SOCKET_DENIED,
        "is a symbolic link, and links are not " + "followed");

    assertThat(Files.isSymbolicLink(socket())).isTrue();
    assertThat(elsewhere).exists();
  }

  @Test
  void aDirectoryOfSocketsThatIsALinkIsRefused() throws IOException {
    Files.createDirectory(directory.resolve("real"));
    Files.createSymbolicLink(directory.resolve("csi"), directory.resolve("real"));

    refused(
        PluginLaunchPlan.of(config().build()),
        OperatorCode.PLUGIN_SOCKET_DENIED,
        "is a symbolic link, and links are not followed");
  }

  @ParameterizedTest
  @CsvSource({"rwxrwxrwx,everybody,0777", "rwxrwxr-x,a group,0775"})
  void aDirectoryOfSocketsInWhichOthersMayWriteIsRefusedWithTheCommandThatMendsIt(
      String permissions, String who, String octal) throws IOException {
    Path csi = Files.createDirectory(directory.resolve("csi"));
    Files.setPosixFilePermissions(csi, PosixFilePermissions.fromString(permissions));

    refused(
        PluginLaunchPlan.of(config().build()),
        OperatorCode.PLUGIN_SOCKET_DENIED,
        who + " may write to the directory of its socket (mode " + octal + ")",
        "Remove that right with 'chmod go-w " + csi + "', then start it.");
    assertThat(mode(csi)).isEqualTo(permissions);
  }

  private ServerSocketChannel listen() throws IOException {
    return listen(socket());
  }

  private static ServerSocketChannel listen(Path socket) throws IOException {
    return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
        .bind(UnixDomainSocketAddress.of(socket));
  }
}
