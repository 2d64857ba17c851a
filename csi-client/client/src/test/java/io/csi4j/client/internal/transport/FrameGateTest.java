package io.csi4j.client.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.identity.IdentityService.Readiness;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.ConnectOptions.Transport;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiConnectException.Reason;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.scripted.ScriptedPlugin;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.ByteBufUtil;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A plugin that sends without end what says nothing costs neither memory nor anybody else time. */
class FrameGateTest {

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int PRIORITY = 2;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GOAWAY = 7;
  private static final int WINDOW_UPDATE = 8;
  private static final int CONTINUATION = 9;
  private static final int ACK = 1;

  /** What we would have queued acknowledgements of, if nobody stopped it. */
  private static final long MUCH = 32L << 20;

  /** Longer than any test here: a call that began before all of it. */
  private static final Duration LONG = Duration.ofMinutes(2);

  @TempDir Path directory;

  private final List<String> floods = new ArrayList<>();
  private final AtomicLong now = new AtomicLong();
  private final EmbeddedChannel channel = new EmbeddedChannel(new FrameGate(floods::add, now::get));

  @AfterEach
  void releaseWhatPassed() {
    channel.finishAndReleaseAll();
  }

  private static byte[] frame(int type, int flags, int length) {
    return frame(type, flags, length, type == SETTINGS || type == PING ? 0 : 1);
  }

  private static byte[] frame(int type, int flags, int length, int stream) {
    return ByteBuffer.allocate(9 + length)
        .put(new byte[] {0, (byte) (length >> 8), (byte) length, (byte) type, (byte) flags})
        .putInt(stream)
        .array();
  }

  private static int length(int type) {
    return switch (type) {
      case PING -> 8;
      case RST_STREAM, WINDOW_UPDATE -> 4;
      case PRIORITY -> 5;
      default -> 0;
    };
  }

  private static byte[] many(int type, int flags, int count) {
    byte[] one = frame(type, flags, length(type));
    ByteBuffer all = ByteBuffer.allocate(one.length * count);
    for (int i = 0; i < count; i++) {
      all.put(one);
    }
    return all.array();
  }

  private void comes(byte[] bytes) {
    channel.writeInbound(Unpooled.wrappedBuffer(bytes));
  }

  private byte[] passedBytes() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (ByteBuf each = channel.readInbound(); each != null; each = channel.readInbound()) {
      all.writeBytes(ByteBufUtil.getBytes(each));
      each.release();
    }
    return all.toByteArray();
  }

  private int passed() {
    return passedBytes().length;
  }

  // ---- on a real socket

  /** Greets like a plugin, then sends one frame again and again and reads nothing. */
  private static final class Flooding implements AutoCloseable {
    private final ServerSocketChannel server;

    /**
     * When gRPC greeted on each connection; what it floods comes after that. Who only looks whether
     * somebody listens says nothing, and is no connection.
     */
    private final List<Long> greeted = new CopyOnWriteArrayList<>();

    private final CompletableFuture<Long> sent = new CompletableFuture<>();

    Flooding(Path socket, byte[] chunk) throws IOException {
      server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      server.bind(UnixDomainSocketAddress.of(socket));
      Thread thread = new Thread(() -> serve(chunk), "flooding");
      thread.setDaemon(true);
      thread.start();
    }

    private void serve(byte[] chunk) {
      while (true) {
        long all = 0;
        try (SocketChannel client = server.accept()) {
          if (!isGreeted(client)) {
            continue;
          }
          greeted.add(System.nanoTime());
          client.write(ByteBuffer.wrap(frame(SETTINGS, 0, 0)));
          while (all < MUCH) {
            all += client.write(ByteBuffer.wrap(chunk));
          }
          sent.complete(all);
        } catch (IOException e) {
          if (!server.isOpen()) {
            sent.complete(all);
            return;
          }
          sent.complete(all);
        }
      }
    }

    private static boolean isGreeted(SocketChannel client) throws IOException {
      ByteBuffer greeting = ByteBuffer.allocate("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".length());
      while (greeting.hasRemaining()) {
        if (client.read(greeting) < 0) {
          return false;
        }
      }
      return true;
    }

    @Override
    public void close() throws IOException {
      server.close();
    }
  }

  private static ConnectOptions options(Transport transport) {
    return ConnectOptions.builder().transport(transport).allowUnsafeDirectory(true).build();
  }

  /** A connection that is being made: whoever waits for it may never see it between two floods. */
  private static Connection begun(CsiEndpoint endpoint, ConnectOptions options) {
    Connection connection = Connection.to(endpoint, options);
    connection.channel().getState(true);
    return connection;
  }

  @ParameterizedTest
  @CsvSource({"EPOLL,6,PING", "JDK,6,PING", "EPOLL,4,SETTINGS"})
  void whoAsksForAcknowledgementsAndReadsNoneIsCutOffAndConnectedAgainLater(
      Transport transport, int type, String name) throws Exception {
    CsiEndpoint endpoint = CsiEndpoint.of(directory.resolve("csi.sock"));
    try (Flooding peer = new Flooding(endpoint.path(), many(type, 0, 500));
        Connection connection = begun(endpoint, options(transport))) {
      assertThat(peer.sent.get(60, TimeUnit.SECONDS))
          .as("bytes until it was cut off")
          .isLessThan(MUCH / 4);

      CsiConnectException told = connection.diagnose(StatusCode.UNAVAILABLE, LONG);
      assertThat(told.reason()).isEqualTo(Reason.FLOODS);
      // Whichever is noticed first: the socket's own buffer holds many acknowledgements.
      assertThat(told.getMessage())
          .containsPattern(
              "it requests acknowledgements \\(HTTP/2 "
                  + name
                  + "\\) and does not read them; this is|it keeps sending HTTP/2 frames without"
                  + " content; this is")
          .containsPattern("this is flood number [1-9]");
      int before = peer.greeted.size();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (peer.greeted.size() == before && System.nanoTime() < end) {
        connection.resetBackoff();
        connection.channel().getState(true);
        TimeUnit.MILLISECONDS.sleep(20);
      }
      assertThat(peer.greeted).as("connected again").hasSizeGreaterThan(before);
      List<Long> times = List.copyOf(peer.greeted);
      for (int i = 1; i < times.size(); i++) {
        assertThat(times.get(i) - times.get(i - 1))
            .as("not connected during the pause after flood %d", i)
            .isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(1));
      }
    }
  }

  @Test
  void aFloodingPluginDelaysNoCallToAnother() throws Exception {
    CsiEndpoint flooded = CsiEndpoint.of(directory.resolve("flood.sock"));
    try (ScriptedPlugin well = ScriptedPlugin.start(directory.resolve("well.sock"));
        CsiPlugin other = CsiPlugin.connect(well.endpoint());
        Flooding peer = new Flooding(flooded.path(), many(PING, 0, 500));
        Connection connection = begun(flooded, options(Transport.EPOLL))) {
      for (int i = 0; i < 200; i++) {
        assertThat(other.identity().probe()).isEqualTo(Readiness.READY);
      }
      assertThat(peer.sent.get(60, TimeUnit.SECONDS)).isLessThan(MUCH / 4);
      assertThat(connection.diagnose(StatusCode.UNAVAILABLE, LONG).reason())
          .isEqualTo(Reason.FLOODS);
      assertThat(other.identity().probe()).isEqualTo(Readiness.READY);
      assertThat(well.calls(CsiOperation.PROBE)).hasSizeGreaterThanOrEqualTo(201);
    }
  }

  @Test
  void whoConnectsToAFloodingPluginHearsOfTheFlood() throws Exception {
    CsiEndpoint endpoint = CsiEndpoint.of(directory.resolve("csi.sock"));
    ConnectOptions patient = ConnectOptions.builder().deadline(Duration.ofSeconds(1)).build();
    try (Flooding peer = new Flooding(endpoint.path(), many(PING, 0, 500))) {
      assertThatExceptionOfType(CsiConnectException.class)
          .isThrownBy(() -> CsiPlugin.connect(endpoint, patient))
          .satisfies(told -> assertThat(told.reason()).isEqualTo(Reason.FLOODS))
          .withMessageContaining("; this is flood number ");
      assertThat(peer.greeted).isNotEmpty();
    }
  }

  // ---- what is counted

  @ParameterizedTest
  @CsvSource({
    "PRIORITY,2,0",
    "RST_STREAM,3,0",
    "WINDOW_UPDATE,8,0",
    "CONTINUATION,9,0",
    "empty DATA,0,0",
    "unknown,77,0",
    "acknowledged PING,6,1"
  })
  void framesThatCarryNothingAreCountedAndTheirFloodCutOff(String name, int type, int flags) {
    byte[] chunk = many(type, flags, 1_000);
    for (int i = 0; i < FrameGate.MOST_AT_ONCE / 1_000; i++) {
      comes(chunk);
    }
    assertThat(floods).as(name).isEmpty();
    assertThat(channel.isActive()).isTrue();
    passed();

    comes(chunk);

    assertThat(floods).containsExactly("it keeps sending HTTP/2 frames without content");
    assertThat(channel.isActive()).isFalse();
    assertThat(passed()).as("nothing of it goes on").isZero();
  }

  @Test
  void headersOfOneCallAreCountedBeyondThoseOfAUsualAnswer() {
    byte[] chunk = new byte[1_000 * 29];
    for (int i = 0; i < 1_000; i++) {
      System.arraycopy(frame(HEADERS, 4, 20, 1), 0, chunk, i * 29, 29);
    }
    for (int i = 0; i < FrameGate.MOST_AT_ONCE / 1_000; i++) {
      comes(chunk);
    }
    assertThat(floods).isEmpty();

    comes(chunk);

    assertThat(floods).containsExactly("it keeps sending HTTP/2 frames without content");
  }

  @Test
  void aMessageInPiecesOfAFewBytesIsCutOffHoweverSlowly() {
    comes(frame(HEADERS, 4, 20, 1));
    int pieces = 0;
    while (floods.isEmpty() && pieces < 2 * FrameGate.MOST_TRICKLED) {
      now.addAndGet(TimeUnit.SECONDS.toNanos(1));
      comes(frame(DATA, 0, 23));
      pieces++;
    }

    assertThat(floods).containsExactly("it sends messages in pieces of a few bytes");
    assertThat(pieces).isBetween(FrameGate.MOST_TRICKLED, FrameGate.MOST_TRICKLED + 20);
  }

  @Test
  void piecesThatAreWorthAFrameAreNotCounted() {
    for (int i = 0; i < 3 * FrameGate.MOST_AT_ONCE; i++) {
      comes(frame(DATA, 0, 24));
      passed();
    }

    assertThat(floods).isEmpty();
  }

  @Test
  void whoSendsSlowlyIsNeverCutOff() {
    byte[] chunk = many(PING, ACK, 1_000);
    for (int i = 0; i < 1_000; i++) {
      now.addAndGet(TimeUnit.MILLISECONDS.toNanos(60));
      comes(chunk);
    }

    assertThat(floods).isEmpty();
  }

  @Test
  void whatCarriesSomethingIsNotCounted() {
    for (int i = 0; i < 3 * FrameGate.MOST_AT_ONCE; i++) {
      comes(frame(HEADERS, 4, 20, 2 * i + 1));
      comes(frame(DATA, 0, 5, 2 * i + 1));
      comes(frame(WINDOW_UPDATE, 0, 4, 0));
      comes(frame(WINDOW_UPDATE, 0, 4, 2 * i + 1));
      comes(frame(DATA, 0, 100, 2 * i + 1));
      comes(frame(HEADERS, 5, 20, 2 * i + 1));
      comes(frame(RST_STREAM, 0, 4, 2 * i + 1));
      passed();
    }

    assertThat(floods).isEmpty();
    assertThat(channel.isActive()).isTrue();
  }

  @Test
  void theTextOfAGoodbyeIsTakenOutHoweverTheBytesAreCut() {
    byte[] goodbye = frame(GOAWAY, 0, 8 + 300);
    byte[] after = frame(DATA, 0, 11);
    byte[] expected = new byte[9 + 8 + after.length];
    System.arraycopy(frame(GOAWAY, 0, 8), 0, expected, 0, 17);
    System.arraycopy(after, 0, expected, 17, after.length);
    byte[] all = Arrays.copyOf(goodbye, goodbye.length + after.length);
    Arrays.fill(all, 17, goodbye.length, (byte) 'x');
    System.arraycopy(after, 0, all, goodbye.length, after.length);
    for (int size = 1; size <= all.length; size++) {
      for (int at = 0; at < all.length; at += size) {
        comes(Arrays.copyOfRange(all, at, Math.min(all.length, at + size)));
      }

      assertThat(passedBytes()).as("in pieces of " + size).isEqualTo(expected);
    }
  }

  @Test
  void framesAreToldApartHoweverTheBytesAreCut() {
    byte[] frames = many(CONTINUATION, 0, (int) FrameGate.MOST_AT_ONCE + 1);
    int at = 0;
    for (int size = 1; at < frames.length; size = size % 23 + 1) {
      int end = Math.min(frames.length, at + size);
      comes(Arrays.copyOfRange(frames, at, end));
      if (end < frames.length) {
        assertThat(floods).isEmpty();
      }
      at = end;
    }

    assertThat(floods).hasSize(1);
  }
}
