package io.csi4j.testkit.internal.server;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** How gRPC packs messages and texts into HTTP/2. */
final class Framing {

  private static final int PREFIX = 5;
  private static final int INTERNAL = 13;
  private static final int UNIMPLEMENTED = 12;

  private Framing() {}

  /** A message with its length before it. */
  static ByteBuf packed(byte[] message) {
    ByteBuf prefix = Unpooled.buffer(PREFIX).writeByte(0).writeInt(message.length);
    return Unpooled.wrappedBuffer(prefix, Unpooled.wrappedBuffer(message));
  }

  /**
   * The one message in the body of a request.
   *
   * @throws UnreadableException if there is none, or part of one, or a compressed one
   */
  static byte[] unpacked(ByteBuf body) throws UnreadableException {
    if (body.readableBytes() < PREFIX) {
      throw new UnreadableException(INTERNAL, "The request holds no message.");
    }
    boolean compressed = body.readByte() != 0;
    long length = body.readUnsignedInt();
    if (compressed) {
      throw new UnreadableException(UNIMPLEMENTED, "The request is compressed. Send it as it is.");
    }
    if (length != body.readableBytes()) {
      throw new UnreadableException(
          INTERNAL,
          "The request announces a message of "
              + length
              + " bytes, and has "
              + body.readableBytes()
              + ".");
    }
    byte[] message = new byte[(int) length];
    body.readBytes(message);
    return message;
  }

  /** A text as {@code grpc-message} carries it: UTF-8, percent-encoded. */
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

  /** Thrown for a body that is no gRPC request. */
  static final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1;

    private final int code;

    UnreadableException(int code, String message) {
      super(message, null, false, false);
      this.code = code;
    }

    /** The status that tells the caller of it. */
    int code() {
      return code;
    }
  }
}
