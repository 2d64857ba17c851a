package io.csi4j.testkit.internal.server;

import com.google.protobuf.Message;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Error;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Headers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A client that sends any message to a plugin, unchanged and without retries. */
public final class RawCalls implements AutoCloseable {

  private final PluginSockets sockets;
  private final PluginWire link;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Creates a client that connects at the first call.
   *
   * @param thread the name of the client's thread
   */
  public RawCalls(CsiEndpoint plugin, String thread) {
    sockets = new PluginSockets(PluginThread.factory(() -> null, thread));
    link = new PluginWire(plugin.path(), sockets.loop(), new PluginWire.Presence() {});
  }

  /**
   * Begins a call. The future always completes normally; its result is empty if the deadline has
   * passed. After {@link #close}, the reply states that the plugin never received the call.
   */
  public CompletableFuture<Optional<PluginReply>> call(
      WireOperation wire, Message request, Duration deadline) {
    CompletableFuture<Optional<PluginReply>> ended = new CompletableFuture<>();
    try {
      sockets.loop().execute(() -> link.look(() -> begin(wire, request, deadline, ended)));
    } catch (RejectedExecutionException closed) {
      boolean unused = ended.complete(Optional.of(PluginReply.absent("its caller is closed")));
    }
    return ended;
  }

  private void begin(
      WireOperation wire,
      Message request,
      Duration deadline,
      CompletableFuture<Optional<PluginReply>> ended) {
    PluginWire.Way way =
        link.open(
            PluginReply.collector(
                reply -> {
                  boolean unused = ended.complete(Optional.of(reply));
                },
                null));
    way.headers(headers(wire, deadline), false);
    way.data(Framing.packed(request.toByteArray()), true);
    way.flush();
    var unused =
        sockets
            .loop()
            .schedule(
                () -> {
                  if (ended.complete(Optional.empty())) {
                    way.cancel(Http2Error.CANCEL.code());
                  }
                },
                deadline.toMillis(),
                TimeUnit.MILLISECONDS);
  }

  private static Http2Headers headers(WireOperation wire, Duration deadline) {
    Http2Headers headers = new DefaultHttp2Headers();
    headers.method("POST").scheme("http").path(wire.path()).authority("localhost");
    return headers
        .set("te", "trailers")
        .set("content-type", "application/grpc")
        .set("grpc-timeout", Math.min(deadline.toMillis(), 99_999_999) + "m")
        .set("user-agent", "csi4j");
  }

  /** Ends the calls in flight and the client's thread. Closing again has no effect. */
  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      sockets.onLoop(link::close);
      sockets.close();
    }
  }
}
