package io.csi4j.mount;

import io.csi4j.mount.internal.Bindings;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.model.MountSettings;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The kernel that the tests run on, and the entry points that are made from it. */
public final class RunningKernel {

  private RunningKernel() {}

  /** All entry points of one kernel. */
  public record EntryPoints(MountTable table, Mounts mounts, MountWatch watch, Kernel kernel) {}

  private static final Map<String, EntryPoints> BY_BINDING = new ConcurrentHashMap<>();

  /** The entry points with a binding, or those that all others use. */
  public static EntryPoints entryPoints(@Nullable String binding) {
    return binding == null
        ? new EntryPoints(MountTable.system(), Mounts.system(), MountWatch.system(), kernel())
        : BY_BINDING.computeIfAbsent(binding, RunningKernel::load);
  }

  private static EntryPoints load(String binding) {
    Host host = Host.of("Linux", () -> Bindings.load(binding, System.getProperty("os.arch")));
    Mounts mounts = host.mounts().apply(MountSettings.DEFAULT);
    return new EntryPoints(host.table(), mounts, host.watch(), host.kernel().get());
  }

  /** The kernel itself. */
  public static Kernel kernel() {
    return Host.system().kernel().get();
  }

  /** The table of this kernel, which is careful when it is told to be. */
  public static MountTable table(Kernel kernel, BooleanSupplier careful) {
    return new LinuxMountTable(kernel, careful);
  }

  /** Changes to the mounts of this kernel, which are seen in this table, on their own pool. */
  public static Mounts mounts(Kernel kernel, KernelTable table, MountSettings settings) {
    return new LinuxMounts(kernel, table, settings);
  }

  /** The watch over the mounts of this kernel. */
  public static MountWatch watch(Kernel kernel) {
    return new LinuxMountWatch(kernel, new KernelTable(kernel));
  }
}
