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
 * Counts the frames that come from a plugin, and ends a connection on which they only keep us busy:
 * who asks for acknowledgements and does not take them would fill the memory with them, as gRPC
 * queues them without a bound; and who sends frames that carry nothing, without end, would keep the
 * thread.
 *
 * <p>What a message may hold is gRPC's matter, and has limits there.
 */
final class FloodGate extends ChannelInboundHandlerAdapter {

  /** Each is answered, and the answer is queued until the plugin reads. */
  static final int MOST_OWED = 1_000;

  /**
   * A busy plugin sends a PING for each message, but no second one before the first is answered.
   */
  static final long MOST_AT_ONCE = 100_000;

  private static final long PER_SECOND = 20_000;

  private static final int HEADER = 9;
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int WINDOW_UPDATE = 8;
  private static final int FIRST_FLAG = 1;

  private final Consumer<String> onFlood;
  private final LongSupplier nanoTime;
  private final byte[] header = new byte[HEADER];
  private int known;
  private int payload;
  private int owed;
  private long ended;
  private long left = MOST_AT_ONCE;
  private long at;
  private boolean isOver;

  /**
   * A gate that nothing has come through yet.
   *
   * @param onFlood is told what there was too much of, once, before the connection is closed
   */
  FloodGate(Consumer<String> onFlood, LongSupplier nanoTime) {
    this.onFlood = onFlood;
    this.nanoTime = nanoTime;
    this.at = nanoTime.getAsLong();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (!isOver && message instanceof ByteBuf bytes) {
      if (isDrained(context)) {
        owed = 0;
      }
      String flood = count(bytes);
      if (flood != null) {
        isOver = true;
        context.channel().config().setAutoRead(false);
        onFlood.accept(flood);
        var unused = context.close();
      }
    }
    if (isOver) {
      ReferenceCountUtil.release(message);
    } else {
      context.fireChannelRead(message);
    }
  }

  private static boolean isDrained(ChannelHandlerContext context) {
    ChannelOutboundBuffer queue = context.channel().unsafe().outboundBuffer();
    return queue == null || queue.totalPendingWriteBytes() == 0;
  }

  /** Takes in what came; returns what there is too much of. */
  private @Nullable String count(ByteBuf bytes) {
    int from = bytes.readerIndex();
    int end = bytes.writerIndex();
    while (from < end) {
      if (payload > 0) {
        int passed = Math.min(payload, end - from);
        payload -= passed;
        from += passed;
        continue;
      }
      int more = Math.min(HEADER - known, end - from);
      bytes.getBytes(from, header, known, more);
      known += more;
      from += more;
      if (known == HEADER) {
        known = 0;
        payload = ((header[0] & 0xff) << 16) | ((header[1] & 0xff) << 8) | (header[2] & 0xff);
        String flood = frame(header[3], header[4]);
        if (flood != null) {
          return flood;
        }
      }
    }
    return null;
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
