package io.csi4j.testkit.internal.server;

import com.google.protobuf.Message;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.Fault.WrongAnswer;
import io.csi4j.testkit.internal.journal.MessageFields;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Headers;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call on its way through a proxy: through the steps of its fault, if it has one, to the plugin
 * and back. Without a fault the plugin gets the very bytes of the caller, and the caller those of
 * the plugin.
 *
 * <p>Everything runs on the event loop, but for the code of a test that makes an answer.
 */
final class PassedCall {

  private static final int UNAVAILABLE = 14;
  private static final int INTERNAL = 13;
  private static final int RESOURCE_EXHAUSTED = 8;

  private final ProxyDesk desk;
  private final CallerStream caller;
  private final WireOperation wire;
  private final Http2Headers headers;
  private final byte[] body;
  private final Message request;
  private final RecordedCall call;
  private final List<Fault> steps;
  private @Nullable PluginReply reply;
  private PluginWire.@Nullable Way way;
  private boolean passing;

  PassedCall(
      ProxyDesk desk,
      CallerStream caller,
      WireOperation wire,
      Http2Headers headers,
      byte[] body,
      Message request,
      RecordedCall call,
      List<Fault> steps) {
    this.desk = desk;
    this.caller = caller;
    this.wire = wire;
    this.headers = headers;
    this.body = body;
    this.request = request;
    this.call = call;
    this.steps = steps;
  }

  /** Sets out. */
  void start() {
    go(0);
  }

  /** The caller is gone: a call that is only passed on is given up at the plugin, too. */
  void abandoned(long errorCode) {
    boolean unused = ended(new CallEnd.Abandoned());
    if (passing && way != null) {
      way.cancel(errorCode);
    }
  }

  /** Ends for the journal, as its connection breaks. */
  void broken() {
    boolean unused = ended(new CallEnd.Broken());
  }

  /** The connection that it came on. */
  Object connection() {
    return caller.connection();
  }

  private void go(int index) {
    desk.gate()
        .pass(
            () -> {
              try {
                step(index);
              } catch (RuntimeException | Error e) {
                fail(INTERNAL, "The proxy failed itself: " + e);
              }
            });
  }

  private void step(int index) {
    if (index == steps.size()) {
      finish();
      return;
    }
    Fault step = steps.get(index);
    int next = index + 1;
    if (step instanceof Fault.Fail fail) {
      fail(fail.code(), fail.text());
    } else if (step instanceof Fault.Apply) {
      apply(() -> go(next));
    } else if (step instanceof Fault.ApplyLater later) {
      desk.after(later.after(), () -> apply(() -> {}));
      go(next);
    } else if (step instanceof Fault.Delay delay) {
      desk.after(delay.time(), () -> go(next));
    } else if (step instanceof Fault.Hang) {
      desk.pen().pass(() -> go(next));
    } else if (step instanceof Fault.Drop) {
      broken();
      desk.breakConnection(caller.connection());
    } else if (step instanceof Fault.Duplicate) {
      apply(() -> ask(body, null, again -> go(next)));
    } else if (step instanceof Fault.Answer answer) {
      Message asked = WrongAnswers.request(answer.wrong(), request);
      byte[] bytes = asked.equals(request) ? body : packed(asked);
      apply(bytes, came -> tell(came, answer.wrong()));
    } else if (step instanceof Fault.Give give) {
      make(() -> List.of(given(give)));
    } else if (step instanceof Fault.Change change) {
      apply(body, came -> change(came, change));
    } else {
      throw new IllegalStateException("A sequence is no single step.");
    }
  }

  /** Passes the call on, if it was not, and tells its caller what the plugin answered. */
  private void finish() {
    PluginReply known = reply;
    if (known != null) {
      tell(known, false);
      return;
    }
    passing = true;
    ask(body, wire.streams() ? caller : null, came -> tell(came, wire.streams()));
    if (wire.streams() && way != null) {
      caller.slows(way);
    }
  }

  private void apply(Runnable then) {
    apply(body, came -> then.run());
  }

  /** Lets the plugin do the work, unless it has. */
  private void apply(byte[] bytes, Consumer<PluginReply> then) {
    PluginReply known = reply;
    if (known != null) {
      then.accept(known);
    } else {
      ask(bytes, null, then);
    }
  }

  private void ask(byte[] bytes, @Nullable CallerStream told, Consumer<PluginReply> then) {
    PluginWire.Way opened =
        desk.link()
            .open(
                new PluginReply.Collector(came -> desk.gate().pass(() -> came(came, then)), told));
    way = opened;
    opened.headers(desk.forPlugin(headers), false);
    opened.data(Unpooled.wrappedBuffer(bytes), true);
    opened.flush();
  }

  private void came(PluginReply came, Consumer<PluginReply> then) {
    try {
      reply = came;
      if (came.ok()) {
        desk.journal().worked(call);
        came.messages(wire.answer()).ifPresent(messages -> desk.judge(call, request, messages));
      }
      then.accept(came);
    } catch (RuntimeException | Error e) {
      fail(INTERNAL, "The proxy failed itself: " + e);
    }
  }

  // The answer.

  private void tell(PluginReply came, boolean passed) {
    switch (came.kind()) {
      case ENDED -> {
        CallEnd end =
            came.ok()
                ? new CallEnd.Answered(shown(came.messages(wire.answer()).orElse(List.of())))
                : new CallEnd.Failed(came.code(), came.text());
        // The journal first: who got the answer may call again at once, and is not to be found
        // with two calls in flight.
        if (ended(end)) {
          pass(came, passed);
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
                  + SafeText.quote(desk.link().socket().toString())
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

  private void pass(PluginReply came, boolean passed) {
    @Nullable Http2Headers trailers = came.trailers();
    if (!passed) {
      if (came.headers() != null) {
        caller.headers(came.headers(), false);
      }
      if (came.body().length > 0) {
        caller.data(Unpooled.wrappedBuffer(came.body()), false);
      }
    }
    if (trailers == null) {
      caller.data(Unpooled.EMPTY_BUFFER, true);
    } else {
      caller.headers(trailers, true);
    }
    caller.flush();
  }

  private void tell(PluginReply came, WrongAnswer wrong) {
    List<Message> right = came.ok() ? came.messages(wire.answer()).orElse(List.of()) : List.of();
    if (right.isEmpty()) {
      tell(came, false);
      return;
    }
    List<Message> told = WrongAnswers.messages(wrong, request, right);
    tell(told, WrongAnswers.bytes(wrong, told));
  }

  private Message given(Fault.Give give) {
    return MessageFields.with(wire.answer(), give.made().apply(new ProtoMessage(request)));
  }

  private void change(PluginReply came, Fault.Change change) {
    List<Message> right = came.ok() ? came.messages(wire.answer()).orElse(List.of()) : List.of();
    if (right.isEmpty()) {
      tell(came, false);
      return;
    }
    WireMessage asked = new ProtoMessage(request);
    make(
        () ->
            right.stream()
                .map(
                    message -> {
                      Map<String, ?> fields = change.made().apply(asked, new ProtoMessage(message));
                      return MessageFields.with(message, fields);
                    })
                .toList());
  }

  /** Lets the code of a test make the answer, on a thread that it may block. */
  private void make(Supplier<List<Message>> made) {
    desk.workers()
        .execute(
            () -> {
              try {
                List<Message> messages = made.get();
                desk.onLoop(
                    () -> tell(messages, messages.stream().map(Message::toByteArray).toList()));
              } catch (RuntimeException | Error e) {
                String why =
                    e instanceof IllegalArgumentException
                        ? String.valueOf(e.getMessage())
                        : e.toString();
                desk.onLoop(
                    () ->
                        fail(
                            INTERNAL,
                            "The answer that the test made for "
                                + wire.operation().rpcName()
                                + " is none: "
                                + why));
              }
            });
  }

  private void tell(List<Message> messages, List<byte[]> bytes) {
    if (ended(new CallEnd.Answered(shown(messages)))) {
      caller.answer(bytes);
    }
  }

  private void fail(int code, String text) {
    if (ended(new CallEnd.Failed(code, text))) {
      caller.fail(code, text);
    }
  }

  /** Fails, unless the connection of the caller is about to break as that of the plugin did. */
  private void failOrBreak(String text) {
    if (desk.link().isBreaking()) {
      broken();
    } else {
      fail(UNAVAILABLE, text);
    }
  }

  private boolean ended(CallEnd end) {
    desk.done(this);
    return desk.journal().ended(call, end);
  }

  private static List<WireMessage> shown(List<Message> messages) {
    return messages.stream().<WireMessage>map(ProtoMessage::new).toList();
  }

  private static byte[] packed(Message message) {
    var packed = Framing.packed(message.toByteArray());
    byte[] bytes = new byte[packed.readableBytes()];
    packed.readBytes(bytes);
    return bytes;
  }

  /** Headers that can be sent, as those that came belong to their caller. */
  static Http2Headers copy(Http2Headers headers) {
    return new DefaultHttp2Headers(false).setAll(headers);
  }
}
