package io.csi4j.volume.cluster.grpc;

import io.grpc.netty.shaded.io.netty.buffer.ByteBufAllocator;
import io.grpc.netty.shaded.io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;

/**
 * Certificates that are read again for a new connection, at most once in some seconds. If they
 * cannot be read, or do not match while they are being replaced, the previous ones stay in use.
 */
@SuppressWarnings("deprecation") // how netty declares what each context has to have
final class LineTls extends SslContext {

  private static final System.Logger LOG = System.getLogger("io.csi4j.volume");
  private static final long PAUSE = TimeUnit.SECONDS.toNanos(5);

  private final Source source;
  private final AtomicReference<Read> current;

  /** Makes a context of the certificates as they are now. */
  interface Source {
    SslContext read() throws IOException;
  }

  /** A context, and the time when it was made. */
  private record Read(SslContext context, long at) {}

  private LineTls(Source source, Read first) {
    this.source = source;
    this.current = new AtomicReference<>(first);
  }

  static LineTls reading(Source source) throws IOException {
    return new LineTls(source, new Read(source.read(), System.nanoTime()));
  }

  private SslContext now() {
    Read known = current.get();
    long now = System.nanoTime();
    // Only one thread reads; the others use the current context.
    if (now - known.at() < PAUSE || !current.compareAndSet(known, new Read(known.context(), now))) {
      return known.context();
    }
    try {
      SslContext read = source.read();
      current.set(new Read(read, now));
      return read;
    } catch (IOException | IllegalArgumentException unreadable) {
      LOG.log(
          Level.WARNING,
          "Certificates cannot be read again; the previous ones stay in use: "
              + unreadable.getMessage());
      return known.context();
    }
  }

  @Override
  public boolean isClient() {
    return current.get().context().isClient();
  }

  @Override
  public List<String> cipherSuites() {
    return current.get().context().cipherSuites();
  }

  @Override
  public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
    return current.get().context().applicationProtocolNegotiator();
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator buffers) {
    return now().newEngine(buffers);
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator buffers, String host, int port) {
    return now().newEngine(buffers, host, port);
  }

  @Override
  public SSLSessionContext sessionContext() {
    return current.get().context().sessionContext();
  }
}
