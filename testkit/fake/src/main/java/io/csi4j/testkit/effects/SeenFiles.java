package io.csi4j.testkit.effects;

import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.testkit.mount.MemoryNamespace;
import java.io.IOException;

/**
 * Plain directories on the real filesystem, each of which is a mount in the memory of a test: for a
 * caller that makes real directories and looks whether something is mounted there.
 */
final class SeenFiles implements NodeEffects {

  private final MemoryNamespace namespace;
  private final NodeEffects files = NodeEffects.files();
  private final NodeEffects mounts;

  /** Mounts are in {@code namespace}. */
  SeenFiles(MemoryNamespace namespace) {
    this.namespace = namespace;
    mounts = NodeEffects.mountingIn(namespace);
  }

  @Override
  public boolean visible() {
    return files.visible();
  }

  @Override
  public void stage(VolumeId volume, PluginPath staging) throws IOException {
    files.stage(volume, staging);
    namespace.directory(MountPath.of(staging.value()));
    mounts.stage(volume, staging);
  }

  @Override
  public void unstage(VolumeId volume, PluginPath staging) throws IOException {
    mounts.unstage(volume, staging);
    files.unstage(volume, staging);
  }

  @Override
  public void publish(Publication publication) throws IOException {
    files.publish(publication);
    namespace.directory(MountPath.of(publication.target().value()).parent());
    mounts.publish(publication);
  }

  @Override
  public void unpublish(VolumeId volume, PluginPath target) throws IOException {
    mounts.unpublish(volume, target);
    files.unpublish(volume, target);
  }

  @Override
  public void unmount(PluginPath target) throws IOException {
    mounts.unmount(target);
  }
}
