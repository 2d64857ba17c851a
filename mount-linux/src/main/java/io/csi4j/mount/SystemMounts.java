package io.csi4j.mount;

import io.csi4j.mount.internal.JnaSyscalls;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.model.MountSettings;

/** This machine behind each public interface, looked at when it is first asked for. */
final class SystemMounts {

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
  static MountTable table() {
    return Shared.HOST.table();
  }

  /** Behind {@link Mounts#system()}. */
  static Mounts mounts() {
    return Shared.MOUNTS;
  }

  /** Behind {@link Mounts#system(MountSettings)}. */
  static Mounts mounts(MountSettings settings) {
    return Shared.HOST.mounts().apply(settings);
  }

  /** Behind {@link MountWatch#system()}. */
  static MountWatch watch() {
    return Shared.HOST.watch();
  }

  /** Behind {@link MountCapabilities#system()}. */
  static MountCapabilities capabilities() {
    return Shared.HOST.capabilities().get();
  }

  /** The running kernel. */
  static Kernel kernel() {
    return Shared.HOST.kernel().get();
  }
}
