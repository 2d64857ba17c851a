package io.csi4j.mount;

import io.csi4j.mount.internal.Bindings;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.KernelFeatures;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.internal.proc.ProcFiles;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The machine of this process, as the implementations of the public interfaces.
 *
 * @param table its mount table
 * @param mounts returns the changes with given settings
 * @param watch its watch
 * @param capabilities its capabilities
 * @param kernel the kernel
 */
record Host(
    MountTable table,
    Function<MountSettings, Mounts> mounts,
    MountWatch watch,
    Supplier<MountCapabilities> capabilities,
    Supplier<Kernel> kernel) {

  private static final String NATIVE_CODE =
      ". Let it use native code (--enable-native-access). Before Java 22, let JNA unpack"
          + " its library to a directory that is not mounted noexec (-Djna.tmpdir=...), or"
          + " install it (-Djna.boot.library.path=...).";

  /**
   * One machine for all callers. It is examined when the first interface is requested, and again
   * the next time if this process lacked memory or threads for that.
   */
  static final class Shared {

    private static final Shared SYSTEM =
        new Shared(
            System.getProperty("os.name", ""),
            () ->
                Bindings.load(
                    System.getProperty(Bindings.PROPERTY), System.getProperty("os.arch", "")));

    private final ReentrantLock lock = new ReentrantLock();
    private final String system;
    private final Supplier<Syscalls> binding;
    private volatile @Nullable Found found;

    /** The machine, and the changes to its mounts on one shared pool. */
    private record Found(Host host, Mounts mounts) {}

    Shared(String system, Supplier<Syscalls> binding) {
      this.system = system;
      this.binding = binding;
    }

    Host host() {
      return found().host;
    }

    Mounts mounts() {
      return found().mounts;
    }

    private Found found() {
      Found there = found;
      if (there != null) {
        return there;
      }
      lock.lock();
      try {
        there = found;
        return there == null ? look() : there;
      } finally {
        lock.unlock();
      }
    }

    private Found look() {
      boolean[] mayPass = {false};
      Host host =
          of(
              system,
              () -> {
                try {
                  return binding.get();
                } catch (RuntimeException | Error e) {
                  mayPass[0] = mayPass(e);
                  throw e;
                }
              });
      Found looked = new Found(host, host.mounts.apply(MountSettings.DEFAULT));
      if (!mayPass[0]) {
        found = looked;
      }
      return looked;
    }
  }

  /** Returns this machine. */
  static Host system() {
    return Shared.SYSTEM.host();
  }

  /** Returns the changes to this machine's mounts with the default settings, on one shared pool. */
  static Mounts systemMounts() {
    return Shared.SYSTEM.mounts();
  }

  /** Returns whether the failure may be temporary: this process lacked memory or threads. */
  private static boolean mayPass(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof OutOfMemoryError) {
        return true;
      }
    }
    return false;
  }

  /**
   * Examines the machine. Never throws: an unavailable interface throws the reason when it is used.
   *
   * @param system the name of the operating system, as the JVM has it
   * @param binding loads the native calls; may throw what a JVM throws then
   */
  static Host of(String system, Supplier<Syscalls> binding) {
    if (!system.equals("Linux")) {
      return without(
          () ->
              MountException.builder(
                      Reason.NOT_LINUX,
                      "Mounts can be read and changed on Linux only, and this is "
                          + system
                          + ". Run it on Linux, or test with the mounts in memory of"
                          + " csi4j-testkit-mounts.")
                  .build(),
          Optional.empty());
    }
    Syscalls calls;
    try {
      calls = binding.get();
    } catch (RuntimeException | Error e) {
      // Catches any error: a native library may throw a plain Error.
      return without(() -> noNativeAccess(e), Optional.of(textOnly()));
    }
    Kernel kernel = kernel(calls);
    LinuxMountTable table = new LinuxMountTable(kernel);
    return new Host(
        table,
        settings -> new LinuxMounts(kernel, table, settings),
        new LinuxMountWatch(kernel, table),
        () -> MountCapabilities.of(kernel),
        () -> kernel);
  }

  private static Host without(Supplier<MountException> why, Optional<MountTable> text) {
    UnavailableMounts none = new UnavailableMounts(why, text);
    return new Host(
        none,
        settings -> none,
        none,
        () -> {
          throw why.get();
        },
        () -> {
          throw why.get();
        });
  }

  private static MountException noNativeAccess(Throwable cause) {
    return MountException.builder(
            Reason.NO_NATIVE_ACCESS,
            "System calls cannot be made from this JVM: "
                + Objects.requireNonNullElse(cause.getMessage(), cause.toString())
                + (mayPass(cause)
                    ? ". Give it more threads or memory (ulimit -u, pids.max of its cgroup, -Xmx),"
                        + " and call again: every call tries again."
                    : NATIVE_CODE))
        .cause(cause)
        .build();
  }

  private static MountTable textOnly() {
    return new LinuxMountTable(kernel(new Syscalls() {}));
  }

  private static Kernel kernel(Syscalls calls) {
    return new Kernel(
        calls,
        KernelFeatures.probe(calls),
        text("/proc/sys/kernel/random/boot_id").orElseGet(Host::unknownBoot),
        text("/proc/sys/kernel/osrelease").orElse("unknown"));
  }

  /**
   * Returns a name that no other boot has, so that no reference is mistaken for one of this boot.
   */
  private static String unknownBoot() {
    return "unknown-" + UUID.randomUUID();
  }

  /**
   * Returns the text of a file; empty if it does not exist, as {@code /proc} may not be mounted.
   */
  private static Optional<String> text(String path) {
    try {
      return Optional.of(new String(ProcFiles.read(path), StandardCharsets.UTF_8).strip());
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
