package io.csi4j.testkit.mount;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.MountWatch;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.KernelText;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A host in memory, whose mounts behave like those of Linux.
 *
 * <p>Initially it has a root directory on a disk and no other mounts. {@link #host} is the mount
 * namespace of its services, in which tests create directories, files and devices; {@link
 * MemoryNamespace#unshare} creates a separate namespace for a container.
 *
 * <pre>{@code
 * MemoryKernel kernel = new MemoryKernel();
 * MountPath volume = kernel.host().directory("/var/lib/volumes/one");
 * MountPath target = kernel.host().directory("/workloads/a");
 * kernel.mounts().bind(BindRequest.builder(volume, target).build());
 * }</pre>
 *
 * <p>The kernel has no clock: an attempt to unmount a mount that is in use fails at once, whatever
 * the limits of the policy, and a hanging call reaches its deadline at once. Any thread may call
 * any method; calls are made one at a time.
 *
 * @since 1.0
 */
public final class MemoryKernel {

  private static final DeviceId ROOT_DISK = new DeviceId(254, 1);

  final ReentrantLock lock = new ReentrantLock();
  final Condition told = lock.newCondition();
  final Faults faults = new Faults();
  final Disks disks = new Disks();
  private final Node rootDirectory = Node.directory();
  private final MemoryNamespace host;
  private Model model;
  private int mountMax = 100_000;
  private int boots;

  /** Creates a host with tmpfs, ext4, xfs, nfs4 and FUSE. */
  public MemoryKernel() {
    disks.know("tmpfs", Backing.MEMORY);
    disks.know("ext4", Backing.DEVICE);
    disks.know("xfs", Backing.DEVICE);
    disks.know("nfs4", Backing.SERVER);
    disks.know("fuse", Backing.SERVER);
    model = new Model();
    host = new MemoryNamespace(this, bootTable());
  }

  /** Returns the initial namespace of the host. */
  public MemoryNamespace host() {
    return host;
  }

  /** Returns the mounts in {@link #host}. */
  public MountTable table() {
    return host.table();
  }

  /** Returns the operations that change the mounts in {@link #host}. */
  public Mounts mounts() {
    return host.mounts();
  }

  /** Returns a watch of the changes of {@link #table}. */
  public MountWatch watch() {
    return host.watch();
  }

  /** Returns the id of the current boot, in the kernel's form. */
  public String bootId() {
    return call(this::boot);
  }

  /** Adds a filesystem type to the kernel. */
  public void know(String type, Backing backing) {
    run(() -> disks.know(type, backing));
  }

  /**
   * Creates an empty filesystem on a block device; see {@link MemoryNamespace#device}.
   *
   * @throws IllegalStateException if the device is mounted
   */
  public void format(DeviceId device, String type) {
    run(() -> disks.format(device, type));
  }

  /** Removes the filesystem from a block device, as if it had been overwritten. */
  public void wipe(DeviceId device) {
    run(() -> disks.wipe(device));
  }

  /** Sets the maximum number of mounts of a namespace ({@code fs.mount-max}). */
  public void mountMax(int most) {
    run(
        () -> {
          mountMax = most;
          model.setMountMax(most);
        });
  }

  /**
   * Makes the next call of a kind fail without an effect, after the calls with faults that were
   * injected before.
   */
  public void failNext(KernelCall call, Errno errno) {
    run(() -> faults.fail(call, errno));
  }

  /** Makes the next call of a kind hang, after the calls with faults that were injected before. */
  public StuckCall hangNext(KernelCall call) {
    StuckCall hang = new StuckCall(this);
    run(() -> faults.hang(call, hang));
    return hang;
  }

  /**
   * Reboots the host. The files in the root directory and on block devices stay; mounts, all other
   * namespaces, open files, watches and injected faults are removed.
   */
  public void reboot() {
    run(
        () -> {
          for (Table table : List.copyOf(model.tables())) {
            List.copyOf(table.watchings).forEach(MemoryWatching::end);
            model.end(table);
          }
          boots++;
          faults.clear();
          disks.reboot();
          model = new Model();
          model.setMountMax(mountMax);
          host.setTable(bootTable());
        });
  }

  Model model() {
    return model;
  }

  String boot() {
    return String.format("00000000-0000-4000-8000-%012d", boots);
  }

  void run(Runnable change) {
    call(
        () -> {
          change.run();
          return true;
        });
  }

  /** Runs a task under the lock, then notifies the watches of its changes. */
  <T> T call(Supplier<T> work) {
    List<MemoryWatching> watchings = new ArrayList<>();
    lock.lock();
    try {
      return work.get();
    } finally {
      try {
        for (Table table : model.tables()) {
          List<Long> touched = table.takeTouched();
          for (MemoryWatching watching : table.watchings) {
            watching.note(touched);
            watchings.add(watching);
          }
        }
      } finally {
        lock.unlock();
      }
      if (!lock.isHeldByCurrentThread()) {
        watchings.forEach(MemoryWatching::deliver);
      }
    }
  }

  private Table bootTable() {
    Filesystem disk =
        new Filesystem(ROOT_DISK, "ext4", Backing.DEVICE, rootDirectory, List.of(), false);
    Mount root = model.newMount(disk, rootDirectory, KernelText.of("/dev/vda1"));
    root.flags.add(io.csi4j.mount.model.MountFlag.RELATIME);
    return model.boot(root);
  }
}
