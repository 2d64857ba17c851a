package io.csi4j.testkit.effects;

import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.CleanupResult;
import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.testkit.mount.MemoryNamespace;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Mounts volumes in an in-memory namespace of a test. Every volume is a disk of the host with a
 * filesystem. Staging mounts the disk. Publishing creates a bind mount of the staging path, or
 * mounts the disk if the volume is not staged. Disks and mounts belong to the host, so they remain
 * when the plugin loses its state.
 *
 * <p>On request, real directories and files are created at the same paths, for a caller that reads
 * both.
 */
final class MemoryEffects implements NodeEffects {

  private static final MountPath DEVICES = MountPath.of("/dev/csi4j");
  private static final String TYPE = "ext4";

  private final MemoryNamespace namespace;
  private final NodeEffects files;
  private final Map<VolumeId, MountPath> disks = new ConcurrentHashMap<>();
  private final Map<VolumeId, MountPath> staged = new ConcurrentHashMap<>();

  /**
   * Creates effects that mount in {@code namespace}. The same paths are passed to {@code files},
   * which may create them on disk.
   */
  MemoryEffects(MemoryNamespace namespace, NodeEffects files) {
    this.namespace = namespace;
    this.files = files;
  }

  @Override
  public boolean visible() {
    return files.visible();
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void mounting(Work work) throws IOException {
    try {
      work.run();
    } catch (MountException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public void stage(VolumeId volume, PluginPath staging) throws IOException {
    MountPath at = MountPath.of(staging.value());
    files.stage(volume, staging);
    mounting(
        () -> {
          seen(at);
          var unused = namespace.mounts().mount(request(disk(volume), at).build());
        });
    staged.put(volume, at);
  }

  @Override
  public void unstage(VolumeId volume, PluginPath staging) throws IOException {
    unmount(staging);
    staged.remove(volume);
    files.unstage(volume, staging);
  }

  @Override
  public void publish(Publication publication) throws IOException {
    MountPath at = MountPath.of(publication.target().value());
    MountPath disk = disk(publication.volume());
    MountPath from = staged.get(publication.volume());
    files.publish(publication);
    mounting(
        () -> {
          seen(at.parent());
          if (publication.block()) {
            bind(disk, at, publication.readonly());
          } else if (from == null) {
            mount(disk, at, publication.readonly());
          } else if (namespace.table().find(from).isEmpty()) {
            throw new IOException("nothing is mounted at the staging path " + from + " any more");
          } else {
            bind(from, at, publication.readonly());
          }
        });
  }

  @Override
  public void unpublish(VolumeId volume, PluginPath target) throws IOException {
    mounting(
        () -> {
          CleanupResult result =
              namespace.mounts().cleanup(MountPath.of(target.value()), UnmountPolicy.PLAIN);
          if (result.problem().isPresent()) {
            throw result.problem().get();
          }
          if (result.outcome() == CleanupResult.Outcome.NOT_EMPTY) {
            throw new IOException("the target path " + target + " is not empty");
          }
        });
    files.unpublish(volume, target);
  }

  @Override
  public void unmount(PluginPath path) throws IOException {
    mounting(() -> namespace.mounts().unmount(MountPath.of(path.value()), UnmountPolicy.PLAIN));
  }

  /** Adds to the namespace a directory that the caller created on disk. */
  private void seen(MountPath directory) {
    if (files.visible()) {
      MountPath unused = namespace.directory(directory);
    }
  }

  /** Returns the device of a volume. Repeated calls return the same device. */
  private MountPath disk(VolumeId volume) {
    return disks.computeIfAbsent(
        volume,
        added -> {
          DeviceId device = namespace.disk(TYPE);
          return namespace.device(DEVICES.resolve("disk-" + device.minor()), device);
        });
  }

  private static FilesystemRequest.Builder request(MountPath disk, MountPath at) {
    return FilesystemRequest.builder(TYPE, KernelText.ofBytes(disk.bytes()), at);
  }

  /**
   * Mounts a disk at a path. The same disk can be mounted writable at one path and read-only at
   * another.
   */
  private void mount(MountPath disk, MountPath at, boolean readonly) {
    if (namespace.table().find(at).isEmpty()) {
      var unused = namespace.mounts().mount(request(disk, at).createTarget(true).build());
    }
    if (readonly) {
      var unused = namespace.mounts().setReadOnly(at, false);
    }
  }

  private void bind(MountPath source, MountPath at, boolean readonly) {
    namespace
        .mounts()
        .bind(BindRequest.builder(source, at).createTarget(true).readOnly(readonly).build());
  }
}
