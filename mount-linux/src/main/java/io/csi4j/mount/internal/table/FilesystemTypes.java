package io.csi4j.mount.internal.table;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Knows from the type of a filesystem whether an access may wait for a server. */
final class FilesystemTypes {

  /**
   * The types that may call a server when a path walk enters their mount, or for any attribute: NFS
   * and 9p revalidate the root, and the clustered ones need a lock for it.
   */
  private static final Set<String> ASKED_BY_WALKING =
      Set.of(
          "9p afs beegfs ceph cifs coda gfs2 gpfs lustre nfs nfs4 ocfs2 orangefs pvfs2 smb3 smbfs"
              .split(" ", -1));

  private FilesystemTypes() {}

  /** Returns whether a filesystem of this type depends on something outside this kernel. */
  static boolean hasServer(String type) {
    return ASKED_BY_WALKING.contains(type)
        || type.equals("virtiofs")
        || type.equals("fuse")
        || type.equals("fuseblk")
        || type.startsWith("fuse.")
        || type.startsWith("fuseblk.");
  }

  /**
   * Returns whether one of the kernel's types may call a server when a path walk enters its mount.
   */
  static boolean anyAskedByWalking(byte[] procFilesystems) {
    return new String(procFilesystems, StandardCharsets.US_ASCII)
        .lines()
        .map(line -> line.substring(line.indexOf('\t') + 1).strip())
        .anyMatch(ASKED_BY_WALKING::contains);
  }

  /** Reads {@code /proc/filesystems}. */
  interface Source {
    byte[] read() throws IOException;
  }

  /**
   * Returns whether the kernel has such a type now. Checked at most once a second, because a type
   * appears when its module is loaded. If the types cannot be read, the answer is yes.
   */
  static BooleanSupplier watched(Source source, LongSupplier nanoTime) {
    return new Watched(source, nanoTime);
  }

  private static final class Watched implements BooleanSupplier {

    private static final long SECOND = 1_000_000_000L;

    private final Source source;
    private final LongSupplier nanoTime;
    private volatile Answer last;

    /** The last answer and its time. */
    private record Answer(boolean careful, long at) {}

    Watched(Source source, LongSupplier nanoTime) {
      this.source = source;
      this.nanoTime = nanoTime;
      this.last = read(nanoTime.getAsLong());
    }

    @Override
    public boolean getAsBoolean() {
      Answer answer = last;
      long now = nanoTime.getAsLong();
      if (now - answer.at >= SECOND) {
        answer = read(now);
        last = answer;
      }
      return answer.careful;
    }

    private Answer read(long now) {
      try {
        return new Answer(anyAskedByWalking(source.read()), now);
      } catch (IOException unknown) {
        return new Answer(true, now);
      }
    }
  }
}
