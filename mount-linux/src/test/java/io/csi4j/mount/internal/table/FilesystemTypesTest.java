package io.csi4j.mount.internal.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That the types whose servers may be asked are told from the others. */
class FilesystemTypesTest {

  private static final String LOCAL = "nodev\tsysfs\n\text4\nnodev\tfuse\n\tfuseblk\n";
  private static final long SECOND = 1_000_000_000L;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "fuse",
        "fuse.sshfs",
        "fuseblk",
        "fuseblk.x",
        "virtiofs",
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "ceph",
        "9p",
        "gfs2"
      })
  void aServedFilesystemHasAServer(String type) {
    assertThat(FilesystemTypes.hasServer(type)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs", "tmpfs", "overlay", "fusectl", "nfsd", "proc", ""})
  void aLocalOneHasNone(String type) {
    assertThat(FilesystemTypes.hasServer(type)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"nfs", "nfs4", "9p", "cifs", "smb3", "ceph"})
  void oneTypeThatIsAskedByWalkingIsEnough(String type) {
    assertThat(careful(LOCAL)).isFalse();
    assertThat(careful(LOCAL + "nodev\t" + type + "\n")).isTrue();
    assertThat(careful("nodev\t" + type + "d\n")).isFalse();
  }

  @Test
  void aTypeThatIsLoadedLaterIsSeenWithinASecond() {
    AtomicReference<String> types = new AtomicReference<>(LOCAL);
    AtomicInteger reads = new AtomicInteger();
    AtomicLong time = new AtomicLong(-5);
    BooleanSupplier careful =
        FilesystemTypes.watched(
            () -> {
              reads.incrementAndGet();
              return types.get().getBytes(StandardCharsets.US_ASCII);
            },
            time::get);
    types.set(LOCAL + "nodev\tnfs4\n");

    time.addAndGet(SECOND - 1);
    assertThat(careful.getAsBoolean()).isFalse();
    assertThat(reads).hasValue(1);
    time.addAndGet(1);
    assertThat(careful.getAsBoolean()).isTrue();
    assertThat(careful.getAsBoolean()).isTrue();
    assertThat(reads).hasValue(2);
  }

  @Test
  void whereTypesCannotBeReadTheyAreFeared() {
    BooleanSupplier careful =
        FilesystemTypes.watched(
            () -> {
              throw new IOException("no /proc");
            },
            () -> 0);

    assertThat(careful.getAsBoolean()).isTrue();
  }

  private static boolean careful(String types) {
    return FilesystemTypes.anyAskedByWalking(types.getBytes(StandardCharsets.US_ASCII));
  }
}
