package io.csi4j.examples.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;

/**
 * Connections to one Redis server, in the protocol RESP2. Each connection carries one command at a
 * time. A reply is a {@code byte[]}, a {@code Long}, a list of replies, or null.
 */
final class RedisConnections {

  /** Maximum bytes of a reply; far more than a script of the store returns. */
  private static final int LONGEST = 128 << 20;

  private final InetSocketAddress server;
  private final int deadline;
  private final Deque<Line> idle = new ConcurrentLinkedDeque<>();
  private volatile boolean closed;

  RedisConnections(InetSocketAddress server, Duration deadline) {
    this.server = server;
    this.deadline = Math.toIntExact(deadline.toMillis());
  }

  /** The fate of a command that has no valid reply. */
  enum Fate {
    /** The server did not execute the command, and will not execute it. */
    REFUSED,
    /** The command was sent, and the server may have executed it. */
    UNKNOWN,
    /** The command was not sent, because this program had closed the connections. */
    CLOSED
  }

  /** Thrown when a command has no valid reply. The message is the reason, as a clause. */
  static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final Fate fate;

    Failure(Fate fate, String because, @Nullable Throwable cause) {
      super(because, cause);
      this.fate = fate;
    }

    Fate fate() {
      return fate;
    }
  }

  /** Sends a command that changes nothing. Sends it again if the connection had been lost. */
  @Nullable Object read(List<byte[]> command) {
    while (true) {
      boolean wasIdle = !idle.isEmpty();
      try {
        return write(command);
      } catch (Failure failure) {
        if (failure.fate() != Fate.UNKNOWN || !wasIdle) {
          throw failure;
        }
      }
    }
  }

  /** Sends a command once. */
  @Nullable Object write(List<byte[]> command) {
    if (closed) {
      throw new Failure(Fate.CLOSED, "the store was closed here", null);
    }
    Line line = idle.poll();
    if (line == null) {
      line = connect();
    }
    try {
      Object reply = line.ask(command);
      giveBack(line);
      return reply;
    } catch (Refusal refusal) {
      giveBack(line);
      throw new Failure(Fate.REFUSED, "Redis says '" + refusal.getMessage() + "'", refusal);
    } catch (IOException e) {
      // The other idle connections have most likely been lost, too.
      closeQuietly(line);
      closeIdle();
      throw new Failure(Fate.UNKNOWN, "the connection to Redis was lost (" + e + ")", e);
    }
  }

  private Line connect() {
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(deadline);
      socket.connect(server, deadline);
      return new Line(socket);
    } catch (IOException e) {
      closeQuietly(socket);
      throw new Failure(
          Fate.REFUSED, "Redis at " + server + " cannot be reached (" + e.getMessage() + ")", e);
    }
  }

  private void giveBack(Line line) {
    idle.push(line);
    if (closed) {
      closeIdle();
    }
  }

  private void closeIdle() {
    for (Line line = idle.poll(); line != null; line = idle.poll()) {
      closeQuietly(line);
    }
  }

  private static void closeQuietly(Closeable broken) {
    try {
      broken.close();
    } catch (IOException e) {
      // This connection is not used any more, so a failure to close it does not matter.
      return;
    }
  }

  /** Stops sending commands. A command that was already sent still gets its reply. */
  void close() {
    closed = true;
    closeIdle();
  }

  /** Thrown for a reply that the command was not executed. */
  private static final class Refusal extends IOException {
    private static final long serialVersionUID = 1L;

    Refusal(String message) {
      super(message);
    }
  }

  private static final class Line implements Closeable {
    private final Socket socket;
    private final InputStream in;

    Line(Socket socket) throws IOException {
      this.socket = socket;
      this.in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    }

    @Nullable Object ask(List<byte[]> command) throws IOException {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      out.writeBytes(("*" + command.size() + "\r\n").getBytes(US_ASCII));
      for (byte[] part : command) {
        out.writeBytes(("$" + part.length + "\r\n").getBytes(US_ASCII));
        out.writeBytes(part);
        out.writeBytes(new byte[] {'\r', '\n'});
      }
      out.writeTo(socket.getOutputStream());
      return reply();
    }

    private @Nullable Object reply() throws IOException {
      String line = line();
      String rest = line.substring(1);
      return switch (line.charAt(0)) {
        case '+' -> rest.getBytes(UTF_8);
        case '-' -> throw new Refusal(rest);
        case ':' -> Long.valueOf(rest);
        case '$' -> bytes(Integer.parseInt(rest));
        case '*' -> list(Integer.parseInt(rest));
        default -> throw new IOException("no reply of Redis begins with '" + line.charAt(0) + "'");
      };
    }

    private byte @Nullable [] bytes(int length) throws IOException {
      if (length < 0) {
        return null;
      }
      if (length > LONGEST) {
        throw new IOException("a reply has " + length + " bytes");
      }
      byte[] bytes = in.readNBytes(length);
      if (bytes.length < length || in.read() != '\r' || in.read() != '\n') {
        throw new EOFException("Redis has closed the connection");
      }
      return bytes;
    }

    private @Nullable List<@Nullable Object> list(int size) throws IOException {
      if (size < 0) {
        return null;
      }
      List<@Nullable Object> list = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        try {
          list.add(reply());
        } catch (Refusal inside) {
          // The rest of the reply is not read, so the connection can no longer be used.
          throw new IOException("Redis says inside a reply: " + inside.getMessage(), inside);
        }
      }
      return list;
    }

    private String line() throws IOException {
      StringBuilder line = new StringBuilder();
      for (int c = in.read(); c != '\r'; c = in.read()) {
        if (c < 0 || line.length() > 1 << 16) {
          throw new EOFException("Redis has closed the connection");
        }
        line.append((char) c);
      }
      if (in.read() != '\n' || line.isEmpty()) {
        throw new IOException("the server does not speak the protocol of Redis");
      }
      return line.toString();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
