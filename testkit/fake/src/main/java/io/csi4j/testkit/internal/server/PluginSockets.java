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

/** The listening sockets of a plugin and their connections, all on one thread of its own. */
public final class PluginSockets {

  /** The length that {@code sun_path} of Linux holds, without its closing NUL. */
  private static final int PATH_LIMIT = 107;

  private static final int HEADERS_LIMIT = 64 << 10;

  /** Time that a caller has to notice that its connection broke. */
  private static final long NOTICE_MILLIS = 100;

  /** The longest pause between two looks whether a listener is gone; all take twice as long. */
  private static final long LET_GO_MILLIS = 128;

  private final OwnThreads threads;
  private final SingleThreadIoEventLoop loop;
  private final ByteBufAllocator buffers = new UnpooledByteBufAllocator(false, true);
  private final Map<Path, SocketFile> made = new ConcurrentHashMap<>();

  // Both belong to the event loop.
  private final List<Channel> servers = new ArrayList<>();
  private final Set<Channel> connections = new HashSet<>();

  public PluginSockets(ThreadFactory maker) {
    threads = new OwnThreads(maker);
    loop = new SingleThreadIoEventLoop(null, threads, NioIoHandler.newFactory());
  }

  /** Listens at every site, or at none. */
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

  /** Throws on the event loop, which cannot wait for its own sockets. */
  void refuseToListenOnLoop() {
    if (loop.inEventLoop()) {
      throw new IllegalStateException(
          "The plugin cannot listen anew from within the condition of a fault, which runs on the"
              + " thread that listens. Do it on another thread.");
    }
  }

  /**
   * Listens at one site; {@code intake} makes the handler of each stream there. On the event loop.
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

  /** Refuses a site where nothing could listen; nobody is let in. */
  public void tryOut(SocketSite site) throws IOException {
    check(site.socket());
    Path hidden = hidden(site.socket());
    onLoopToo(() -> bind(hidden, site.socket(), stream -> new Last()).close());
    Files.deleteIfExists(hidden);
  }

  /** True if it listens anywhere. On the event loop. */
  public boolean isListening() {
    return !servers.isEmpty();
  }

  /** Listens nowhere any more; connections stay, and so do its sockets. On the event loop. */
  public void rest() {
    servers.forEach(server -> server.close());
    servers.clear();
  }

  /**
   * Breaks all connections, as the end of a process does. On the event loop.
   *
   * @param then runs once their callers have noticed it, or after a moment
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

  /** Closes every socket as a killed process would: no word of parting. On the event loop. */
  private void abort() {
    servers.forEach(server -> server.close());
    servers.clear();
    List.copyOf(connections).forEach(PluginSockets::breakOff);
    connections.clear();
  }

  /** Closes one connection like that. On the event loop. */
  public static void breakOff(Channel connection) {
    // From its first handler on, so that the codec does not take its leave.
    if (connection.isOpen()) {
      connection.pipeline().firstContext().close();
    }
  }

  /** Removes every socket that was made, unless another file has taken its place. */
  public void removeFiles() throws IOException {
    for (Map.Entry<Path, SocketFile> each : made.entrySet()) {
      if (each.getValue().isAt(each.getKey())) {
        Files.deleteIfExists(each.getKey());
      }
    }
    made.clear();
  }

  /**
   * The file of a socket by device, inode and time: an inode that is free is given to another file.
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

  /** Stops reading from every connection, as a stopped process does, or goes on. */
  public void reading(boolean reads) {
    onLoop(
        () -> {
          servers.forEach(server -> server.config().setAutoRead(reads));
          connections.forEach(connection -> connection.config().setAutoRead(reads));
        });
  }

  /** Asks every caller to use another connection for further calls. On the event loop. */
  public void partWithCallers() {
    connections.forEach(
        connection ->
            connection.writeAndFlush(
                new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR)
                    .setExtraStreamIds(Integer.MAX_VALUE)));
  }

  /** Does {@code task} on the event loop, a moment later. */
  public void later(Runnable task) {
    later(loop, task);
  }

  /** Does {@code task} on this event loop; nothing if its server is closed: no caller is left. */
  public static void later(EventLoop loop, Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      if (!loop.isShuttingDown()) {
        throw e;
      }
    }
  }

  /** Does {@code task} on the event loop, and waits for its end. */
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
   * {@link #abort} with what is done in the same moment, and waits until the kernel knows of it.
   */
  void abort(Runnable before) {
    if (loop.inEventLoop()) {
      before.run();
      abort();
      return;
    }
    // Who sees its connection break and connects again at once finds no listener that is about to
    // be
    // shut: the JDK tells the other side of a connection before it lets go of any socket.
    onLoop(this::rest);
    awaitSelecting();
    onLoop(
        () -> {
          before.run();
          abort();
        });
    awaitSelecting();
  }

  /** Waits until the JDK has let go of the sockets that are closed: its selector looks at them. */
  private void awaitSelecting() {
    // What is scheduled from within the loop is due after that, however late the loop is.
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
   * Binds this name. Netty removes the file that it bound when it closes, and a killed process does
   * not: the file is moved then, in one step, to where it belongs. On the event loop.
   */
  private Channel bind(Path hidden, Path socket, Function<Channel, ChannelHandler> intake)
      throws IOException {
    // To register before binding is how both are done before this returns.
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
      String next = "See that the directory is there and that this process may write into it";
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

  /** Refuses a path where anything is but what a dead server left. */
  private static void check(Path socket) throws IOException {
    int length = socket.toString().getBytes(StandardCharsets.UTF_8).length;
    if (length > PATH_LIMIT) {
      String why =
          "the path has %s bytes, and a UNIX socket takes %s. Give the plugin a shorter path";
      throw cannot(socket, why.formatted(length, PATH_LIMIT), null);
    }
    if (Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
      if (!isSocket(socket)) {
        throw cannot(
            socket,
            "something that is no socket stands there. Remove it, or give the plugin another path",
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
   * Whether a server listens there, and does not end at once. A process that the JVM was starting
   * when a listener was closed has that listener for a moment, too.
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
      // Not connected at once means that its backlog is full: it has a listener.
      boolean unused = probe.connect(UnixDomainSocketAddress.of(socket));
      return true;
    } catch (ConnectException e) {
      return false;
    }
  }

  /**
   * A handler that prepares each new channel and does no more. It keeps nothing, so that any number
   * of channels may have it.
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
                        // As in Go's gRPC: calls that hang do not keep others out.
                        .maxConcurrentStreams(Integer.MAX_VALUE))
                .gracefulShutdownTimeoutMillis(0)
                // A caller may give up as often as it likes.
                .decoderEnforceMaxRstFramesPerWindow(0, 1)
                .encoderEnforceMaxRstFramesPerWindow(0, 1)
                .build(),
            new Http2MultiplexHandler(
                preparing(stream -> stream.pipeline().addLast(intake.apply(stream)))),
            new Last());
  }

  /** The beginning of the pipeline of a connection that broke: nothing comes in any more. */
  private static final class Deaf extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
      ReferenceCountUtil.release(bytes);
    }
  }

  /** The end of a pipeline: any trouble with a connection ends it, without a word. */
  private static final class Last extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      breakOff(context.channel());
    }
  }
}
