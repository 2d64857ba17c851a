package io.csi4j.volume.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.layout.VolumeDirectories.Found;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.path.PathProblem.Kind;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A filesystem that has bytes left but no inodes, for real. */
@MountTest
class NoInodesLeftTest {

  private static VolumeIdentity volume(int number) {
    return new VolumeIdentity(PluginId.of("hostpath.csi"), VolumeId.of("vol-" + number));
  }

  @Test
  @Tag("F1")
  void aVolumeThatFindsNoInodeIsRefusedAndTheOthersGoOn(Scratch scratch) throws PathProblem {
    MountPath full = scratch.directory("full");
    scratch.rawMount("tmpfs", full.toPath(), "tmpfs", 0, "nr_inodes=14");
    VolumeDirectories directories =
        new VolumeDirectories(new RealDisk(), new VolumeLayout(full.resolve("root")));
    directories.prepareRoot();
    directories.prepareVolume(volume(1));
    directories.prepareVolume(volume(2));

    assertThatExceptionOfType(PathProblem.class)
        .as("F1: a volume that finds no inode is refused")
        .isThrownBy(() -> directories.prepareVolume(volume(3)))
        .withMessageContaining("no space, quota or inodes are left")
        .satisfies(problem -> assertThat(problem.kind()).isEqualTo(Kind.NO_SPACE));
    directories.removeVolume(volume(3), use -> true);
    assertThat(directories.scan(name -> Optional.empty(), problem -> {}))
        .extracting(Found::identity)
        .containsExactlyInAnyOrderElementsOf(List.of(volume(1), volume(2)));

    directories.removeVolume(volume(1), use -> true);
    directories.prepareVolume(volume(3));
  }
}
