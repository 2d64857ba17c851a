package io.csi4j.testkit.mount;

import static io.csi4j.testkit.mount.KernelRefusal.EBUSY;
import static io.csi4j.testkit.mount.KernelRefusal.EINVAL;
import static io.csi4j.testkit.mount.KernelRefusal.ENODEV;
import static io.csi4j.testkit.mount.KernelRefusal.ENOTBLK;

import io.csi4j.mount.model.DeviceId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Filesystem types that the kernel knows, and the filesystems on its block devices. */
final class Disks {

  /** Major number of virtual disks. */
  private static final int ADDED = 253;

  private final Map<String, Backing> types = new LinkedHashMap<>();
  private final Map<DeviceId, Disk> disks = new LinkedHashMap<>();

  /** A device with a filesystem. */
  private static final class Disk {
    final String type;
    final Node root = Node.directory();
    @Nullable Filesystem mounted;

    Disk(String type) {
      this.type = type;
    }
  }

  void know(String type, Backing backing) {
    types.put(type, backing);
  }

  void format(DeviceId device, String type) {
    Disk disk = disks.get(device);
    if (disk != null && disk.mounted != null && disk.mounted.uses > 0) {
      throw new IllegalStateException(
          "The device "
              + device
              + " is mounted, and formatting it would destroy data. Unmount it"
              + " first.");
    }
    disks.put(device, new Disk(type));
  }

  /** Adds a device with a unique number and an empty filesystem. */
  DeviceId add(String type) {
    int minor = 0;
    while (disks.containsKey(new DeviceId(ADDED, minor))) {
      minor++;
    }
    DeviceId device = new DeviceId(ADDED, minor);
    format(device, type);
    return device;
  }

  void wipe(DeviceId device) {
    disks.remove(device);
  }

  /** Returns how a type is backed; refuses an unknown type. */
  Backing backing(String type) {
    Backing backing = types.get(type);
    if (backing == null) {
      throw new KernelRefusal(ENODEV);
    }
    return backing;
  }

  /** Opens the filesystem on a device: the same one as long as it is mounted anywhere. */
  Filesystem open(Node source, String type, List<String> options, boolean readOnly) {
    DeviceId device = source.device();
    if (device == null) {
      throw new KernelRefusal(ENOTBLK);
    }
    Disk disk = disks.get(device);
    if (disk == null || !disk.type.equals(type)) {
      throw new KernelRefusal(EINVAL);
    }
    Filesystem mounted = disk.mounted;
    if (mounted == null || mounted.uses == 0) {
      mounted = new Filesystem(device, type, Backing.DEVICE, disk.root, options, readOnly);
      disk.mounted = mounted;
    } else if (mounted.readOnly != readOnly) {
      throw new KernelRefusal(EBUSY);
    }
    return mounted;
  }

  /** Removes all mounts; the filesystems on the devices stay. */
  void reboot() {
    disks.values().forEach(disk -> disk.mounted = null);
  }
}
