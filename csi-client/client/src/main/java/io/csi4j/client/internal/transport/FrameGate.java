package io.csi4j.client.internal.transport;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.ChannelDuplexHandler;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelOutboundBuffer;
import io.grpc.netty.shaded.io.netty.channel.ChannelPromise;
import io.grpc.netty.shaded.io.netty.util.ReferenceCountUtil;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Inspects each HTTP/2 frame of a plugin before gRPC receives it, and blocks frames that would harm
 * gRPC.
 *
 * <ul>
 *   <li>Floods end the connection. If a plugin requests acknowledgements, or sends frames for ended
 *       calls, but never reads the replies, the replies would fill the memory, because gRPC queues
 *       any number of them. If a plugin sends an endless series of empty frames, they would occupy
 *       the I/O thread. If a plugin sends a message in pieces of a few bytes, the message takes
 *       many times its size in memory.
 *   <li>The text of a GOAWAY frame is removed, because gRPC logs the text unchanged and it may
 *       contain secrets of the plugin.
 * </ul>
 *
 * <p>This class does not limit the size of messages; gRPC itself does.
 */
final class FrameGate extends ChannelDuplexHandler {

  /** Maximum number of queued replies that the plugin has not read. */
  static final int MOST_OWED = 1_000;

  /**
   * Maximum number of frames without content in a burst. A busy plugin sends a PING for each
   * message, but never a second PING before the first is acknowledged.
   */
  static final long MOST_AT_ONCE = 100_000;

  private static final long PER_SECOND = 20_000;

  /**
   * Maximum number of frames with a very small piece of a message, in addition to the frames of
   * usual answers.
   */
  static final int MOST_TRICKLED = 10_000;

  /** The approximate size of the smallest message in a usual stream. */
  private static final int WORTH_A_FRAME = 24;

  /**
   * Number of frames that are allowed for one call. A usual answer takes six frames: headers, a
   * message, trailers, an end, and two window updates.
   */
  private static final int FRAMES_OF_A_CALL = 16;

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
  private static final int RESET_LENGTH = 13;

  private final Consumer<String> onFlood;
  private final LongSupplier nanoTime;
  private byte[] begun = NOTHING;
  private int payload;
  private int text;
  private int owed;
  private int trickled;
  private int newestCall = -1;
  private long framesOfCalls;
  private boolean isReading;
  private long left = MOST_AT_ONCE;
  private long at;
  private @Nullable String flood;
  private boolean isOver;

  /**
   * Creates a gate for a new connection.
   *
   * @param onFlood receives the kind of unwanted traffic, once, before the connection is closed
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
    if (flood == null && out.isReadable()) {
      isReading = true;
      context.fireChannelRead(out);
      isReading = false;
    } else {
      out.release();
    }
    String problem = flood;
    if (problem != null) {
      isOver = true;
      context.channel().config().setAutoRead(false);
      onFlood.accept(problem);
      var unused = context.close();
    }
  }

  /** Counts the resets with which gRPC answers frames of ended calls. */
  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (isReading
        && message instanceof ByteBuf frame
        && frame.readableBytes() == RESET_LENGTH
        && frame.getUnsignedByte(frame.readerIndex() + 3) == RST_STREAM
        && ++owed > MOST_OWED) {
      flood = "it sends frames for ended calls and does not read the resets of these calls";
    }
    var unused = context.write(message, promise);
  }

  private static boolean isDrained(ChannelHandlerContext context) {
    ChannelOutboundBuffer queue = context.channel().unsafe().outboundBuffer();
    return queue == null || queue.totalPendingWriteBytes() == 0;
  }

  /**
   * Returns the new bytes, preceded by the beginning of a frame header that was received before, if
   * there is one.
   */
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
   * Returns the bytes that are passed to gRPC, and takes over the buffer {@code in}. Sets {@link
   * #flood} if there is too much traffic.
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
    flood = frame(type, in.getUnsignedByte(at + 4), in.getInt(at + 5));
    if (type == GOAWAY && payload > LAST_STREAM_AND_ERROR) {
      text = payload - LAST_STREAM_AND_ERROR;
      payload = LAST_STREAM_AND_ERROR;
      in.setMedium(at, payload);
    }
  }

  private @Nullable String frame(int type, int flags, int stream) {
    boolean hasFirstFlag = (flags & FIRST_FLAG) != 0;
    if (type == HEADERS && stream > newestCall && (stream & 1) == 1) {
      // Stream numbers can be trusted here: gRPC itself ends the connection if headers belong to a
      // call that was never made.
      long more = (long) FRAMES_OF_A_CALL * ((stream - newestCall) / 2);
      framesOfCalls = Math.min(framesOfCalls + more, MOST_AT_ONCE);
      newestCall = stream;
    }
    boolean isSmallPiece = type == DATA && payload < WORTH_A_FRAME && !hasFirstFlag;
    boolean isOfCall =
        isSmallPiece || type == HEADERS || type == RST_STREAM || type == WINDOW_UPDATE;
    if ((type == DATA && !isSmallPiece) || (isOfCall && --framesOfCalls >= 0)) {
      return null;
    }
    framesOfCalls = Math.max(framesOfCalls, 0);
    if (isSmallPiece && payload > 0 && ++trickled > MOST_TRICKLED) {
      return "it sends messages in pieces of a few bytes";
    }
    boolean isToBeAnswered = (type == PING || type == SETTINGS) && !hasFirstFlag;
    if (isToBeAnswered && ++owed > MOST_OWED) {
      return "it requests acknowledgements (HTTP/2 "
          + (type == PING ? "PING" : "SETTINGS")
          + ") and does not read them";
    }
    if (--left < 0) {
      long now = nanoTime.getAsLong();
      left = Math.min(MOST_AT_ONCE, (now - at) / (1_000_000_000L / PER_SECOND)) - 1;
      at = now;
      if (left < 0) {
        return "it keeps sending HTTP/2 frames without content";
      }
    }
    return null;
  }
}
