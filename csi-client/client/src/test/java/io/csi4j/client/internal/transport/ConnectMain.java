package io.csi4j.client.internal.transport;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.ConnectOptions.Transport;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiEndpoint;
import java.nio.file.Path;
import java.time.Duration;

/** A process that connects and prints what came of it; for what needs a process of its own. */
final class ConnectMain {

  private ConnectMain() {}

  /** The transport, then the socket. */
  public static void main(String[] arguments) {
    ConnectOptions options =
        ConnectOptions.builder().transport(Transport.valueOf(arguments[0])).build();
    try (Connection connection =
        Connection.open(CsiEndpoint.of(Path.of(arguments[1])), options, Duration.ofSeconds(5))) {
      System.out.println("connected with " + connection.transport());
    } catch (CsiConnectException e) {
      System.out.println(e.reason() + " " + e.code() + " " + e.getMessage());
    }
  }
}
