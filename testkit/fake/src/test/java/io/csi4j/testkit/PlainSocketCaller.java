package io.csi4j.testkit;

import com.google.protobuf.Message;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Exception;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Headers;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** One call over a bare socket, without a thread: shows the trailers as they are on the wire. */
final class PlainSocketCaller implements AutoCloseable {

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int SETTINGS = 4;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;

  private final SocketChannel socket;
  private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder();

  PlainSocketCaller(Path path) {
    try {
      socket = SocketChannel.open(StandardProtocolFamily.UNIX);
      socket.connect(UnixDomainSocketAddress.of(path));
      write(Unpooled.copiedBuffer("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", StandardCharsets.US_ASCII));
      frame(SETTINGS, 0, 0, Unpooled.EMPTY_BUFFER);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The status of one call. */
  int status(String path, Message request) {
    send(path, request);
    return Integer.parseInt(String.valueOf(trailers().get("grpc-status")));
  }

  /** Calls. To be done once. */
  void send(String path, Message request) {
    try {
      Http2Headers asked =
          new DefaultHttp2Headers()
              .method("POST")
              .scheme("http")
              .path(path)
              .authority("localhost")
              .set("content-type", "application/grpc")
              .set("te", "trailers");
      ByteBuf block = Unpooled.buffer();
      new DefaultHttp2HeadersEncoder().encodeHeaders(1, asked, block);
      frame(HEADERS, END_HEADERS, 1, block);
      byte[] message = request.toByteArray();
      frame(
          DATA,
          END_STREAM,
          1,
          Unpooled.buffer().writeByte(0).writeInt(message.length).writeBytes(message));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (Http2Exception e) {
      throw new AssertionError(e);
    }
  }

  private Http2Headers trailers() {
    try {
      while (true) {
        ByteBuf head = read(9);
        int length = head.readUnsignedMedium();
        int type = head.readUnsignedByte();
        int flags = head.readUnsignedByte();
        ByteBuf body = read(length);
        if (type == HEADERS) {
          Http2Headers headers = decoder.decodeHeaders(1, body);
          if ((flags & END_STREAM) != 0) {
            return headers;
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (Http2Exception e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void frame(int type, int flags, int stream, ByteBuf body) throws IOException {
    write(
        Unpooled.buffer()
            .writeMedium(body.readableBytes())
            .writeByte(type)
            .writeByte(flags)
            .writeInt(stream)
            .writeBytes(body));
  }

  private void write(ByteBuf bytes) throws IOException {
    ByteBuffer out = bytes.nioBuffer();
    while (out.hasRemaining()) {
      socket.write(out);
    }
  }

  private ByteBuf read(int length) throws IOException {
    ByteBuffer in = ByteBuffer.allocate(length);
    while (in.hasRemaining()) {
      if (socket.read(in) < 0) {
        throw new EOFException("the plugin hung up");
      }
    }
    return Unpooled.wrappedBuffer(in.array());
  }
}
