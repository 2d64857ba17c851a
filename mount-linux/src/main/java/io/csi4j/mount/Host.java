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
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The machine that this process runs on, behind the public interfaces.
 *
 * @param table its table
 * @param mounts makes the changes with given settings
 * @param watch its watch
 * @param capabilities what it can do
 * @param kernel the kernel itself
 */
record Host(
    MountTable table,
    Function<MountSettings, Mounts> mounts,
    MountWatch watch,
    Supplier<MountCapabilities> capabilities,
    Supplier<Kernel> kernel) {

  /** Looked at once, when any interface is first asked for. */
  private static final class Shared {
    private static final Host HOST =
        of(
            System.getProperty("os.name", ""),
            () ->
                Bindings.load(
                    System.getProperty(Bindings.PROPERTY), System.getProperty("os.arch", "")));
    private static final Mounts MOUNTS = HOST.mounts.apply(MountSettings.DEFAULT);
  }

  /** This machine. */
  static Host system() {
    return Shared.HOST;
  }

  /** The changes to this machine's mounts with the settings that suit most, on one pool for all. */
  static Mounts systemMounts() {
    return Shared.MOUNTS;
  }

  /**
   * Looks what there is. It never throws: what cannot be had says so when it is used.
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
                      "Mounts can be seen and changed on Linux only, and this is "
                          + system
                          + ". Run it on Linux, or test with the mounts in memory of"
                          + " csi4j-testkit.")
                  .build(),
          Optional.empty());
    }
    Syscalls calls;
    try {
      calls = binding.get();
    } catch (RuntimeException | Error e) {
      // Any error: a native library may throw a bare one.
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
                + ". Let it use native code (--enable-native-access). Before Java 22, let JNA unpack"
                + " its library to a directory that is not mounted noexec (-Djna.tmpdir=...), or"
                + " install it (-Djna.boot.library.path=...).")
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

  /** A name that no other boot has either, so that no reference is taken for one of this boot. */
  private static String unknownBoot() {
    return "unknown-" + UUID.randomUUID();
  }

  /** The text of a file; nothing if it is not there: {@code /proc} may not be mounted. */
  private static Optional<String> text(String path) {
    try {
      return Optional.of(new String(ProcFiles.read(path), StandardCharsets.UTF_8).strip());
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
