package io.csi4j.testkit.internal.proxy;

import com.google.protobuf.Message;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.internal.server.CallStream;
import io.csi4j.testkit.internal.server.PluginReply;
import io.csi4j.testkit.internal.server.PluginWire;
import io.csi4j.testkit.journal.CallEnd;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Error;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Headers;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The caller's side of one call: a call that CSI defines is passed on as a complete request, any
 * other frame by frame. All methods run on the event loop.
 */
final class CallerStream extends CallStream {

  private final ProxyCore proxy;
  private @Nullable WireOperation operation;
  private PluginWire.@Nullable Way raw;
  private @Nullable PassedCall call;
  private PluginWire.@Nullable Way slowed;
  private boolean over;

  CallerStream(Channel channel, ProxyCore proxy) {
    super(channel, proxy);
    this.proxy = proxy;
  }

  @Override
  protected void begin(Http2Headers asked, boolean last) {
    operation = WireOperation.at(String.valueOf(asked.path())).orElse(null);
    if (operation == null) {
      PluginWire.Way unused = passUnread(asked, last);
    } else {
      super.begin(asked, last);
    }
  }

  private PluginWire.Way passUnread(Http2Headers asked, boolean last) {
    PluginWire.Way way = proxy.passUnknown(this, asked, last);
    raw = way;
    slowed = way;
    return way;
  }

  @Override
  protected void read(ByteBuf content, boolean last) {
    if (raw != null) {
      raw.data(content.retain(), last);
    } else {
      super.read(content, last);
    }
  }

  @Override
  protected void enter(Http2Headers asked, ByteBuf complete) {
    WireOperation wire = Objects.requireNonNull(operation);
    byte[] whole = new byte[complete.readableBytes()];
    complete.readBytes(whole);
    Optional<Message> request = ProxyCore.request(wire, whole);
    if (request.isPresent()) {
      call = proxy.take(this, wire, asked, whole, request.get());
    } else {
      PluginWire.Way way = passUnread(asked, false);
      way.data(Unpooled.wrappedBuffer(whole), true);
      way.flush();
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
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (slowed != null) {
      slowed.reading(context.channel().isWritable());
    }
  }

  /** Cancels a call at the plugin as well, if the proxy only passes it on. */
  @Override
  protected void left(long errorCode) {
    if (!over) {
      over = true;
      if (raw != null) {
        raw.cancel(errorCode);
      } else if (call != null) {
        call.abandoned(errorCode);
      }
    }
    super.left(errorCode);
  }

  /** Pauses the plugin while this caller reads slowly. */
  void slows(PluginWire.Way way) {
    slowed = way;
  }

  /** Ends as the plugin did; the caller has the headers and messages already. */
  void end(PluginReply reply, CallEnd end) {
    @Nullable Http2Headers trailers = reply.trailers();
    if (reply.kind() == PluginReply.Kind.RESET) {
      reset(reply.reset());
    } else if (reply.kind() != PluginReply.Kind.ENDED) {
      // The end of the connection is more informative than a status.
      if (end instanceof CallEnd.Failed failed) {
        fail(failed.code(), failed.text());
      }
    } else {
      if (trailers == null) {
        data(Unpooled.EMPTY_BUFFER, true);
      } else {
        headers(trailers, true);
      }
      flush();
    }
  }

  @Override
  protected void finished() {
    over = true;
    if (raw != null) {
      raw.cancel(Http2Error.CANCEL.code());
    }
  }
}
