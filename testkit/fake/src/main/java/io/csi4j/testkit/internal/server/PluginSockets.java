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
import io.grpc.netty.shaded.io.netty.channel.socket.DuplexChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2GoAwayFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Error;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Settings;
import io.grpc.netty.shaded.io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The listening sockets of a plugin and their connections. One dedicated thread serves them all.
 */
public final class PluginSockets {

  /** Maximum length of {@code sun_path} on Linux, without its terminating NUL. */
  private static final int PATH_LIMIT = 107;

  private static final int HEADERS_LIMIT = 64 << 10;

  /** Time that a caller gets to notice that its connection broke. */
  private static final long NOTICE_MILLIS = 100;

  /**
   * Longest pause between two checks whether a listener is closed. The sum of all pauses is twice
   * as long.
   */
  private static final long LET_GO_MILLIS = 128;

  private final OwnThreads threads;
  private final SingleThreadIoEventLoop loop;
  private final ByteBufAllocator buffers = new UnpooledByteBufAllocator(false, true);
  private final Map<Path, SocketFile> made = new ConcurrentHashMap<>();

  // Only the event loop uses these two collections.
  private final List<Channel> servers = new ArrayList<>();
  private final Set<Channel> connections = new HashSet<>();

  public PluginSockets(ThreadFactory maker) {
    threads = new OwnThreads(maker);
    loop = new SingleThreadIoEventLoop(null, threads, NioIoHandler.newFactory());
  }

  /** Listens at all sites. If one site fails, listens at none. */
  void listen(
      List<SocketSite> sites, Function<SocketSite, Function<Channel, ChannelHandler>> intakes)
      throws IOException {
    refuseToListenOnLoop();
    try {
      for (SocketSite site : sites) {
        Function<Channel, ChannelHandler> intake = intakes.apply(site);
        onLoopToo(() -> listenNow(site, intake));
      }
    } catch (IOException e) {
      abort(() -> {});
      removeFiles();
      throw e;
    }
  }

  /**
   * Throws an exception on the event loop, because the event loop cannot wait for its own sockets.
   */
  void refuseToListenOnLoop() {
    if (loop.inEventLoop()) {
      throw new IllegalStateException(
          "The plugin cannot listen again from the condition of a fault, which runs on the"
              + " listening thread. Use another thread.");
    }
  }

  /**
   * Listens at one site; {@code intake} creates the handler of each stream. Runs on the event loop.
   */
  public void listenNow(SocketSite site, Function<Channel, ChannelHandler> intake)
      throws IOException {
    check(site.socket());
    Path hidden = hidden(site.socket());
    Channel server = bind(hidden, site.socket(), intake);
    SocketFile file;
    try {
      file = SocketFile.at(hidden);
      Files.move(hidden, site.socket(), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      server.close();
      throw e;
    }
    servers.add(server);
    made.put(site.socket(), file);
  }

  /**
   * Checks whether the plugin can listen at a site, and throws an exception if it cannot. No caller
   * can connect during the check.
   */
  public void tryOut(SocketSite site) throws IOException {
    check(site.socket());
    Path hidden = hidden(site.socket());
    onLoopToo(() -> bind(hidden, site.socket(), stream -> new Last()).close());
    Files.deleteIfExists(hidden);
  }

  /** Returns whether the plugin listens at any site. Runs on the event loop. */
  public boolean isListening() {
    return !servers.isEmpty();
  }

  /** Stops listening. Connections and socket files remain. Runs on the event loop. */
  public void rest() {
    servers.forEach(server -> server.close());
    servers.clear();
  }

  /**
   * Breaks all connections, as if the process had ended. Runs on the event loop.
   *
   * @param then runs when all connections are closed: by the callers, or by this server after a
   *     short wait
   */
  public void breakConnections(Runnable then) {
    List<Channel> broken = List.copyOf(connections);
    if (broken.isEmpty()) {
      then.run();
      return;
    }
    AtomicInteger left = new AtomicInteger(broken.size());
    for (Channel connection : broken) {
      connection.pipeline().addFirst(new Deaf());
      var unused =
          connection
              .closeFuture()
              .addListener(
                  gone -> {
                    if (left.decrementAndGet() == 0) {
                      then.run();
                    }
                  });
      var unusedToo = ((DuplexChannel) connection).shutdownOutput();
    }
    var unused =
        loop.schedule(
            () -> broken.forEach(PluginSockets::breakOff), NOTICE_MILLIS, TimeUnit.MILLISECONDS);
  }

  /**
   * Closes every socket without sending a GOAWAY frame, as if the process had been killed. Runs on
   * the event loop.
   */
  private void abort() {
    servers.forEach(server -> server.close());
    servers.clear();
    List.copyOf(connections).forEach(PluginSockets::breakOff);
    connections.clear();
  }

  /** Closes one connection as if the process had been killed. Runs on the event loop. */
  public static void breakOff(Channel connection) {
    // Closing from the first handler bypasses the HTTP/2 codec, so the codec sends no GOAWAY frame.
    if (connection.isOpen()) {
      connection.pipeline().firstContext().close();
    }
  }

  /** Removes every socket file that was created, unless another file has replaced it. */
  public void removeFiles() throws IOException {
    for (Map.Entry<Path, SocketFile> each : made.entrySet()) {
      if (each.getValue().isAt(each.getKey())) {
        Files.deleteIfExists(each.getKey());
      }
    }
    made.clear();
  }

  /**
   * Identifies the file of a socket by device, inode and time. The inode alone is not enough,
   * because the kernel reuses free inodes.
   */
  private record SocketFile(@Nullable Object key, FileTime made) {

    static SocketFile at(Path path) throws IOException {
      BasicFileAttributes found =
          Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return new SocketFile(found.fileKey(), found.lastModifiedTime());
    }

    boolean isAt(Path path) throws IOException {
      try {
        return at(path).equals(this);
      } catch (NoSuchFileException e) {
        return false;
      }
    }
  }

  public EventLoop loop() {
    return loop;
  }

  /**
   * Stops or resumes reading from every connection. Without reading, the server resembles a
   * suspended process.
   */
  public void reading(boolean reads) {
    onLoop(
        () -> {
          servers.forEach(server -> server.config().setAutoRead(reads));
          connections.forEach(connection -> connection.config().setAutoRead(reads));
        });
  }

  /**
   * Sends every caller a GOAWAY frame, so that further calls use another connection. Runs on the
   * event loop.
   */
  public void partWithCallers() {
    connections.forEach(
        connection ->
            connection.writeAndFlush(
                new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR)
                    .setExtraStreamIds(Integer.MAX_VALUE)));
  }

  /** Schedules {@code task} on the event loop. */
  public void later(Runnable task) {
    later(loop, task);
  }

  /**
   * Schedules {@code task} on this event loop. Does nothing if the server is closed, because no
   * caller is connected any more.
   */
  public static void later(EventLoop loop, Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      if (!loop.isShuttingDown()) {
        throw e;
      }
    }
  }

  /** Runs {@code task} on the event loop, and waits until the task has ended. */
  public void onLoop(Runnable task) {
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
   * Runs {@code before} and {@link #abort} in one step of the event loop, and waits until the
   * kernel has closed the sockets.
   */
  void abort(Runnable before) {
    if (loop.inEventLoop()) {
      before.run();
      abort();
      return;
    }
    // The JDK notifies the peer of a connection before it releases any socket. The listeners are
    // closed first, so that a caller that reconnects immediately does not find a listener that is
    // about to close.
    onLoop(this::rest);
    awaitSelecting();
    onLoop(
        () -> {
          before.run();
          abort();
        });
    awaitSelecting();
  }

  /** Waits until the JDK has released the closed sockets, which happens when its selector runs. */
  private void awaitSelecting() {
    // A task that the event loop schedules on itself runs only after its selector has run.
    CompletableFuture<Void> looked = new CompletableFuture<>();
    onLoop(() -> loop.schedule(() -> looked.complete(null), 0, TimeUnit.NANOSECONDS));
    looked.join();
  }

  public void close() {
    var unused = loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    threads.awaitEnd();
  }

  private static Path hidden(Path socket) {
    return socket.resolveSibling(".~" + ThreadLocalRandom.current().nextInt(100_000));
  }

  /**
   * Binds a socket under a hidden name; the caller then renames the file atomically to its final
   * path. A killed process leaves its socket file behind, but netty removes the file that it bound.
   * The new name protects the file from netty. Runs on the event loop.
   */
  private Channel bind(Path hidden, Path socket, Function<Channel, ChannelHandler> intake)
      throws IOException {
    // The channel is registered before it is bound, so that both steps are complete when this
    // method returns.
    Channel server =
        new ServerBootstrap()
            .group(loop)
            .channelFactory(NioServerDomainSocketChannel::new)
            .childOption(ChannelOption.ALLOCATOR, buffers)
            .childHandler(preparing(connection -> prepare(connection, intake)))
            .register()
            .channel();
    ChannelFuture bound = server.bind(UnixDomainSocketAddress.of(hidden));
    if (!bound.isSuccess()) {
      server.close();
      String why = SafeText.escape(String.valueOf(bound.cause().getMessage()));
      String next = "Check that the directory exists and that this process may write to it";
      throw cannot(socket, why + ". " + next, bound.cause());
    }
    return server;
  }

  private void onLoopToo(TestServer.DiskWork work) throws IOException {
    try {
      onLoop(
          () -> {
            try {
              work.run();
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static IOException cannot(Path socket, String why, @Nullable Throwable cause) {
    String where = SafeText.quote(socket.toString());
    return new IOException("Listening on " + where + " failed: " + why + ".", cause);
  }

  /**
   * Refuses a path at which a file exists, unless the file is a socket on which no server listens.
   */
  private static void check(Path socket) throws IOException {
    int length = socket.toString().getBytes(StandardCharsets.UTF_8).length;
    if (length > PATH_LIMIT) {
      String why =
          "the path has %s bytes, but a UNIX socket allows %s. Give the plugin a shorter path";
      throw cannot(socket, why.formatted(length, PATH_LIMIT), null);
    }
    if (Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
      if (!isSocket(socket)) {
        throw cannot(
            socket,
            "a file that is not a socket is there. Remove it, or give the plugin another path",
            null);
      }
      if (staysServed(socket)) {
        throw cannot(
            socket, "another server listens there. Stop it, or give the plugin another path", null);
      }
    }
  }

  private static boolean isSocket(Path path) throws IOException {
    int type = (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    return (type & 0170000) == 0140000;
  }

  /**
   * Returns whether a server listens at the path and does not close its listener soon. If the JVM
   * was starting a child process when it closed a listener, the child inherits the listener and
   * keeps it open for a moment.
   */
  private static boolean staysServed(Path socket) throws IOException {
    for (long millis = 1; isServed(socket); millis *= 2) {
      if (millis > LET_GO_MILLIS) {
        return true;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
    return false;
  }

  private static boolean isServed(Path socket) throws IOException {
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.configureBlocking(false);
      // If the connection is not established immediately, the backlog is full, so a listener
      // exists.
      boolean unused = probe.connect(UnixDomainSocketAddress.of(socket));
      return true;
    } catch (ConnectException e) {
      return false;
    }
  }

  /**
   * Returns a handler that only prepares each new channel. The handler has no state, so any number
   * of channels may share it.
   */
  public static ChannelHandler preparing(Consumer<Channel> preparation) {
    return new ChannelInitializer<>() {
      @Override
      public boolean isSharable() {
        return true;
      }

      @Override
      protected void initChannel(Channel channel) {
        preparation.accept(channel);
      }
    };
  }

  private void prepare(Channel connection, Function<Channel, ChannelHandler> intake) {
    connections.add(connection);
    var unused = connection.closeFuture().addListener(gone -> connections.remove(connection));
    connection
        .pipeline()
        .addLast(
            Http2FrameCodecBuilder.forServer()
                .initialSettings(
                    Http2Settings.defaultSettings()
                        .maxHeaderListSize(HEADERS_LIMIT)
                        // As in Go's gRPC, the number of streams is not limited, so hanging calls
                        // do not block other calls.
                        .maxConcurrentStreams(Integer.MAX_VALUE))
                .gracefulShutdownTimeoutMillis(0)
                // The number of calls that a caller may cancel is not limited.
                .decoderEnforceMaxRstFramesPerWindow(0, 1)
                .encoderEnforceMaxRstFramesPerWindow(0, 1)
                .build(),
            new Http2MultiplexHandler(
                preparing(stream -> stream.pipeline().addLast(intake.apply(stream)))),
            new Last());
  }

  /** First handler in the pipeline of a broken connection. Ignores all input. */
  private static final class Deaf extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
      ReferenceCountUtil.release(bytes);
    }
  }

  /** Last handler of a pipeline. Closes the connection on any error, without logging the error. */
  private static final class Last extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      breakOff(context.channel());
    }
  }
}
