package io.csi4j.mount.internal.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.OpenDescriptors;
import io.csi4j.mount.real.Scratch;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@MountTest
class WalkTest {

  private static final String DOING = "Looking";

  @ParameterizedTest
  @EnumSource
  void aPlaceIsANameInADirectoryThatMayBeMovedMeanwhile(Rung rung, Scratch scratch)
      throws Exception {
    scratch.file("a/b/name", "content");
    rung.run(
        (mounts, kernel) -> {
          try (TargetPlace place =
              new Walk(kernel, MountPath.ROOT).place(DOING, scratch.path("a/b/name"))) {
            Files.move(scratch.file("a/b"), scratch.file("moved"));

            assertThat(place.name()).isEqualTo(Abi.path("name"));
            String through =
                new String(place.throughDescriptor(), StandardCharsets.UTF_8).replace("\0", "");
            assertThat(Files.readString(java.nio.file.Path.of(through))).isEqualTo("content");
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void theLastPartIsNotLookedAt(Rung rung, Scratch scratch) throws Exception {
    Files.createSymbolicLink(scratch.file("link"), scratch.file("nowhere"));
    rung.run(
        (mounts, kernel) -> {
          OpenDescriptors descriptors = new OpenDescriptors();
          for (String name : new String[] {"link", "missing"}) {
            try (TargetPlace place =
                new Walk(kernel, scratch.root()).place(DOING, scratch.path(name))) {
              assertThat(place.path()).isEqualTo(scratch.path(name));
            }
          }
          descriptors.assertNoneLeft();
        });
  }

  @ParameterizedTest
  @EnumSource
  void whatStandsInTheWayIsTold(Rung rung, Scratch scratch) throws Exception {
    scratch.file("file", "");
    rung.run(
        (mounts, kernel) -> {
          Walk walk = new Walk(kernel, MountPath.ROOT);
          OpenDescriptors descriptors = new OpenDescriptors();

          MountException missing = failure(walk, scratch.path("no/such/name"));
          assertThat(missing.reason()).isEqualTo(Reason.NOT_FOUND);
          assertThat(missing.errno()).contains(new Errno(Abi.ENOENT));
          MountException file = failure(walk, scratch.path("file/name"));
          assertThat(file.reason()).isEqualTo(Reason.WRONG_KIND);
          assertThat(file.errno()).contains(new Errno(Abi.ENOTDIR));
          MountException deeper = failure(walk, scratch.path("file/deeper/name"));
          assertThat(deeper.reason()).isEqualTo(Reason.WRONG_KIND);
          assertThat(failure(walk, scratch.path("n".repeat(256) + "/name")).errno())
              .contains(new Errno(Abi.ENAMETOOLONG));
          MountException noBase =
              failure(new Walk(kernel, scratch.path("no")), scratch.path("no/name"));
          assertThat(noBase.reason()).isEqualTo(Reason.NOT_FOUND);

          descriptors.assertNoneLeft();
        });
  }

  @Test
  void aKernelThatAsksToTryAgainIsAskedAgainButNotForEver(Scratch scratch) {
    int[] asked = {0};
    Kernel shy =
        FakedCall.sometimes(
            RunningKernel.kernel(), "openat2", () -> ++asked[0] < 10 ? -Abi.EAGAIN : 0);
    new Walk(shy, MountPath.ROOT).place(DOING, scratch.path("name")).close();
    assertThat(asked[0]).isEqualTo(10);

    asked[0] = 0;
    Kernel never =
        FakedCall.answering(
            RunningKernel.kernel(),
            "openat2",
            () -> {
              asked[0]++;
              return -Abi.EAGAIN;
            });
    assertThat(failure(new Walk(never, MountPath.ROOT), scratch.path("name")).errno())
        .contains(new Errno(Abi.EAGAIN));
    assertThat(asked[0]).isEqualTo(64);
  }

  private static MountException failure(Walk walk, MountPath target) {
    return assertThatExceptionOfType(MountException.class)
        .isThrownBy(() -> walk.place(DOING, target).close())
        .actual();
  }
}
