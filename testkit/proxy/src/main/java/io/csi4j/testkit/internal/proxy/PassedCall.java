package io.csi4j.testkit.internal.proxy;

import com.google.protobuf.Message;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.internal.journal.ProtoMessage;
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
 * One call on its way through a proxy: its work is done by the plugin behind it. Without a fault
 * the plugin gets the very bytes of the caller, and the caller those of the plugin.
 *
 * <p>Everything runs on the event loop, but for the code of a test that makes an answer.
 */
final class PassedCall extends FaultedCall {

  private static final int UNAVAILABLE = 14;
  private static final int RESOURCE_EXHAUSTED = 8;

  private final ProxyCore proxy;
  private final CallerStream caller;
  private final WireOperation wire;
  private final Http2Headers headers;
  private final byte[] body;
  private final Message request;
  private final RecordedCall call;
  private @Nullable PluginReply reply;
  private PluginWire.@Nullable Way way;

  /** Whether the plugin gets the call only now, after every step. */
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

  /** The caller is gone: a call that is only passed on is given up at the plugin, too. */
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

  /** Whether the caller gets headers and messages as they come from the plugin. */
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
                new PluginReply.Collector(
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
    switch (came.kind()) {
      case ENDED -> {
        CallEnd end =
            came.ok()
                ? ProtoMessage.answered(messages().orElse(List.of()))
                : new CallEnd.Failed(came.code(), came.text());
        // The journal first, as for every answer.
        if (ended(end)) {
          pass(came);
        }
      }
      case RESET -> {
        if (ended(new CallEnd.Broken())) {
          caller.reset(came.reset());
        }
      }
      case LOST ->
          failOrBreak(
              "The connection to the plugin behind the proxy, at "
                  + SafeText.quote(proxy.link().socket().toString())
                  + ", broke while the call was open. The plugin may have done the work.");
      case TOO_LARGE ->
          fail(
              RESOURCE_EXHAUSTED,
              "The plugin's answer has more than "
                  + PluginReply.BODY_LIMIT
                  + " bytes, and the proxy passes no larger one on. The plugin has done the work.");
      case ABSENT ->
          failOrBreak(
              "The plugin behind the proxy did not get the call: "
                  + came.why()
                  + ". Start the plugin, or correct the socket that the proxy was given.");
    }
  }

  private void pass(PluginReply came) {
    @Nullable Http2Headers trailers = came.trailers();
    if (!isStreamed()) {
      if (came.headers() != null) {
        caller.headers(came.headers(), false);
      }
      byte @Nullable [] body = came.body();
      if (body != null && body.length > 0) {
        caller.data(Unpooled.wrappedBuffer(body), false);
      }
    }
    if (trailers == null) {
      caller.data(Unpooled.EMPTY_BUFFER, true);
    } else {
      caller.headers(trailers, true);
    }
    caller.flush();
  }

  /** Fails, unless the connection of the caller is about to break as that of the plugin did. */
  private void failOrBreak(String text) {
    if (proxy.link().isBreaking()) {
      boolean unused = ended(new CallEnd.Broken());
    } else {
      fail(UNAVAILABLE, text);
    }
  }
}
