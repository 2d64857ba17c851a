package io.csi4j.volume.internal.real;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.FileFacts;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Opens block devices through their nodes in {@code /dev}, if they have such a node. A device that
 * is opened through the path of a volume would keep the mount at that path in use.
 */
final class DeviceNodes implements HeldDevices.Opener {

  private static final String NAME = "DEVNAME=";

  private final Disk disk;

  DeviceNodes(Disk disk) {
    this.disk = disk;
  }

  /**
   * Opens the device for reading. The node is checked before and after it is opened, to detect a
   * node that was replaced.
   */
  @Override
  public Closeable open(MountPath node, String number) throws IOException {
    for (Path candidate : candidates(node, number)) {
      if (isDevice(candidate, number)) {
        FileChannel device =
            FileChannel.open(candidate, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        try {
          if (isDevice(candidate, number)) {
            return device;
          }
        } catch (IOException unseen) {
          device.close();
          throw unseen;
        }
        device.close();
      }
    }
    throw new NoSuchFileException("it has no node any more");
  }

  private static List<Path> candidates(MountPath node, String number) throws IOException {
    List<Path> all = new ArrayList<>();
    Path said = Path.of("/sys/dev/block", number, "uevent");
    if (Files.isReadable(said)) {
      Files.readAllLines(said).stream()
          .filter(line -> line.startsWith(NAME))
          .map(line -> Path.of("/dev").resolve(line.substring(NAME.length())).normalize())
          .forEach(all::add);
    }
    all.add(node.toPath());
    return all;
  }

  private boolean isDevice(Path node, String number) throws IOException {
    try {
      return disk.facts(node)
          .filter(facts -> facts.kind() == FileFacts.Kind.BLOCK_DEVICE)
          .filter(facts -> facts.device().equals(number))
          .isPresent();
    } catch (DiskException e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
