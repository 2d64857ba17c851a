package io.csi4j.client.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The values that all services share: access modes, mount options, endpoints, policies. */
class SharedWordsTest {

  @ParameterizedTest
  @CsvSource({
    "UNSPECIFIED,               false, false, false, false, UNSPECIFIED",
    "SINGLE_NODE_WRITER,        true,  true,  false, false, SINGLE_NODE_WRITER",
    "SINGLE_NODE_READER_ONLY,   true,  false, false, false, SINGLE_NODE_READER_ONLY",
    "MULTI_NODE_READER_ONLY,    true,  false, true,  false, MULTI_NODE_READER_ONLY",
    "MULTI_NODE_SINGLE_WRITER,  true,  true,  true,  false, MULTI_NODE_SINGLE_WRITER",
    "MULTI_NODE_MULTI_WRITER,   true,  true,  true,  false, MULTI_NODE_MULTI_WRITER",
    "SINGLE_NODE_SINGLE_WRITER, true,  true,  false, true,  SINGLE_NODE_WRITER",
    "SINGLE_NODE_MULTI_WRITER,  true,  true,  false, true,  SINGLE_NODE_WRITER",
    "UNRECOGNIZED,              false, false, false, false, UNRECOGNIZED",
  })
  void anAccessModeKnowsWhatItAllows(
      AccessMode mode,
      boolean stated,
      boolean writable,
      boolean multiNode,
      boolean needsCapability,
      AccessMode fallback) {
    assertThat(mode.isStated()).isEqualTo(stated);
    assertThat(mode.isWritable()).isEqualTo(writable);
    assertThat(mode.isMultiNode()).isEqualTo(multiNode);
    assertThat(mode.isSingleNode()).isEqualTo(stated && !multiNode);
    assertThat(mode.needsSingleNodeMultiWriter()).isEqualTo(needsCapability);
    assertThat(mode.withoutSingleNodeMultiWriter()).isEqualTo(fallback);
  }

  @Test
  void mountOptionsOfARequestReplaceThoseOfTheVolumeFieldByField() {
    MountOptions volume =
        MountOptions.none()
            .withFsType("ext4")
            .withFlags(MountFlags.of("noatime", "ro"))
            .withVolumeMountGroup("disk");
    assertThat(volume.overlaidWith(MountOptions.none())).isEqualTo(volume);
    assertThat(MountOptions.none().overlaidWith(volume)).isEqualTo(volume);

    MountOptions other = volume.overlaidWith(MountOptions.none().withFsType("xfs"));
    assertThat(other).isEqualTo(volume.withFsType("xfs"));

    MountOptions grouped = volume.overlaidWith(MountOptions.none().withVolumeMountGroup("1000"));
    assertThat(grouped).isEqualTo(volume.withVolumeMountGroup("1000"));
  }

  @Test
  void mountFlagsAreReplacedAsAWholeAndAnEmptyListMeansNone() {
    MountOptions volume = MountOptions.none().withFlags(MountFlags.of("noatime", "ro"));
    MountOptions replaced =
        volume.overlaidWith(MountOptions.none().withFlags(MountFlags.of("discard")));
    assertThat(replaced.flags().orElseThrow().reveal()).containsExactly("discard");
    MountOptions none = volume.overlaidWith(MountOptions.none().withFlags(MountFlags.of()));
    assertThat(none.flags()).contains(MountFlags.of());
    assertThat(none.flags().orElseThrow().isEmpty()).isTrue();
  }

  @Test
  void anEmptyTextInMountOptionsIsAbsent() {
    MountOptions options = MountOptions.none().withFsType("").withVolumeMountGroup("");
    assertThat(options).isEqualTo(MountOptions.none());
  }

  @Test
  void aBlockDeviceHasNoMountOptionsToReplace() {
    VolumeCapability block = VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER);
    assertThat(block.overlaidWith(MountOptions.none().withFsType("xfs"))).isSameAs(block);
    assertThat(block.mountOptions()).isEqualTo(Optional.empty());
    VolumeCapability mount = VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER);
    assertThat(mount.overlaidWith(MountOptions.none().withFsType("xfs")))
        .isEqualTo(
            VolumeCapability.mount(
                AccessMode.SINGLE_NODE_WRITER, MountOptions.none().withFsType("xfs")));
  }

  @ParameterizedTest
  @CsvSource({
    "tcp://1.2.3.4:5, does not begin with unix://",
    "unix:/run/csi.sock, does not begin with unix://",
    "/run/csi.sock, does not begin with unix://",
    "'', does not begin with unix://",
    "UNIX:///run/csi.sock, does not begin with unix://",
    "unix://run/csi.sock, has no absolute path",
    "unix://, has no absolute path",
    "unix:///, has no absolute path",
    "unix://@csi, names an abstract socket",
  })
  void onlyAnAbsoluteUnixPathIsAnEndpoint(String text, String problem) {
    assertThatThrownBy(() -> CsiEndpoint.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("The endpoint '" + text + "' " + problem);
  }

  @Test
  void anEndpointWithANulOrARelativePathIsRefused() {
    assertThatThrownBy(() -> CsiEndpoint.parse("unix:///a\0b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("The endpoint 'unix:///a\\u0000b' contains a NUL.");
    assertThatThrownBy(() -> CsiEndpoint.of(Path.of("csi.sock")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("The socket path 'csi.sock' is not absolute.");
    assertThat(CsiEndpoint.parse("unix:///run/csi/csi.sock"))
        .isEqualTo(CsiEndpoint.of(Path.of("/run/csi/csi.sock")))
        .hasToString("unix:///run/csi/csi.sock");
  }

  @Test
  void aPolicyRefusesWhatMakesNoSense() {
    CallPolicy policy = CallPolicy.defaultFor(CsiOperation.NODE_STAGE_VOLUME);
    assertThatThrownBy(() -> policy.toBuilder().attempts(0).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("A call needs at least one attempt, not 0.");
    assertThatThrownBy(() -> policy.toBuilder().budget(Duration.ZERO).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("The budget must be positive, not PT0S.");
    assertThatThrownBy(() -> policy.toBuilder().backoff(Duration.ofMillis(-1)).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("The back-off must not be negative: PT-0.001S.");
  }

  @Test
  void noLimitAtAllMeansACentury() {
    Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
    CallPolicy policy = CallPolicy.defaultFor(CsiOperation.NODE_STAGE_VOLUME);
    assertThat(policy.toBuilder().attemptDeadline(endless).build().attemptDeadline())
        .isEqualTo(Duration.ofDays(36_500));
    assertThat(policy.toBuilder().budget(endless).build().budget())
        .isEqualTo(Duration.ofDays(36_500));
    assertThat(ConnectOptions.builder().deadline(endless).build().deadline())
        .isEqualTo(Duration.ofDays(36_500));
  }
}
