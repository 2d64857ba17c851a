package io.csi4j.testkit.internal.server;

import com.google.protobuf.Message;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.journal.CallEnd;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Error;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Headers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A caller of a plugin that sends any message as it is, once. */
public final class RawCalls implements AutoCloseable {

  private static final int UNAVAILABLE = 14;
  private static final int RESOURCE_EXHAUSTED = 8;

  private final PluginSockets sockets;
  private final PluginWire link;

  public RawCalls(CsiEndpoint plugin) {
    sockets = new PluginSockets(PluginThread.factory(() -> null, "csi4j-testkit-replay-io"));
    link = new PluginWire(plugin.path(), sockets.loop(), new PluginWire.Presence() {});
  }

  /** Begins a call; ends normally in any case, as abandoned when the deadline has passed. */
  public CompletableFuture<CallEnd> call(CsiOperation operation, Message request, Duration deadline) {
    CompletableFuture<CallEnd> ended = new CompletableFuture<>();
    sockets
        .loop()
        .execute(
            () -> link.look(() -> begin(WireOperation.of(operation), request, deadline, ended)));
    return ended;
  }

  private void begin(
      WireOperation wire, Message request, Duration deadline, CompletableFuture<CallEnd> ended) {
    PluginWire.Way way =
        link.open(
            new PluginReply.Collector(
                reply -> {
                  boolean unused = ended.complete(end(reply, wire));
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
                  if (ended.complete(new CallEnd.Abandoned())) {
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

  private static CallEnd end(PluginReply reply, WireOperation wire) {
    return switch (reply.kind()) {
      case ENDED ->
          reply.ok()
              ? ProtoMessage.answered(reply.messages(wire.answer()).orElse(List.of()))
              : new CallEnd.Failed(reply.code(), reply.text());
      case RESET, LOST -> new CallEnd.Broken();
      case TOO_LARGE ->
          new CallEnd.Failed(
              RESOURCE_EXHAUSTED,
              "The plugin's answer has more than " + PluginReply.BODY_LIMIT + " bytes.");
      case ABSENT ->
          new CallEnd.Failed(UNAVAILABLE, "The plugin did not get the call: " + reply.why() + ".");
    };
  }

  @Override
  public void close() {
    sockets.onLoop(link::close);
    sockets.close();
  }
}
