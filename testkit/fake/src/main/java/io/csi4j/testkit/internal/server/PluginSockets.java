package io.csi4j.testkit.internal.server;

import io.csi4j.client.internal.text.SafeText;
import io.grpc.netty.shaded.io.netty.bootstrap.ServerBootstrap;
import io.grpc.netty.shaded.io.netty.buffer.ByteBufAllocator;
import io.grpc.netty.shaded.io.netty.buffer.UnpooledByteBufAllocator;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFuture;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandler;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ChannelInitializer;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.grpc.netty.shaded.io.netty.channel.SingleThreadIoEventLoop;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Settings;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The listening sockets of a plugin and their connections, all on one thread of its own. */
final class PluginSockets {

  /** The length that {@code sun_path} of Linux holds, without its closing NUL. */
  private static final int PATH_LIMIT = 107;

  private static final int HEADERS_LIMIT = 64 << 10;

  private final OwnThreads threads;
  private final SingleThreadIoEventLoop loop;
  private final ByteBufAllocator buffers = new UnpooledByteBufAllocator(false, true);
  private final Set<Path> made = new HashSet<>();

  // Both belong to the event loop.
  private final List<Channel> servers = new ArrayList<>();
  private final Set<Channel> connections = new HashSet<>();

  PluginSockets(ThreadFactory maker) {
    threads = new OwnThreads(maker);
    loop = new SingleThreadIoEventLoop(null, threads, NioIoHandler.newFactory());
  }

  /** Makes the handler of each stream that a caller opens. */
  interface Intake {
    /** The handler of this stream. */
    ChannelHandler of(Channel stream);
  }

  /** Listens at every site, or at none. */
  void listen(List<SocketSite> sites, Function<SocketSite, ServedStream.Door> doors)
      throws IOException {
    listenFor(
        sites,
        site -> {
          ServedStream.Door door = doors.apply(site);
          return stream -> new ServedStream(stream, door);
        });
  }

  /** {@link #listen} with handlers of any kind. */
  void listenFor(List<SocketSite> sites, Function<SocketSite, Intake> intakes) throws IOException {
    if (loop.inEventLoop()) {
      throw new IllegalStateException(
          "The plugin cannot listen anew from within the condition of a fault, which runs on the"
              + " thread that listens. Do it on another thread.");
    }
    try {
      for (SocketSite site : sites) {
        check(site.socket());
        bind(site.socket(), intakes.apply(site));
      }
    } catch (IOException e) {
      abort(() -> {});
      removeFiles();
      throw e;
    }
  }

  /** Closes every socket as a killed process would: no word of parting. On the event loop. */
  private void abort() {
    servers.forEach(server -> server.close());
    servers.clear();
    List.copyOf(connections).forEach(PluginSockets::breakOff);
    connections.clear();
  }

  /** Closes one connection like that. On the event loop. */
  static void breakOff(Channel connection) {
    // From its first handler on, so that the codec does not take its leave.
    connection.pipeline().firstContext().close();
  }

  /** Removes every socket that was made. */
  void removeFiles() throws IOException {
    for (Path socket : made) {
      Files.deleteIfExists(socket);
    }
    made.clear();
  }

  /** The thread of all sockets, for what has to run on it. */
  EventLoop loop() {
    return loop;
  }

  /** Stops reading from every connection, as a stopped process does, or goes on. */
  void reading(boolean reads) {
    onLoop(
        () -> {
          servers.forEach(server -> server.config().setAutoRead(reads));
          connections.forEach(connection -> connection.config().setAutoRead(reads));
        });
  }

  /** Ends every connection with a word of parting, once what was answered has gone out. */
  void partWithCallers() {
    onLoop(() -> List.copyOf(connections).forEach(connection -> connection.close()));
  }

  /** Does {@code task} on the event loop, and waits for its end. */
  void onLoop(Runnable task) {
    if (loop.inEventLoop()) {
      task.run();
      return;
    }
    try {
      CompletableFuture.runAsync(task, loop).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  /**
   * {@link #abort} with what is done in the same moment, and waits until the kernel knows of it.
   */
  void abort(Runnable before) {
    onLoop(
        () -> {
          before.run();
          abort();
        });
    if (!loop.inEventLoop()) {
      // The JDK lets go of a closed socket when its selector looks at it next. What is scheduled
      // from within the loop is due after that, however late the loop is.
      CompletableFuture<Void> looked = new CompletableFuture<>();
      onLoop(() -> loop.schedule(() -> looked.complete(null), 0, TimeUnit.NANOSECONDS));
      looked.join();
    }
  }

  /** Ends the thread. */
  void close() {
    var unused = loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    threads.awaitEnd();
  }

  private void bind(Path socket, Intake intake) throws IOException {
    // Netty removes the file that it bound when it closes, and a killed process does not: it binds
    // another name, which is then moved, in one step, to where it belongs.
    Path hidden = socket.resolveSibling(".~" + ThreadLocalRandom.current().nextInt(100_000));
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loop)
            .channelFactory(NioServerDomainSocketChannel::new)
            .childOption(ChannelOption.ALLOCATOR, buffers)
            .childHandler(new Connections(intake))
            .bind(UnixDomainSocketAddress.of(hidden))
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw failure(socket, bound.cause());
    }
    onLoop(() -> servers.add(bound.channel()));
    Files.move(hidden, socket, StandardCopyOption.ATOMIC_MOVE);
    made.add(socket);
  }

  private static IOException failure(Path socket, Throwable cause) {
    return new IOException(
        "Listening on "
            + SafeText.quote(socket.toString())
            + " failed: "
            + SafeText.escape(String.valueOf(cause.getMessage()))
            + ". See that the directory is there and that this process may write into it.",
        cause);
  }

  /** Refuses a path where anything is but what a dead server left. */
  private static void check(Path socket) throws IOException {
    String shown = SafeText.quote(socket.toString());
    int length = socket.toString().getBytes(StandardCharsets.UTF_8).length;
    if (length > PATH_LIMIT) {
      throw new IOException(
          "Listening on "
              + shown
              + " failed: the path has "
              + length
              + " bytes, and a UNIX socket takes "
              + PATH_LIMIT
              + ". Give the plugin a shorter path.");
    }
    if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (!isSocket(socket)) {
      throw new IOException(
          "Listening on "
              + shown
              + " failed: something that is no socket stands there. Remove it, or give the plugin"
              + " another path.");
    }
    if (isServed(socket)) {
      throw new IOException(
          "Listening on "
              + shown
              + " failed: another server listens there. Stop it, or give the plugin another"
              + " path.");
    }
  }

  private static boolean isSocket(Path path) throws IOException {
    int type = (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    return (type & 0170000) == 0140000;
  }

  private static boolean isServed(Path socket) throws IOException {
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.configureBlocking(false);
      // Not connected at once means that its backlog is full: it has a listener.
      boolean unused = probe.connect(UnixDomainSocketAddress.of(socket));
      return true;
    } catch (ConnectException e) {
      return false;
    }
  }

  /** Prepares each connection that comes in. */
  private final class Connections extends ChannelInitializer<Channel> {
    private final Intake intake;

    Connections(Intake intake) {
      this.intake = intake;
    }

    @Override
    protected void initChannel(Channel connection) {
      connections.add(connection);
      var unused = connection.closeFuture().addListener(gone -> connections.remove(connection));
      connection
          .pipeline()
          .addLast(
              Http2FrameCodecBuilder.forServer()
                  .initialSettings(
                      Http2Settings.defaultSettings()
                          .maxHeaderListSize(HEADERS_LIMIT)
                          // As in Go's gRPC: calls that hang do not keep others out.
                          .maxConcurrentStreams(Integer.MAX_VALUE))
                  .gracefulShutdownTimeoutMillis(0)
                  // A caller may give up as often as it likes.
                  .decoderEnforceMaxRstFramesPerWindow(0, 1)
                  .encoderEnforceMaxRstFramesPerWindow(0, 1)
                  .build(),
              new Http2MultiplexHandler(new Streams(intake)),
              new Last());
    }
  }

  /** The end of a pipeline: any trouble with a connection ends it, without a word. */
  private static final class Last extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      breakOff(context.channel());
    }
  }

  /** Prepares each stream of a connection. */
  private static final class Streams extends ChannelInitializer<Channel> {
    private final Intake intake;

    Streams(Intake intake) {
      this.intake = intake;
    }

    @Override
    public boolean isSharable() {
      return true;
    }

    @Override
    protected void initChannel(Channel stream) {
      stream.pipeline().addLast(intake.of(stream));
    }
  }
}
