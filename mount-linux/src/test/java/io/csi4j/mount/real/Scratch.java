package io.csi4j.mount.real;

import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.MountPath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A directory of one test, with a private tmpfs mounted on it. What is made in it goes when the
 * test ends, mounts included.
 *
 * <p>Its helpers make raw system calls, so that tests arrange the world without the code under
 * test.
 */
public final class Scratch implements AutoCloseable {

  private static final Pattern OF_THE_JVM =
      Pattern.compile("\\.jar$|\\.so[.0-9]*$|/lib/modules$|/u?random$|^socket:|^pipe:");

  private final Path outer;
  private final Path root;
  private final Syscalls calls = RunningKernel.kernel().calls();

  private Scratch(Path outer) {
    this.outer = outer;
    this.root = outer.resolve("s");
  }

  static Scratch create() {
    try {
      Scratch scratch = new Scratch(Files.createTempDirectory("csi4j-mount").toRealPath());
      Files.createDirectory(scratch.root);
      scratch.rawMount("tmpfs", scratch.root, "tmpfs", 0, null);
      return scratch;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The directory. */
  public MountPath root() {
    return MountPath.of(root);
  }

  /** A path in it. */
  public MountPath path(String relative) {
    return root().resolve(relative);
  }

  /** A path in it, for the JDK. */
  public Path file(String relative) {
    return root.resolve(relative);
  }

  /** Makes a directory, with those above it. */
  public MountPath directory(String relative) {
    try {
      Files.createDirectories(root.resolve(relative));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return path(relative);
  }

  /** Makes a file with this content, with the directories above it. */
  public MountPath file(String relative, String content) {
    try {
      Files.createDirectories(root.resolve(relative).getParent());
      Files.writeString(root.resolve(relative), content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return path(relative);
  }

  /** Makes a directory and mounts a tmpfs on it. */
  public MountPath tmpfs(String relative) {
    MountPath path = directory(relative);
    rawMount("tmpfs", root.resolve(relative), "tmpfs", 0, null);
    return path;
  }

  /** {@code mount --bind}, raw; the target must exist. */
  public void bind(MountPath source, MountPath target) {
    check("bind", calls.mount(Abi.path(source), Abi.path(target), null, Abi.MS_BIND, null));
  }

  /** {@code mount --rbind}, raw; the target must exist. */
  public void bindTree(MountPath source, MountPath target) {
    long flags = Abi.MS_BIND | Abi.MS_REC;
    check("rbind", calls.mount(Abi.path(source), Abi.path(target), null, flags, null));
  }

  /** {@code mount(2)}, raw; fails the test if the kernel refuses. */
  public void rawMount(String source, Path target, String type, long flags, String data) {
    check(
        "mount " + target,
        calls.mount(
            Abi.path(source),
            Abi.path(target.toString()),
            Abi.path(type),
            flags,
            data == null ? null : Abi.path(data)));
  }

  /** {@code umount2(2)}, raw: 0, or the error with a minus sign. */
  public int rawUnmount(MountPath path, int flags) {
    return calls.umount2(Abi.path(path), flags);
  }

  /** The rows of the kernel's table whose mount point is this path, by the text alone. */
  public List<String> rows(MountPath path) {
    return rows("thread-self").stream()
        .filter(row -> row.split(" ", -1)[4].equals(escaped(path)))
        .toList();
  }

  /** The rows of the table of a process. */
  public static List<String> rows(String process) {
    try {
      byte[] text = Files.readAllBytes(Path.of("/proc/" + process + "/mountinfo"));
      return new String(text, StandardCharsets.ISO_8859_1).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How many descriptors this process has open, beside those that the JVM opens when it likes. */
  public static int descriptors() {
    int count = 0;
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path each : all) {
        try {
          String link = Files.readSymbolicLink(each).toString();
          count += OF_THE_JVM.matcher(link).find() ? 0 : 1;
        } catch (NoSuchFileException e) {
          // The descriptor of this listing, or of another thread.
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return count;
  }

  @Override
  public void close() {
    // Lazily, so that whatever a failed test left behind goes too.
    while (calls.umount2(Abi.path(root.toString()), Abi.MNT_DETACH | Abi.UMOUNT_NOFOLLOW) == 0) {
      // One layer of a stack at a time.
    }
    try {
      Files.deleteIfExists(root);
      Files.deleteIfExists(outer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String escaped(MountPath path) {
    StringBuilder out = new StringBuilder();
    for (byte b : path.bytes()) {
      switch (b) {
        case ' ', '\t', '\n', '\\' -> out.append(String.format("\\%03o", b));
        default -> out.append((char) (b & 0xff));
      }
    }
    return out.toString();
  }

  private static void check(String what, int result) {
    if (result < 0) {
      throw new AssertionError(what + ": " + new io.csi4j.mount.model.Errno(-result));
    }
  }
}
