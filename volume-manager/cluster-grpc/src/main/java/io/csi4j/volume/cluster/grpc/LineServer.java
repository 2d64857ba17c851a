package io.csi4j.volume.cluster.grpc;

import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.model.TlsSettings;
import io.grpc.Grpc;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import javax.net.ssl.SSLSession;

/**
 * Answers requests that are bytes. A bounded number is processed at the same time, each by its own
 * thread; others wait. The number of waiting requests is bounded, for each caller and in total;
 * more are refused.
 */
final class LineServer implements AutoCloseable {

  private static final int THREADS = 64;
  private static final int MOST_OF_ALL = 1_000;
  private static final long MOST_BYTES = 64L << 20;

  /** A node calls for its reports, and for several volumes at the same time. */
  private static final int MOST_OF_A_CALLER = 32;

  /** The time after which a connection with an expired certificate ends. */
  private static final long LONGEST_CONNECTION_MINUTES = 60;

  private final OnDemandThreads threads = new OnDemandThreads("csi4j-cluster", THREADS);
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private final ConcurrentMap<Set<String>, Integer> callers = new ConcurrentHashMap<>();

  /** Returns the answer to the caller with these names. A caller by a socket file has none. */
  private final BiFunction<Optional<Set<String>>, byte[], byte[]> answers;

  private final boolean isFile;

  /** The endpoint, with the port that was chosen; set once the server listens. */
  private final ClusterEndpoint endpoint;

  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(
          1,
          task -> {
            Thread thread = new Thread(task, "csi4j-cluster-io");
            thread.setDaemon(true);
            return thread;
          },
          NioIoHandler.newFactory());
  private final Server server;

  /** The socket file that this server made. */
  private Optional<Object> file = Optional.empty();

  private LineServer(
      ClusterEndpoint endpoint,
      Optional<TlsSettings> tls,
      BiFunction<Optional<Set<String>>, byte[], byte[]> answers)
      throws IOException {
    // A request may arrive before the constructor ends, so the fields for its answer must be set.
    this.answers = answers;
    isFile = endpoint.path().isPresent();
    boolean isOpen = false;
    try {
      Path path = endpoint.path().orElse(null);
      if (path == null) {
        server = builder(endpoint.address(), tls).build().start();
        this.endpoint =
            server.getListenSockets().get(0) instanceof InetSocketAddress bound
                ? ClusterEndpoint.tcp(endpoint.host(), bound.getPort())
                : endpoint;
      } else {
        this.endpoint = endpoint;
        server = atPath(path);
      }
      isOpen = true;
    } finally {
      if (!isOpen) {
        endLoops();
        threads.close();
      }
    }
  }

  /**
   * Listens.
   *
   * @param tls the TLS of a port; empty for a socket file
   * @param answers returns the answer to the caller with these names, and may throw a {@code
   *     StatusRuntimeException}; a caller by a socket file has no names
   */
  static LineServer open(
      ClusterEndpoint endpoint,
      Optional<TlsSettings> tls,
      BiFunction<Optional<Set<String>>, byte[], byte[]> answers)
      throws IOException {
    return new LineServer(endpoint, tls, answers);
  }

  /** The endpoint, with the port that was chosen. */
  ClusterEndpoint endpoint() {
    return endpoint;
  }

  /**
   * Binds another name, and moves it to the path in one step. So no process finds the file before
   * its permissions protect it, and a file that a killed process left is replaced.
   */
  private Server atPath(Path path) throws IOException {
    String name = ".~" + UUID.randomUUID();
    Path hidden = path.resolveSibling(name.substring(0, ClusterEndpoint.HIDDEN));
    Server bound = builder(UnixDomainSocketAddress.of(hidden), Optional.empty()).build().start();
    try {
      Files.setPosixFilePermissions(hidden, PosixFilePermissions.fromString("rw-------"));
      file = Optional.of(identity(hidden));
      Files.move(hidden, path, StandardCopyOption.ATOMIC_MOVE);
      return bound;
    } catch (IOException | RuntimeException e) {
      bound.shutdownNow();
      Files.deleteIfExists(hidden);
      throw e;
    }
  }

  /** Another file may get the inode after this one is deleted, but not its time as well. */
  private static Object identity(Path path) throws IOException {
    BasicFileAttributes found =
        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    return List.of(String.valueOf(found.fileKey()), found.lastModifiedTime());
  }

  private NettyServerBuilder builder(SocketAddress address, Optional<TlsSettings> tls)
      throws IOException {
    boolean isFile = address instanceof UnixDomainSocketAddress;
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(address)
            .channelType(isFile ? NioServerDomainSocketChannel.class : NioServerSocketChannel.class)
            .bossEventLoopGroup(loops)
            .workerEventLoopGroup(loops)
            .maxInboundMessageSize(Line.LARGEST)
            .maxInboundMetadataSize(Line.LARGEST_METADATA)
            .maxConcurrentCallsPerConnection(MOST_OF_A_CALLER)
            .handshakeTimeout(Line.SILENCE.toNanos(), TimeUnit.NANOSECONDS)
            .keepAliveTime(Line.KEEP_ALIVE.toNanos(), TimeUnit.NANOSECONDS)
            .keepAliveTimeout(Line.SILENCE.toNanos(), TimeUnit.NANOSECONDS)
            .permitKeepAliveTime(Line.SILENCE.toNanos(), TimeUnit.NANOSECONDS)
            .permitKeepAliveWithoutCalls(true)
            .maxConnectionAge(LONGEST_CONNECTION_MINUTES, TimeUnit.MINUTES)
            .maxConnectionAgeGrace(1, TimeUnit.MINUTES)
            .directExecutor()
            .addService(
                ServerServiceDefinition.builder(Line.SERVICE)
                    .addMethod(
                        Line.ASK,
                        (call, headers) ->
                            ServerCalls.<byte[], byte[]>asyncUnaryCall(
                                    (question, answer) -> ask(names(call), question, answer))
                                .startCall(call, headers))
                    .build());
    if (isFile) {
      // gRPC sets it for TCP; a socket file would log a warning.
      return builder.withChildOption(ChannelOption.SO_KEEPALIVE, null);
    }
    return builder.sslContext(
        Line.forControlPlane(
            tls.orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "A control plane on a TCP port needs TLS. Give it certificates, or let it"
                            + " listen on a socket file."))));
  }

  private Optional<Set<String>> names(ServerCall<?, ?> call) {
    if (isFile) {
      return Optional.empty();
    }
    SSLSession session = call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
    return Optional.of(session == null ? Set.of() : CertificateNames.of(session));
  }

  private void ask(Optional<Set<String>> names, byte[] question, StreamObserver<byte[]> answer) {
    Optional<Runnable> end = begin(names, question.length);
    if (end.isEmpty()) {
      answer.onError(
          Status.ABORTED
              .withDescription("too many requests are waiting here")
              .asRuntimeException());
      return;
    }
    threads.executeOrRun(
        () -> {
          try {
            answer(names, question, answer);
          } finally {
            end.get().run();
          }
        });
  }

  /**
   * Reserves a place for a request. Returns the action that frees it, or nothing if too many
   * requests are open.
   */
  private Optional<Runnable> begin(Optional<Set<String>> names, int size) {
    int all = open.incrementAndGet();
    long waiting = bytes.addAndGet(size);
    int own = names.map(caller -> callers.merge(caller, 1, Integer::sum)).orElse(0);
    Runnable end =
        () -> {
          open.decrementAndGet();
          bytes.addAndGet(-size);
          names.ifPresent(
              caller -> callers.computeIfPresent(caller, (none, n) -> n == 1 ? null : n - 1));
        };
    if (all > MOST_OF_ALL || own > MOST_OF_A_CALLER || (waiting > MOST_BYTES && all > 1)) {
      end.run();
      return Optional.empty();
    }
    return Optional.of(end);
  }

  private void answer(Optional<Set<String>> names, byte[] question, StreamObserver<byte[]> answer) {
    if (answer instanceof ServerCallStreamObserver<byte[]> call && call.isCancelled()) {
      // The caller has stopped waiting, and repeats its request.
      return;
    }
    try {
      byte[] answered = answers.apply(names, question);
      answer.onNext(answered);
      answer.onCompleted();
    } catch (RuntimeException failed) {
      fail(answer, failed);
    }
  }

  private static void fail(StreamObserver<byte[]> answer, RuntimeException failed) {
    try {
      answer.onError(failed);
    } catch (RuntimeException ended) {
      // The call has ended, so nothing receives the answer.
      return;
    }
  }

  /** Releases the endpoint at once. Requests that are being answered have some time to end. */
  void close(Duration patience) {
    try {
      Path path = endpoint.path().orElse(null);
      // Another server may have replaced the file since.
      if (path != null && file.equals(Optional.of(identity(path)))) {
        Files.deleteIfExists(path);
      }
    } catch (NoSuchFileException gone) {
      // Another server has removed it.
    } catch (IOException left) {
      // The next server that listens there replaces it.
    }
    server.shutdown();
    try {
      if (!server.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        server.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      server.shutdownNow();
    }
    endLoops();
    threads.stop(Duration.ZERO);
  }

  private void endLoops() {
    var unused = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    close(Line.SILENCE);
  }
}
