package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Message;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.internal.server.PluginReply;
import io.csi4j.testkit.internal.server.PluginReply.Kind;
import io.csi4j.testkit.internal.server.RawCalls;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A client of one plugin socket that sends any message, without checks and retries. */
final class RawPlugin implements AutoCloseable {

  /** Time for an exiting process to close all its files. */
  static final Duration MOMENTS = Duration.ofSeconds(1);

  private final CsiEndpoint endpoint;
  private final RawCalls calls;

  /** Creates a client that connects to the socket at the first call. */
  RawPlugin(CsiEndpoint endpoint) {
    this.endpoint = endpoint;
    calls = new RawCalls(endpoint, "csi4j-conformance-io");
  }

  /** Begins a call. The future always completes normally. */
  CompletableFuture<Reply> call(Message request, Duration deadline) {
    long began = System.nanoTime();
    WireOperation wire = WireOperation.of(operation(request));
    return calls
        .call(wire, request, deadline)
        .thenApply(came -> reply(wire, came, Duration.ofNanos(System.nanoTime() - began)));
  }

  private static Reply reply(WireOperation wire, Optional<PluginReply> came, Duration took) {
    if (came.isEmpty()) {
      return new Reply(wire.operation(), StatusCode.DEADLINE_EXCEEDED, "", List.of(), took, false);
    }
    PluginReply reply = came.get();
    Optional<List<Message>> messages = reply.messages(wire.answer());
    String text = reply.why().isEmpty() ? reply.text() : reply.why();
    StatusCode code =
        switch (reply.kind()) {
          case ENDED ->
              reply.ok() && messages.isEmpty()
                  ? StatusCode.INTERNAL
                  : StatusCode.ofValue(reply.code());
          case RESET -> StatusCode.INTERNAL;
          case TOO_LARGE -> StatusCode.RESOURCE_EXHAUSTED;
          case LOST, ABSENT -> StatusCode.UNAVAILABLE;
        };
    boolean lost = reply.kind() == Kind.LOST || reply.kind() == Kind.ABSENT;
    return new Reply(wire.operation(), code, text, messages.orElse(List.of()), took, lost);
  }

  CsiEndpoint endpoint() {
    return endpoint;
  }

  /** Returns an empty request of this operation. */
  static Message request(CsiOperation operation) {
    return WireOperation.of(operation).request();
  }

  static boolean listens(CsiEndpoint endpoint) {
    try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      return socket.connect(UnixDomainSocketAddress.of(endpoint.path()));
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Returns whether no process listens on the socket, if necessary after a short wait. The wait is
   * needed because an exiting process closes its connections and its socket one after the other.
   */
  static boolean isGone(CsiEndpoint endpoint) {
    Pause moments = new Pause(MOMENTS);
    while (listens(endpoint)) {
      if (!moments.again()) {
        return false;
      }
    }
    return true;
  }

  static CsiOperation operation(Message request) {
    String type = request.getDescriptorForType().getName();
    return CsiOperation.ofRpcName(type.substring(0, type.length() - "Request".length()))
        .orElseThrow();
  }

  /** Ends the calls in flight and the client's thread. */
  @Override
  public void close() {
    calls.close();
  }
}
