package io.csi4j.testkit.mount;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.MountWatch;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.contract.World;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.Propagation;

/** The kernel in memory, with a directory for one test. */
final class MemoryWorld implements World {

  private final MemoryKernel kernel = new MemoryKernel();
  private final MemoryNamespace host = kernel.host();
  private final MountPath place = host.directory(MountPath.of("/place"));

  MemoryWorld() {
    tmpfsOver(place);
  }

  @Override
  public MountTable table() {
    return kernel.table();
  }

  @Override
  public Mounts mounts() {
    return kernel.mounts();
  }

  @Override
  public MountWatch watch() {
    return kernel.watch();
  }

  @Override
  public MountPath path(String relative) {
    return relative.isEmpty() ? place : place.resolve(relative);
  }

  @Override
  public MountPath directory(String relative) {
    return host.directory(path(relative));
  }

  @Override
  public MountPath file(String relative, String content) {
    return host.file(path(relative), content);
  }

  @Override
  public MountPath symlink(String relative, MountPath target) {
    return host.symlink(path(relative), KernelText.ofBytes(target.bytes()));
  }

  @Override
  public MountPath tmpfs(String relative) {
    MountPath path = directory(relative);
    tmpfsOver(path);
    return path;
  }

  @Override
  public void tmpfsOver(MountPath path) {
    host.tmpfs(path);
  }

  @Override
  public void bind(MountPath source, MountPath target) {
    host.bind(source, target);
  }

  @Override
  public void detach(MountPath path) {
    host.detach(path);
  }

  @Override
  public void move(MountPath from, MountPath to) {
    host.move(from, to);
  }

  @Override
  public void propagation(MountPath path, Propagation propagation) {
    host.mounts().setPropagation(path, propagation, false);
  }

  @Override
  public void unbindable(MountPath path) {
    host.makeUnbindable(path);
  }

  @Override
  public void rename(MountPath from, MountPath to) {
    host.rename(from, to);
  }

  @Override
  public void remove(MountPath path) {
    host.remove(path);
  }

  @Override
  public boolean exists(MountPath path) {
    return host.exists(path);
  }

  @Override
  public Use open(MountPath path) {
    return host.open(path)::close;
  }

  @Override
  public Use openForWriting(MountPath path) {
    return host.openForWriting(path)::close;
  }

  @Override
  public Elsewhere elsewhere() {
    MemoryNamespace other = host.unshare();
    return new Elsewhere() {
      @Override
      public boolean isMount(MountPath path) {
        return other.table().list().at(path).isPresent();
      }

      @Override
      public void tmpfsOver(MountPath path) {
        other.tmpfs(path);
      }

      @Override
      public Use open(MountPath path) {
        return other.open(path)::close;
      }

      @Override
      public void propagation(MountPath path, Propagation propagation) {
        other.mounts().setPropagation(path, propagation, false);
      }

      @Override
      public void close() {
        other.close();
      }
    };
  }
}
