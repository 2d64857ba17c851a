package io.csi4j.benchmarks.many;

import io.csi4j.benchmarks.MountingPlugin;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.manager.VolumeManager;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The owner of the mounts: the real kernel, or a table in memory. */
interface Kernel extends MountingPlugin.Mounting, AutoCloseable {

  /** Returns the engine's access to the mounts, instead of the usual one. */
  KernelMounts seenBy(KernelMounts usual);

  /** Starts a manager for the volumes below a directory, which are mounted in this kernel. */
  Started start(Path root);

  /** Keeps the mounts for a later process. */
  @Override
  void close() throws IOException;

  /**
   * Returns the kernel for these arguments.
   *
   * @param word {@code memory} with the file of the table, or {@code binds} with a directory that
   *     all volumes show
   */
  static Kernel of(String word, String path) throws IOException {
    return word.equals("memory")
        ? MemoryKernel.at(path)
        : new Binds(new MountingPlugin.Binds(MountPath.of(path)));
  }

  /**
   * The real kernel.
   *
   * @param binds creates the bind mounts
   */
  record Binds(MountingPlugin.Binds binds) implements Kernel {
    @Override
    public void mount(MountPath path, Optional<MountPath> shown) {
      binds.mount(path, shown);
    }

    @Override
    public boolean unmount(MountPath path) {
      return binds.unmount(path);
    }

    @Override
    public KernelMounts seenBy(KernelMounts usual) {
      return usual;
    }

    @Override
    public Started start(Path root) {
      // A host has a listener, too. A manager without a listener would log the adopted volumes
      // between the figures.
      return new Started.Managed(VolumeManager.builder(root).listener(event -> {}).open());
    }

    @Override
    public void close() {
      // The mounts end with their namespace.
    }
  }
}
