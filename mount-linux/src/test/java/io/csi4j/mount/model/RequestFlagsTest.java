package io.csi4j.mount.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RequestFlagsTest {

  private static final MountPath SOURCE = MountPath.of("/source");
  private static final MountPath TARGET = MountPath.of("/target");

  @Test
  void aBindThatWasToBeReadOnlyCanBeMadeWritableAgainAndKeepsItsOtherFlags() {
    BindRequest.Builder request =
        BindRequest.builder(SOURCE, TARGET).flag(MountFlag.NOEXEC).readOnly(true);

    assertThat(request.build().flags())
        .containsExactlyInAnyOrder(MountFlag.NOEXEC, MountFlag.READ_ONLY);
    assertThat(request.readOnly(false).build().flags()).containsExactly(MountFlag.NOEXEC);
  }

  @Test
  void aFilesystemThatWasToBeReadOnlyCanBeMadeWritableAgainAndKeepsItsOtherFlags() {
    FilesystemRequest.Builder request =
        FilesystemRequest.builder("tmpfs", KernelText.of("tmpfs"), TARGET)
            .flag(MountFlag.NOEXEC)
            .readOnly(true);

    assertThat(request.build().flags())
        .containsExactlyInAnyOrder(MountFlag.NOEXEC, MountFlag.READ_ONLY);
    assertThat(request.readOnly(false).build().flags()).containsExactly(MountFlag.NOEXEC);
  }
}
