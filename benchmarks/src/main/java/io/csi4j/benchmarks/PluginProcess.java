package io.csi4j.benchmarks;

import io.csi4j.client.model.CsiEndpoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One or several {@link DoNothingPlugin}s, or a {@link WorkingPlugin}, in a separate JVM, so that
 * the cost of the plugin is not measured.
 */
public final class PluginProcess implements AutoCloseable {

  private final Process process;
  private final List<CsiEndpoint> endpoints;

  private PluginProcess(Process process, List<CsiEndpoint> endpoints) {
    this.process = process;
    this.endpoints = endpoints;
  }

  /** Starts one plugin for each of these sockets, and waits until they listen. */
  public static PluginProcess start(Path... sockets) throws IOException {
    return start(DoNothingPlugin.class, List.of(), sockets);
  }

  /** Starts plugins that report health, and waits until they listen. */
  public static PluginProcess startWithHealth(Path... sockets) throws IOException {
    return start(DoNothingPlugin.class, List.of(DoNothingPlugin.HEALTH), sockets);
  }

  /** Starts a plugin that creates real mounts, and waits until it listens. */
  public static PluginProcess startWorking(Path socket) throws IOException {
    return start(WorkingPlugin.class, List.of(), socket);
  }

  private static PluginProcess start(Class<?> program, List<String> options, Path... sockets)
      throws IOException {
    List<String> words =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms256m",
                "-Xmx256m",
                "-XX:+AlwaysPreTouch",
                "-Dslf4j.internal.verbosity=ERROR",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
    words.addAll(options);
    List<CsiEndpoint> endpoints = new ArrayList<>();
    for (Path socket : sockets) {
      words.add(socket.toAbsolutePath().toString());
      endpoints.add(CsiEndpoint.of(socket.toAbsolutePath()));
    }
    Process process =
        new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader said =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    if (!"ready".equals(said.readLine())) {
      process.destroyForcibly();
      throw new IOException("The plugin did not start.");
    }
    return new PluginProcess(process, endpoints);
  }

  /** The endpoints of the plugins, in the order of the sockets. */
  public List<CsiEndpoint> endpoints() {
    return endpoints;
  }

  /** The endpoint of the first plugin. */
  public CsiEndpoint endpoint() {
    return endpoints.get(0);
  }

  /** Suspends the plugin process. The connection stays open, but the plugin never answers. */
  public void hang() throws IOException, InterruptedException {
    Program.run("kill", "-STOP", Long.toString(process.pid()));
  }

  /** Resumes the plugin after it was suspended. */
  public void goOn() throws IOException, InterruptedException {
    Program.run("kill", "-CONT", Long.toString(process.pid()));
  }

  /** Kills the plugin process. */
  @Override
  public void close() {
    process.destroyForcibly();
  }
}
