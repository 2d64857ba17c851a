package io.csi4j.examples;

import com.sun.net.httpserver.HttpServer;
import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.PluginName;
import io.csi4j.testkit.FakeRegistrar;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A process that plays a sidecar of Kubernetes, faithfully or carelessly. */
final class TrialSidecar {

  private TrialSidecar() {}

  public static void main(String[] args) throws IOException {
    boolean isFaithful = args[1].equals("faithful");
    CsiEndpoint endpoint = CsiEndpoint.of(Path.of(System.getenv("CSI_ADDRESS")));
    if (args[0].equals("livenessprobe")) {
      probe(endpoint, isFaithful);
    } else {
      announce(endpoint, isFaithful);
    }
  }

  private static void probe(CsiEndpoint endpoint, boolean isFaithful) throws IOException {
    String[] address = System.getenv("HTTP_ENDPOINT").split(":", 2);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(address[0], Integer.parseInt(address[1])), 0);
    server.createContext(
        "/healthz",
        exchange -> {
          exchange.sendResponseHeaders(!isFaithful || isReady(endpoint) ? 200 : 500, -1);
          exchange.close();
        });
    server.start();
  }

  private static boolean isReady(CsiEndpoint endpoint) {
    ConnectOptions options =
        ConnectOptions.builder().deadline(Duration.ofSeconds(1)).waitForSocket(false).build();
    try (CsiPlugin plugin = CsiPlugin.connect(endpoint, options)) {
      return plugin.identity().probe().isReady();
    } catch (CsiException failed) {
      return false;
    }
  }

  /** A careless registrar ends as if nothing was wrong when its plugin is refused. */
  private static void announce(CsiEndpoint endpoint, boolean isFaithful) throws IOException {
    Path registrars = Path.of(System.getenv("REGISTRATION_PATH"));
    try (CsiPlugin plugin = CsiPlugin.connect(endpoint)) {
      PluginName name = plugin.name().orElseThrow();
      // One that was killed has left its socket.
      Files.deleteIfExists(registrars.resolve(name + "-reg.sock"));
      try (FakeRegistrar registrar = FakeRegistrar.open(registrars, name, endpoint)) {
        Runtime.getRuntime().addShutdownHook(new Thread(registrar::close));
        while (registrar.listens()) {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
      }
    }
    System.exit(isFaithful ? 1 : 0);
  }
}
