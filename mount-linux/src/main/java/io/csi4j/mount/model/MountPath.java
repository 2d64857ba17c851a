package io.csi4j.mount.model;

import io.csi4j.mount.internal.text.ByteSearch;
import io.csi4j.mount.internal.text.PrintableText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * An absolute path as the kernel has it: bytes without an encoding. It never contains {@code .} or
 * {@code ..}, an empty part or a trailing slash, so two paths of the same file are equal if they
 * contain no symbolic link.
 *
 * <p>{@link #toString()} is for people: unprintable bytes are escaped.
 *
 * @since 1.0
 */
public final class MountPath implements Comparable<MountPath> {

  /** The longest path that a system call takes. */
  private static final int MAX_BYTES = 4095;

  private static final byte[] ROOT_BYTES = {'/'};

  /** The root directory. */
  public static final MountPath ROOT = new MountPath(ROOT_BYTES);

  private final byte[] bytes;

  private MountPath(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Returns the path with this UTF-8 form. Repeated and trailing slashes are dropped, as they have
   * no meaning.
   *
   * @throws IllegalArgumentException if it is relative or too long, or has a NUL or a part that is
   *     {@code .} or {@code ..}
   */
  public static MountPath of(String text) {
    return ofOwned(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Does the same as {@link #of(String)} for a path of the JDK, which is read by its text. */
  public static MountPath of(Path path) {
    return of(path.toString());
  }

  /** Does the same as {@link #of(String)} for the bytes themselves. */
  public static MountPath ofBytes(byte[] path) {
    return ofOwned(path.clone());
  }

  /**
   * Does the same as {@link #ofBytes(byte[])} for a part of an array, up to but not including an
   * index.
   */
  public static MountPath ofBytes(byte[] from, int begin, int end) {
    return ofOwned(Arrays.copyOfRange(from, begin, end));
  }

  /** Returns the path of bytes that no other object shares. */
  private static MountPath ofOwned(byte[] path) {
    if (path.length == 0 || path[0] != '/') {
      throw refused(path, "is not absolute. Write it from the root directory");
    }
    // True for almost every path of a kernel; otherwise the slow check decides.
    if (path[path.length - 1] != '/' && ByteSearch.isOrdinaryPath(path, 0, path.length)) {
      return new MountPath(path);
    }
    byte[] clean = new byte[path.length];
    int length = 0;
    for (int from = 0; from < path.length; ) {
      int to = from + 1;
      while (to < path.length && path[to] != '/') {
        if (path[to] == 0) {
          throw refused(path, "holds a NUL. Cut it off");
        }
        to++;
      }
      int part = to - from - 1;
      if (part > 0) {
        if (path[from + 1] == '.' && (part == 1 || (part == 2 && path[from + 2] == '.'))) {
          throw refused(
              path, "has a part '.' or '..', and following it could lead elsewhere. Resolve it");
        }
        System.arraycopy(path, from, clean, length, part + 1);
        length += part + 1;
      }
      from = to;
    }
    if (length == 0) {
      return ROOT;
    }
    if (length > MAX_BYTES) {
      throw refused(path, "is longer than " + MAX_BYTES + " bytes. Use a shorter one");
    }
    return new MountPath(Arrays.copyOf(clean, length));
  }

  /**
   * Returns the path below this one, for a relative path such as {@code volumes/one}.
   *
   * @throws IllegalArgumentException if it is absolute, empty, or not a path below
   */
  public MountPath resolve(String relative) {
    byte[] below = relative.getBytes(StandardCharsets.UTF_8);
    if (below.length == 0 || below[0] == '/') {
      throw refused(below, "is not a path below " + this + ". Write a relative one");
    }
    byte[] joined = Arrays.copyOf(bytes, bytes.length + 1 + below.length);
    joined[bytes.length] = '/';
    System.arraycopy(below, 0, joined, bytes.length + 1, below.length);
    // This path itself is normalized already.
    boolean isClean =
        !isRoot()
            && joined.length <= MAX_BYTES
            && joined[joined.length - 1] != '/'
            && ByteSearch.isOrdinaryPath(joined, bytes.length, joined.length);
    return isClean ? new MountPath(joined) : ofOwned(joined);
  }

  /** Returns the parent directory; the root directory is its own parent. */
  public MountPath parent() {
    int slash = lastSlash();
    return slash == 0 ? ROOT : new MountPath(Arrays.copyOf(bytes, slash));
  }

  /** Returns the last part, as bytes; empty for the root directory. */
  public byte[] name() {
    return Arrays.copyOfRange(bytes, lastSlash() + 1, bytes.length);
  }

  /** Returns whether this path is the given one or below it. */
  public boolean isWithin(MountPath other) {
    if (other.isRoot()) {
      return true;
    }
    int length = other.bytes.length;
    return bytes.length >= length
        && Arrays.equals(bytes, 0, length, other.bytes, 0, length)
        && (bytes.length == length || bytes[length] == '/');
  }

  /** Returns whether this is the root directory. */
  public boolean isRoot() {
    return bytes.length == 1;
  }

  /** Returns a copy of the bytes. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** Returns a copy of the bytes with a NUL after them, as a system call takes a path. */
  public byte[] terminated() {
    return Arrays.copyOf(bytes, bytes.length + 1);
  }

  /** Writes the bytes with a NUL after them, as a system call takes a path. */
  public void terminatedInto(ByteBuffer to) {
    to.put(bytes).put((byte) 0);
  }

  /**
   * Returns the path for the JDK.
   *
   * @throws java.nio.file.InvalidPathException if the bytes are not valid in this JVM's encoding
   */
  public Path toPath() {
    return Path.of(new String(bytes, StandardCharsets.UTF_8));
  }

  @Override
  public int compareTo(MountPath other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MountPath path && Arrays.equals(bytes, path.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** Returns the path for people, escaped. */
  @Override
  public String toString() {
    return PrintableText.escape(bytes);
  }

  private int lastSlash() {
    int at = bytes.length - 1;
    while (bytes[at] != '/') {
      at--;
    }
    return at;
  }

  private static IllegalArgumentException refused(byte[] path, String why) {
    return new IllegalArgumentException(
        "The path '" + PrintableText.escape(path) + "' " + why + ".");
  }
}
