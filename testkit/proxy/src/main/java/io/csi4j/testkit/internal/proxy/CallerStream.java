package io.csi4j.testkit.internal.proxy;

import com.google.protobuf.Message;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.internal.server.Caller;
import io.csi4j.testkit.internal.server.Framing;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2DataFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Error;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Headers;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2HeadersFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ResetFrame;
import io.grpc.netty.shaded.io.netty.util.ReferenceCountUtil;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The stream of one call on the side of its caller: a call that CSI has is handed on whole, any
 * other frame by frame. Everything runs on the event loop.
 */
final class CallerStream extends ChannelInboundHandlerAdapter implements Caller {

  /** The code with which gRPC gives a call up. */
  static final long CANCEL = 8;

  private static final int BODY_LIMIT = 64 << 20;
  private static final int RESOURCE_EXHAUSTED = 8;

  private final Channel channel;
  private final ProxyCore proxy;
  private final ByteBuf body = Unpooled.buffer();
  private @Nullable Http2Headers headers;
  private @Nullable WireOperation operation;
  private PluginWire.@Nullable Way raw;
  private @Nullable PassedCall call;
  private PluginWire.@Nullable Way slowed;
  private boolean entered;
  private boolean headersSent;
  private boolean over;

  CallerStream(Channel channel, ProxyCore proxy) {
    this.channel = channel;
    this.proxy = proxy;
  }

  @Override
  public Channel connection() {
    return channel.parent();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object frame) {
    try {
      if (frame instanceof Http2HeadersFrame begin && headers == null) {
        begin(begin.headers(), begin.isEndStream());
      } else if (frame instanceof Http2HeadersFrame trailers) {
        read(Unpooled.EMPTY_BUFFER, trailers.isEndStream());
      } else if (frame instanceof Http2DataFrame data) {
        read(data.content(), data.isEndStream());
      }
    } finally {
      ReferenceCountUtil.release(frame);
    }
  }

  private void begin(Http2Headers asked, boolean last) {
    headers = asked;
    operation = WireOperation.at(String.valueOf(asked.path())).orElse(null);
    if (operation == null) {
      PluginWire.Way unused = passUnread(asked, last);
    } else {
      read(Unpooled.EMPTY_BUFFER, last);
    }
  }

  private PluginWire.Way passUnread(Http2Headers asked, boolean last) {
    PluginWire.Way way = proxy.passUnknown(this, asked, last);
    raw = way;
    slowed = way;
    return way;
  }

  private void read(ByteBuf content, boolean last) {
    if (raw != null) {
      raw.data(content.retain(), last);
      return;
    }
    if (entered) {
      return;
    }
    if (body.readableBytes() + content.readableBytes() > BODY_LIMIT) {
      entered = true;
      fail(RESOURCE_EXHAUSTED, "The request is larger than " + BODY_LIMIT + " bytes.");
      return;
    }
    body.writeBytes(content);
    if (last && operation != null && headers != null) {
      entered = true;
      byte[] whole = new byte[body.readableBytes()];
      body.readBytes(whole);
      Optional<Message> request = ProxyCore.request(operation, whole);
      if (request.isPresent()) {
        call = proxy.take(this, operation, headers, whole, request.get());
      } else {
        PluginWire.Way way = passUnread(headers, false);
        way.data(Unpooled.wrappedBuffer(whole), true);
        way.flush();
      }
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (raw != null) {
      raw.flush();
    }
    context.fireChannelReadComplete();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof Http2ResetFrame reset) {
      leave(reset.errorCode());
    }
    ReferenceCountUtil.release(event);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (slowed != null) {
      slowed.reading(channel.isWritable());
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    leave(CANCEL);
    proxy.abandoned(this);
    body.release();
  }

  private void leave(long errorCode) {
    if (!over) {
      over = true;
      if (raw != null) {
        raw.cancel(errorCode);
      } else if (call != null) {
        call.abandoned(errorCode);
      }
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }

  // What its caller is told.

  /** Lets the plugin wait while this caller reads slowly. */
  void slows(PluginWire.Way way) {
    slowed = way;
  }

  /** Passes headers on, or trailers. */
  void headers(Http2Headers told, boolean last) {
    headersSent = true;
    var unused = channel.write(new DefaultHttp2HeadersFrame(told, last));
    if (last) {
      finished();
    }
  }

  /** Passes bytes on, which it takes over. */
  void data(ByteBuf told, boolean last) {
    var unused = channel.write(new DefaultHttp2DataFrame(told, last));
    if (last) {
      finished();
    }
  }

  /** Sends what was written. */
  void flush() {
    channel.flush();
  }

  @Override
  public void answer(List<byte[]> messages, String text) {
    headers(responseHeaders(), false);
    messages.forEach(message -> data(Framing.packed(message), false));
    end(0, text);
  }

  @Override
  public void fail(int code, String text) {
    end(code, text);
  }

  private void end(int code, String text) {
    Http2Headers trailers = headersSent ? new DefaultHttp2Headers() : responseHeaders();
    headers(Framing.withStatus(trailers, code, text), true);
    flush();
  }

  /** Breaks the call off. */
  void reset(long errorCode) {
    finished();
    var unused = channel.writeAndFlush(new DefaultHttp2ResetFrame(errorCode));
  }

  @Override
  public void reset() {
    reset(Http2Error.PROTOCOL_ERROR.code());
  }

  @Override
  public void drop() {
    proxy.breakConnection(connection());
  }

  private void finished() {
    over = true;
    if (raw != null) {
      raw.cancel(CANCEL);
    }
  }

  private static Http2Headers responseHeaders() {
    return new DefaultHttp2Headers().status("200").set("content-type", "application/grpc");
  }
}
