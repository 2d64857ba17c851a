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
 * One HTTP/2 stream, which carries one call: collects the request, and writes what is answered.
 *
 * <p>gRPC is written by hand here and not left to grpc-java's server, because that sends lawful
 * answers only: no status beyond 16, no bytes that are no message.
 */
final class ServedStream extends ChannelInboundHandlerAdapter implements Caller {

  private static final int BODY_LIMIT = 64 << 20;
  private static final int RESOURCE_EXHAUSTED = 8;

  private final Channel channel;
  private final TestServer server;
  private final SocketSite site;
  private final TestServer.Entrance entrance;
  private final ByteBuf body = Unpooled.buffer();
  private @Nullable Http2Headers headers;
  private boolean entered;

  ServedStream(Channel channel, TestServer server, SocketSite site, TestServer.Entrance entrance) {
    this.channel = channel;
    this.server = server;
    this.site = site;
    this.entrance = entrance;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object frame) {
    try {
      if (frame instanceof Http2HeadersFrame begin) {
        headers = headers == null ? begin.headers() : headers;
        read(Unpooled.EMPTY_BUFFER, begin.isEndStream());
      } else if (frame instanceof Http2DataFrame data) {
        read(data.content(), data.isEndStream());
      }
    } finally {
      ReferenceCountUtil.release(frame);
    }
  }

  private void read(ByteBuf content, boolean last) {
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
      enter();
    }
  }

  private void enter() {
    Http2Headers asked = headers == null ? new DefaultHttp2Headers() : headers;
    try {
      entrance.enter(
          site, String.valueOf(asked.path()), SentHeaders.of(asked), Framing.unpacked(body), this);
    } catch (Framing.UnreadableException e) {
      fail(e.code(), String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof Http2ResetFrame) {
      server.abandoned(this);
    }
    ReferenceCountUtil.release(event);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    server.abandoned(this);
    body.release();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    // This stream is of no more use in any case, and its caller learns it by the reset.
    context.close();
  }

  @Override
  public Object connection() {
    return channel.parent();
  }

  @Override
  public void answer(List<byte[]> messages, String text) {
    onLoop(
        () -> {
          channel.write(new DefaultHttp2HeadersFrame(responseHeaders()));
          for (byte[] message : messages) {
            channel.write(new DefaultHttp2DataFrame(Framing.packed(message)));
          }
          end(new DefaultHttp2Headers(), 0, text);
        });
  }

  @Override
  public void fail(int code, String text) {
    onLoop(() -> end(responseHeaders(), code, text));
  }

  private void end(Http2Headers trailers, int code, String text) {
    channel.writeAndFlush(
        new DefaultHttp2HeadersFrame(Framing.withStatus(trailers, code, text), true));
  }

  private static Http2Headers responseHeaders() {
    Http2Headers headers = new DefaultHttp2Headers().status("200");
    return headers.set("content-type", "application/grpc").set("grpc-accept-encoding", "identity");
  }

  @Override
  public void reset() {
    onLoop(() -> channel.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.PROTOCOL_ERROR)));
  }

  @Override
  public void drop() {
    onLoop(() -> server.breakConnection(connection()));
  }

  private void onLoop(Runnable task) {
    PluginSockets.later(channel.eventLoop(), task);
  }
}
