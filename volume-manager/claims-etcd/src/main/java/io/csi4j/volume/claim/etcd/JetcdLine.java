package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.model.Pem;
import io.csi4j.volume.model.TlsSettings;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLException;

/**
 * The connection to etcd. If a client of jetcd cannot reach a server, it waits increasingly long
 * before it tries again, up to two minutes. This cannot be configured. Therefore, a client that
 * could not reach etcd for some time is replaced by a new client.
 */
final class JetcdLine implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger("io.csi4j.volume");

  private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(250);
  private static final int LARGEST_ANSWER = 64 * 1024 * 1024;

  /**
   * The interval between keep-alive pings: the minimum that gRPC allows, which is longer than the
   * minimum of etcd.
   */
  private static final Duration KEEP_ALIVE = Duration.ofSeconds(10);

  private final EtcdSettings settings;
  private final Clock clock;
  private final OnDemandThreads threads = new OnDemandThreads("csi4j-volume-etcd");
  private final ReentrantLock lock = new ReentrantLock();
  private Optional<Client> current;
  private volatile long useful;

  JetcdLine(EtcdSettings settings, Clock clock) {
    this.settings = settings;
    this.clock = clock;
    this.useful = clock.nanos();
    this.current = Optional.of(made());
  }

  /** Returns the current client; empty after this object was closed. */
  Optional<Client> client() {
    lock.lock();
    try {
      return current;
    } finally {
      lock.unlock();
    }
  }

  /** Records that etcd has answered. */
  void worked() {
    useful = clock.nanos();
  }

  /**
   * Records that this client could not reach etcd, and replaces the client if necessary. Does not
   * throw an exception, because the caller still has to report the result of its request. If no new
   * client can be created because the certificates cannot be read, the current client stays in use,
   * and a later failure tries again.
   */
  void failed(Client used) {
    if (clock.nanos() - useful < PATIENCE) {
      return;
    }
    lock.lock();
    try {
      if (current.filter(client -> client == used).isEmpty()) {
        return;
      }
      useful = clock.nanos();
      current = Optional.of(made());
    } catch (RecordStoreException unusable) {
      LOG.log(
          System.Logger.Level.WARNING,
          "A new connection to etcd cannot be made; the former connection stays in use.",
          unusable);
      return;
    } finally {
      lock.unlock();
    }
    used.close();
  }

  private Client made() {
    ClientBuilder builder =
        Client.builder()
            .endpoints(settings.endpoints())
            .executorService(threads.service())
            .interceptor(new Deadlines(settings.deadline()))
            // Only this class decides whether a request is retried.
            .retryMaxAttempts(0)
            .waitForReady(false)
            .connectTimeout(settings.deadline())
            .keepaliveTime(KEEP_ALIVE)
            .keepaliveTimeout(settings.deadline())
            // The server closes a connection that sends pings without an open call.
            .keepaliveWithoutCalls(false)
            .maxInboundMessageSize(LARGEST_ANSWER);
    settings
        .login()
        .ifPresent(login -> builder.user(bytes(login.user())).password(bytes(login.password())));
    if (settings.tls().isPresent()) {
      TlsSettings tls = settings.tls().get();
      try {
        return builder.sslContext(ssl -> into(ssl, tls)).build();
      } catch (SSLException e) {
        throw unusable("the configured data", e);
      }
    }
    return builder.build();
  }

  private static void into(SslContextBuilder builder, TlsSettings tls) {
    String what = "nothing";
    try {
      if (tls.trusted().isPresent()) {
        Pem trusted = tls.trusted().get();
        what = "the trusted certificates (" + trusted + ")";
        try (InputStream in = trusted.open()) {
          builder.trustManager(in);
        }
      }
      if (tls.own().isPresent()) {
        TlsSettings.Certificate own = tls.own().get();
        what = "the client's certificate (" + own.chain() + ") and key (" + own.key() + ")";
        try (InputStream chain = own.chain().open();
            InputStream key = own.key().open()) {
          builder.keyManager(chain, key);
        }
      }
    } catch (IOException | IllegalArgumentException e) {
      throw unusable(what, e);
    }
  }

  private static RecordStoreException unusable(String what, Exception cause) {
    return new RecordStoreException(
        Reason.UNAVAILABLE,
        "Opening the store in etcd failed: "
            + what
            + " cannot be used for TLS. Use certificates in PEM form, and a key as PKCS #8 in PEM"
            + " form without a password.",
        cause);
  }

  private static ByteSequence bytes(String text) {
    return ByteSequence.from(text, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    Optional<Client> last;
    lock.lock();
    try {
      last = current;
      current = Optional.empty();
    } finally {
      lock.unlock();
    }
    last.ifPresent(Client::close);
    threads.stop(Duration.ZERO);
  }

  /** Sets the deadline of each unary call, because jetcd sets no deadlines. */
  private record Deadlines(Duration deadline) implements ClientInterceptor {
    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
        MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      return next.newCall(
          method,
          method.getType() == MethodType.UNARY
              ? options.withDeadlineAfter(deadline.toNanos(), TimeUnit.NANOSECONDS)
              : options);
    }
  }
}
