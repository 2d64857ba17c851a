package io.csi4j.benchmarks;

import io.csi4j.client.model.PluginName;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A CSI plugin that works, as a program: a {@link HostPathPlugin}, which binds the directories that
 * its volumes are, and writes its state to disk before it answers. {@link PluginProcess} starts it.
 *
 * <p>The word is its socket; it is named as a {@link DoNothingPlugin} there would be, and its
 * volumes are beside the socket. It says {@code ready}, and ends when its standard input does.
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
    // It remembers each call, for tests.
    var unused =
        Executors.newSingleThreadScheduledExecutor()
            .scheduleWithFixedDelay(plugin.journal()::clear, 1, 1, TimeUnit.SECONDS);
    System.out.println("ready");
    System.in.transferTo(System.out);
    System.exit(0);
  }
}
