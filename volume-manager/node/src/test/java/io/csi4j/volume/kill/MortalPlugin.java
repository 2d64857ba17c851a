package io.csi4j.volume.kill;

import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.PluginId;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A plugin in a process that can be killed, and followed by another one over its directory. */
final class MortalPlugin implements StoragePlugin {

  private final PluginId id;
  private final Path directory;
  private EngineProcess process;

  private MortalPlugin(PluginId id, Path directory) {
    this.id = id;
    this.directory = directory;
    process = started();
  }

  static MortalPlugin open(PluginId id, Path directory) {
    return new MortalPlugin(id, directory);
  }

  private EngineProcess started() {
    return EngineProcess.start(PluginMain.class, List.of(id.value(), directory.toString()));
  }

  /** SIGKILL. */
  void kill() {
    process.kill();
  }

  /** Starts the process that follows the one that was killed, and waits until it serves. */
  void revive() {
    process = started();
  }

  @Override
  public PluginId id() {
    return id;
  }

  @Override
  public Path directory() {
    return directory;
  }

  @Override
  public Set<VolumeId> staged() {
    return words("staged").map(VolumeId::of).collect(Collectors.toSet());
  }

  @Override
  public List<String> pending() {
    return words("owed").map(word -> word.replace('_', ' ')).toList();
  }

  private Stream<String> words(String question) {
    return Arrays.stream(process.ask(question, question).split(" ", -1))
        .filter(word -> !word.isEmpty());
  }

  @Override
  public void close() {
    process.close();
  }
}
