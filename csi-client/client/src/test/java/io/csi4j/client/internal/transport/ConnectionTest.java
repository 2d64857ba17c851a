package io.csi4j.client.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.ConnectOptions.Transport;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiConnectException.Reason;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PeerCredentials;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.scripted.ScriptedPlugin;
import io.csi4j.client.scripted.Wire;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.netty.channel.SingleThreadIoEventLoop;
import io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLoggerFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.JdkLoggerFactory;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** On real sockets. The paths of the build's temporary directory have to leave room for a name. */
class ConnectionTest {

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(120);

  @TempDir Path dir;

  /** The first connections of a process take longer than some deadlines of these tests. */
  @BeforeAll
  static void warmUp(@TempDir Path dir) {
    try (ScriptedPlugin plugin = ScriptedPlugin.start(dir.resolve("s"))) {
      for (Transport transport : Transport.values()) {
        open(transport, plugin.socket(), LONG, options -> options).close();
      }
    }
  }

  @AfterEach
  void noThreadOfAConnectionIsLeft() {
    eventually(() -> ourThreads().isEmpty());
  }

  // Success

  @ParameterizedTest
  @EnumSource(Transport.class)
  void aPluginThatListensIsConnected(Transport transport) {
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket());
        Connection connection = open(transport)) {
      assertThat(connection.transport())
          .isEqualTo(transport == Transport.AUTO ? Transport.EPOLL : transport);
      assertThat(connection.generation()).isEqualTo(1);
      probe(connection);
      assertThat(plugin.calls()).hasSize(1);
      assertThat(plugin.calls().get(0).authority()).isEqualTo("localhost");
    }
  }

  @Test
  void epollTellsTheProcessAndTheUserOfThePeer() {
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket());
        Connection connection = open(Transport.EPOLL)) {
      assertThat(connection.peer())
          .isEqualTo(
              new PeerCredentials(
                  OptionalInt.of((int) ProcessHandle.current().pid()), OptionalInt.of(ourUid())));
    }
  }

  @Test
  void socketsOfTheJdkTellTheUserOfThePeer() {
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket());
        Connection connection = open(Transport.JDK)) {
      assertThat(connection.peer())
          .isEqualTo(new PeerCredentials(OptionalInt.empty(), OptionalInt.of(ourUid())));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void theRequiredUserIsLetThrough(Transport transport) {
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket());
        Connection connection = open(transport, options -> options.requirePeerUid(ourUid()))) {
      probe(connection);
      assertThat(connection.peer().uid()).hasValue(ourUid());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void aPluginThatComesLateIsWaitedFor(Transport transport) throws Exception {
    Future<Connection> opening = openElsewhere(transport);
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket());
        Connection connection = opening.get()) {
      probe(connection);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void aPluginBehindAStaleSocketFileIsWaitedFor(Transport transport) throws Exception {
    leaveStaleSocket(socket());
    Future<Connection> opening = openElsewhere(transport);
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket());
        Connection connection = opening.get()) {
      probe(connection);
    }
  }

  @Test
  void connectingMakesOneConnectionAndNoOther() throws Exception {
    Future<CsiConnectException> opening =
        elsewhere(() -> failure(Transport.JDK, Duration.ofMillis(400), options -> options));
    try (RawPeer peer = RawPeer.silent(socket())) {
      assertThat(opening.get().reason()).isEqualTo(Reason.NO_ANSWER);
      assertThat(peer.accepted()).isEqualTo(1);
    }
  }

  @Test
  void aLinkedDirectoryOnTheWayIsFine() throws IOException {
    Path inner = Files.createDirectories(dir.resolve("real/inner"));
    Path linked = Files.createSymbolicLink(dir.resolve("linked"), dir.resolve("real"));
    try (ScriptedPlugin plugin = ScriptedPlugin.start(inner.resolve("csi.sock"));
        Connection connection =
            open(Transport.AUTO, linked.resolve("inner/csi.sock"), LONG, options -> options)) {
      probe(connection);
    }
  }

  @Test
  void aLinkIsFollowedIfTheOptionsAllowIt() throws IOException {
    Path link = Files.createSymbolicLink(dir.resolve("link"), socket());
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket());
        Connection connection =
            open(Transport.AUTO, link, LONG, options -> options.allowSymlink(true))) {
      probe(connection);
    }
  }

  // Failures that waiting cannot mend: all of them come long before the deadline of these tests.

  @ParameterizedTest
  @EnumSource(Transport.class)
  @Tag("F15")
  void aPathBeyondTheLimitIsRefusedWithBothNumbers(Transport transport) {
    int limit = transport == Transport.JDK ? 106 : 107;
    Path path = Path.of("/" + "x".repeat(limit));
    CsiConnectException failure = failure(transport, path, LONG, options -> options);
    assertFailure(failure, Reason.PATH_TOO_LONG, StatusCode.INVALID_ARGUMENT);
    assertThat(failure)
        .as("F15: refused with both numbers")
        .hasMessageContaining(limit + 1 + " bytes")
        .hasMessageContaining(limit + "");
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void aPathAtTheLimitIsUsed(Transport transport) {
    int limit = transport == Transport.JDK ? 106 : 107;
    int rest = limit - dir.toString().length() - 1;
    Path path = dir.resolve("ü".repeat(rest / 2) + "x".repeat(rest % 2));
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket())) {
      // The server uses sockets of the JDK, which cannot have the longest name of epoll.
      Files.move(socket(), path);
      open(transport, path, LONG, options -> options).close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aLinkInPlaceOfTheSocketIsRefused() throws IOException {
    Path link = Files.createSymbolicLink(dir.resolve("link"), socket());
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket())) {
      CsiConnectException failure = failure(Transport.AUTO, link, LONG, options -> options);
      assertFailure(failure, Reason.SYMLINK, StatusCode.INVALID_ARGUMENT);
      assertThat(failure).hasMessageContaining("symbolic link to '" + socket() + "'");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a regular file", "a directory", "a named pipe", "a device"})
  void somethingElseThanASocketIsRefused(String kind) throws Exception {
    Path path = dir.resolve("thing");
    switch (kind) {
      case "a regular file" -> Files.createFile(path);
      case "a directory" -> Files.createDirectory(path);
      case "a named pipe" -> run("mkfifo", path.toString());
      default -> path = Path.of("/dev/null");
    }
    CsiConnectException failure = failure(Transport.AUTO, path, LONG, options -> options);
    assertFailure(failure, Reason.NOT_A_SOCKET, StatusCode.INVALID_ARGUMENT);
    assertThat(failure).hasMessageContaining("there is " + kind + " at '" + path + "'");
  }

  @Test
  void aSocketThatIsNotThereOrHasNoListenerIsToldAtOnceIfItIsNotToBeWaitedFor() throws Exception {
    Path path = dir.resolve("csi.sock");
    long begun = System.nanoTime();
    CsiConnectException missing = failure(Transport.AUTO, path, LONG, o -> o.waitForSocket(false));
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(path));
    }
    CsiConnectException dead = failure(Transport.AUTO, path, LONG, o -> o.waitForSocket(false));

    assertThat(missing.reason()).isEqualTo(Reason.NO_SUCH_SOCKET);
    assertThat(dead.reason()).isEqualTo(Reason.NOBODY_LISTENING);
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LONG);
  }

  @ParameterizedTest
  @ValueSource(strings = {"rwxrwxrwx", "sticky"})
  void aSocketInADirectoryWhereEverybodyWritesIsRefused(String mode) throws Exception {
    Path open = Files.createDirectory(dir.resolve("open"));
    run("chmod", mode.equals("sticky") ? "1777" : "0777", open.toString());
    Path path = open.resolve("csi.sock");
    try (ScriptedPlugin plugin = ScriptedPlugin.start(path)) {
      CsiConnectException failure = failure(Transport.AUTO, path, LONG, options -> options);
      assertFailure(failure, Reason.UNSAFE_DIRECTORY, StatusCode.INVALID_ARGUMENT);
      assertThat(failure)
          .hasMessageContaining("'" + open + "' (owner uid " + ourUid())
          .hasMessageContaining("777)");
      open(Transport.AUTO, path, LONG, options -> options.allowUnsafeDirectory(true)).close();
    }
  }

  @Test
  void anAncestorWhereEverybodyWritesIsRefusedUnlessItIsSticky() throws Exception {
    Path open = Files.createDirectory(dir.resolve("open"));
    Path inner = Files.createDirectory(open.resolve("inner"));
    Path path = inner.resolve("csi.sock");
    try (ScriptedPlugin plugin = ScriptedPlugin.start(path)) {
      run("chmod", "0777", open.toString());
      assertFailure(
          failure(Transport.AUTO, path, LONG, options -> options),
          Reason.UNSAFE_DIRECTORY,
          StatusCode.INVALID_ARGUMENT);
      run("chmod", "1777", open.toString());
      open(Transport.AUTO, path, LONG, options -> options).close();
    }
  }

  @Test
  void aDirectoryBehindALinkIsLookedAtToo() throws Exception {
    Path open = Files.createDirectory(dir.resolve("open"));
    Files.createDirectory(open.resolve("inner"));
    Path linked = Files.createSymbolicLink(dir.resolve("linked"), open.resolve("inner"));
    Path path = linked.resolve("csi.sock");
    try (ScriptedPlugin plugin = ScriptedPlugin.start(path)) {
      run("chmod", "0777", open.toString());
      assertFailure(
          failure(Transport.AUTO, path, LONG, options -> options.allowSymlink(true)),
          Reason.UNSAFE_DIRECTORY,
          StatusCode.INVALID_ARGUMENT);
    }
  }

  @Test
  void aDirectoryThatIsALinkIsRefused() throws Exception {
    Path inner = Files.createDirectory(dir.resolve("inner"));
    Path linked = Files.createSymbolicLink(dir.resolve("linked"), inner);
    Path path = linked.resolve("csi.sock");
    try (ScriptedPlugin plugin = ScriptedPlugin.start(path)) {
      CsiConnectException failure = failure(Transport.AUTO, path, LONG, options -> options);
      assertFailure(failure, Reason.SYMLINK, StatusCode.INVALID_ARGUMENT);
      assertThat(failure.failure().why())
          .isEqualTo(
              "the directory of the socket, '"
                  + linked
                  + "', is a symbolic link, and a user who can change it can redirect the"
                  + " connection");
      open(Transport.AUTO, path, LONG, options -> options.allowSymlink(true)).close();
      open(Transport.AUTO, path, LONG, options -> options.allowUnsafeDirectory(true)).close();
      open(Transport.AUTO, inner.resolve("csi.sock"), LONG, options -> options).close();
    }
  }

  @Test
  void aLinkFartherUpIsFollowedAndAllOnItsWayLookedAt() throws Exception {
    Path open = Files.createDirectory(dir.resolve("open"));
    Path inner = Files.createDirectories(dir.resolve("real/inner"));
    Files.createSymbolicLink(open.resolve("second"), dir.resolve("real"));
    Path first = Files.createSymbolicLink(dir.resolve("first"), open.resolve("second"));
    Path path = first.resolve("inner/csi.sock");
    try (ScriptedPlugin plugin = ScriptedPlugin.start(inner.resolve("csi.sock"))) {
      open(Transport.AUTO, path, LONG, options -> options).close();
      run("chmod", "0777", open.toString());
      CsiConnectException failure = failure(Transport.AUTO, path, LONG, options -> options);
      assertFailure(failure, Reason.UNSAFE_DIRECTORY, StatusCode.INVALID_ARGUMENT);
      assertThat(failure).hasMessageContaining("'" + open + "' (owner uid ");
    }
  }

  @Test
  void aDirectoryWhereAGroupMayWriteIsRefused() throws Exception {
    Path open = Files.createDirectory(dir.resolve("open"));
    run("chmod", "0775", open.toString());
    Path path = open.resolve("csi.sock");
    try (ScriptedPlugin plugin = ScriptedPlugin.start(path)) {
      CsiConnectException failure = failure(Transport.AUTO, path, LONG, options -> options);
      assertFailure(failure, Reason.UNSAFE_DIRECTORY, StatusCode.INVALID_ARGUMENT);
      int gid = (Integer) Files.getAttribute(open, "unix:gid");
      assertThat(failure.failure().why())
          .isEqualTo(
              ("group %d may write to the directory '%s' (owner uid %d, gid %d, mode 0775) and"
                      + " could replace the socket")
                  .formatted(gid, open, ourUid(), gid));
      assertThat(failure.advice())
          .isEqualTo(
              "Remove the permission (chmod g-w), or allow unsafe directories in the options.");
      open(Transport.AUTO, path, LONG, options -> options.allowUnsafeDirectory(true)).close();
    }
  }

  @Test
  void aDirectoryOfAnotherUserIsRefusedUnlessThatUserHasToListen() throws Exception {
    assumeTrue(ourUid() == 0, "only root can give a directory to another user");
    Path theirs = Files.createDirectory(dir.resolve("theirs"));
    Path inner = Files.createDirectory(theirs.resolve("inner"));
    run("chown", "12345", theirs.toString());
    Path path = inner.resolve("csi.sock");
    try (ScriptedPlugin plugin = ScriptedPlugin.start(path)) {
      CsiConnectException failure = failure(Transport.AUTO, path, LONG, options -> options);
      assertFailure(failure, Reason.UNSAFE_DIRECTORY, StatusCode.INVALID_ARGUMENT);
      assertThat(failure.failure().why())
          .startsWith("another user owns the directory '" + theirs + "' (owner uid 12345, gid ")
          .endsWith(") and could replace the socket");
      open(Transport.AUTO, path, LONG, options -> options.allowUnsafeDirectory(true)).close();
      assertFailure(
          failure(Transport.AUTO, path, LONG, options -> options.requirePeerUid(12345)),
          Reason.WRONG_PEER,
          StatusCode.PERMISSION_DENIED);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void anotherUserThanTheRequiredOneGetsNotOneByte(Transport transport) {
    int other = ourUid() + 12345;
    try (RawPeer peer = RawPeer.silent(socket())) {
      CsiConnectException failure =
          failure(transport, LONG, options -> options.requirePeerUid(other));
      assertFailure(failure, Reason.WRONG_PEER, StatusCode.PERMISSION_DENIED);
      assertThat(failure)
          .hasMessageContaining("user " + ourUid() + " ")
          .hasMessageContaining("user " + other + " is required");
      assertThat(peer.received()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void aPeerThatSpeaksSomethingElseIsShownByItsFirstBytes(Transport transport) {
    byte[] http = "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    byte[] tlsAlert = {0x15, 3, 1, 0, 2, 2, 0x46};
    byte[] random = new byte[64];
    new Random(7).nextBytes(random);
    for (byte[] greeting : List.of(http, tlsAlert, random)) {
      try (RawPeer peer = RawPeer.saying(socket(), greeting, true)) {
        CsiConnectException failure = failure(transport, LONG, options -> options);
        assertFailure(failure, Reason.NOT_GRPC, StatusCode.UNAVAILABLE);
        String shown =
            HexFormat.ofDelimiter(" ").formatHex(greeting, 0, Math.min(16, greeting.length));
        assertThat(failure).hasMessageContaining("its first bytes are " + shown + " (");
      } finally {
        deleteSocket();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void aPeerThatSaysTooLittleToBeSureIsJudgedAtTheDeadline(Transport transport) {
    try (RawPeer peer = RawPeer.saying(socket(), new byte[] {'h', 'i'}, false)) {
      CsiConnectException failure = failure(transport, SHORT, options -> options);
      assertFailure(failure, Reason.NOT_GRPC, StatusCode.UNAVAILABLE);
      assertThat(failure).hasMessageContaining("68 69");
    }
  }

  @Test
  void onlyASettingsFrameIsABeginningOfHttp2() {
    byte[] settings = HexFormat.of().parseHex("00001204000000000000037fffffff00");
    for (int length = 0; length <= settings.length; length++) {
      assertThat(PeerGate.beginsLikeHttp2(Arrays.copyOf(settings, length))).isTrue();
    }
    Random random = new Random(11);
    for (int round = 0; round < 1000; round++) {
      byte[] bytes = new byte[9 + random.nextInt(8)];
      random.nextBytes(bytes);
      boolean settingsFrame =
          bytes[0] == 0
              && bytes[3] == 4
              && (bytes[5] & 0x7F) == 0
              && bytes[6] == 0
              && bytes[7] == 0
              && bytes[8] == 0;
      assertThat(PeerGate.beginsLikeHttp2(bytes)).isEqualTo(settingsFrame);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void aSocketThatWeMayNotWriteToIsRefusedWithOwnerModeAndOurUid(Transport transport)
      throws Exception {
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket())) {
      Files.setPosixFilePermissions(socket(), PosixFilePermissions.fromString("---------"));
      assertThat(openWithoutPrivilege(transport, socket()))
          .startsWith("PERMISSION_DENIED PERMISSION_DENIED Connecting to unix://" + socket())
          .contains(
              "may not write to the socket '"
                  + socket()
                  + "' (owner uid "
                  + ourUid()
                  + ", gid "
                  + Files.getAttribute(socket(), "unix:gid")
                  + ", mode 0000, our uid is "
                  + ourUid()
                  + ")");
    }
  }

  @Test
  void aDirectoryThatWeMayNotSearchIsRefusedWithOwnerModeAndOurUid() throws Exception {
    Path closed = Files.createDirectory(dir.resolve("closed"));
    Path path = Files.createDirectory(closed.resolve("inner")).resolve("csi.sock");
    try (ScriptedPlugin plugin = ScriptedPlugin.start(path)) {
      Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rw-------"));
      try {
        assertThat(openWithoutPrivilege(Transport.JDK, path))
            .startsWith("PERMISSION_DENIED PERMISSION_DENIED Connecting to unix://" + path)
            .contains("may not search the directory '" + closed + "' (owner uid " + ourUid())
            .contains("mode 0600, our uid is " + ourUid() + ")");
      } finally {
        // Before the plugin stops, which removes its socket.
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
      }
    }
  }

  @Test
  void withoutTheNativeLibraryEpollIsRefusedWithTheCause() throws Exception {
    String off = "-Dio.grpc.netty.shaded.io.netty.transport.noNative=true";
    assertThat(openInChild(List.of(), off, Transport.EPOLL, socket()))
        .startsWith("NO_TRANSPORT UNAVAILABLE")
        .contains("noNative");
  }

  @Test
  void withoutTheNativeLibrarySocketsOfTheJdkAreUsed() throws Exception {
    String off = "-Dio.grpc.netty.shaded.io.netty.transport.noNative=true";
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket())) {
      assertThat(openInChild(List.of(), off, Transport.AUTO, socket()))
          .isEqualTo("connected with JDK");
    }
  }

  // Failures that may pass

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void anAbsentSocketIsReportedAtTheDeadlineWithTheDirectoryThatExists(Transport transport) {
    CsiConnectException failure = failure(transport, SHORT, options -> options);
    assertFailure(failure, Reason.NO_SUCH_SOCKET, StatusCode.UNAVAILABLE);
    assertThat(failure)
        .hasMessageContaining("no socket 's' in the directory '" + dir + "', which exists");
  }

  @Test
  void anAbsentDirectoryIsReportedWithTheOneThatExists() {
    Path path = dir.resolve("a/b/csi.sock");
    CsiConnectException failure = failure(Transport.AUTO, path, SHORT, options -> options);
    assertFailure(failure, Reason.NO_SUCH_SOCKET, StatusCode.UNAVAILABLE);
    assertThat(failure)
        .hasMessageContaining("no directory '" + dir + "/a/b'; '" + dir + "' exists");
  }

  @Test
  void aFileOnTheWayAndALinkToNothingAreReported() throws IOException {
    Files.createFile(dir.resolve("file"));
    Path link = Files.createSymbolicLink(dir.resolve("link"), dir.resolve("nothing"));
    CsiConnectException failure =
        failure(Transport.AUTO, dir.resolve("file/s"), SHORT, options -> options);
    assertFailure(failure, Reason.NO_SUCH_SOCKET, StatusCode.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("'" + dir + "/file' is not a directory");
    failure = failure(Transport.AUTO, link, SHORT, options -> options.allowSymlink(true));
    assertFailure(failure, Reason.NO_SUCH_SOCKET, StatusCode.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("'" + link + "' leads to nothing");
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void aStaleSocketFileIsReportedAtTheDeadline(Transport transport) {
    leaveStaleSocket(socket());
    CsiConnectException failure = failure(transport, SHORT, options -> options);
    assertFailure(failure, Reason.NOBODY_LISTENING, StatusCode.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("no process listens on it");
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void silenceIsReportedAtTheDeadline(Transport transport) {
    try (RawPeer peer = RawPeer.silent(socket())) {
      CsiConnectException failure = failure(transport, SHORT, options -> options);
      assertFailure(failure, Reason.NO_ANSWER, StatusCode.DEADLINE_EXCEEDED);
      assertThat(failure).hasMessageContaining("accepts the connection and stays silent");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void hangingUpIsReportedAtTheDeadline(Transport transport) {
    try (RawPeer peer = RawPeer.hangingUp(socket())) {
      CsiConnectException failure = failure(transport, Duration.ofMillis(300), options -> options);
      assertFailure(failure, Reason.NO_ANSWER, StatusCode.DEADLINE_EXCEEDED);
      assertThat(failure).hasMessageContaining("accepts the connection and closes it again");
      assertThat(peer.accepted()).isGreaterThan(1);
    }
  }

  @Test
  void anInterruptEndsTheWait() throws Exception {
    CompletableFuture<CsiConnectException> failed = new CompletableFuture<>();
    CompletableFuture<Boolean> flag = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              failed.complete(failure(Transport.AUTO, LONG, options -> options));
              flag.complete(Thread.currentThread().isInterrupted());
            });
    thread.start();
    eventually(() -> thread.getState() == Thread.State.TIMED_WAITING);
    thread.interrupt();
    assertFailure(failed.get(), Reason.INTERRUPTED, StatusCode.CANCELLED);
    assertThat(flag.get()).isTrue();
    assertThat(ourThreads()).isEmpty();
  }

  // Explaining failed calls

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void aDiagnosisTellsWhatHasBecomeOfTheSocket(Transport transport) throws Exception {
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket());
        Connection connection = open(transport)) {
      assertDiagnosis(connection, Reason.NO_ANSWER, "a process listens on the socket again");
      plugin.stop();
      assertDiagnosis(connection, Reason.NO_SUCH_SOCKET, "no socket 's'");
      leaveStaleSocket(socket());
      assertDiagnosis(connection, Reason.NOBODY_LISTENING, "no process listens");
      Files.delete(socket());
      Files.createFile(socket());
      assertDiagnosis(connection, Reason.NOT_A_SOCKET, "a regular file");
      Files.delete(socket());
      byte[] greeting = "SSH-2.0-OpenSSH\r\n".getBytes(StandardCharsets.US_ASCII);
      try (RawPeer peer = RawPeer.saying(socket(), greeting, true)) {
        eventually(
            () -> {
              connection.resetBackoff();
              connection.channel().getState(true);
              CsiConnectException now = connection.diagnose(StatusCode.UNAVAILABLE, SHORT);
              return now.reason() == Reason.NOT_GRPC;
            });
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void anotherUserWhoTakesOverTheSocketGetsNotOneByte(Transport transport) throws Exception {
    assumeTrue(ourUid() == 0, "only root can start a listener that runs as another user");
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket());
        Connection connection = open(transport, options -> options.requirePeerUid(0))) {
      plugin.stop();
      // The capabilities let it read the class path and write to our directory.
      List<String> command =
          new ArrayList<>(
              List.of(
                  "setpriv",
                  "--reuid=65534",
                  "--clear-groups",
                  "--inh-caps=+dac_override,+dac_read_search",
                  "--ambient-caps=+dac_override,+dac_read_search"));
      command.addAll(java("-Dnothing", ListenMain.class, socket().toString()));
      Path output = dir.resolve("listener.out");
      Process listener =
          new ProcessBuilder(command)
              .redirectOutput(output.toFile())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try {
        eventually(() -> linesOf(output).contains("listening"));
        eventually(
            () -> {
              connection.resetBackoff();
              assertThat(status(connection)).isEqualTo(Status.Code.UNAVAILABLE);
              CsiConnectException now = connection.diagnose(StatusCode.UNAVAILABLE, SHORT);
              return now.reason() == Reason.WRONG_PEER;
            });
        assertThat(connection.peer().uid()).hasValue(65534);
        eventually(() -> linesOf(output).size() > 1);
        assertThat(linesOf(output).stream().skip(1)).containsOnly("0 bytes");
      } finally {
        listener.destroyForcibly().waitFor();
      }
    }
  }

  @Test
  void aLinkThatTakesTheSocketsPlaceIsNotFollowed() throws Exception {
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket());
        ScriptedPlugin other = ScriptedPlugin.start(dir.resolve("other"));
        Connection connection = open(Transport.AUTO)) {
      plugin.stop();
      Files.createSymbolicLink(socket(), other.socket());
      eventually(() -> connection.generation() == 2);
      connection.resetBackoff();
      assertThat(status(connection)).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(other.calls()).isEmpty();
      assertDiagnosis(connection, Reason.SYMLINK, "symbolic link to '" + other.socket() + "'");
    }
  }

  // Life and death

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void aRestartedPluginIsReachableAgain(Transport transport) {
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket());
        Connection connection = open(transport)) {
      for (int restart = 1; restart <= 20; restart++) {
        plugin.stop();
        assertThat(status(connection)).isEqualTo(Status.Code.UNAVAILABLE);
        plugin.start();
        probeUntilItWorks(connection);
        assertThat(connection.generation()).isEqualTo(1 + 2L * restart);
      }
    }
  }

  @Tag("campaign")
  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  @Tag("C10")
  void aThousandReconnectsLeaveNothingBehind(Transport transport) throws Exception {
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket());
        Connection connection = open(transport)) {
      plugin.recording(false);
      long files = 0;
      long threads = 0;
      for (int round = 0; round < 1000; round++) {
        plugin.kill();
        plugin.start();
        probeUntilItWorks(connection);
        if (round == 100) {
          files = openFiles();
          threads = Thread.getAllStackTraces().size();
        }
      }
      assertThat(openFiles())
          .as("C10: a thousand restarts leave nothing behind")
          .isLessThanOrEqualTo(files + 3);
      assertThat(Thread.getAllStackTraces().size()).isLessThanOrEqualTo((int) threads + 3);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void fiftyConnectionsLeaveNothingBehind(Transport transport) throws Exception {
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket())) {
      open(transport).close();
      List<String> threads = threadNames();
      long files = openFiles();
      for (int round = 0; round < 50; round++) {
        try (Connection connection = open(transport)) {
          probe(connection);
          assertThat(ourThreads()).hasSize(1).allMatch(name -> name.startsWith("csi4j-io-"));
          CountDownLatch ran = new CountDownLatch(1);
          connection.callbacks().execute(ran::countDown);
          ran.await();
        }
        assertThat(ourThreads()).isEmpty();
      }
      assertThat(threadNames().stream().filter(name -> !name.startsWith("scripted-")))
          .isSubsetOf(threads);
      eventually(() -> openFiles() <= files);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void failuresToConnectLeaveNothingBehind(Transport transport) throws Exception {
    try (RawPeer peer = RawPeer.saying(socket(), new byte[64], true)) {
      assertFailure(
          failure(transport, LONG, options -> options), Reason.NOT_GRPC, StatusCode.UNAVAILABLE);
      long files = openFiles();
      for (int round = 0; round < 20; round++) {
        failure(transport, Duration.ofMillis(20), options -> options);
        assertThat(ourThreads()).isEmpty();
      }
      eventually(() -> openFiles() <= files);
    }
  }

  @Test
  void onlyTheIoThreadAppearsForAConnection() {
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket())) {
      open(Transport.JDK).close();
      List<String> before = threadNames();
      try (Connection connection = open(Transport.AUTO)) {
        probe(connection);
        List<String> more = new ArrayList<>(threadNames());
        more.removeAll(before);
        more.removeIf(name -> name.startsWith("scripted-"));
        assertThat(more).hasSize(1).allMatch(name -> name.startsWith("csi4j-io-"));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void closingEndsACallThatHangs(Transport transport) throws Exception {
    CountDownLatch hangs = new CountDownLatch(1);
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket())) {
      plugin.on(CsiOperation.PROBE, (call, reply) -> hangs.countDown());
      Connection connection = open(transport);
      Future<Message> call = call(connection.channel(), CsiOperation.PROBE);
      hangs.await();
      long closing = System.nanoTime();
      connection.close();
      // Well below the two seconds that netty would wait for more work, left to itself.
      assertThat(Duration.ofNanos(System.nanoTime() - closing)).isLessThan(Duration.ofSeconds(1));
      connection.close();
      assertThat(call).isDone();
      assertThat(catchThrowableOfType(ExecutionException.class, call::get))
          .cause()
          .satisfies(
              e ->
                  assertThat(Status.fromThrowable(e).getCode()).isEqualTo(Status.Code.UNAVAILABLE));
      assertThat(ourThreads()).isEmpty();
    }
  }

  /** An ending loop cancels its timers; those set after that are cancelled by their owners. */
  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void aCallThatStartsAsTheIoThreadEndsHasAnEnd(Transport transport) {
    Queue<Runnable> held = new ConcurrentLinkedQueue<>();
    CompletableFuture<Future<Message>> started = new CompletableFuture<>();
    CompletableFuture<Future<?>> timer = new CompletableFuture<>();
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket())) {
      Connection connection = open(transport, options -> options.callbackExecutor(held::add));
      SingleThreadIoEventLoop loop = (SingleThreadIoEventLoop) connection.loop();
      // A call that is made before the channel has ended gets a timer, however late it starts.
      ClientCall<Message, Message> made =
          connection
              .channel()
              .newCall(
                  Wire.method(CsiOperation.PROBE),
                  CallOptions.DEFAULT
                      .withExecutor(connection.callbacks())
                      .withDeadlineAfter(20, TimeUnit.SECONDS));
      atTheEndOf(
          loop,
          () -> {
            started.complete(ClientCalls.futureUnaryCall(made, Wire.request(CsiOperation.PROBE)));
            timer.complete(loop.schedule(() -> {}, 20, TimeUnit.SECONDS));
          });
      connection.close();
      assertThat(loop.isTerminated()).isTrue();
    }
    assertThat(started).isCompleted();
    Future<Message> call = started.join();
    assertThat(call).isNotDone();
    held.forEach(Runnable::run);
    assertThat(call).isDone();
    assertThat(catchThrowableOfType(ExecutionException.class, call::get))
        .cause()
        .satisfies(
            e -> assertThat(Status.fromThrowable(e).getCode()).isEqualTo(Status.Code.UNAVAILABLE));
    assertThat(timer.join().cancel(false)).isTrue();
  }

  /**
   * Runs a task on an event loop after the loop has cancelled its timers for the last time. An
   * ending loop several times cancels its timers and runs the tasks that wait, or its hooks if
   * there are none.
   */
  private static void atTheEndOf(SingleThreadIoEventLoop loop, Runnable task) {
    if (loop.isShutdown()) {
      task.run();
      return;
    }
    loop.addShutdownHook(
        () -> {
          if (loop.isShutdown()) {
            task.run();
          } else {
            loop.execute(() -> atTheEndOf(loop, task));
          }
        });
  }

  @Test
  void closingFromACallbackReturns() {
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket())) {
      Connection connection = open(Transport.AUTO);
      CompletableFuture.runAsync(connection::close, connection.callbacks()).join();
    }
  }

  @Test
  void closingFromTheIoThreadReturns() throws Exception {
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket())) {
      Connection connection = open(Transport.AUTO);
      connection.loop().submit(connection::close).get();
    }
  }

  @Test
  void closingInterruptsACallbackThatBlocks() {
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket())) {
      Connection connection =
          open(Transport.AUTO, options -> options.closeTimeout(Duration.ofMillis(100)));
      CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
      CountDownLatch blocks = new CountDownLatch(1);
      connection
          .callbacks()
          .execute(
              () -> {
                blocks.countDown();
                try {
                  new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                  interrupted.complete(true);
                }
              });
      eventually(() -> blocks.getCount() == 0);
      connection.close();
      assertThat(interrupted.join()).isTrue();
    }
  }

  @Test
  void callbacksAreNotLostAfterClosing() {
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket())) {
      Connection connection = open(Transport.AUTO);
      connection.close();
      assertThat(CompletableFuture.supplyAsync(() -> 7, connection.callbacks())).isCompleted();
    }
  }

  @Test
  void callbacksRunWhereTheHostWantsThem() {
    AtomicInteger taken = new AtomicInteger();
    Executor host =
        task -> {
          if (taken.getAndIncrement() > 0) {
            throw new RejectedExecutionException("one is enough");
          }
          task.run();
        };
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket());
        Connection connection = open(Transport.AUTO, options -> options.callbackExecutor(host))) {
      Supplier<String> here = () -> Thread.currentThread().getName();
      assertThat(CompletableFuture.supplyAsync(here, connection.callbacks()).join())
          .isEqualTo(here.get());
      // What the host's executor refuses runs on a thread of the connection.
      assertThat(CompletableFuture.supplyAsync(here, connection.callbacks()).join())
          .startsWith("csi4j-callback-");
      assertThat(taken).hasValue(2);
    }
  }

  @Test
  void aCallbackRunsWhereItIsSubmittedIfTheMachineGivesNoThread() {
    CallbackThreads callbacks = new CallbackThreads();
    // By the factory: since JDK 21 the pool does not begin a thread by its start method.
    callbacks.setThreadFactory(
        task -> {
          throw new OutOfMemoryError("unable to create native thread");
        });
    AtomicInteger runs = new AtomicInteger();
    callbacks.execute(runs::incrementAndGet);
    assertThat(runs).hasValue(1);
    callbacks.shutdown();
  }

  @Test
  void callbacksNeverWaitForEachOther() {
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket());
        Connection connection = open(Transport.AUTO)) {
      CountDownLatch all = new CountDownLatch(100);
      List<CompletableFuture<Void>> runs = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        runs.add(
            CompletableFuture.runAsync(
                () -> {
                  all.countDown();
                  try {
                    all.await();
                  } catch (InterruptedException e) {
                    throw new AssertionError(e);
                  }
                },
                connection.callbacks()));
      }
      CompletableFuture.allOf(runs.toArray(CompletableFuture[]::new)).join();
    }
  }

  // The log

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "JDK"})
  void noLogHoldsWhatTravels(Transport transport) {
    String canary = "canary-" + Long.toHexString(new Random(3).nextLong());
    List<String> log =
        logOf(
            () -> {
              try (ScriptedPlugin plugin = ScriptedPlugin.start(dir.resolve("p"));
                  Connection connection =
                      open(transport, dir.resolve("p"), LONG, options -> options)) {
                plugin.on(
                    CsiOperation.CREATE_VOLUME,
                    (call, reply) ->
                        reply.ok(
                            CreateVolumeResponse.newBuilder()
                                .setVolume(Volume.newBuilder().setVolumeId(canary))
                                .build()));
                plugin.fail(CsiOperation.DELETE_VOLUME, StatusCode.INTERNAL, canary);
                ClientCalls.blockingUnaryCall(
                    connection.channel(),
                    Wire.method(CsiOperation.CREATE_VOLUME),
                    CallOptions.DEFAULT,
                    CreateVolumeRequest.newBuilder()
                        .setName(canary)
                        .putSecrets("key", canary)
                        .build());
                assertThat(
                        catchThrowableOfType(
                            StatusRuntimeException.class,
                            () ->
                                ClientCalls.blockingUnaryCall(
                                    connection.channel(),
                                    Wire.method(CsiOperation.DELETE_VOLUME),
                                    CallOptions.DEFAULT,
                                    Wire.request(CsiOperation.DELETE_VOLUME))))
                    .hasMessageContaining(canary);
              }
            });
    String hex = HexFormat.of().formatHex(ByteString.copyFromUtf8(canary).toByteArray());
    // The scripted plugin shares the process, and logs its own frames on its own threads.
    List<String> ours = log.stream().filter(line -> !line.startsWith("scripted-")).toList();
    assertThat(ours).isNotEmpty().noneMatch(line -> line.contains(canary) || line.contains(hex));
  }

  @Test
  void framesOnOtherThreadsAreLoggedAsBefore() {
    FrameLogSilencer.install();
    var logger =
        InternalLoggerFactory.getInstance("io.grpc.netty.shaded.io.grpc.netty.NettyClientHandler");
    assertThat(logOf(() -> logger.debug("frame of somebody else")))
        .anyMatch(line -> line.contains("frame of somebody else"));
  }

  @Test
  void aReplacedLoggerFactoryIsWrappedBeforeAnythingTravels() {
    try (ScriptedPlugin plugin = ScriptedPlugin.start(socket());
        Connection connection = open(Transport.AUTO)) {
      InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
      plugin.kill();
      plugin.start();
      assertThat(status(connection)).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(plugin.calls()).isEmpty();
      probeUntilItWorks(connection);
      assertThat(FrameLogSilencer.install()).isTrue();
    }
  }

  // Helpers

  private Path socket() {
    return dir.resolve("s");
  }

  private void deleteSocket() {
    try {
      Files.deleteIfExists(socket());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Connection open(Transport transport) {
    return open(transport, options -> options);
  }

  private Connection open(Transport transport, UnaryOperator<ConnectOptions.Builder> change) {
    return open(transport, socket(), LONG, change);
  }

  private static Connection open(
      Transport transport,
      Path path,
      Duration deadline,
      UnaryOperator<ConnectOptions.Builder> change) {
    ConnectOptions options = change.apply(ConnectOptions.builder().transport(transport)).build();
    return Connection.open(CsiEndpoint.of(path), options, deadline);
  }

  private Future<Connection> openElsewhere(Transport transport) {
    return elsewhere(() -> open(transport));
  }

  /** Runs it on a thread of its own, and returns once it waits for something. */
  private static <T> Future<T> elsewhere(Supplier<T> task) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(task.get());
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            });
    thread.start();
    eventually(() -> thread.getState() == Thread.State.TIMED_WAITING);
    return result;
  }

  private CsiConnectException failure(
      Transport transport, Duration deadline, UnaryOperator<ConnectOptions.Builder> change) {
    return failure(transport, socket(), deadline, change);
  }

  private static CsiConnectException failure(
      Transport transport,
      Path path,
      Duration deadline,
      UnaryOperator<ConnectOptions.Builder> change) {
    return assertThatExceptionOfType(CsiConnectException.class)
        .isThrownBy(() -> open(transport, path, deadline, change).close())
        .actual();
  }

  private static void assertFailure(CsiConnectException failure, Reason reason, StatusCode code) {
    assertThat(failure.reason()).as(failure.getMessage()).isEqualTo(reason);
    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure.outcome()).isEqualTo(Outcome.SETTLED);
    assertThat(failure.operation()).isEmpty();
    assertThat(failure).hasMessageStartingWith("Connecting to " + failure.endpoint() + " failed: ");
  }

  private static void assertDiagnosis(Connection connection, Reason reason, String text) {
    CsiConnectException found = connection.diagnose(StatusCode.UNAVAILABLE, SHORT);
    assertThat(found.reason()).as(found.getMessage()).isEqualTo(reason);
    assertThat(found).hasMessageContaining(text);
    assertThat(found.code()).isEqualTo(StatusCode.UNAVAILABLE);
    assertThat(found.elapsed()).isEqualTo(SHORT);
  }

  private static Future<Message> call(ManagedChannel channel, CsiOperation operation) {
    return ClientCalls.futureUnaryCall(
        channel.newCall(
            Wire.method(operation), CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS)),
        Wire.request(operation));
  }

  private static void probe(Connection connection) {
    assertThat(status(connection)).isEqualTo(Status.Code.OK);
  }

  private static Status.Code status(Connection connection) {
    try {
      ClientCalls.blockingUnaryCall(
          connection.channel(),
          Wire.method(CsiOperation.PROBE),
          CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS),
          ProbeRequest.getDefaultInstance());
      return Status.Code.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode();
    }
  }

  private static void probeUntilItWorks(Connection connection) {
    eventually(
        () -> {
          connection.resetBackoff();
          return status(connection) == Status.Code.OK;
        });
  }

  private static void leaveStaleSocket(Path path) {
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(path));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> threadNames() {
    return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
  }

  private static List<String> ourThreads() {
    return threadNames().stream().filter(name -> name.startsWith("csi4j-")).toList();
  }

  private static long openFiles() {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static int ourUid() {
    try {
      return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Waits for something that comes soon; the limit of the test ends it otherwise. */
  private static List<String> linesOf(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void eventually(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      if (Thread.currentThread().isInterrupted()) {
        fail("it did not come");
      }
      LockSupport.parkNanos(500_000);
    }
  }

  private static String run(String... command) throws Exception {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("%s", List.of(command)).isZero();
    return output.strip();
  }

  /**
   * What comes of connecting in a process that file modes apply to. They do not apply to root, but
   * to a root without the two capabilities for that; taking them away needs setpriv (util-linux).
   */
  private static String openWithoutPrivilege(Transport transport, Path path) throws Exception {
    if (ourUid() != 0) {
      return openInChild(List.of(), "-Dnothing", transport, path);
    }
    List<String> drop =
        List.of(
            "setpriv",
            "--bounding-set=-dac_override,-dac_read_search",
            "--inh-caps=-dac_override,-dac_read_search");
    try {
      List<String> tried = new ArrayList<>(drop);
      tried.add("true");
      run(tried.toArray(String[]::new));
    } catch (IOException | AssertionError e) {
      return fail(
          "These tests run as root, to whom file modes do not apply, and setpriv cannot take that"
              + " privilege away. Run them as another user, or install util-linux and allow"
              + " CAP_SETPCAP.",
          e);
    }
    return openInChild(drop, "-Dnothing", transport, path);
  }

  private static String openInChild(
      List<String> prefix, String property, Transport transport, Path path) throws Exception {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(java(property, ConnectMain.class, transport.name(), path.toString()));
    return run(command.toArray(String[]::new));
  }

  private static List<String> java(String property, Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.add("-XX:TieredStopAtLevel=1");
    command.add(property);
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return command;
  }

  /** Everything that is logged meanwhile, with the thread's name in front. */
  private static List<String> logOf(Runnable task) {
    ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
    SimpleFormatter formatter = new SimpleFormatter();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            lines.add(Thread.currentThread().getName() + " " + formatter.format(record));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    handler.setLevel(Level.ALL);
    Logger root = Logger.getLogger("");
    Level level = root.getLevel();
    root.setLevel(Level.ALL);
    root.addHandler(handler);
    try {
      task.run();
    } finally {
      root.removeHandler(handler);
      root.setLevel(level);
    }
    return List.copyOf(lines);
  }
}
