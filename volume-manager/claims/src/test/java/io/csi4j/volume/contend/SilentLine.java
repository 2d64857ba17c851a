package io.csi4j.volume.contend;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The lines of one process to all servers of a store. While they are silent, connections are
 * accepted and nothing goes either way; what was sent meanwhile arrives when they end being silent.
 */
public final class SilentLine implements AutoCloseable {

  private static final Pattern SERVER = Pattern.compile("//([^:/]+):(\\d+)");

  private final List<ServerSocket> entries = new ArrayList<>();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition spoken = lock.newCondition();
  private final String address;
  private boolean isSilent;

  /**
   * Opens a line to each server.
   *
   * @param servers an address with at least one {@code //host:port}
   */
  public SilentLine(String servers) {
    try {
      StringBuilder through = new StringBuilder();
      Matcher each = SERVER.matcher(servers);
      while (each.find()) {
        String host = each.group(1);
        int port = Integer.parseInt(each.group(2));
        ServerSocket entry = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        entries.add(entry);
        begin(() -> accept(entry, host, port));
        each.appendReplacement(through, "//127.0.0.1:" + entry.getLocalPort());
      }
      address = each.appendTail(through).toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The address of the servers through these lines. */
  public String address() {
    return address;
  }

  /** Lets nothing through, or everything again. */
  public void silent(boolean value) {
    lock.lock();
    try {
      isSilent = value;
      spoken.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void awaitSpeech() {
    lock.lock();
    try {
      while (isSilent) {
        spoken.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private static void begin(Runnable work) {
    Thread thread = new Thread(work, "silent-line");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept(ServerSocket entry, String host, int port) {
    try {
      while (true) {
        Socket client = entry.accept();
        open.add(client);
        begin(() -> connect(client, host, port));
      }
    } catch (IOException closed) {
      open.forEach(SilentLine::close);
    }
  }

  private void connect(Socket client, String host, int port) {
    awaitSpeech();
    try {
      Socket there = new Socket(host, port);
      open.add(there);
      begin(() -> pump(client, there));
      pump(there, client);
    } catch (IOException noServer) {
      close(client);
    }
  }

  private void pump(Socket from, Socket to) {
    byte[] buffer = new byte[1 << 16];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        awaitSpeech();
        out.write(buffer, 0, read);
      }
    } catch (IOException ended) {
      // The other end sees it below.
    } finally {
      close(from);
      close(to);
      open.remove(from);
      open.remove(to);
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
    silent(false);
    try {
      for (ServerSocket entry : entries) {
        entry.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    open.forEach(SilentLine::close);
  }
}
