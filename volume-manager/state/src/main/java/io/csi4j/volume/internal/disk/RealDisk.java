package io.csi4j.volume.internal.disk;

import io.csi4j.volume.internal.disk.DiskException.Kind;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The disk of the host.
 *
 * <p>Bytes are read and written with {@link RandomAccessFile}: a {@link FileChannel} is closed for
 * all its users when an interrupted thread uses it.
 */
public final class RealDisk implements Disk {

  /** If fewer bytes are free when a write fails, the disk counts as full. */
  private static final long NEARLY_NOTHING = 1 << 20;

  /** The assumed size of a file that does not report its size. */
  private static final int UNSAID = 1024;

  /** The messages of the C library for failures without an exception type in the JDK. */
  private static final List<Map.Entry<String, Kind>> TEXTS =
      List.of(
          Map.entry("No space left on device", Kind.NO_SPACE),
          Map.entry("quota exceeded", Kind.NO_SPACE),
          Map.entry("Read-only file system", Kind.READ_ONLY),
          Map.entry("Too many open files", Kind.TOO_MANY_FILES),
          Map.entry("Permission denied", Kind.DENIED),
          Map.entry("No such file or directory", Kind.NOT_FOUND));

  private static final String LOCKED_HERE = "io.csi4j.volume.locked:";

  /** The kernel assigns it to the user of this process. */
  private static final Path SELF = Path.of("/proc/self/fd");

  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  /**
   * Removes names with one system call each, in which the kernel refuses a name of the other kind;
   * {@code Files.delete} looks first, and removes either. Any open directory does, as the paths are
   * absolute. Null if the root directory cannot be opened.
   */
  private static final @Nullable SecureDirectoryStream<Path> NAMES = names();

  /** An operation of the JDK. */
  @FunctionalInterface
  private interface Operation<T> {
    T run() throws IOException;
  }

  @SuppressWarnings("StreamResourceLeak") // open as long as this process
  private static @Nullable SecureDirectoryStream<Path> names() {
    try {
      DirectoryStream<Path> root = Files.newDirectoryStream(Path.of("/"));
      if (root instanceof SecureDirectoryStream<Path> names) {
        return names;
      }
      root.close();
      return null;
    } catch (IOException e) {
      return null;
    }
  }

  @Override
  public Optional<FileFacts> facts(Path path) throws DiskException {
    return ifThere(path, () -> factsOf(path));
  }

  @Override
  public Optional<FileStatus> status(Path path) throws DiskException {
    return ifThere(
        path,
        () -> {
          PosixFileAttributes all =
              Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
          return new FileStatus(kindOf(path, all), bits(all.permissions()), all.size());
        });
  }

  @Override
  public Optional<FileLook> look(Path path) throws DiskException {
    return ifThere(
        path,
        () -> {
          BasicFileAttributes all = basics(path);
          return new FileLook(
              Objects.requireNonNull(all.fileKey(), "fileKey"),
              all.size(),
              all.lastModifiedTime().to(TimeUnit.NANOSECONDS));
        });
  }

  private static <T> Optional<T> ifThere(Path path, Operation<T> operation) throws DiskException {
    return attempt(
        path,
        () -> {
          try {
            return Optional.of(operation.run());
          } catch (NoSuchFileException e) {
            return Optional.empty();
          }
        });
  }

  /** Cheaper than the attribute map that all facts need. */
  private static BasicFileAttributes basics(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }

  private static FileFacts.Kind kindOf(Path path) throws IOException {
    return kindOf(path, basics(path));
  }

  private static FileFacts.Kind kindOf(Path path, BasicFileAttributes all) throws IOException {
    if (all.isDirectory()) {
      return FileFacts.Kind.DIRECTORY;
    } else if (all.isRegularFile()) {
      return FileFacts.Kind.FILE;
    }
    return all.isSymbolicLink() ? FileFacts.Kind.LINK : factsOf(path).kind();
  }

  private static int bits(Set<PosixFilePermission> permissions) {
    int bits = 0;
    for (PosixFilePermission each : permissions) {
      bits |=
          switch (each) {
            case OWNER_READ -> 0400;
            case OWNER_WRITE -> 0200;
            case OWNER_EXECUTE -> 0100;
            case GROUP_READ -> 040;
            case GROUP_WRITE -> 020;
            case GROUP_EXECUTE -> 010;
            case OTHERS_READ -> 04;
            case OTHERS_WRITE -> 02;
            case OTHERS_EXECUTE -> 01;
          };
    }
    return bits;
  }

  private static FileFacts factsOf(Path path) throws IOException {
    Map<String, Object> all =
        Files.readAttributes(
            path, "unix:mode,ino,dev,rdev,size,lastModifiedTime,uid", LinkOption.NOFOLLOW_LINKS);
    int mode = (Integer) attribute(all, "mode");
    FileFacts.Kind kind = kind(mode);
    return new FileFacts(
        kind,
        attribute(all, "dev") + ":" + attribute(all, "ino"),
        (Long) attribute(all, "size"),
        ((FileTime) attribute(all, "lastModifiedTime")).to(TimeUnit.NANOSECONDS),
        mode & 0777,
        (Integer) attribute(all, "uid"),
        kind == FileFacts.Kind.BLOCK_DEVICE ? device((Long) attribute(all, "rdev")) : "");
  }

  /** A device number in the notation of the kernel's tables; its parts are spread over 64 bits. */
  private static String device(long number) {
    long major = (number >>> 8 & 0xfff) | (number >>> 32 & 0xfffff000L);
    long minor = (number & 0xff) | (number >>> 12 & 0xffffff00L);
    return major + ":" + minor;
  }

  private static Object attribute(Map<String, Object> all, String name) {
    return Objects.requireNonNull(all.get(name), name);
  }

  private static FileFacts.Kind kind(int mode) {
    return switch (mode & 0170000) {
      case 0100000 -> FileFacts.Kind.FILE;
      case 0040000 -> FileFacts.Kind.DIRECTORY;
      case 0120000 -> FileFacts.Kind.LINK;
      case 0060000 -> FileFacts.Kind.BLOCK_DEVICE;
      case 0140000 -> FileFacts.Kind.SOCKET;
      default -> FileFacts.Kind.OTHER;
    };
  }

  @Override
  public List<String> list(Path directory) throws DiskException {
    return attempt(
        directory,
        () -> {
          List<String> names = new ArrayList<>();
          try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            entries.forEach(entry -> names.add(String.valueOf(entry.getFileName())));
          } catch (DirectoryIteratorException e) {
            throw e.getCause();
          }
          Collections.sort(names);
          return names;
        });
  }

  @Override
  public byte[] read(Path file, int limit) throws DiskException {
    return attempt(
        file,
        () -> {
          try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
            return read(open, limit);
          }
        });
  }

  /** Reads to the end instead of using the size: files in /proc report size zero. */
  private static byte[] read(RandomAccessFile open, int limit) throws IOException {
    long said = open.length();
    byte[] all = new byte[(int) Math.min(limit, said > 0 ? said : UNSAID)];
    int length = 0;
    while (true) {
      int read = open.read(all, length, all.length - length);
      length += Math.max(0, read);
      if (read < 0 || length == limit) {
        break;
      }
      if (length == all.length) {
        int next = open.read();
        if (next < 0) {
          break;
        }
        all = Arrays.copyOf(all, (int) Math.min(limit, 2L * length));
        all[length++] = (byte) next;
      }
    }
    return length == all.length ? all : Arrays.copyOf(all, length);
  }

  @Override
  public void createDirectory(Path directory) throws DiskException {
    attempt(directory, () -> Files.createDirectory(directory, OWNER_ONLY_DIRECTORY));
  }

  @Override
  public DiskFile create(Path file) throws DiskException {
    return attempt(
        file,
        () -> {
          Files.createFile(file, OWNER_ONLY_FILE);
          return OpenFile.of(file);
        });
  }

  @Override
  public void write(Path file, byte[] content) throws DiskException {
    attempt(
        file,
        () -> {
          Files.createFile(file, OWNER_ONLY_FILE);
          try (FileOutputStream open = new FileOutputStream(file.toFile())) {
            open.write(content);
          }
          return file;
        });
  }

  @Override
  public DiskFile open(Path file) throws DiskException {
    return attempt(
        file,
        () -> {
          // Mode "rw" would create a missing file.
          if (kindOf(file) != FileFacts.Kind.FILE) {
            throw new IOException("it is not a regular file");
          }
          return OpenFile.of(file);
        });
  }

  @Override
  public void rename(Path from, Path to) throws DiskException {
    attempt(to, () -> Files.move(from, to, StandardCopyOption.ATOMIC_MOVE));
  }

  @Override
  public void deleteFile(Path file) throws DiskException {
    attempt(
        file,
        () -> {
          try {
            remove(file, false);
          } catch (NoSuchFileException e) {
            // It is gone already.
          }
          return file;
        });
  }

  @Override
  public void removeDirectory(Path directory) throws DiskException {
    attempt(
        directory,
        () -> {
          remove(directory, true);
          return directory;
        });
  }

  private static void remove(Path path, boolean isDirectory) throws IOException {
    SecureDirectoryStream<Path> names = NAMES;
    if (names == null) {
      if ((kindOf(path) == FileFacts.Kind.DIRECTORY) != isDirectory) {
        throw new IOException(isDirectory ? "it is not a directory" : "it is a directory");
      }
      Files.delete(path);
    } else if (isDirectory) {
      names.deleteDirectory(path.toAbsolutePath());
    } else {
      names.deleteFile(path.toAbsolutePath());
    }
  }

  @Override
  public void setMode(Path path, int mode) throws DiskException {
    attempt(path, () -> Files.setAttribute(path, "unix:mode", mode));
  }

  @Override
  public void syncDirectory(Path directory) throws DiskException {
    attempt(
        directory,
        () -> {
          try (FileChannel open = FileChannel.open(directory, StandardOpenOption.READ)) {
            open.force(true);
          }
          return directory;
        });
  }

  @Override
  public HeldDirectory hold(Path directory) throws DiskException {
    return attempt(
        directory,
        () -> {
          FileChannel open =
              FileChannel.open(directory, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
          boolean isHeld = false;
          try {
            Object identity = Objects.requireNonNull(basics(directory).fileKey(), "fileKey");
            isHeld = true;
            return new HeldDirectory(identity, () -> closeHeld(open));
          } finally {
            if (!isHeld) {
              open.close();
            }
          }
        });
  }

  private static void closeHeld(FileChannel directory) {
    try {
      directory.close();
    } catch (IOException e) {
      // Nothing was written through this descriptor.
    }
  }

  @Override
  public int user() throws DiskException {
    return attempt(SELF, () -> (Integer) Files.getAttribute(SELF, "unix:uid"));
  }

  @Override
  public String filesystemType(Path directory) throws DiskException {
    return attempt(
        directory,
        () -> {
          long device = (Long) Files.getAttribute(directory, "unix:dev");
          Optional<String> type = MountedDevices.type(device(device));
          // The JDK finds every filesystem, but reads the complete table for it.
          return type.isPresent() ? type.get() : Files.getFileStore(directory).type();
        });
  }

  @Override
  public Optional<HeldLock> tryLock(Path file) throws DiskException {
    // Closing any descriptor of a file releases all locks that this process has on it. So a file
    // that is already locked by this process, perhaps through another class loader, must not be
    // opened.
    String name =
        LOCKED_HERE + attempt(file, () -> above(file).toRealPath()) + "/" + file.getFileName();
    if (System.getProperties().putIfAbsent(name, "locked") != null) {
      return Optional.empty();
    }
    boolean held = false;
    try {
      Optional<HeldLock> lock = attempt(file, () -> lock(file, name));
      held = lock.isPresent();
      return lock;
    } finally {
      if (!held) {
        System.getProperties().remove(name);
      }
    }
  }

  private Optional<HeldLock> lock(Path file, String name) throws IOException {
    Optional<FileFacts> there = facts(file);
    if (there.isEmpty()) {
      Files.createFile(file, OWNER_ONLY_FILE);
    } else if (there.get().kind() != FileFacts.Kind.FILE) {
      throw new IOException("it is not a regular file");
    }
    RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw");
    FileLock lock = null;
    try {
      lock = open.getChannel().tryLock();
    } catch (OverlappingFileLockException e) {
      // Other code in this process that does not use this class holds the lock.
      lock = null;
    } finally {
      if (lock == null) {
        open.close();
      }
    }
    return lock == null ? Optional.empty() : Optional.of(new FileHeld(open, name));
  }

  /**
   * Runs an operation and converts its failure. A private channel that was closed by an interrupt
   * is opened again.
   */
  private static <T> T attempt(Path path, Operation<T> operation) throws DiskException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return operation.run();
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        } catch (DiskException e) {
          throw e;
        } catch (IOException e) {
          throw failure(path, e, RealDisk::state);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Converts an exception of the JDK to a failure with a kind. The exception contains no errno, so
   * its type is checked first, then the message of the C library, and last the filesystem. This
   * only affects the kind of the failure, never whether the operation failed.
   */
  static DiskException failure(
      Path path, IOException failure, Function<Path, Optional<Kind>> state) {
    Kind kind =
        byType(failure)
            .or(() -> byText(String.valueOf(failure.getMessage())))
            .or(() -> state.apply(path))
            .orElse(Kind.FAILED);
    return new DiskException(kind, path.getFileName() + ": " + reason(failure), failure);
  }

  private static Optional<Kind> byType(IOException failure) {
    if (failure instanceof AccessDeniedException) {
      return Optional.of(Kind.DENIED);
    } else if (failure instanceof NoSuchFileException) {
      return Optional.of(Kind.NOT_FOUND);
    } else if (failure instanceof FileAlreadyExistsException
        || failure instanceof DirectoryNotEmptyException
        || failure instanceof NotDirectoryException) {
      return Optional.of(Kind.IN_THE_WAY);
    }
    return Optional.empty();
  }

  private static Optional<Kind> byText(String text) {
    return TEXTS.stream()
        .filter(each -> text.contains(each.getKey()))
        .map(Map.Entry::getValue)
        .findFirst();
  }

  /** Returns the reason for the type of an exception without a message. */
  private static String reason(FileSystemException failure) {
    if (failure instanceof NoSuchFileException) {
      return "there is no such file or directory";
    } else if (failure instanceof AccessDeniedException) {
      return "this user may not access it";
    } else if (failure instanceof FileAlreadyExistsException) {
      return "it exists already";
    } else if (failure instanceof DirectoryNotEmptyException) {
      return "the directory is not empty";
    } else if (failure instanceof NotDirectoryException) {
      return "it is not a directory";
    }
    return failure.getClass().getSimpleName();
  }

  /** Returns the reason without the path, which may reveal more than the state itself. */
  private static String reason(IOException failure) {
    if (failure instanceof FileSystemException named) {
      String reason = named.getReason();
      return reason == null ? reason(named) : reason;
    }
    String text = failure.getMessage();
    if (text == null) {
      return failure.getClass().getSimpleName();
    }
    int open = text.lastIndexOf('(');
    return failure instanceof FileNotFoundException && open >= 0 && text.endsWith(")")
        ? text.substring(open + 1, text.length() - 1)
        : text;
  }

  private static Path above(Path path) {
    Path above = path.toAbsolutePath().getParent();
    return above == null ? path : above;
  }

  /** Returns the problem that the filesystem itself reports. */
  private static Optional<Kind> state(Path path) {
    try {
      Path asked = Files.exists(path) ? path : above(path);
      FileStore store = Files.getFileStore(asked);
      if (store.isReadOnly()) {
        return Optional.of(Kind.READ_ONLY);
      }
      return store.getUsableSpace() < NEARLY_NOTHING
          ? Optional.of(Kind.NO_SPACE)
          : Optional.empty();
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }

  /** A lock, its descriptor, and its name in this process's table of locks. */
  private record FileHeld(RandomAccessFile file, String name) implements HeldLock {

    @Override
    public void close() {
      try {
        file.close();
      } catch (IOException e) {
        // The kernel releases the lock when the process ends.
      } finally {
        System.getProperties().remove(name);
      }
    }
  }

  /**
   * A file that is open for writing. It is opened twice: only a channel supports {@code fdatasync},
   * which does not wait for the modification time if the size is unchanged; and only the other one
   * survives an interrupt.
   */
  private static final class OpenFile implements DiskFile {

    private final Path path;
    private final RandomAccessFile file;
    private final FileChannel channel;

    private OpenFile(Path path, RandomAccessFile file, FileChannel channel) {
      this.path = path;
      this.file = file;
      this.channel = channel;
    }

    /** Opens an existing file. */
    static OpenFile of(Path path) throws IOException {
      RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
      try {
        return new OpenFile(path, file, FileChannel.open(path, StandardOpenOption.WRITE));
      } catch (IOException e) {
        file.close();
        throw e;
      }
    }

    @Override
    public void write(long position, byte[] bytes) throws DiskException {
      attempt(
          path,
          () -> {
            file.seek(position);
            file.write(bytes);
            return bytes;
          });
    }

    @Override
    public void sync() throws DiskException {
      attempt(
          path,
          () -> {
            if (!isSynced()) {
              // The kernel reports a write failure separately to each descriptor, so this one has
              // missed none.
              file.getFD().sync();
            }
            return path;
          });
    }

    private boolean isSynced() throws IOException {
      if (!channel.isOpen() || Thread.currentThread().isInterrupted()) {
        return false;
      }
      try {
        channel.force(false);
        return true;
      } catch (ClosedByInterruptException e) {
        // The interrupt stays set.
        return false;
      } catch (ClosedChannelException e) {
        return false;
      }
    }

    @Override
    public void cut(long length) throws DiskException {
      attempt(
          path,
          () -> {
            file.setLength(length);
            return path;
          });
    }

    @Override
    public void close() {
      try (file;
          channel) {
        // Both are closed, even if one fails.
      } catch (IOException e) {
        // Unsynced bytes were never certain.
      }
    }
  }
}
