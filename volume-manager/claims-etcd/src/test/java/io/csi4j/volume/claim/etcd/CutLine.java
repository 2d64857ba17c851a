package io.csi4j.volume.claim.etcd;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** The line to a server, which can be cut, or made to swallow what the server answers. */
final class CutLine implements AutoCloseable {

  private final ServerSocket entry;
  private final EtcdServer server;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger connections = new AtomicInteger();
  private volatile boolean isCut;
  private volatile CountDownLatch swallowed = new CountDownLatch(0);
  private volatile boolean swallows;

  private CutLine(ServerSocket entry, EtcdServer server) {
    this.entry = entry;
    this.server = server;
  }

  static CutLine to(EtcdServer server) {
    try {
      CutLine line = new CutLine(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), server);
      line.begin(line::accept);
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  URI endpoint() {
    return URI.create("http://127.0.0.1:" + entry.getLocalPort());
  }

  /** Returns the number of connections that were made so far. */
  int connections() {
    return connections.get();
  }

  /** Ends all connections, and lets none be made. */
  void cut() {
    isCut = true;
    open.forEach(CutLine::close);
  }

  /** Lets connections be made again, through which all goes both ways. */
  void mend() {
    swallows = false;
    isCut = false;
  }

  /** From now on what the server answers gets lost, while all that it is asked gets through. */
  void swallowAnswers() {
    swallowed = new CountDownLatch(1);
    swallows = true;
  }

  /** Waits until an answer got lost. */
  void awaitSwallowed() throws InterruptedException {
    swallowed.await();
  }

  private void begin(Runnable work) {
    Thread thread = new Thread(work, "cut-line");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = entry.accept();
        connections.incrementAndGet();
        open.add(client);
        connect(client);
      }
    } catch (IOException closed) {
      open.forEach(CutLine::close);
    }
  }

  private void connect(Socket client) {
    if (isCut) {
      close(client);
      return;
    }
    try {
      Socket there = new Socket(server.host(), server.port());
      open.add(there);
      begin(() -> pump(client, there, false));
      begin(() -> pump(there, client, true));
    } catch (IOException nobodyThere) {
      close(client);
    }
  }

  private void pump(Socket from, Socket to, boolean isAnswer) {
    byte[] buffer = new byte[1 << 16];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (isAnswer && swallows) {
          swallowed.countDown();
        } else {
          out.write(buffer, 0, read);
        }
      }
    } catch (IOException ended) {
      // The other end sees it below.
    } finally {
      close(from);
      close(to);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      entry.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    open.forEach(CutLine::close);
  }
}
