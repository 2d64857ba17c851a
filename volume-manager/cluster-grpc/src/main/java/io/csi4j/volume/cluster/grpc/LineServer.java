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
 * Answers questions that are bytes. Some are worked on at once, each by a thread of its own; others
 * wait. What waits is bounded, for each caller and in all: beyond that a question is refused.
 */
final class LineServer implements AutoCloseable {

  private static final int THREADS = 64;
  private static final int MOST_OF_ALL = 1_000;
  private static final long MOST_BYTES = 64L << 20;

  /** A node asks for itself, and for its volumes beside each other. */
  private static final int MOST_OF_A_CALLER = 32;

  /** A certificate that has expired ends its connection after this time. */
  private static final long LONGEST_CONNECTION_MINUTES = 60;

  private final OnDemandThreads threads = new OnDemandThreads("csi4j-cluster", THREADS);
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private final ConcurrentMap<Set<String>, Integer> callers = new ConcurrentHashMap<>();

  /** Returns the answer to who has these names; who has none came by a socket file. */
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

  /** The socket file that was made here. */
  private Optional<Object> file = Optional.empty();

  private LineServer(
      ClusterEndpoint endpoint,
      Optional<TlsSettings> tls,
      BiFunction<Optional<Set<String>>, byte[], byte[]> answers)
      throws IOException {
    // A question may come before the constructor ends: what answers it has to be there.
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
   * @param tls what a port needs, and a socket file does not take
   * @param answers returns the answer to who has these names, and may throw a {@code
   *     StatusRuntimeException}; who comes by a socket file has none
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
   * Binds another name, and moves it to the path in one step: nobody meets a file that the rights
   * do not protect yet, and one that a killed process has left gives way.
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

  /** Another file may get the inode once this one is gone, but not its time as well. */
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
                        "A control plane at a port needs TLS. Give it certificates, or let it"
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
              .withDescription("too many questions are waiting here")
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

  /** Takes a place for a question; returns what gives it back, or nothing if there is none. */
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
      // Who asked has stopped waiting, and asks again.
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
      // The call has ended: nobody is there to hear it.
      return;
    }
  }

  /** Lets go of the endpoint at once, and lets those that are being answered have some time. */
  void close(Duration patience) {
    try {
      Path path = endpoint.path().orElse(null);
      // Another one may have taken its place since.
      if (path != null && file.equals(Optional.of(identity(path)))) {
        Files.deleteIfExists(path);
      }
    } catch (NoSuchFileException gone) {
      // Another one has cleaned up.
    } catch (IOException left) {
      // The next one that listens there replaces it.
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
