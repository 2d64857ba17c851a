package io.csi4j.volume.powercut;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.real.FuseFiles;
import io.csi4j.mount.real.FuseServer;
import java.nio.file.Path;

/**
 * A disk of which every write and flush is logged: a file in a FUSE filesystem of this process,
 * which a loop device makes a block device of.
 */
final class LoggedDisk implements FuseFiles, AutoCloseable {

  private static final String NAME = "disk";
  private static final long FILE = 2;

  private final DiskImage image;
  private final DiskLog log;
  private final FuseServer server;

  private LoggedDisk(DiskImage image, DiskLog log, MountPath target) {
    this.image = image;
    this.log = log;
    server = FuseServer.mount(target, this);
  }

  /**
   * Shows an image, which must not be touched before this is closed, below a directory.
   *
   * @param log what happens to it
   */
  static LoggedDisk show(DiskImage image, DiskLog log, MountPath target) {
    return new LoggedDisk(image, log, target);
  }

  /** The file that is the disk. */
  Path file() {
    return server.target().toPath().resolve(NAME);
  }

  @Override
  public void close() {
    server.close();
  }

  @Override
  public byte[] answer(Request request) throws Refused {
    return switch (request.operation()) {
      case LOOKUP -> {
        if (!request.name(0).equals(NAME)) {
          throw new Refused(Abi.ENOENT);
        }
        yield Attributes.file(FILE, image.size()).found();
      }
      case GETATTR ->
          (request.node() == ROOT
                  ? Attributes.directory(ROOT)
                  : Attributes.file(FILE, image.size()))
              .told();
      case OPEN, OPENDIR -> FuseFiles.opened(0);
      case READ -> image.read(request.u64(8), request.u32(16));
      case WRITE -> {
        byte[] bytes = request.rest(40);
        image.write(request.u64(8), bytes);
        log.add(new DiskLog.Entry.Write(request.u64(8), bytes));
        yield FuseFiles.written(bytes.length);
      }
      case FSYNC -> {
        log.add(new DiskLog.Entry.Flush());
        yield new byte[0];
      }
      case STATFS -> FuseFiles.space();
      case RELEASE, RELEASEDIR -> new byte[0];
      default -> throw new Refused(Abi.ENOSYS);
    };
  }
}
