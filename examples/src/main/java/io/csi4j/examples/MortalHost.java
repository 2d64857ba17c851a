package io.csi4j.examples;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.node.MountedVolume;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The first host of the quickstart, which mounts the volume for web-1. It runs in a separate
 * process, which the quickstart kills.
 */
final class MortalHost implements AutoCloseable {

  private final Process process;
  private final BufferedReader said;

  private MortalHost(Process process) {
    this.process = process;
    this.said = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Runs in the host's process: opens a manager, mounts the volume, prints the path, and waits
   * until it is killed.
   */
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    CsiEndpoint endpoint = CsiEndpoint.of(Quickstart.socket(directory));
    Patience patience = Patience.since(ProcessHandle.current());
    try (CsiPlugin plugin = Quickstart.connect(endpoint, patience);
        VolumeManager manager =
            VolumeManager.builder(Quickstart.volumes(directory)).listener(event -> {}).open()) {
      System.out.println(
          "process "
              + ProcessHandle.current().pid()
              + " opened a manager in "
              + Story.millis(manager.recovered().elapsed())
              + ", with nothing on record");
      manager.register(PluginBinding.of(Quickstart.PLUGIN, endpoint));
      Volume volume = Quickstart.volume(plugin);
      long begun = System.nanoTime();
      MountedVolume mounted = manager.mount(Quickstart.wish(volume, Quickstart.WEB_1));
      Duration elapsed = Duration.ofNanos(System.nanoTime() - begun);
      System.out.println("mounted the volume for web-1 in " + Story.millis(elapsed) + ":");
      System.out.println(mounted.path());
      System.in.read(); // until it is killed, or the quickstart ends
    }
  }

  /** Starts the host with the JVM and the class path of this process. */
  static MortalHost start(Path directory) throws IOException {
    return new MortalHost(
        new ProcessBuilder(MortalPlugin.command(MortalHost.class, directory))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start());
  }

  long pid() {
    return process.pid();
  }

  /** Waits until the host has mounted the volume, and returns the path. */
  Path mounted(Story story) throws IOException {
    story.step("host", line());
    story.step("host", line());
    String path = line();
    story.line(path);
    return Path.of(path);
  }

  private String line() throws IOException {
    String line = said.readLine();
    if (line == null) {
      throw new IOException("The process that was to mount ended before it had. See above.");
    }
    return line;
  }

  /** Kills the host, like {@code kill -9}, and waits until it has ended. */
  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}
