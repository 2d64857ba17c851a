package io.csi4j.testkit.internal.proxy;

import com.google.protobuf.Message;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.internal.server.FaultedCall;
import io.csi4j.testkit.internal.server.Framing;
import io.csi4j.testkit.internal.server.PluginReply;
import io.csi4j.testkit.internal.server.PluginWire;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Headers;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A call through a proxy: the plugin behind the proxy does its work. Without a fault, the plugin
 * gets exactly the bytes of the caller, and the caller those of the plugin.
 *
 * <p>All methods run on the event loop, except test code that creates an answer.
 */
final class PassedCall extends FaultedCall {

  private final ProxyCore proxy;
  private final CallerStream caller;
  private final WireOperation wire;
  private final Http2Headers headers;
  private final byte[] body;
  private final Message request;
  private final RecordedCall call;
  private @Nullable PluginReply reply;
  private PluginWire.@Nullable Way way;

  /** Whether the call goes to the plugin only after every step of the fault. */
  private boolean passing;

  PassedCall(
      ProxyCore proxy,
      CallerStream caller,
      WireOperation wire,
      Http2Headers headers,
      byte[] body,
      Message request,
      RecordedCall call,
      List<Fault> steps) {
    super(proxy, wire.operation().rpcName(), request, wire.answer(), steps, caller);
    this.proxy = proxy;
    this.caller = caller;
    this.wire = wire;
    this.headers = headers;
    this.body = body;
    this.request = request;
    this.call = call;
  }

  /**
   * Handles the departure of the caller: a call that is only passed on is cancelled at the plugin
   * as well.
   */
  void abandoned(long errorCode) {
    boolean unused = ended(new CallEnd.Abandoned());
    if (passing && way != null) {
      way.cancel(errorCode);
    }
  }

  @Override
  protected boolean ended(CallEnd end) {
    return proxy.journal().ended(call, end);
  }

  @Override
  protected void finish() {
    passing = reply == null;
    super.finish();
    if (isStreamed() && way != null) {
      caller.slows(way);
    }
  }

  /** Returns whether the caller gets headers and messages as they arrive from the plugin. */
  private boolean isStreamed() {
    return passing && wire.streams();
  }

  @Override
  protected void work(Doing how, Message asked, Runnable then) {
    if (reply != null && how != Doing.AGAIN) {
      then.run();
      return;
    }
    ByteBuf message =
        asked.equals(request) ? Unpooled.wrappedBuffer(body) : Framing.packed(asked.toByteArray());
    PluginWire.Way opened =
        proxy
            .link()
            .open(
                PluginReply.collector(
                    came -> guarded(() -> came(came, then)), isStreamed() ? caller : null));
    way = opened;
    opened.headers(proxy.forPlugin(headers), false);
    opened.data(message, true);
    opened.flush();
  }

  private void came(PluginReply came, Runnable then) {
    reply = came;
    if (came.ok()) {
      proxy.journal().worked(call);
      messages().ifPresent(messages -> proxy.judge(call, messages));
    }
    then.run();
  }

  @Override
  protected Optional<List<Message>> messages() {
    PluginReply came = Objects.requireNonNull(reply);
    return came.ok() ? came.messages(wire.answer()) : Optional.empty();
  }

  @Override
  protected void tell() {
    PluginReply came = Objects.requireNonNull(reply);
    CallEnd end = proxy.end(came, wire.answer());
    // The journal records the end first, as for every answer.
    if (ended(end)) {
      if (came.kind() == PluginReply.Kind.ENDED && !isStreamed()) {
        passHeld(came);
      }
      caller.end(came, end);
    }
  }

  private void passHeld(PluginReply came) {
    if (came.headers() != null) {
      caller.headers(came.headers(), false);
    }
    byte @Nullable [] held = came.body();
    if (held != null && held.length > 0) {
      caller.data(Unpooled.wrappedBuffer(held), false);
    }
  }
}
