package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.internal.proc.ProcFiles;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The meaning of the errors of mounting a filesystem. No secret option is in any text. */
final class FilesystemFailure {

  private record Meaning(Reason reason, String text) {}

  private FilesystemFailure() {}

  static MountException of(String doing, int result, FilesystemRequest request) {
    @Nullable Meaning meaning =
        switch (-result) {
          case Abi.EINVAL -> invalid(request.type());
          case Abi.ENOENT, Abi.ENXIO ->
              new Meaning(
                  Reason.BAD_SOURCE,
                  "the source does not exist, or no device is behind it. Attach the device, or"
                      + " correct the source");
          case Abi.ENOTDIR ->
              new Meaning(
                  Reason.WRONG_KIND,
                  "the target is no directory. Filesystems are mounted on directories; bind a file"
                      + " instead");
          case Abi.EBUSY ->
              new Meaning(
                  Reason.BUSY,
                  "the device is in use, or mounted elsewhere as read-only where this is not, or"
                      + " the other way round. Unmount it there, or mount it the same way");
          case Abi.EACCES, Abi.EROFS ->
              new Meaning(
                  result == -Abi.EROFS ? Reason.READ_ONLY : Reason.NOT_PERMITTED,
                  "the device is write-protected, or may not be opened by this process. Ask for a"
                      + " read-only mount, or grant access to the device");
          case Abi.EIO, Abi.EUCLEAN ->
              new Meaning(
                  Reason.BAD_SOURCE,
                  "the filesystem on the source is damaged, or its device fails. Check it with"
                      + " fsck, and read the kernel's log");
          default -> null;
        };
    if (meaning == null) {
      return ErrnoMeaning.of(doing, "mount", result, request.target())
          .source(request.source())
          .build();
    }
    return MountException.builder(meaning.reason, doing + " failed: " + meaning.text + ".")
        .syscall("mount", new Errno(-result))
        .source(request.source())
        .target(request.target())
        .build();
  }

  static MountException exchanged(String doing, FilesystemRequest request) {
    return MountException.builder(
            Reason.OTHER,
            doing
                + " was taken back: the target was exchanged at the same moment."
                + " Find out who else changes it, and try again.")
        .source(request.source())
        .target(request.target())
        .build();
  }

  static MountException refused(
      String doing, FilesystemRequest request, Reason reason, String why) {
    return MountException.builder(reason, doing + " was refused: " + why + ". Correct the request.")
        .source(request.source())
        .target(request.target())
        .build();
  }

  /** The kernel says no more than that something is wrong; most often it is this. */
  private static Meaning invalid(String type) {
    return needsDevice(type)
        ? new Meaning(
            Reason.BAD_SOURCE,
            "the source holds no filesystem of that type, or it is damaged, or an option is"
                + " refused. Look at the device with blkid, and read the kernel's log")
        : new Meaning(
            Reason.BAD_OPTIONS,
            "the filesystem refuses an option or the form of the source. Check them against its"
                + " manual, and read the kernel's log");
  }

  private static boolean needsDevice(String type) {
    try {
      String all = new String(ProcFiles.read("/proc/filesystems"), StandardCharsets.US_ASCII);
      return all.lines().anyMatch(line -> line.equals("\t" + type));
    } catch (IOException e) {
      return false;
    }
  }
}
