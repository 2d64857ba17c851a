package io.csi4j.client.scripted;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server that speaks just enough HTTP/2 to answer each request with frames of a script, lawful or
 * not. It understands nothing of what it is asked, except when it ends.
 */
public final class RawHttp2Peer implements AutoCloseable {

  private static final int PREFACE = 24;
  private static final int FRAME = 16_384;

  private final ServerSocketChannel server;
  private final Thread thread;
  private final Set<SocketChannel> clients = ConcurrentHashMap.newKeySet();
  private volatile Script script;

  /** What to answer to the request on one stream. */
  @FunctionalInterface
  public interface Script {
    /** Answers with what {@code out} offers. */
    void answer(Frames out) throws IOException;
  }

  private RawHttp2Peer(Path socket, Script script) {
    this.script = script;
    try {
      server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      server.bind(UnixDomainSocketAddress.of(socket));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    thread = daemon(this::accept);
  }

  /** Listens on {@code socket}. */
  public static RawHttp2Peer start(Path socket, Script script) {
    return new RawHttp2Peer(socket, script);
  }

  /** A plugin that is ready when it is first asked, and after that does not say who it is. */
  public static Script introduction() {
    AtomicInteger asked = new AtomicInteger();
    return out -> {
      out.headers();
      if (asked.getAndIncrement() == 0) {
        out.message().trailers("grpc-status", "0");
      } else {
        out.trailers("grpc-status", "14");
      }
    };
  }

  /** From now on, requests are answered like this. */
  public void script(Script next) {
    script = next;
  }

  /** A frame as it goes over the socket. */
  public static byte[] frame(int type, int flags, int stream, byte... body) {
    return ByteBuffer.allocate(9 + body.length)
        .put((byte) (body.length >> 16))
        .putShort((short) body.length)
        .put((byte) type)
        .put((byte) flags)
        .putInt(stream)
        .put(body)
        .array();
  }

  /** The frames of one stream. */
  public static final class Frames {
    private final SocketChannel client;
    private final int stream;

    private Frames(SocketChannel client, int stream) {
      this.client = client;
      this.stream = stream;
    }

    /** The headers that an answer begins with. */
    public Frames headers(String... more) throws IOException {
      List<String> pairs = new ArrayList<>();
      Collections.addAll(pairs, ":status", "200", "content-type", "application/grpc");
      Collections.addAll(pairs, more);
      return block(false, pairs.toArray(String[]::new));
    }

    /** Trailers, or the end without an answer; names and values by turns. */
    public Frames trailers(String... pairs) throws IOException {
      return block(true, pairs);
    }

    /** A gRPC message. */
    public Frames message(byte... content) throws IOException {
      ByteBuffer data = ByteBuffer.allocate(5 + content.length);
      data.put((byte) 0).putInt(content.length).put(content);
      return data(data.array());
    }

    /** A gRPC message that says of itself that it is compressed, and how long it is. */
    public Frames prefix(boolean compressed, int length) throws IOException {
      return data(ByteBuffer.allocate(5).put((byte) (compressed ? 1 : 0)).putInt(length).array());
    }

    /** Bytes of a body. */
    public Frames data(byte... bytes) throws IOException {
      for (int at = 0; at < bytes.length; at += FRAME) {
        int length = Math.min(FRAME, bytes.length - at);
        write(client, 0, 0, stream, bytes, at, length);
      }
      return this;
    }

    /** The end of the stream, without trailers. */
    public Frames end() throws IOException {
      write(client, 0, 1, stream, new byte[0], 0, 0);
      return this;
    }

    /** Resets the stream. */
    public Frames reset(int error) throws IOException {
      write(client, 3, 0, stream, ByteBuffer.allocate(4).putInt(error).array(), 0, 4);
      return this;
    }

    /** Says that no stream after this one will be served. */
    public Frames goAway(int error) throws IOException {
      return goAway(error, "");
    }

    /** The same, with a text for people. */
    public Frames goAway(int error, String text) throws IOException {
      byte[] words = text.getBytes(StandardCharsets.UTF_8);
      byte[] body =
          ByteBuffer.allocate(8 + words.length).putInt(stream).putInt(error).put(words).array();
      write(client, 7, 0, 0, body, 0, body.length);
      return this;
    }

    /** Sends frames of any kind, as they are. */
    public Frames frames(byte... raw) throws IOException {
      ByteBuffer all = ByteBuffer.wrap(raw);
      while (all.hasRemaining()) {
        client.write(all);
      }
      return this;
    }

    /**
     * Sends a frame again and again, and reads nothing meanwhile, until the client hangs up or so
     * many bytes are sent.
     */
    public Frames flood(long most, byte... frame) throws IOException {
      byte[] many = new byte[frame.length * (1 + 60_000 / frame.length)];
      for (int at = 0; at < many.length; at += frame.length) {
        System.arraycopy(frame, 0, many, at, frame.length);
      }
      for (long sent = 0; sent < most; sent += many.length) {
        frames(many);
      }
      return this;
    }

    /** The stream that is answered here. */
    public int stream() {
      return stream;
    }

    /** Hangs up. */
    public void hangUp() throws IOException {
      client.close();
    }

    private Frames block(boolean last, String... pairs) throws IOException {
      ByteArrayOutputStream block = new ByteArrayOutputStream();
      for (int i = 0; i < pairs.length; i += 2) {
        block.write(0);
        literal(block, pairs[i]);
        literal(block, pairs[i + 1]);
      }
      byte[] bytes = block.toByteArray();
      int at = 0;
      do {
        int length = Math.min(FRAME, bytes.length - at);
        boolean whole = at + length == bytes.length;
        int flags = (whole ? 4 : 0) | (at == 0 && last ? 1 : 0);
        write(client, at == 0 ? 1 : 9, flags, stream, bytes, at, length);
        at += length;
      } while (at < bytes.length);
      return this;
    }
  }

  /** An HPACK string without Huffman. */
  private static void literal(ByteArrayOutputStream out, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    int rest = bytes.length;
    if (rest < 127) {
      out.write(rest);
    } else {
      out.write(127);
      for (rest -= 127; rest >= 128; rest /= 128) {
        out.write(rest % 128 + 128);
      }
      out.write(rest);
    }
    out.writeBytes(bytes);
  }

  private void accept() {
    while (true) {
      try {
        SocketChannel client = server.accept();
        clients.add(client);
        daemon(() -> serve(client));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(SocketChannel client) {
    try (client) {
      read(client, PREFACE);
      write(client, 4, 0, 0, new byte[0], 0, 0);
      while (true) {
        ByteBuffer head = read(client, 9);
        int length = head.get() << 16 | (head.getShort() & 0xffff);
        int type = head.get();
        int flags = head.get();
        int stream = head.getInt();
        byte[] body = read(client, length).array();
        if (type == 4 && (flags & 1) == 0) {
          write(client, 4, 1, 0, new byte[0], 0, 0);
        } else if (type == 6 && (flags & 1) == 0) {
          write(client, 6, 1, 0, body, 0, length);
        } else if (type <= 1 && (flags & 1) != 0) {
          script.answer(new Frames(client, stream));
        }
      }
    } catch (IOException gone) {
      clients.remove(client);
    }
  }

  private static void write(
      SocketChannel client, int type, int flags, int stream, byte[] body, int at, int length)
      throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(9 + length);
    frame.put((byte) (length >> 16)).putShort((short) length);
    frame.put((byte) type).put((byte) flags).putInt(stream).put(body, at, length).flip();
    while (frame.hasRemaining()) {
      client.write(frame);
    }
  }

  private static ByteBuffer read(SocketChannel client, int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    while (buffer.hasRemaining()) {
      if (client.read(buffer) < 0) {
        throw new EOFException();
      }
    }
    return buffer.flip();
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "raw-http2-peer");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  @Override
  public void close() {
    try {
      server.close();
      for (SocketChannel client : clients) {
        client.close();
      }
      thread.join();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
