package io.csi4j.volume.internal.disk;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.real.FuseFiles;
import io.csi4j.mount.real.FuseServer;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A {@link FakeDisk} that the kernel shows as a filesystem: what a {@link RealDisk} writes there
 * goes through system calls, and a power cut takes what it did not sync. After the power cut, and
 * where the disk fails, calls end with {@code EIO}.
 */
public final class MountedDisk implements FuseFiles, AutoCloseable {

  private static final int EIO = 5;

  /** Of {@code SETATTR}: the mode is to be changed. */
  private static final int MODE = 1;

  private static final int REGULAR = 0100000;
  private static final int DIRECTORY = 0040000;

  private final FakeDisk disk;
  private final Map<Long, Path> paths = new HashMap<>();
  private final Map<Long, DiskFile> files = new HashMap<>();
  private final FuseServer server;
  private long last = ROOT;

  private MountedDisk(FakeDisk disk, Path root, MountPath target) {
    this.disk = disk;
    paths.put(ROOT, root);
    server = FuseServer.mount(target, this);
  }

  /**
   * Mounts a directory of a disk. The disk must not be touched before this is closed.
   *
   * @param root the directory
   * @param target where it appears
   */
  public static MountedDisk mount(FakeDisk disk, Path root, MountPath target) {
    return new MountedDisk(disk, root, target);
  }

  /** Takes the mount away; the disk stays as it is. */
  @Override
  public void close() {
    server.close();
  }

  @Override
  public byte[] answer(Request request) throws Refused {
    try {
      return done(request);
    } catch (FakeDisk.PowerCut e) {
      throw new Refused(EIO);
    } catch (DiskException e) {
      throw new Refused(
          switch (e.kind()) {
            case NOT_FOUND -> Abi.ENOENT;
            case IN_THE_WAY -> Abi.EEXIST;
            default -> EIO;
          });
    }
  }

  private byte[] done(Request request) throws Refused, DiskException {
    return switch (request.operation()) {
      case LOOKUP -> attributes(numbered(child(request, 0))).found();
      case GETATTR -> attributes(request.node()).told();
      case SETATTR -> {
        if (request.u32(0) != MODE) {
          throw new Refused(Abi.ENOSYS);
        }
        disk.setMode(path(request), request.u32(68) & 0777);
        yield attributes(request.node()).told();
      }
      case MKDIR -> {
        disk.createDirectory(child(request, 8));
        yield attributes(numbered(child(request, 8))).found();
      }
      case UNLINK -> {
        disk.deleteFile(child(request, 0));
        yield gone(child(request, 0));
      }
      case RMDIR -> {
        disk.removeDirectory(child(request, 0));
        yield gone(child(request, 0));
      }
      case RENAME -> rename(request);
      case CREATE -> {
        Path file = child(request, 16);
        long handle = handle(disk.create(file));
        byte[] body = Arrays.copyOf(attributes(numbered(file)).found(), 144);
        System.arraycopy(FuseFiles.opened(handle), 0, body, 128, 16);
        yield body;
      }
      case OPEN -> FuseFiles.opened(handle(disk.open(path(request))));
      case READ -> {
        int from = (int) request.u64(8);
        int to = from + request.u32(16);
        byte[] bytes = disk.read(path(request), to);
        yield from >= bytes.length ? new byte[0] : Arrays.copyOfRange(bytes, from, bytes.length);
      }
      case WRITE -> {
        byte[] bytes = request.rest(40);
        files.get(request.u64(0)).write(request.u64(8), bytes);
        yield FuseFiles.written(bytes.length);
      }
      case FSYNC -> nothing(files.get(request.u64(0))::sync);
      case FSYNCDIR -> nothing(() -> disk.syncDirectory(path(request)));
      case RELEASE -> nothing(() -> files.remove(request.u64(0)));
      case OPENDIR -> FuseFiles.opened(0);
      case READDIR -> entries(request);
      case STATFS -> FuseFiles.space();
      case RELEASEDIR -> new byte[0];
      default -> throw new Refused(Abi.ENOSYS);
    };
  }

  /** An operation without a result. */
  @FunctionalInterface
  private interface Operation {
    void run() throws DiskException, Refused;
  }

  private static byte[] nothing(Operation operation) throws DiskException, Refused {
    operation.run();
    return new byte[0];
  }

  /** Forgets the number of a name, which may be another file's one day. */
  private byte[] gone(Path path) {
    paths.values().removeIf(path::equals);
    return new byte[0];
  }

  private byte[] rename(Request request) throws DiskException, Refused {
    String from = request.name(8);
    String to = request.name(8 + from.getBytes(StandardCharsets.UTF_8).length + 1);
    Path before = path(request).resolve(from);
    Path after = path(request.u64(0)).resolve(to);
    disk.rename(before, after);
    byte[] done = gone(after);
    paths.replaceAll((node, path) -> path.equals(before) ? after : path);
    return done;
  }

  private byte[] entries(Request request) throws DiskException, Refused {
    List<String> names = disk.list(path(request));
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = (int) request.u64(8); i < names.size(); i++) {
      byte[] name = names.get(i).getBytes(StandardCharsets.UTF_8);
      byte[] entry = new byte[(24 + name.length + 7) / 8 * 8];
      Struct.u64(entry, 0, numbered(path(request).resolve(names.get(i))));
      Struct.u64(entry, 8, i + 1L);
      Struct.u32(entry, 16, name.length);
      System.arraycopy(name, 0, entry, 24, name.length);
      if (all.size() + entry.length > request.u32(16)) {
        break;
      }
      all.writeBytes(entry);
    }
    return all.toByteArray();
  }

  private Attributes attributes(long node) throws DiskException, Refused {
    FileFacts facts = disk.facts(path(node)).orElseThrow(() -> new Refused(Abi.ENOENT));
    int type = facts.kind() == FileFacts.Kind.DIRECTORY ? DIRECTORY : REGULAR;
    return new Attributes(node, type | facts.mode(), facts.size(), facts.modified());
  }

  private Path path(Request request) throws Refused {
    return path(request.node());
  }

  private Path path(long node) throws Refused {
    Path path = paths.get(node);
    if (path == null) {
      throw new Refused(Abi.ENOENT);
    }
    return path;
  }

  private Path child(Request request, int at) throws Refused {
    return path(request).resolve(request.name(at));
  }

  /** The number of what is there; as long as it is known, the same. */
  private long numbered(Path path) throws DiskException, Refused {
    if (disk.facts(path).isEmpty()) {
      throw new Refused(Abi.ENOENT);
    }
    for (Map.Entry<Long, Path> entry : paths.entrySet()) {
      if (entry.getValue().equals(path)) {
        return entry.getKey();
      }
    }
    paths.put(++last, path);
    return last;
  }

  private long handle(DiskFile file) {
    files.put(++last, file);
    return last;
  }
}
