package io.csi4j.testkit.internal.server;

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
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/2 stream of a server. A stream carries one call: it collects the request and writes the
 * answer. Any thread may answer the call. All other methods run on the event loop.
 *
 * <p>This class implements gRPC itself, because grpc-java's server sends only valid answers: it
 * refuses a status above 16, and bytes that are not a message.
 */
public abstract class CallStream extends ChannelInboundHandlerAdapter {

  private static final int BODY_LIMIT = 64 << 20;
  private static final int RESOURCE_EXHAUSTED = 8;

  private final Channel channel;
  private final TestServer server;
  private final ByteBuf body = Unpooled.buffer();
  private @Nullable Http2Headers headers;
  private boolean entered;
  private boolean headersSent;

  protected CallStream(Channel channel, TestServer server) {
    this.channel = channel;
    this.server = server;
  }

  // Methods for the request.

  /** Receives the complete request. The body is valid only until this method returns. */
  protected abstract void enter(Http2Headers asked, ByteBuf complete);

  /** Receives the headers of the request. If {@code last}, the request has no body. */
  protected void begin(Http2Headers asked, boolean last) {
    read(Unpooled.EMPTY_BUFFER, last);
  }

  /** Receives a part of the body. The bytes are valid only until this method returns. */
  protected void read(ByteBuf content, boolean last) {
    if (entered) {
      return;
    }
    if (body.readableBytes() + content.readableBytes() > BODY_LIMIT) {
      entered = true;
      fail(RESOURCE_EXHAUSTED, "The request is larger than " + BODY_LIMIT + " bytes.");
      return;
    }
    body.writeBytes(content);
    if (last) {
      entered = true;
      enter(headers == null ? new DefaultHttp2Headers() : headers, body);
    }
  }

  /**
   * Called when the stream has ended. If the caller has not received the answer yet, it no longer
   * accepts one.
   */
  protected void left(long errorCode) {
    server.abandoned(this);
  }

  @Override
  public final void channelRead(ChannelHandlerContext context, Object frame) {
    try {
      if (frame instanceof Http2HeadersFrame begin && headers == null) {
        headers = begin.headers();
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

  @Override
  public final void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof Http2ResetFrame reset) {
      left(reset.errorCode());
    }
    ReferenceCountUtil.release(event);
  }

  @Override
  public final void channelInactive(ChannelHandlerContext context) {
    left(Http2Error.CANCEL.code());
    body.release();
  }

  @Override
  public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    // The stream is unusable, and the reset informs the caller.
    context.close();
  }

  // Methods for the answer.

  public final Channel connection() {
    return channel.parent();
  }

  /** Sends messages, then the status OK with a text, which is usually empty. */
  public final void answer(List<byte[]> messages, String text) {
    onLoop(
        () -> {
          headers(responseHeaders(), false);
          messages.forEach(message -> data(Framing.packed(message), false));
          end(0, text);
        });
  }

  /** Sends a status with any number as its code. */
  public final void fail(int code, String text) {
    onLoop(() -> end(code, text));
  }

  /** Refuses the call by resetting the HTTP/2 stream, without a gRPC status. */
  public final void reset() {
    onLoop(() -> reset(Http2Error.PROTOCOL_ERROR.code()));
  }

  /** Breaks the connection, which also ends all other calls on it. */
  public final void drop() {
    onLoop(() -> server.breakConnection(connection()));
  }

  /** Writes headers, or trailers if {@code last}. */
  public final void headers(Http2Headers told, boolean last) {
    headersSent = true;
    var unused = channel.write(new DefaultHttp2HeadersFrame(told, last));
    if (last) {
      finished();
    }
  }

  /** Writes bytes of messages, and takes ownership of them. */
  public final void data(ByteBuf told, boolean last) {
    var unused = channel.write(new DefaultHttp2DataFrame(told, last));
    if (last) {
      finished();
    }
  }

  public final void flush() {
    channel.flush();
  }

  public final void reset(long errorCode) {
    finished();
    var unused = channel.writeAndFlush(new DefaultHttp2ResetFrame(errorCode));
  }

  protected void finished() {}

  private void end(int code, String text) {
    Http2Headers trailers = headersSent ? new DefaultHttp2Headers() : responseHeaders();
    headers(Framing.withStatus(trailers, code, text), true);
    flush();
  }

  private static Http2Headers responseHeaders() {
    Http2Headers headers = new DefaultHttp2Headers().status("200");
    return headers.set("content-type", "application/grpc").set("grpc-accept-encoding", "identity");
  }

  private void onLoop(Runnable task) {
    if (channel.eventLoop().inEventLoop()) {
      task.run();
    } else {
      PluginSockets.later(channel.eventLoop(), task);
    }
  }
}
