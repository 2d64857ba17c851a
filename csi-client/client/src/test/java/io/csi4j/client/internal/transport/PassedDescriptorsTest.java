package io.csi4j.client.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.ConnectOptions.Transport;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.scripted.RawHttp2Peer;
import io.grpc.ConnectivityState;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.channel.unix.FileDescriptor;
import io.grpc.netty.shaded.io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Open files that a plugin passes along with its bytes do not get into this process. */
class PassedDescriptorsTest {

  private static final int PASSED = 10_000;

  private static final byte[] QUESTION =
      RawHttp2Peer.frame(6, 0, 0, "finished".getBytes(StandardCharsets.US_ASCII));

  @TempDir Path directory;

  /**
   * Greets, passes descriptors within frames that mean nothing, and waits for an answer. Returns
   * the connection, which is still open.
   */
  private static Socket serve(Socket server, int bytesBeside) throws IOException {
    Socket client = accept(server);
    FileDescriptor passed = FileDescriptor.from("/dev/null");
    try {
      write(client, RawHttp2Peer.frame(4, 0, 0));
      byte[] head = RawHttp2Peer.frame(77, 0, 0);
      head[2] = (byte) bytesBeside;
      for (int i = 0; i < PASSED; i++) {
        write(client, head);
        while (client.sendFd(passed.intValue()) <= 0) {
          LockSupport.parkNanos(10_000);
        }
      }
      write(client, QUESTION);
      // Its answer comes last: then the client has read all that was before.
      String seen = "";
      ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
      while (!seen.contains("finished")) {
        int read = client.read(buffer, 0, buffer.capacity());
        byte[] bytes = new byte[Math.max(0, read)];
        buffer.get(0, bytes);
        seen += new String(bytes, StandardCharsets.ISO_8859_1);
      }
      return client;
    } finally {
      passed.close();
    }
  }

  private static Socket accept(Socket server) throws IOException {
    int accepted = server.accept(new byte[256]);
    while (accepted < 0) {
      LockSupport.parkNanos(100_000);
      accepted = server.accept(new byte[256]);
    }
    return new Socket(accepted);
  }

  /** How many bytes netty sends along with a descriptor: a socket passes none without any. */
  private static int bytesBeside(Socket server, Path path) throws IOException {
    try (SocketChannel reader = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
      Socket client = accept(server);
      FileDescriptor passed = FileDescriptor.from("/dev/null");
      try {
        assertThat(client.sendFd(passed.intValue())).isPositive();
        return reader.read(ByteBuffer.allocate(1000));
      } finally {
        passed.close();
        client.close();
      }
    }
  }

  private static void write(Socket client, byte[] bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length).put(bytes);
    int at = 0;
    while (at < bytes.length) {
      at += Math.max(0, client.write(buffer, at, bytes.length));
    }
  }

  private static long open() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.filter(PassedDescriptorsTest::isNull).count();
    }
  }

  private static boolean isNull(Path link) {
    try {
      return Files.readSymbolicLink(link).equals(Path.of("/dev/null"));
    } catch (IOException gone) {
      return false;
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void noneIsReceivedAndNoneStaysOpen(Transport transport) throws Exception {
    Epoll.ensureAvailability();
    Path path = directory.resolve("csi.sock");
    long before = open();
    Socket server = Socket.newSocketDomain();
    server.bind(new DomainSocketAddress(path.toString()));
    server.listen(4);
    int bytesBeside = bytesBeside(server, path);
    CompletableFuture<Socket> served = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                served.complete(serve(server, bytesBeside));
              } catch (IOException | RuntimeException e) {
                served.completeExceptionally(e);
              }
            },
            "passing-descriptors");
    thread.setDaemon(true);
    thread.start();
    ConnectOptions options = ConnectOptions.builder().transport(transport).build();
    try (Connection connection =
        Connection.open(CsiEndpoint.of(path), options, Duration.ofSeconds(20))) {
      Socket client = served.get(50, TimeUnit.SECONDS);

      assertThat(open()).isEqualTo(before);
      assertThat(connection.generation()).as("it was not lost before all were passed").isOne();
      assertThat(connection.channel().getState(false)).isNotEqualTo(ConnectivityState.SHUTDOWN);
      client.close();
    } finally {
      server.close();
    }
  }
}
