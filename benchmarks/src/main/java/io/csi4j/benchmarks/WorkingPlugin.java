package io.csi4j.benchmarks;

import io.csi4j.client.model.PluginName;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A program that is a working CSI plugin: a {@link HostPathPlugin}. Its volumes are directories,
 * which it mounts by bind mounts, and it writes its state to disk before it answers. {@link
 * PluginProcess} starts this program.
 *
 * <p>The argument is the socket of the plugin. The plugin has the same name that a {@link
 * DoNothingPlugin} on this socket would have, and its volumes are next to the socket. The program
 * prints {@code ready}, and ends when its standard input ends.
 */
public final class WorkingPlugin {

  private WorkingPlugin() {}

  /** Serves on this socket. */
  public static void main(String[] words) throws IOException {
    Path socket = Path.of(words[0]);
    PluginName name = PluginName.of(DoNothingPlugin.nameOf(socket));
    HostPathPlugin plugin =
        HostPathPlugin.builder(socket.resolveSibling(name.value()))
            .shape(HostPathPlugin.defaultShape().named(name))
            .socket(socket)
            .open();
    // The plugin records each call for tests, so the records must be deleted regularly.
    var unused =
        Executors.newSingleThreadScheduledExecutor()
            .scheduleWithFixedDelay(plugin.journal()::clear, 1, 1, TimeUnit.SECONDS);
    System.out.println("ready");
    System.in.transferTo(System.out);
    System.exit(0);
  }
}
