package io.csi4j.volume.functional;

import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.testkit.mount.MemoryNamespace;
import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.DiskException.Kind;
import io.csi4j.volume.internal.disk.DiskFile;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.internal.disk.HeldLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * A disk whose directories and files are those of a namespace in memory: what is mounted there
 * counts. Whoever touches a path that is mounted, or lies in a mount, is written down: on a real
 * host that can hang for ever.
 */
class MemoryDisk implements Disk {

  private static final int OWNER = 0;

  private final MemoryNamespace namespace;
  private final MountPath root;
  private final Map<Path, Integer> modes = new ConcurrentHashMap<>();
  private final Map<Path, String> identities = new ConcurrentHashMap<>();
  private final Set<Path> links = ConcurrentHashMap.newKeySet();
  private final AtomicLong made = new AtomicLong();
  private final List<String> trespasses = new CopyOnWriteArrayList<>();
  private volatile Predicate<Path> refused = path -> false;
  private volatile Kind refusal = Kind.FAILED;

  /** A disk in this namespace, below this directory. */
  MemoryDisk(MemoryNamespace namespace, MountPath root) {
    this.namespace = namespace;
    this.root = root;
  }

  private interface Work<T> {
    T run() throws DiskException;
  }

  /** Fails whatever would change one of these paths. */
  void refuse(Kind kind, Predicate<Path> paths) {
    refusal = kind;
    refused = paths;
  }

  /** Refuses nothing any more. */
  void heal() {
    refused = path -> false;
  }

  /** Makes a symbolic link, as somebody else would. */
  void link(MountPath at, MountPath target) {
    namespace.symlink(at, KernelText.of(target.toString()));
    links.add(at.toPath());
  }

  /** Who touched what is mounted: an operation and its path each. */
  List<String> trespasses() {
    return List.copyOf(trespasses);
  }

  private <T> T attempt(String operation, Path path, Work<T> work) throws DiskException {
    watch(operation, path);
    try {
      return work.run();
    } catch (MountException e) {
      throw new DiskException(kind(e), path.getFileName() + ": " + e.reason(), e);
    }
  }

  private void watch(String operation, Path path) {
    MountPath at = MountPath.of(path);
    if (!at.isWithin(root) || at.equals(root)) {
      return;
    }
    for (MountRecord mount : namespace.table().list().records()) {
      MountPath mounted = mount.path();
      if (mounted.isWithin(root) && !mounted.equals(root) && at.isWithin(mounted)) {
        trespasses.add(operation + " " + path + " at the mount " + mounted);
      }
    }
  }

  private void changing(Path path) throws DiskException {
    if (refused.test(path)) {
      throw new DiskException(refusal, path.getFileName() + ": told to fail", null);
    }
  }

  private static Kind kind(MountException failure) {
    String errno = failure.errno().map(Object::toString).orElse("");
    if (errno.contains("ENOTEMPTY") || errno.contains("EEXIST")) {
      return Kind.IN_THE_WAY;
    }
    return switch (failure.reason()) {
      case NOT_FOUND -> Kind.NOT_FOUND;
      case READ_ONLY -> Kind.READ_ONLY;
      case NOT_PERMITTED -> Kind.DENIED;
      case WRONG_KIND -> Kind.IN_THE_WAY;
      case LIMIT -> Kind.NO_SPACE;
      default -> Kind.FAILED;
    };
  }

  @Override
  public Optional<FileFacts> facts(Path path) throws DiskException {
    return attempt(
        "facts",
        path,
        () -> {
          MountPath at = MountPath.of(path);
          if (!namespace.exists(at)) {
            return Optional.empty();
          }
          FileFacts.Kind kind = kindAt(at);
          int mode = modes.getOrDefault(path, kind == FileFacts.Kind.DIRECTORY ? 0700 : 0600);
          long size = kind == FileFacts.Kind.FILE ? bytes(at).length : 0;
          return Optional.of(
              new FileFacts(
                  kind,
                  identities.getOrDefault(path, path.toString()),
                  size,
                  made.get(),
                  mode,
                  OWNER,
                  kind == FileFacts.Kind.BLOCK_DEVICE ? device(at) : ""));
        });
  }

  private FileFacts.Kind kindAt(MountPath at) {
    if (links.contains(at.toPath())) {
      return FileFacts.Kind.LINK;
    }
    if (isDirectory(at)) {
      return FileFacts.Kind.DIRECTORY;
    }
    boolean isDevice = namespace.table().find(at).filter(MemoryDisk::isDevice).isPresent();
    return isDevice ? FileFacts.Kind.BLOCK_DEVICE : FileFacts.Kind.FILE;
  }

  /** The test plugins keep their device nodes in one directory. */
  private static boolean isDevice(MountRecord bound) {
    return bound.root().toString().startsWith("/dev/csi4j/");
  }

  /** As the test plugins name it: {@code disk-8} is device 7:8. */
  private String device(MountPath at) {
    String root = namespace.table().find(at).orElseThrow().root().toString();
    return "7:" + root.substring(root.lastIndexOf('-') + 1);
  }

  private boolean isDirectory(MountPath at) {
    return namespace.content(at).isEmpty();
  }

  private byte[] bytes(MountPath file) {
    return namespace.content(file).orElse("").getBytes(StandardCharsets.ISO_8859_1);
  }

  @Override
  public List<String> list(Path directory) throws DiskException {
    return attempt(
        "list",
        directory,
        () -> namespace.names(MountPath.of(directory)).stream().sorted().toList());
  }

  @Override
  public byte[] read(Path file, int limit) throws DiskException {
    return attempt(
        "read",
        file,
        () -> {
          MountPath at = MountPath.of(file);
          if (namespace.content(at).isEmpty()) {
            Kind kind = namespace.exists(at) ? Kind.FAILED : Kind.NOT_FOUND;
            throw new DiskException(kind, file.getFileName() + ": cannot be read", null);
          }
          byte[] all = bytes(at);
          return all.length > limit ? Arrays.copyOf(all, limit) : all;
        });
  }

  @Override
  public void createDirectory(Path directory) throws DiskException {
    attempt(
        "create directory",
        directory,
        () -> {
          changing(directory);
          MountPath at = MountPath.of(directory);
          absent(at);
          if (!namespace.exists(at.parent())) {
            throw new DiskException(Kind.NOT_FOUND, at.parent() + " is not there", null);
          }
          namespace.directory(at);
          fresh(directory);
          return at;
        });
  }

  private void absent(MountPath at) throws DiskException {
    if (namespace.exists(at)) {
      throw new DiskException(Kind.IN_THE_WAY, at.toPath().getFileName() + ": is there", null);
    }
  }

  private void fresh(Path path) {
    identities.put(path, "memory:" + made.incrementAndGet());
    modes.remove(path);
  }

  @Override
  public DiskFile create(Path file) throws DiskException {
    return attempt(
        "create",
        file,
        () -> {
          changing(file);
          MountPath at = MountPath.of(file);
          absent(at);
          namespace.file(at);
          fresh(file);
          return new MemoryFile(at);
        });
  }

  @Override
  public DiskFile open(Path file) throws DiskException {
    return attempt(
        "open",
        file,
        () -> {
          changing(file);
          if (!namespace.exists(MountPath.of(file))) {
            throw new DiskException(Kind.NOT_FOUND, file.getFileName() + ": not there", null);
          }
          return new MemoryFile(MountPath.of(file));
        });
  }

  @Override
  public void rename(Path from, Path to) throws DiskException {
    attempt(
        "rename",
        to,
        () -> {
          changing(to);
          MountPath target = MountPath.of(to);
          if (namespace.exists(target) && !isDirectory(target)) {
            namespace.remove(target);
          }
          namespace.rename(MountPath.of(from), target);
          String identity = identities.remove(from);
          identities.put(to, identity == null ? from.toString() : identity);
          return target;
        });
  }

  @Override
  public void deleteFile(Path file) throws DiskException {
    attempt(
        "delete",
        file,
        () -> {
          changing(file);
          MountPath at = MountPath.of(file);
          if (namespace.exists(at)) {
            if (kindAt(at) == FileFacts.Kind.DIRECTORY) {
              throw new DiskException(Kind.FAILED, file.getFileName() + ": a directory", null);
            }
            namespace.remove(at);
            links.remove(file);
          }
          return at;
        });
  }

  @Override
  public void removeDirectory(Path directory) throws DiskException {
    attempt(
        "remove",
        directory,
        () -> {
          changing(directory);
          MountPath at = MountPath.of(directory);
          if (namespace.exists(at) && kindAt(at) != FileFacts.Kind.DIRECTORY) {
            throw new DiskException(
                Kind.IN_THE_WAY, directory.getFileName() + ": no directory", null);
          }
          namespace.remove(at);
          return at;
        });
  }

  @Override
  public void setMode(Path path, int mode) throws DiskException {
    attempt(
        "set mode",
        path,
        () -> {
          changing(path);
          return modes.put(path, mode);
        });
  }

  @Override
  public void syncDirectory(Path directory) throws DiskException {
    attempt("sync", directory, () -> directory);
  }

  @Override
  public int user() {
    return OWNER;
  }

  @Override
  public String filesystemType(Path directory) {
    return "ext4";
  }

  @Override
  public Optional<HeldLock> tryLock(Path file) throws DiskException {
    throw new DiskException(Kind.FAILED, "this disk has no locks", null);
  }

  private final class MemoryFile implements DiskFile {
    private final MountPath at;

    MemoryFile(MountPath at) {
      this.at = at;
    }

    @Override
    public void write(long position, byte[] bytes) throws DiskException {
      attempt(
          "write",
          at.toPath(),
          () -> {
            changing(at.toPath());
            byte[] before = bytes(at);
            byte[] after =
                Arrays.copyOf(before, Math.max(before.length, (int) position + bytes.length));
            System.arraycopy(bytes, 0, after, (int) position, bytes.length);
            return namespace.file(at, new String(after, StandardCharsets.ISO_8859_1));
          });
    }

    @Override
    public void cut(long length) throws DiskException {
      attempt(
          "cut",
          at.toPath(),
          () -> {
            changing(at.toPath());
            byte[] before = bytes(at);
            byte[] after = Arrays.copyOf(before, (int) Math.min(length, before.length));
            return namespace.file(at, new String(after, StandardCharsets.ISO_8859_1));
          });
    }

    @Override
    public void sync() throws DiskException {
      attempt("sync", at.toPath(), () -> at);
    }

    @Override
    public void close() {}
  }
}
