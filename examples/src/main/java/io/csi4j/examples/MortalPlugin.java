package io.csi4j.examples;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.launch.PluginLaunchPlan;
import io.csi4j.volume.plugin.launch.ProcessPluginLauncher;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;

/**
 * The plugin of the quickstarts, which creates real mounts. It runs in a separate process, which
 * the quickstarts kill and start again.
 */
final class MortalPlugin implements AutoCloseable {

  private final BlockingQueue<ProcessPluginLauncher.Event> events = new LinkedBlockingQueue<>();
  private final ProcessPluginLauncher launcher;
  private final Patience patience;

  private MortalPlugin(PluginConfig config, List<String> command, Patience patience) {
    this.patience = patience;
    launcher =
        ProcessPluginLauncher.builder(PluginLaunchPlan.of(config), command)
            .listener(events::add)
            .start();
  }

  /** Returns the command that runs the plugin. */
  static List<String> command(Path data) {
    return command(MortalPlugin.class, data);
  }

  /** Returns the command that runs a program with the JVM and the class path of this process. */
  static List<String> command(Class<?> program, Object... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (Runtime.version().feature() >= 24) {
      // Newer JDKs warn about native code without this option.
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.addAll(
        List.of(
            // The process is too short-lived to benefit from the optimizing compiler.
            "-XX:TieredStopAtLevel=1",
            // The etcd client depends on SLF4J, which would warn that it has no provider.
            "-Dslf4j.internal.verbosity=ERROR",
            "-cp",
            System.getProperty("java.class.path"),
            program.getName()));
    Stream.of(arguments).map(Object::toString).forEach(command::add);
    return List.copyOf(command);
  }

  /**
   * Runs in the plugin's process: serves at the socket from the environment until the process is
   * killed.
   */
  public static void main(String[] args) {
    CsiEndpoint endpoint = CsiEndpoint.parse(System.getenv(PluginLaunchPlan.ENDPOINT));
    try (HostPathPlugin plugin =
        HostPathPlugin.builder(Path.of(args[0])).socket(endpoint.path()).open()) {
      System.out.println("listens at " + plugin.endpoint());
      awaitEndOfParent();
    }
  }

  /** Waits until the parent of this process has ended. */
  static void awaitEndOfParent() {
    ProcessHandle.current().parent().ifPresent(parent -> parent.onExit().join());
  }

  /** Starts the plugin, and restarts it whenever it ends. */
  static MortalPlugin launch(PluginConfig config, Path data, Patience patience) {
    return launch(config, command(data), patience);
  }

  /** Starts a plugin by this command, and restarts it whenever it ends. */
  static MortalPlugin launch(PluginConfig config, List<String> command, Patience patience) {
    return new MortalPlugin(config, command, patience);
  }

  /** Waits until the plugin is started, and returns its process id. */
  long started() {
    return next(ProcessPluginLauncher.Event.Started.class).process();
  }

  /**
   * Kills the plugin, like {@code kill -9}, waits for its end, and returns the event that reports
   * the end.
   */
  ProcessPluginLauncher.Event.Ended kill() {
    ProcessHandle.of(launcher.process().orElseThrow()).ifPresent(ProcessHandle::destroyForcibly);
    return next(ProcessPluginLauncher.Event.Ended.class);
  }

  private <T extends ProcessPluginLauncher.Event> T next(Class<T> wanted) {
    ProcessPluginLauncher.Event event = patience.next(events);
    if (wanted.isInstance(event)) {
      return wanted.cast(event);
    }
    throw new IllegalStateException(
        event instanceof ProcessPluginLauncher.Event.NotStarted failed
            ? failed.message().line()
            : "The plugin has not done what was expected, but: " + event);
  }

  @Override
  public void close() {
    launcher.close();
  }
}
