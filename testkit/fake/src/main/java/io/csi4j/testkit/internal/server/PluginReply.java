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
 * The answer of a plugin to one call, as received on the wire.
 *
 * @param kind how the call ended at the plugin
 * @param headers the headers of the answer; null if the plugin sent only trailers
 * @param body the messages as bytes; null if they exceeded the limit
 * @param trailers the trailers of the answer; null if the call did not end with trailers
 * @param reset the HTTP/2 error code, if the stream was reset
 * @param why the reason why the plugin never received the call; empty if it did
 */
@SuppressWarnings("ArrayRecordComponent") // Replies are never compared.
public record PluginReply(
    Kind kind,
    @Nullable Http2Headers headers,
    byte @Nullable [] body,
    @Nullable Http2Headers trailers,
    long reset,
    String why) {

  /** Maximum number of bytes that a collector keeps of one answer. */
  public static final int BODY_LIMIT = 64 << 20;

  private static final int UNKNOWN = 2;
  private static final int RESOURCE_EXHAUSTED = 8;
  private static final int UNAVAILABLE = 14;

  /** The possible outcomes of a call at the plugin. */
  public enum Kind {
    /** The plugin sent a status. */
    ENDED,
    /** The plugin reset the stream. */
    RESET,
    /** The connection broke. */
    LOST,
    /** The answer exceeded the limit of the proxy. */
    TOO_LARGE,
    /** The plugin never received the call. */
    ABSENT
  }

  /** Returns the reply for a call that the plugin never received. */
  static PluginReply absent(String why) {
    return new PluginReply(Kind.ABSENT, null, null, null, 0, why);
  }

  /**
   * Returns the status code. If the plugin sent no status, returns the code that gRPC defines for
   * that case.
   */
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

  /** Returns the text of the status. */
  public String text() {
    @Nullable CharSequence text = trailers == null ? null : trailers.get("grpc-message");
    return text == null ? "" : Framing.percentDecoded(text.toString());
  }

  /** Returns whether the plugin answered OK. */
  public boolean ok() {
    return kind == Kind.ENDED && code() == 0;
  }

  /**
   * Returns the messages of the answer; empty if the bytes are not messages of this type, or
   * exceeded the limit.
   */
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
   * Returns the end of the call, as the caller sees it.
   *
   * @param empty an empty answer of the operation
   * @param plugin the name of the plugin, for failure texts
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
              "The %s did the work, but its answer has more than %s bytes, which is the limit."
                  .formatted(plugin, BODY_LIMIT));
      case ABSENT ->
          new CallEnd.Failed(
              UNAVAILABLE,
              "The %s did not get the call: %s. Start it, or correct the path of its socket."
                  .formatted(plugin, why));
    };
  }

  /**
   * Returns a collector for the complete answer.
   *
   * @param then receives the answer
   * @param caller receives headers and messages as they arrive, but not the trailers; null if
   *     nothing is passed on
   */
  public static Collector collector(Consumer<PluginReply> then, @Nullable CallStream caller) {
    return new Collector(then, caller, BODY_LIMIT);
  }

  /** Returns a collector that passes all messages on to the caller, and keeps none. */
  public static Collector passer(Consumer<PluginReply> then, CallStream caller) {
    return new Collector(then, caller, 0);
  }

  /** Collects an answer until it is complete. All methods run on the event loop. */
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

    /** Receives headers, or trailers if {@code last}. The collector takes ownership of them. */
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

    /** Receives bytes of messages. The bytes are valid only until this method returns. */
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

    /** Called when the plugin has reset the stream. */
    void reset(long errorCode) {
      end(Kind.RESET, null, errorCode, "");
    }

    /** Called when the connection broke during the call. The plugin may have done the work. */
    void lost() {
      end(Kind.LOST, null, 0, "");
    }

    /** Called when the plugin has never received the call. */
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
