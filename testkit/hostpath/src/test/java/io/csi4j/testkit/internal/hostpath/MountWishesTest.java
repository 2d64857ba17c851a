package io.csi4j.testkit.internal.hostpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.model.StatusCode;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.testkit.internal.backend.Refusal;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What capabilities ask of a mount. */
class MountWishesTest {

  @Test
  void flagsThatBindMountsHaveAreTaken() throws Exception {
    assertThat(MountWishes.of(capability("", "ro,nosuid", "noexec", "rw", "defaults"), Medium.DISK))
        .containsExactlyInAnyOrder(MountFlag.READ_ONLY, MountFlag.NOSUID, MountFlag.NOEXEC);
  }

  @Test
  void unknownFlagsAreNamedWithoutWhatIsGivenWithThem() {
    Refusal refused =
        refused(capability("", "discard", "password=hunter2", "a b\n", "ro"), Medium.DISK);

    assertThat(refused.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(refused.text())
        .contains("[(unprintable), discard, password=…]")
        .doesNotContain("hunter2");
  }

  @ParameterizedTest
  @CsvSource({"'',DISK", "none,DISK", "bind,DISK", "'',MEMORY", "tmpfs,MEMORY", "'',LOOP"})
  void theseFilesystemsAreTaken(String type, Medium medium) throws Exception {
    assertThat(MountWishes.of(capability(type), medium)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "ext4,DISK,Leave it empty.",
    "tmpfs,DISK,medium=memory",
    "xfs,MEMORY,Leave it empty."
  })
  void otherFilesystemsAreRefused(String type, Medium medium, String advice) {
    Refusal refused = refused(capability(type), medium);

    assertThat(refused.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(refused.text()).contains("'" + type + "'").contains(advice);
  }

  private static Refusal refused(VolumeCapability capability, Medium medium) {
    return assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> MountWishes.of(capability, medium))
        .actual();
  }

  private static VolumeCapability capability(String type, String... flags) {
    return VolumeCapability.newBuilder()
        .setMount(
            VolumeCapability.MountVolume.newBuilder()
                .setFsType(type)
                .addAllMountFlags(List.of(flags)))
        .build();
  }
}
