package io.csi4j.volume.cluster.grpc;

import io.csi4j.volume.model.TlsSettings;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to one of several endpoints, first to the one that answered last. If an endpoint
 * cannot be reached, is silent for its share of the time, or has no good answer, the next one gets
 * the request. So a request may be sent twice.
 */
final class LineClient implements AutoCloseable {

  private final List<Target> targets = new ArrayList<>();
  private final AtomicInteger preferred = new AtomicInteger();
  private final Optional<TlsSettings> tls;
  private final Duration deadline;
  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(
          1,
          task -> {
            Thread thread = new Thread(task, "csi4j-control-plane-io");
            thread.setDaemon(true);
            return thread;
          },
          NioIoHandler.newFactory());

  /** The answers for which callers wait. */
  private final Set<Answer> waiting = ConcurrentHashMap.newKeySet();

  private volatile boolean closed;

  /**
   * Makes a client that has no connection yet.
   *
   * @param deadline the time for each request, at all endpoints together
   */
  LineClient(List<ClusterEndpoint> endpoints, Optional<TlsSettings> tls, Duration deadline) {
    endpoints.forEach(each -> targets.add(new Target(each)));
    this.tls = tls;
    this.deadline = deadline;
  }

  /** An endpoint, with its channel while that is usable. */
  private final class Target {
    private final ClusterEndpoint endpoint;
    private final AtomicReference<@Nullable ManagedChannel> channel = new AtomicReference<>();

    Target(ClusterEndpoint endpoint) {
      this.endpoint = endpoint;
    }

    ManagedChannel open() throws IOException {
      ManagedChannel known = channel.get();
      if (known != null) {
        return known;
      }
      ManagedChannel made = channelTo(endpoint);
      if (!channel.compareAndSet(null, made)) {
        made.shutdownNow();
        return open();
      }
      if (closed) {
        discard(made);
      }
      return made;
    }

    /**
     * A channel that could not connect would fail further requests at once for some time. Requests
     * that are open in it end on their own.
     */
    void discard(ManagedChannel used) {
      if (channel.compareAndSet(used, null)) {
        used.shutdown();
      }
    }
  }

  private ManagedChannel channelTo(ClusterEndpoint endpoint) throws IOException {
    boolean isFile = endpoint.path().isPresent();
    NettyChannelBuilder named =
        isFile
            ? NettyChannelBuilder.forAddress(endpoint.address())
            : NettyChannelBuilder.forAddress(endpoint.host(), endpoint.port());
    NettyChannelBuilder builder =
        named
            .channelType(isFile ? NioDomainSocketChannel.class : NioSocketChannel.class)
            .eventLoopGroup(loops)
            .withOption(ChannelOption.SO_KEEPALIVE, isFile ? null : Boolean.TRUE)
            .overrideAuthority(endpoint.host())
            .maxInboundMessageSize(Line.LARGEST)
            .maxInboundMetadataSize(Line.LARGEST_METADATA)
            .keepAliveTime(Line.KEEP_ALIVE.toNanos(), TimeUnit.NANOSECONDS)
            .keepAliveTimeout(Line.SILENCE.toNanos(), TimeUnit.NANOSECONDS)
            .keepAliveWithoutCalls(true)
            .disableRetry()
            .disableServiceConfigLookUp()
            .maxTraceEvents(0)
            .directExecutor();
    return isFile
        ? builder.usePlaintext().build()
        : builder
            .sslContext(
                Line.forNode(
                    tls.orElseThrow(
                        () ->
                            new IllegalArgumentException(
                                "A TCP connection to a control plane needs TLS. Give the node a"
                                    + " certificate."))))
            .build();
  }

  /**
   * Sends a request, and waits for the answer.
   *
   * @param isGood whether an answer is final. After one that is not, the next endpoint gets the
   *     request; that answer counts only if no endpoint has a better one
   * @throws LineException if no endpoint answers, or one refuses
   */
  byte[] ask(byte[] question, Predicate<byte[]> isGood) {
    if (question.length > Line.LARGEST) {
      throw new LineException(
          "a message is larger than 4 MiB: it has " + question.length + " bytes", true);
    }
    long end = System.nanoTime() + deadline.toNanos();
    List<String> silent = new ArrayList<>();
    Optional<byte[]> last = Optional.empty();
    int first = preferred.get();
    for (int i = 0; i < targets.size(); i++) {
      int at = (first + i) % targets.size();
      Target target = targets.get(at);
      long left = end - System.nanoTime();
      try {
        byte[] answer = ask(target, question, share(left, targets.size() - i));
        if (isGood.test(answer)) {
          preferred.compareAndSet(first, at);
          return answer;
        }
        last = Optional.of(answer);
      } catch (LineException failed) {
        if (failed.isRefusal() || closed || Thread.currentThread().isInterrupted()) {
          throw failed;
        }
        silent.add("'" + target.endpoint + "': " + failed.getMessage());
      }
    }
    return last.orElseThrow(() -> new LineException(String.join("; ", silent), false));
  }

  /**
   * Returns the time for the next endpoint, at least a third of what is left: a control plane that
   * waits for a storage system answers after its patience, whatever the number of endpoints.
   */
  static long share(long left, int endpoints) {
    return left / Math.min(3, endpoints);
  }

  private byte[] ask(Target target, byte[] question, long nanos) {
    if (closed) {
      throw ended();
    }
    ManagedChannel channel;
    try {
      channel = target.open();
    } catch (IOException | IllegalArgumentException unusable) {
      throw new LineException("the certificates cannot be used: " + unusable.getMessage(), false);
    }
    Answer answer = new Answer();
    waiting.add(answer);
    try {
      if (closed) {
        throw ended();
      }
      ClientCall<byte[], byte[]> call =
          channel.newCall(
              Line.ASK,
              CallOptions.DEFAULT.withDeadlineAfter(Math.max(1, nanos), TimeUnit.NANOSECONDS));
      ClientCalls.asyncUnaryCall(call, question, answer);
      return answer.await(call);
    } catch (StatusRuntimeException failed) {
      Status status = failed.getStatus();
      if (status.getCode() == Status.Code.UNAVAILABLE) {
        target.discard(channel);
      }
      throw LineException.of(status);
    } catch (RejectedExecutionException refused) {
      // The event loop ended with this client after the look at whether it is closed.
      throw ended();
    } finally {
      waiting.remove(answer);
      endLoops();
    }
  }

  /**
   * Ends the event loops of a closed client once no request is being sent: what was written to a
   * loop that has ended would never be released.
   */
  private void endLoops() {
    if (closed && waiting.isEmpty()) {
      var unused = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  private static LineException ended() {
    return new LineException("the client is closed", false);
  }

  /** Receives the one answer of a call. */
  private static final class Answer implements StreamObserver<byte[]> {
    private final CompletableFuture<byte[]> end = new CompletableFuture<>();
    private volatile byte @Nullable [] received;

    /** Waits for the answer of this call. */
    byte[] await(ClientCall<byte[], byte[]> call) {
      try {
        return end.get();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        call.cancel("the caller was interrupted", interrupted);
        throw Status.CANCELLED.withCause(interrupted).asRuntimeException();
      } catch (ExecutionException failed) {
        throw failed.getCause() instanceof StatusRuntimeException status ? status : ended();
      }
    }

    @Override
    public void onNext(byte[] bytes) {
      received = bytes;
    }

    @Override
    public void onError(Throwable failure) {
      end.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
      byte[] bytes = received;
      if (bytes == null) {
        onError(Status.INTERNAL.withDescription("the answer is empty").asRuntimeException());
      } else {
        end.complete(bytes);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    for (Target each : targets) {
      ManagedChannel last = each.channel.getAndSet(null);
      if (last != null) {
        last.shutdownNow();
      }
    }
    // A request that has just begun may not reach the event loop any more.
    waiting.forEach(each -> each.onError(ended()));
    endLoops();
  }
}
