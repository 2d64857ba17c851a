package io.csi4j.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The connections of one node to all control planes. While the connections are cut, new connections
 * are accepted, but no data passes. The data arrives when the connections are restored.
 */
final class NodeLine implements AutoCloseable {

  private final List<ServerSocketChannel> entries = new ArrayList<>();
  private final List<Path> sockets = new ArrayList<>();
  private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition restored = lock.newCondition();
  private boolean isCut;

  /**
   * Listens at a socket for each control plane.
   *
   * @param prefix the beginning of the paths of these sockets
   * @param controlPlanes the sockets of the control planes
   */
  NodeLine(Path prefix, List<Path> controlPlanes) {
    try {
      for (Path each : controlPlanes) {
        Path socket = prefix.resolveSibling(prefix.getFileName() + "-" + each.getFileName());
        ServerSocketChannel entry = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        entries.add(entry);
        entry.bind(UnixDomainSocketAddress.of(socket));
        sockets.add(socket);
        begin(() -> accept(entry, each));
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Returns the sockets at which the node reaches the control planes. */
  List<Path> sockets() {
    return List.copyOf(sockets);
  }

  /** Cuts the connections, or restores them. */
  void cut(boolean value) {
    lock.lock();
    try {
      isCut = value;
      restored.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void awaitUncut() {
    lock.lock();
    try {
      while (isCut) {
        restored.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private static void begin(Runnable work) {
    Thread thread = new Thread(work, "line-of-a-node");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept(ServerSocketChannel entry, Path controlPlane) {
    try {
      while (true) {
        SocketChannel node = entry.accept();
        open.add(node);
        begin(() -> connect(node, controlPlane));
      }
    } catch (IOException closed) {
      open.forEach(NodeLine::close);
    }
  }

  private void connect(SocketChannel node, Path controlPlane) {
    awaitUncut();
    try {
      SocketChannel there = SocketChannel.open(UnixDomainSocketAddress.of(controlPlane));
      open.add(there);
      begin(() -> pass(node, there));
      pass(there, node);
    } catch (IOException noControlPlane) {
      open.remove(node);
      close(node);
    }
  }

  private void pass(SocketChannel from, SocketChannel to) {
    ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
    try {
      while (from.read(buffer) >= 0) {
        awaitUncut();
        buffer.flip();
        while (buffer.hasRemaining()) {
          to.write(buffer);
        }
        buffer.clear();
      }
    } catch (IOException ended) {
      // Both channels are closed below.
    }
    for (SocketChannel each : List.of(from, to)) {
      open.remove(each);
      close(each);
    }
  }

  private static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  @Override
  public void close() {
    cut(false);
    try {
      for (ServerSocketChannel each : entries) {
        each.close();
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    open.forEach(NodeLine::close);
  }
}
