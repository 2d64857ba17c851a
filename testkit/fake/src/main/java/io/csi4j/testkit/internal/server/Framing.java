package io.csi4j.testkit.internal.server;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/** Encodes and decodes messages and status texts in the format that gRPC uses within HTTP/2. */
public final class Framing {

  private static final int PREFIX = 5;
  private static final int INTERNAL = 13;
  private static final int UNIMPLEMENTED = 12;

  /** Maximum total size of the decompressed messages of a body. */
  private static final int INFLATED_LIMIT = 64 << 20;

  private Framing() {}

  /** Returns a message prefixed with its length. */
  public static ByteBuf packed(byte[] message) {
    ByteBuf prefix = Unpooled.buffer(PREFIX).writeByte(0).writeInt(message.length);
    return Unpooled.wrappedBuffer(prefix, Unpooled.wrappedBuffer(message));
  }

  /**
   * Returns the only message in the body of a request.
   *
   * @throws UnreadableException if the body has no message, an incomplete message, or a compressed
   *     message
   */
  static byte[] unpacked(ByteBuf body) throws UnreadableException {
    if (body.readableBytes() < PREFIX) {
      throw new UnreadableException(INTERNAL, "The request contains no message.");
    }
    boolean compressed = body.readByte() != 0;
    long length = body.readUnsignedInt();
    if (compressed) {
      throw new UnreadableException(UNIMPLEMENTED, "The request is compressed. Send it as it is.");
    }
    if (length != body.readableBytes()) {
      throw new UnreadableException(
          INTERNAL,
          "The request announces a message of %s bytes, but has %s."
              .formatted(length, body.readableBytes()));
    }
    byte[] message = new byte[(int) length];
    body.readBytes(message);
    return message;
  }

  /**
   * Returns all messages in a body; empty if the body contains an incomplete or unreadable message.
   */
  public static Optional<List<byte[]>> messages(byte[] body) {
    List<byte[]> messages = new ArrayList<>();
    ByteBuffer left = ByteBuffer.wrap(body);
    int inflatable = INFLATED_LIMIT;
    while (left.hasRemaining()) {
      if (left.remaining() < PREFIX) {
        return Optional.empty();
      }
      boolean compressed = left.get() != 0;
      int length = left.getInt();
      if (length < 0 || length > left.remaining()) {
        return Optional.empty();
      }
      byte[] message = new byte[length];
      left.get(message);
      try {
        byte[] whole = compressed ? inflated(message, inflatable) : message;
        inflatable -= compressed ? whole.length : 0;
        messages.add(whole);
      } catch (IOException e) {
        return Optional.empty();
      }
    }
    return Optional.of(messages);
  }

  /**
   * Returns the decompressed message. Only gzip is supported, which every gRPC implementation can
   * send.
   *
   * @throws IOException if the message is not compressed with gzip, or has more than {@code most}
   *     bytes
   */
  private static byte[] inflated(byte[] message, int most) throws IOException {
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(message))) {
      byte[] whole = in.readNBytes(most);
      if (in.read() >= 0) {
        throw new IOException("larger than " + most + " bytes");
      }
      return whole;
    }
  }

  /**
   * Adds this status and its text to {@code trailers}, and returns them. In an answer without
   * messages, they are its only headers.
   */
  static Http2Headers withStatus(Http2Headers trailers, int code, String text) {
    trailers.set("grpc-status", Integer.toString(code));
    if (!text.isEmpty()) {
      trailers.set("grpc-message", percentEncoded(text));
    }
    return trailers;
  }

  /** Encodes a text for the header {@code grpc-message}: UTF-8, percent-encoded. */
  static String percentEncoded(String text) {
    StringBuilder out = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      if (b < 0x20 || b > 0x7e || b == '%') {
        out.append('%').append(HexFormat.of().withUpperCase().toHexDigits(b));
      } else {
        out.append((char) b);
      }
    }
    return out.toString();
  }

  /** Decodes the text of the header {@code grpc-message}. Invalid escapes remain unchanged. */
  public static String percentDecoded(String text) {
    if (text.indexOf('%') < 0) {
      return text;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%'
          && i + 2 < text.length()
          && HexFormat.isHexDigit(text.charAt(i + 1))
          && HexFormat.isHexDigit(text.charAt(i + 2))) {
        out.write(HexFormat.fromHexDigits(text, i + 1, i + 3));
        i += 2;
      } else {
        out.write(c < 0x80 ? c : '?');
      }
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  /** Thrown for a body that is not a gRPC request. */
  static final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1;

    private final int code;

    UnreadableException(int code, String message) {
      super(message, null, false, false);
      this.code = code;
    }

    int code() {
      return code;
    }
  }
}
