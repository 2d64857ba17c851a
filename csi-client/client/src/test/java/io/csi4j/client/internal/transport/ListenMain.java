package io.csi4j.client.internal.transport;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** A process that listens, says nothing, and prints how many bytes each of its clients sent. */
final class ListenMain {

  private ListenMain() {}

  /** The socket. Ends only when it is killed: clients come as often as they like. */
  public static void main(String[] arguments) throws IOException {
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(Path.of(arguments[0])));
      System.out.println("listening");
      while (true) {
        try (SocketChannel client = server.accept()) {
          System.out.println(received(client) + " bytes");
        }
      }
    }
  }

  private static long received(SocketChannel client) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(4096);
    long sum = 0;
    for (int read = 0; read >= 0; read = client.read(buffer.clear())) {
      sum += read;
    }
    return sum;
  }
}
