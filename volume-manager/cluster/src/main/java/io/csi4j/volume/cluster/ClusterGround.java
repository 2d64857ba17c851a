package io.csi4j.volume.cluster;

import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.LocalStore;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The plugins and the store of a control plane, and those of them that are closed with it.
 *
 * @param plugins the plugins
 * @param store the store
 * @param ownPlugins the plugins, if no registry of the host has them
 * @param ownStore the store, if it was opened for this control plane
 */
record ClusterGround(
    PluginRegistry plugins,
    RecordStore store,
    Optional<PluginRegistry.Closeable> ownPlugins,
    Optional<RecordStore> ownStore)
    implements AutoCloseable {

  /**
   * Opens the plugins and the store that the host did not pass in.
   *
   * @param registry the registry of the host, if it has one
   * @param store the store of the host, if it has one
   * @param directory the directory of the store otherwise
   */
  static ClusterGround open(
      Optional<PluginRegistry> registry, Optional<RecordStore> store, Optional<Path> directory) {
    Optional<PluginRegistry.Closeable> ownPlugins =
        registry.isPresent() ? Optional.empty() : Optional.of(InMemoryPluginRegistry.open());
    Optional<RecordStore> ownStore;
    try {
      ownStore = directory.map(LocalStore::open);
    } catch (RuntimeException | Error failed) {
      ownPlugins.ifPresent(PluginRegistry.Closeable::close);
      throw failed;
    }
    return new ClusterGround(
        registry.or(() -> ownPlugins).orElseThrow(),
        store.or(() -> ownStore).orElseThrow(),
        ownPlugins,
        ownStore);
  }

  @Override
  public void close() {
    try {
      ownPlugins.ifPresent(PluginRegistry.Closeable::close);
    } finally {
      ownStore.ifPresent(RecordStore::close);
    }
  }
}
