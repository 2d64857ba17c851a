package io.csi4j.volume.powercut;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CrashesTest {

  private static final int DISK = 8192;

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void aSuperblockIsOldOrNewAndAnyOfTheRestIsEither(FilesystemKind kind) throws IOException {
    byte[] written = new byte[DISK];
    Arrays.fill(written, (byte) 1);
    Recording recording =
        new Recording(
            Recording.Scene.WORK,
            DiskImage.read(Files.write(directory.resolve("disk"), new byte[DISK])),
            new Ledger(),
            0,
            List.of(new DiskLog.Entry.Write(0, written)));
    Random random = new Random(1);

    Set<List<Boolean>> disks = new HashSet<>();
    for (int i = 0; i < 2000; i++) {
      byte[] left = Crashes.of(recording, kind, random).at(1).image().read(0, DISK);
      for (int part = 0; part < DISK; part += kind.whole()) {
        byte[] whole = new byte[kind.whole()];
        Arrays.fill(whole, left[part]);
        assertThat(Arrays.copyOfRange(left, part, part + kind.whole())).isEqualTo(whole);
      }
      disks.add(List.of(left[0] == 1, left[DISK - 1] == 1));
    }

    assertThat(disks)
        .containsExactlyInAnyOrder(
            List.of(false, false), List.of(false, true), List.of(true, false), List.of(true, true));
  }
}
