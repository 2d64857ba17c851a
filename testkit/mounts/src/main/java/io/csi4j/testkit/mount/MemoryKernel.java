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
 * A host in memory, with mounts that behave as those of Linux.
 *
 * <p>It begins with a root directory on a disk and nothing else mounted. {@link #host} is the mount
 * namespace of its services, in which directories, files and devices are made; {@link
 * MemoryNamespace#unshare} gives a container one of its own.
 *
 * <pre>{@code
 * MemoryKernel kernel = new MemoryKernel();
 * MountPath volume = kernel.host().directory("/var/lib/volumes/one");
 * MountPath target = kernel.host().directory("/workloads/a");
 * kernel.mounts().bind(BindRequest.builder(volume, target).build());
 * }</pre>
 *
 * <p>There is no clock: a mount that is in use is found busy at once, at any limit of the policy,
 * and a call that hangs has reached its deadline at once. All may be called from any thread, one
 * call is made at a time.
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

  /** A host with tmpfs, ext4, xfs, nfs4 and FUSE. */
  public MemoryKernel() {
    disks.know("tmpfs", Backing.MEMORY);
    disks.know("ext4", Backing.DEVICE);
    disks.know("xfs", Backing.DEVICE);
    disks.know("nfs4", Backing.SERVER);
    disks.know("fuse", Backing.SERVER);
    model = new Model();
    host = new MemoryNamespace(this, bootTable());
  }

  /** The namespace that the host begins with. */
  public MemoryNamespace host() {
    return host;
  }

  /** Returns the mounts in {@link #host}. */
  public MountTable table() {
    return host.table();
  }

  /** The changes to what is mounted in {@link #host}. */
  public Mounts mounts() {
    return host.mounts();
  }

  /** Tells when {@link #table} changes. */
  public MountWatch watch() {
    return host.watch();
  }

  /** Which boot it is, in the form that the kernel has. */
  public String bootId() {
    return call(this::boot);
  }

  /** Lets the kernel know one more type of filesystem. */
  public void know(String type, Backing backing) {
    run(() -> disks.know(type, backing));
  }

  /**
   * Makes an empty filesystem on a block device; see {@link MemoryNamespace#device}.
   *
   * @throws IllegalStateException if it is mounted
   */
  public void format(DeviceId device, String type) {
    run(() -> disks.format(device, type));
  }

  /** Takes the filesystem off a block device, as if it had been overwritten. */
  public void wipe(DeviceId device) {
    run(() -> disks.wipe(device));
  }

  /** Sets how many mounts a namespace may have ({@code fs.mount-max}). */
  public void mountMax(int most) {
    run(
        () -> {
          mountMax = most;
          model.setMountMax(most);
        });
  }

  /** Lets the next call of a kind fail, after those that were asked for before; it does nothing. */
  public void failNext(KernelCall call, Errno errno) {
    run(() -> faults.fail(call, errno));
  }

  /** Lets the next call of a kind not come back, after those that were asked for before. */
  public StuckCall hangNext(KernelCall call) {
    StuckCall hang = new StuckCall(this);
    run(() -> faults.hang(call, hang));
    return hang;
  }

  /**
   * Starts the host again. What is in the root directory and on block devices stays; mounts, all
   * other namespaces, what is open, watches and faults asked for are gone.
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

  /** Does one thing undisturbed, then tells the watches what it changed. */
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
