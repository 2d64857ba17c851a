package io.csi4j.mount.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** That every error says what failed, why, and what to do next. */
class ErrnoMeaningTest {

  private static final MountPath TARGET = MountPath.of("/a");

  @ParameterizedTest
  @CsvSource({
    "1, EPERM, NOT_PERMITTED, may not do that to the mounts, CAP_SYS_ADMIN",
    "13, EACCES, NOT_PERMITTED, may not pass through a directory, Grant search permission",
    "2, ENOENT, NOT_FOUND, does not exist, Make it first",
    "20, ENOTDIR, WRONG_KIND, a directory is needed, files on files",
    "21, EISDIR, WRONG_KIND, a directory is needed, files on files",
    "40, ELOOP, SYMLINK, is a symbolic link, Mounts.beneath",
    "18, EXDEV, OUTSIDE, leads out of the directory, Name a path below it",
    "16, EBUSY, BUSY, it is in use, Mounts.whoHolds",
    "19, ENODEV, UNKNOWN_FILESYSTEM, does not know the type, /proc/filesystems",
    "15, ENOTBLK, BAD_SOURCE, a block device is needed, loop device",
    "28, ENOSPC, LIMIT, fs.mount-max, /proc/sys/fs/mount-max",
    "24, EMFILE, LIMIT, no descriptors or memory, Raise the limit",
    "23, ENFILE, LIMIT, no descriptors or memory, Raise the limit",
    "12, ENOMEM, LIMIT, no descriptors or memory, free memory",
    "30, EROFS, READ_ONLY, is read-only, Mount it writable",
    "36, ENAMETOOLONG, BAD_OPTIONS, too long, fewer than 4096 bytes",
    "38, ENOSYS, UNSUPPORTED, does not offer the call, MountCapabilities.system()",
    "95, EOPNOTSUPP, UNSUPPORTED, does not offer the call, MountCapabilities.system()",
    "107, ENOTCONN, BROKEN, is dead, Unmount it",
    "116, ESTALE, BROKEN, is dead, Unmount it",
    "5, EIO, BROKEN, is dead, Unmount it",
    "112, EHOSTDOWN, BROKEN, is dead, Unmount it",
    "113, EHOSTUNREACH, BROKEN, is dead, Unmount it",
    "103, ECONNABORTED, BROKEN, is dead, Unmount it",
    "111, ECONNREFUSED, BROKEN, is dead, Unmount it",
    "110, ETIMEDOUT, BROKEN, is dead, Unmount it",
    "11, EAGAIN, OTHER, came in between, Try again",
    "4, EINTR, OTHER, came in between, Try again",
    "22, EINVAL, OTHER, for wrong, Correct it",
    "9, EBADF, OTHER, the kernel answered EBADF, the kernel's log",
    "999, errno 999, OTHER, the kernel answered errno 999, the kernel's log",
  })
  void eachErrorHasAReasonAndANextStep(
      int number, String name, Reason reason, String why, String next) {
    MountException e = ErrnoMeaning.of("Unmounting /a", "umount2", -number, TARGET).build();

    assertThat(e.reason()).isEqualTo(reason);
    assertThat(e.errno()).contains(new Errno(number));
    assertThat(e.syscall()).contains("umount2");
    assertThat(e.target()).contains(TARGET);
    assertThat(e)
        .hasMessageMatching(
            "Unmounting /a failed: [^.].*\\. [A-Z].*\\. \\[umount2, "
                + name
                + " \\("
                + number
                + "\\)\\]")
        .hasMessageContaining(why)
        .hasMessageContaining(next);
  }

  @Test
  void theMessageIsOneSentenceAfterTheOther() {
    assertThat(ErrnoMeaning.of("Looking at /a", "statx", -Abi.ENOENT, TARGET).build())
        .hasMessage(
            "Looking at /a failed: the path does not exist. Make it first, or correct the path."
                + " [statx, ENOENT (2)]");
  }
}
