package io.csi4j.testkit.internal.server;

import com.google.protobuf.Message;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.journal.CallEnd;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a plugin to one call, as it stood on the wire.
 *
 * @param kind how the call ended at the plugin
 * @param headers the first headers; null if there were none but the trailers
 * @param body the messages as bytes; null if there were more than are held
 * @param trailers the last headers; null if it did not end by them
 * @param reset the code with which it was broken off
 * @param why the reason for which the plugin never got it
 */
@SuppressWarnings("ArrayRecordComponent") // Two replies are never compared.
public record PluginReply(
    Kind kind,
    @Nullable Http2Headers headers,
    byte @Nullable [] body,
    @Nullable Http2Headers trailers,
    long reset,
    String why) {

  /** The most bytes of an answer that are held. */
  public static final int BODY_LIMIT = 64 << 20;

  private static final int UNKNOWN = 2;
  private static final int RESOURCE_EXHAUSTED = 8;
  private static final int UNAVAILABLE = 14;

  /** How a call ended at the plugin. */
  public enum Kind {
    /** With a status. */
    ENDED,
    /** Broken off by the plugin. */
    RESET,
    /** With a broken connection. */
    LOST,
    /** With more than the proxy holds of an answer. */
    TOO_LARGE,
    /** Before the plugin had it. */
    ABSENT
  }

  /** The end of a call that the plugin never got. */
  static PluginReply absent(String why) {
    return new PluginReply(Kind.ABSENT, null, null, null, 0, why);
  }

  /** The status; that of gRPC for an answer without one. */
  public int code() {
    if (trailers == null) {
      return UNKNOWN;
    }
    try {
      return Integer.parseInt(String.valueOf(trailers.get("grpc-status")));
    } catch (NumberFormatException e) {
      return UNKNOWN;
    }
  }

  /** The text of the status. */
  public String text() {
    @Nullable CharSequence text = trailers == null ? null : trailers.get("grpc-message");
    return text == null ? "" : Framing.percentDecoded(text.toString());
  }

  /** Whether the plugin said OK. */
  public boolean ok() {
    return kind == Kind.ENDED && code() == 0;
  }

  /** The messages; nothing if the bytes are no such messages, or more than are held. */
  public Optional<List<Message>> messages(Message empty) {
    return body == null
        ? Optional.empty()
        : Framing.messages(body).flatMap(all -> parsed(all, empty));
  }

  private static Optional<List<Message>> parsed(List<byte[]> all, Message empty) {
    List<Message> messages = new ArrayList<>();
    for (byte[] each : all) {
      Optional<Message> message = WireOperation.parsed(empty, each);
      if (message.isEmpty()) {
        return Optional.empty();
      }
      messages.add(message.get());
    }
    return Optional.of(messages);
  }

  /**
   * The end of the call for its caller.
   *
   * @param empty an answer of the operation
   * @param plugin the plugin, as texts name it
   */
  public CallEnd end(Message empty, String plugin) {
    return switch (kind) {
      case ENDED ->
          ok()
              ? ProtoMessage.answered(messages(empty).orElse(List.of()))
              : new CallEnd.Failed(code(), text());
      case RESET -> new CallEnd.Broken();
      case LOST ->
          new CallEnd.Failed(
              UNAVAILABLE,
              "The connection to the %s broke while the call was open. It may have done the work."
                  .formatted(plugin));
      case TOO_LARGE ->
          new CallEnd.Failed(
              RESOURCE_EXHAUSTED,
              "The %s did the work, and its answer has more than %s bytes, the most that is taken."
                  .formatted(plugin, BODY_LIMIT));
      case ABSENT ->
          new CallEnd.Failed(
              UNAVAILABLE,
              "The %s did not get the call: %s. Start it, or correct the path of its socket."
                  .formatted(plugin, why));
    };
  }

  /**
   * Collects an answer to its end.
   *
   * @param then gets the answer
   * @param caller is passed headers and messages as they come, all but the trailers; null if it is
   *     not
   */
  public static Collector collector(Consumer<PluginReply> then, @Nullable CallStream caller) {
    return new Collector(then, caller, BODY_LIMIT);
  }

  /** A {@link #collector} that holds no messages. */
  public static Collector passer(Consumer<PluginReply> then, CallStream caller) {
    return new Collector(then, caller, 0);
  }

  /** Collects an answer to its end. All methods run on the event loop. */
  public static final class Collector {

    private final Consumer<PluginReply> then;
    private final @Nullable CallStream caller;
    private final int most;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private boolean tooLarge;
    private @Nullable Http2Headers first;

    private Collector(Consumer<PluginReply> then, @Nullable CallStream caller, int most) {
      this.then = then;
      this.caller = caller;
      this.most = most;
    }

    /** Headers, or trailers if they are the last; not shared with others. */
    void headers(Http2Headers headers, boolean last) {
      if (last) {
        end(Kind.ENDED, headers, 0, "");
        return;
      }
      first = headers;
      if (caller != null) {
        caller.headers(headers, false);
        caller.flush();
      }
    }

    /** Bytes of messages; only lent. */
    void data(ByteBuf data, boolean last) {
      if (caller != null) {
        caller.data(data.retainedDuplicate(), false);
        caller.flush();
      }
      if (tooLarge || body.size() + data.readableBytes() > most) {
        tooLarge = true;
        body.reset();
      } else {
        byte[] bytes = new byte[data.readableBytes()];
        data.getBytes(data.readerIndex(), bytes);
        body.writeBytes(bytes);
      }
      if (last) {
        end(Kind.ENDED, null, 0, "");
      }
    }

    /** The plugin broke the call off. */
    void reset(long errorCode) {
      end(Kind.RESET, null, errorCode, "");
    }

    /** The connection broke while the call was open: the plugin may have done its work. */
    void lost() {
      end(Kind.LOST, null, 0, "");
    }

    /** The plugin never got the call. */
    void absent(String why) {
      end(Kind.ABSENT, null, 0, why);
    }

    private void end(Kind kind, @Nullable Http2Headers trailers, long reset, String why) {
      Kind told = kind == Kind.ENDED && tooLarge && caller == null ? Kind.TOO_LARGE : kind;
      byte @Nullable [] whole = tooLarge ? null : body.toByteArray();
      then.accept(new PluginReply(told, first, whole, trailers, reset, why));
    }
  }
}
