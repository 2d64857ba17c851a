package io.csi4j.client.internal.transport;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ChannelOutboundBuffer;
import io.grpc.netty.shaded.io.netty.util.ReferenceCountUtil;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sees each HTTP/2 frame of a plugin before gRPC does, and keeps from it what it could not bear.
 *
 * <ul>
 *   <li>Floods end the connection. Who asks for acknowledgements and does not take them would fill
 *       the memory with them, as gRPC queues them without a bound; and who sends frames that carry
 *       nothing, without end, would keep the thread.
 *   <li>The text of a GOAWAY is taken out: gRPC logs it as it is, and it may hold anything that the
 *       plugin knows.
 * </ul>
 *
 * <p>What a message may hold is gRPC's matter, and has limits there.
 */
final class FrameGate extends ChannelInboundHandlerAdapter {

  /** Each is answered, and the answer is queued until the plugin reads. */
  static final int MOST_OWED = 1_000;

  /**
   * A busy plugin sends a PING for each message, but no second one before the first is answered.
   */
  static final long MOST_AT_ONCE = 100_000;

  private static final long PER_SECOND = 20_000;

  private static final byte[] NOTHING = {};
  private static final int HEADER = 9;
  private static final int LAST_STREAM_AND_ERROR = 8;
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GOAWAY = 7;
  private static final int WINDOW_UPDATE = 8;
  private static final int FIRST_FLAG = 1;

  private final Consumer<String> onFlood;
  private final LongSupplier nanoTime;
  private byte[] begun = NOTHING;
  private int payload;
  private int text;
  private int owed;
  private long ended;
  private long left = MOST_AT_ONCE;
  private long at;
  private @Nullable String flood;
  private boolean isOver;

  /**
   * A gate that nothing has come through yet.
   *
   * @param onFlood is told what there was too much of, once, before the connection is closed
   */
  FrameGate(Consumer<String> onFlood, LongSupplier nanoTime) {
    this.onFlood = onFlood;
    this.nanoTime = nanoTime;
    this.at = nanoTime.getAsLong();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (isOver) {
      ReferenceCountUtil.release(message);
    } else if (message instanceof ByteBuf bytes) {
      read(context, bytes);
    } else {
      context.fireChannelRead(message);
    }
  }

  private void read(ChannelHandlerContext context, ByteBuf bytes) {
    if (isDrained(context)) {
      owed = 0;
    }
    ByteBuf in = joined(context, bytes);
    ByteBuf out = screened(context, in);
    String problem = flood;
    if (problem != null) {
      out.release();
      isOver = true;
      context.channel().config().setAutoRead(false);
      onFlood.accept(problem);
      var unused = context.close();
    } else if (out.isReadable()) {
      context.fireChannelRead(out);
    } else {
      out.release();
    }
  }

  private static boolean isDrained(ChannelHandlerContext context) {
    ChannelOutboundBuffer queue = context.channel().unsafe().outboundBuffer();
    return queue == null || queue.totalPendingWriteBytes() == 0;
  }

  /** With the beginning of a header that came before, if there is one. */
  private ByteBuf joined(ChannelHandlerContext context, ByteBuf bytes) {
    if (begun.length == 0) {
      return bytes;
    }
    ByteBuf all = context.alloc().buffer(begun.length + bytes.readableBytes());
    all.writeBytes(begun).writeBytes(bytes);
    bytes.release();
    begun = NOTHING;
    return all;
  }

  /**
   * Returns the part of these bytes that gRPC gets; they are released. Sets {@link #flood} if it is
   * too much.
   */
  private ByteBuf screened(ChannelHandlerContext context, ByteBuf in) {
    int end = in.writerIndex();
    int from = in.readerIndex();
    int at = from;
    ByteBuf out = null;
    while (at < end && flood == null) {
      int passed = Math.min(payload, end - at);
      payload -= passed;
      at += passed;
      int leftOut = Math.min(text, end - at);
      text -= leftOut;
      boolean isCut = at < end && leftOut == 0 && end - at < HEADER;
      if (isCut) {
        begun = new byte[end - at];
        in.getBytes(at, begun);
        leftOut = begun.length;
      }
      if (leftOut > 0) {
        out = out == null ? context.alloc().buffer(end - in.readerIndex()) : out;
        out.writeBytes(in, from, at - from);
        at += leftOut;
        from = at;
      } else if (at < end) {
        header(in, at);
        at += HEADER;
      }
    }
    if (out == null) {
      return in;
    }
    out.writeBytes(in, from, end - from);
    in.release();
    return out;
  }

  private void header(ByteBuf in, int at) {
    payload = in.getUnsignedMedium(at);
    int type = in.getUnsignedByte(at + 3);
    flood = frame(type, in.getUnsignedByte(at + 4));
    if (type == GOAWAY && payload > LAST_STREAM_AND_ERROR) {
      text = payload - LAST_STREAM_AND_ERROR;
      payload = LAST_STREAM_AND_ERROR;
      in.setMedium(at, payload);
    }
  }

  private @Nullable String frame(int type, int flags) {
    boolean hasFirstFlag = (flags & FIRST_FLAG) != 0;
    boolean carriesNothing =
        switch (type) {
          case DATA -> payload == 0 && !hasFirstFlag;
          case HEADERS -> {
            ended = Math.min(ended + 1, MOST_AT_ONCE);
            yield false;
          }
          // One may follow the end of each call.
          case RST_STREAM -> --ended < 0;
          case WINDOW_UPDATE -> false;
          default -> true;
        };
    if (!carriesNothing) {
      return null;
    }
    ended = Math.max(ended, 0);
    boolean isToBeAnswered = (type == PING || type == SETTINGS) && !hasFirstFlag;
    if (isToBeAnswered && ++owed > MOST_OWED) {
      return "it asks for acknowledgements (HTTP/2 "
          + (type == PING ? "PING" : "SETTINGS")
          + ") and does not read them";
    }
    if (--left < 0) {
      long now = nanoTime.getAsLong();
      left = Math.min(MOST_AT_ONCE, (now - at) / (1_000_000_000L / PER_SECOND)) - 1;
      at = now;
      if (left < 0) {
        return "it sends HTTP/2 frames that carry nothing, without end";
      }
    }
    return null;
  }
}
