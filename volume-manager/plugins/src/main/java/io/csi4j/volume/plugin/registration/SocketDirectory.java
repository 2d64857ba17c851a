package io.csi4j.volume.plugin.registration;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.FileFacts;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The sockets in a directory.
 *
 * @param disk where it is
 * @param path which
 */
record SocketDirectory(Disk disk, Path path) {

  /** The sockets there are, by name, each with what tells it from a new one of the same name. */
  Map<String, String> sockets() throws DiskException {
    SortedMap<String, String> found = new TreeMap<>();
    for (String name : disk.list(path)) {
      if (!name.startsWith(".")) {
        identity(name).ifPresent(identity -> found.put(name, identity));
      }
    }
    return found;
  }

  private Optional<String> identity(String name) {
    try {
      return disk.facts(path.resolve(name))
          .filter(facts -> facts.kind() == FileFacts.Kind.SOCKET)
          // Filesystems give the number of a file that is gone to the next one.
          .map(facts -> facts.identity() + "@" + facts.modified());
    } catch (DiskException e) {
      // A file of another kind: it cannot be asked.
      return Optional.empty();
    }
  }
}
