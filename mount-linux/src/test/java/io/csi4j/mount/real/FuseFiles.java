package io.csi4j.mount.real;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Struct;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The files of a {@link FuseServer}: answers what the kernel asks, on the thread of the server.
 * Numbers and layouts are those of {@code linux/fuse.h}.
 */
public interface FuseFiles {

  /** The number of the root directory. */
  long ROOT = 1;

  int LOOKUP = 1;
  int FORGET = 2;
  int GETATTR = 3;
  int SETATTR = 4;
  int MKDIR = 9;
  int UNLINK = 10;
  int RMDIR = 11;
  int RENAME = 12;
  int OPEN = 14;
  int READ = 15;
  int WRITE = 16;
  int STATFS = 17;
  int RELEASE = 18;
  int FSYNC = 20;
  int INIT = 26;
  int OPENDIR = 27;
  int READDIR = 28;
  int RELEASEDIR = 29;
  int FSYNCDIR = 30;
  int ACCESS = 34;
  int CREATE = 35;
  int INTERRUPT = 36;
  int BATCH_FORGET = 42;

  /**
   * Answers a request.
   *
   * @return the body of the answer; nothing for one that only says that it is done
   * @throws Refused if it is not done
   */
  byte[] answer(Request request) throws Refused;

  /** A request that is refused. */
  final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    private final int errno;

    /** A refusal with a number of the kernel, such as {@code ENOENT}. */
    public Refused(int errno) {
      super("errno " + errno);
      this.errno = errno;
    }

    int errno() {
      return errno;
    }
  }

  /** A request of the kernel; positions count from the end of its header. */
  final class Request {

    private static final int HEADER = 40;

    private final byte[] bytes;

    Request(byte[] bytes) {
      this.bytes = bytes;
    }

    /** What is asked for, such as {@link #LOOKUP}. */
    public int operation() {
      return Struct.u32(bytes, 4);
    }

    /** Which request it is. */
    long number() {
      return Struct.u64(bytes, 8);
    }

    /** The number of the file or directory that it is about. */
    public long node() {
      return Struct.u64(bytes, 16);
    }

    /** A field of 32 bits. */
    public int u32(int at) {
      return Struct.u32(bytes, HEADER + at);
    }

    /** A field of 64 bits. */
    public long u64(int at) {
      return Struct.u64(bytes, HEADER + at);
    }

    /** The bytes from there to the end. */
    public byte[] rest(int at) {
      return Arrays.copyOfRange(bytes, HEADER + at, bytes.length);
    }

    /** The name that begins there. */
    public String name(int at) {
      int end = HEADER + at;
      while (bytes[end] != 0) {
        end++;
      }
      return new String(bytes, HEADER + at, end - HEADER - at, StandardCharsets.UTF_8);
    }
  }

  /**
   * The facts of a file or directory.
   *
   * @param node its number
   * @param mode its type and permissions
   * @param size its bytes
   * @param modified when they were changed last, in nanoseconds
   */
  record Attributes(long node, int mode, long size, long modified) {

    /** Those of a directory. */
    public static Attributes directory(long node) {
      return new Attributes(node, 0040755, 0, 0);
    }

    /** Those of a file. */
    public static Attributes file(long node, long size) {
      return new Attributes(node, 0100644, size, 0);
    }

    /** The answer to {@link #GETATTR} and {@link #SETATTR}, which the kernel may not keep. */
    public byte[] told() {
      byte[] body = new byte[104];
      write(body, 16);
      return body;
    }

    /** The answer to {@link #LOOKUP} and {@link #MKDIR}, which the kernel may not keep. */
    public byte[] found() {
      byte[] body = new byte[128];
      Struct.u64(body, 0, node);
      write(body, 40);
      return body;
    }

    private void write(byte[] body, int at) {
      boolean isDirectory = (mode & 0170000) == 0040000;
      Struct.u64(body, at, node);
      Struct.u64(body, at + 8, size);
      Struct.u64(body, at + 16, (size + 511) / 512);
      Struct.u64(body, at + 32, modified / 1_000_000_000);
      Struct.u32(body, at + 52, (int) (modified % 1_000_000_000));
      Struct.u32(body, at + 60, mode);
      Struct.u32(body, at + 64, isDirectory ? 2 : 1);
      Struct.u32(body, at + 80, 4096);
    }
  }

  /** The answer to {@link #OPEN} and {@link #OPENDIR}: the kernel keeps no page of the file. */
  static byte[] opened(long handle) {
    byte[] body = new byte[16];
    Struct.u64(body, 0, handle);
    Struct.u32(body, 8, 1);
    return body;
  }

  /** The answer to {@link #WRITE}. */
  static byte[] written(int bytes) {
    byte[] body = new byte[8];
    Struct.u32(body, 0, bytes);
    return body;
  }

  /** The answer to {@link #STATFS}. */
  static byte[] space() {
    byte[] body = new byte[80];
    long blocks = 1 << 20;
    Struct.u64(body, 0, blocks);
    Struct.u64(body, 8, blocks);
    Struct.u64(body, 16, blocks);
    Struct.u32(body, 40, 4096);
    Struct.u32(body, 44, 255);
    Struct.u32(body, 48, 4096);
    return body;
  }

  /** One empty file, named {@code file}. */
  static FuseFiles oneEmptyFile() {
    long file = 2;
    return request ->
        switch (request.operation()) {
          case GETATTR ->
              (request.node() == ROOT ? Attributes.directory(ROOT) : Attributes.file(file, 0))
                  .told();
          case LOOKUP -> {
            if (request.node() != ROOT || !request.name(0).equals("file")) {
              throw new Refused(Abi.ENOENT);
            }
            yield Attributes.file(file, 0).found();
          }
          case OPEN, OPENDIR -> new byte[16];
          case STATFS -> space();
          case READDIR, RELEASE, RELEASEDIR, ACCESS -> new byte[0];
          default -> throw new Refused(Abi.ENOSYS);
        };
  }
}
