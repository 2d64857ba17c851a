package io.csi4j.volume.kill;

import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.testkit.model.PluginContents;
import io.csi4j.volume.model.PluginId;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** A plugin of a {@link KillWorld}: a {@link HostPathPlugin}, here or in another process. */
interface StoragePlugin extends AutoCloseable {

  /** Its name. */
  PluginId id();

  /** Its directory. */
  Path directory();

  /** The volumes that it takes for staged. */
  Set<VolumeId> staged();

  /** A line for each thing that its caller owes it. */
  List<String> pending();

  @Override
  void close();

  /** Where it listens. */
  default Path socket() {
    return directory().resolve("csi").resolve("csi.sock");
  }

  /** The content of a volume, behind the back of everybody. */
  default Path content(VolumeId volume) {
    return directory().resolve("data").resolve("volumes").resolve(volume.value()).resolve("disk");
  }

  /** The plugin of this name in this directory, in this process. */
  static HostPathPlugin plugin(PluginId id, Path directory) {
    return HostPathPlugin.builder(directory.resolve("data"))
        .shape(HostPathPlugin.defaultShape().named(PluginName.of(id.value())))
        .socket(directory.resolve("csi").resolve("csi.sock"))
        .open();
  }

  /** The volumes that a plugin with these contents has staged. */
  static Set<VolumeId> staged(PluginContents contents) {
    return contents.staged().stream()
        .map(PluginContents.Staged::volume)
        .collect(Collectors.toSet());
  }

  /** A plugin in this process, whose calls can be looked at. */
  record InThisProcess(PluginId id, Path directory, HostPathPlugin plugin)
      implements StoragePlugin {

    static InThisProcess open(PluginId id, Path directory) {
      return new InThisProcess(id, directory, StoragePlugin.plugin(id, directory));
    }

    @Override
    public Set<VolumeId> staged() {
      return StoragePlugin.staged(plugin.contents());
    }

    @Override
    public List<String> pending() {
      return plugin.contents().pending();
    }

    @Override
    public void close() {
      plugin.close();
    }
  }
}
