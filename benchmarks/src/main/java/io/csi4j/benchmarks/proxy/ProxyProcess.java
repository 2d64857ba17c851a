package io.csi4j.benchmarks.proxy;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.testkit.proxy.CsiProxy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A proxy, or a {@link BareRelay}, in a separate JVM, so that its costs are separate from the costs
 * of the caller.
 */
final class ProxyProcess implements AutoCloseable {

  private static final long FORGETS_EVERY_MILLIS = 500;

  private final Process process;
  private final CsiEndpoint endpoint;

  private ProxyProcess(Process process, CsiEndpoint endpoint) {
    this.process = process;
    this.endpoint = endpoint;
  }

  /**
   * Starts a proxy, and waits until it listens. The proxy records calls if a file for the recording
   * is given.
   */
  static ProxyProcess start(CsiEndpoint plugin, Path socket, Path... recording) throws IOException {
    return start(ProxyProcess.class, plugin, socket, recording);
  }

  /** Starts a relay that only forwards bytes, and waits until it listens. */
  static ProxyProcess startBare(CsiEndpoint plugin, Path socket) throws IOException {
    return start(BareRelay.class, plugin, socket);
  }

  private static ProxyProcess start(
      Class<?> program, CsiEndpoint plugin, Path socket, Path... recording) throws IOException {
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
                program.getName(),
                plugin.path().toString(),
                socket.toString()));
    for (Path each : recording) {
      words.add(each.toString());
    }
    Process process =
        new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader said =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    if (!"ready".equals(said.readLine())) {
      process.destroyForcibly();
      throw new IOException(program.getSimpleName() + " did not start.");
    }
    return new ProxyProcess(process, CsiEndpoint.of(socket));
  }

  /** Runs a proxy. The arguments are PLUGIN SOCKET [RECORDING]. */
  public static void main(String[] words) throws InterruptedException {
    CsiProxy.Builder builder =
        CsiProxy.builder(CsiEndpoint.of(Path.of(words[0]))).socket(Path.of(words[1]));
    if (words.length > 2) {
      builder.record(Path.of(words[2]));
    }
    try (CsiProxy proxy = builder.open()) {
      System.out.println("ready");
      while (true) {
        Thread.sleep(FORGETS_EVERY_MILLIS);
        proxy.journal().clear();
      }
    }
  }

  /** The endpoint of the proxy. */
  CsiEndpoint endpoint() {
    return endpoint;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
