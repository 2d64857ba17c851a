package io.csi4j.volume.internal.disk;

import java.util.Set;

/** The knowledge of filesystems by their type. */
public final class Filesystems {

  private static final Set<String> UNSUITED =
      Set.of("9p afs ceph cifs fuse glusterfs lustre nfs nfs4 overlay smb3 smbfs".split(" ", -1));

  private Filesystems() {}

  /** Whether one of this type promises too little about locks and syncing. */
  public static boolean promiseTooLittle(String type) {
    return UNSUITED.contains(type) || type.startsWith("fuse.");
  }
}
