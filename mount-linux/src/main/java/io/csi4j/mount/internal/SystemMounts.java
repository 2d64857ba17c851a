package io.csi4j.mount.internal;

import io.csi4j.mount.MountCapabilities;
import io.csi4j.mount.MountSettings;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.MountWatch;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.internal.kernel.Kernel;

/** This machine behind each public interface, looked at when it is first asked for. */
public final class SystemMounts {

  private SystemMounts() {}

  /** Made once, by the first use of any interface. */
  private static final class Shared {
    private static final Host HOST =
        Host.of(
            System.getProperty("os.name", ""),
            () -> new JnaSyscalls(System.getProperty("os.arch", "")));
    private static final Mounts MOUNTS = HOST.mounts().apply(MountSettings.DEFAULT);
  }

  /** Behind {@link MountTable#system()}. */
  public static MountTable table() {
    return Shared.HOST.table();
  }

  /** Behind {@link Mounts#system()}. */
  public static Mounts mounts() {
    return Shared.MOUNTS;
  }

  /** Behind {@link Mounts#system(MountSettings)}. */
  public static Mounts mounts(MountSettings settings) {
    return Shared.HOST.mounts().apply(settings);
  }

  /** Behind {@link MountWatch#system()}. */
  public static MountWatch watch() {
    return Shared.HOST.watch();
  }

  /** Behind {@link MountCapabilities#system()}. */
  public static MountCapabilities capabilities() {
    return Shared.HOST.capabilities().get();
  }

  /** The running kernel, for the tests of the rooms below. */
  public static Kernel kernel() {
    return Shared.HOST.kernel().get();
  }
}
