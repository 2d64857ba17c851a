package io.csi4j.volume.internal.disk;

import java.util.Set;

/** Properties of filesystem types. */
public final class Filesystems {

  private static final Set<String> UNSUITED =
      Set.of("9p afs ceph cifs fuse glusterfs lustre nfs nfs4 overlay smb3 smbfs".split(" ", -1));

  private Filesystems() {}

  /** Whether the locks or syncs of this type are unreliable. */
  public static boolean promiseTooLittle(String type) {
    return UNSUITED.contains(type) || type.startsWith("fuse.");
  }
}
