package io.csi4j.benchmarks.many;

import io.csi4j.benchmarks.MountingPlugin;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.manager.VolumeManager;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The place of the mounts: the kernel, or memory. */
interface Kernel extends MountingPlugin.Mounting, AutoCloseable {

  /** The engine's view of the mounts, in place of its usual parts. */
  KernelMounts seenBy(KernelMounts usual);

  /** Starts a manager of the volumes below a directory that are mounted in this kernel. */
  Started start(Path root);

  /** Keeps what is mounted for who comes later. */
  @Override
  void close() throws IOException;

  /**
   * The kernel that a word stands for.
   *
   * @param word {@code memory} and where its table is kept, or {@code binds} and a directory that
   *     all volumes show
   */
  static Kernel of(String word, String path) throws IOException {
    return word.equals("memory")
        ? MemoryKernel.at(path)
        : new Binds(new MountingPlugin.Binds(MountPath.of(path)));
  }

  /**
   * The kernel itself.
   *
   * @param binds mounts in it
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
      // As a host does: a manager without a listener logs what it adopts, between the figures.
      return new Started.Managed(VolumeManager.builder(root).listener(event -> {}).open());
    }

    @Override
    public void close() {
      // The namespace ends, and the mounts with it.
    }
  }
}
