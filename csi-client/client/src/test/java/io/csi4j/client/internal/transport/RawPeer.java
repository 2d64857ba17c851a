package io.csi4j.client.internal.transport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Somebody who listens on a socket and is no plugin. */
final class RawPeer implements AutoCloseable {

  private final ServerSocketChannel server;
  private final byte[] greeting;
  private final boolean hangsUp;
  private final Thread thread;
  private final AtomicInteger accepted = new AtomicInteger();
  private final CompletableFuture<Integer> received = new CompletableFuture<>();

  private RawPeer(Path socket, byte[] greeting, boolean hangsUp) {
    this.greeting = greeting;
    this.hangsUp = hangsUp;
    try {
      server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      server.bind(UnixDomainSocketAddress.of(socket));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    thread = new Thread(this::serve, "raw-peer");
    thread.setDaemon(true);
    thread.start();
  }

  /** Accepts, and says nothing. */
  static RawPeer silent(Path socket) {
    return new RawPeer(socket, new byte[0], false);
  }

  /** Accepts, and closes. */
  static RawPeer hangingUp(Path socket) {
    return new RawPeer(socket, new byte[0], true);
  }

  /** Accepts, says this, and closes or waits. */
  static RawPeer saying(Path socket, byte[] greeting, boolean hangsUp) {
    return new RawPeer(socket, greeting.clone(), hangsUp);
  }

  int accepted() {
    return accepted.get();
  }

  /** How many bytes the first client sent before it went away. */
  int received() {
    return received.join();
  }

  private void serve() {
    try {
      while (true) {
        try (SocketChannel client = server.accept()) {
          accepted.incrementAndGet();
          client.write(ByteBuffer.wrap(greeting));
          if (!hangsUp) {
            received.complete(drain(client));
          }
        } catch (ClosedChannelException e) {
          return;
        } catch (IOException e) {
          received.complete(-1);
        }
      }
    } finally {
      received.complete(-1);
    }
  }

  private static int drain(SocketChannel client) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(4096);
    int all = 0;
    for (int n = client.read(buffer); n >= 0; n = client.read(buffer.clear())) {
      all += n;
    }
    return all;
  }

  @Override
  public void close() {
    try {
      server.close();
      thread.interrupt();
      thread.join();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
