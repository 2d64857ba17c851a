package io.csi4j.testkit.internal.server;

import io.csi4j.client.internal.text.SafeText;
import io.grpc.netty.shaded.io.netty.bootstrap.Bootstrap;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFuture;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2DataFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Headers;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2HeadersFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ResetFrame;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Settings;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.grpc.netty.shaded.io.netty.util.ReferenceCountUtil;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connection to a plugin. The connection stays open while the plugin runs, and is established
 * again when the plugin becomes reachable again. It carries raw HTTP/2 with any method, headers and
 * bytes. Only one event loop uses an object of this class.
 */
public final class PluginWire {

  /** Maximum size of headers, large enough for a status with details. */
  private static final int HEADERS_LIMIT = 1 << 20;

  private static final int FIRST_WINDOW = 1 << 20;

  /** Pause between two attempts to connect to an unreachable plugin. */
  private static final long PAUSE_MILLIS = 10;

  private final Path socket;
  private final EventLoop loop;
  private final Presence presence;

  /** Connection for further calls, or the attempt to establish this connection. */
  private @Nullable ChannelFuture connecting;

  /** Number of open connections, including old connections that accept no further call. */
  private int connections;

  /** Whether a call has used the connection {@link #connecting}. */
  private boolean used;

  private boolean up;

  /** Whether the plugin broke the connection and {@link Presence#broke} has not been called yet. */
  private boolean lost;

  /** Number of calls to {@link Presence#broke} whose {@code then} has not run yet. */
  private int breaks;

  private boolean callersAreOld;
  private boolean waiting;
  private boolean reads = true;
  private boolean closed;
  private long lastAttempt = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS);

  /**
   * Receives notifications about whether the plugin is reachable. All methods run on the event
   * loop.
   */
  public interface Presence {
    /** The plugin has become reachable. */
    default void here() {}

    /**
     * The plugin is no longer reachable.
     *
     * @param parting whether the plugin announced that it accepts no more calls; calls in flight
     *     then continue
     */
    default void gone(boolean parting) {}

    /** The plugin is unreachable, and its socket is missing. May be called several times. */
    default void socketRemoved() {}

    /**
     * The plugin has broken its connections. The calls on these connections end.
     *
     * @param then must be run when the connections of callers are broken; until then, no call is
     *     sent to the plugin
     */
    default void broke(Runnable then) {
      then.run();
    }
  }

  /** Creates a link that is not connected yet. {@link #look} connects it. */
  public PluginWire(Path socket, EventLoop loop, Presence presence) {
    this.socket = socket;
    this.loop = loop;
    this.presence = presence;
  }

  public Path socket() {
    return socket;
  }

  /** Returns whether the plugin is reachable. */
  public boolean isUp() {
    return up;
  }

  /**
   * Returns whether the plugin broke its connection, and the connections of callers are about to be
   * broken as well.
   */
  public boolean isBreaking() {
    return lost || breaks > 0;
  }

  /** Begins a call. Headers and messages must then be written to the returned {@link Way}. */
  public Way open(PluginReply.Collector answering) {
    Way way = new Way(answering);
    ChannelFuture known = connecting;
    if (known == null || isBreaking()) {
      way.fail(why("it does not listen"));
      return way;
    }
    var unused =
        known.addListener(
            done -> {
              if (done.isSuccess()) {
                begin(known.channel(), way);
              } else {
                way.fail(why(String.valueOf(done.cause().getMessage())));
              }
            });
    return way;
  }

  private void begin(Channel connection, Way way) {
    used = true;
    var unused =
        new Http2StreamChannelBootstrap(connection)
            .handler(way)
            .open()
            .addListener(
                opened -> {
                  if (!opened.isSuccess()) {
                    way.fail(why(String.valueOf(opened.cause().getMessage())));
                  }
                });
  }

  /**
   * Tries to connect to the plugin, unless it is connected. If the attempt fails, further attempts
   * follow.
   *
   * @param then runs after the attempt, whether or not the plugin is reachable
   */
  public void look(Runnable then) {
    ChannelFuture known = connecting;
    if (isBreaking() && !closed) {
      loop.execute(() -> look(then));
    } else if (closed || !reads || (known != null && known.isDone())) {
      then.run();
    } else if (known != null) {
      // An attempt is already in progress, but the plugin may have changed since it began. So this
      // method tries again after that attempt.
      var unused = known.addListener(done -> look(then));
    } else {
      var unused = connect().addListener(done -> then.run());
    }
  }

  private void lookLater() {
    if (!waiting && !closed) {
      waiting = true;
      var unused =
          loop.schedule(
              () -> {
                waiting = false;
                if (connecting == null && reads) {
                  look(() -> {});
                }
              },
              PAUSE_MILLIS,
              TimeUnit.MILLISECONDS);
    }
  }

  private ChannelFuture connect() {
    lastAttempt = System.nanoTime();
    used = false;
    ChannelFuture made =
        new Bootstrap()
            .group(loop)
            .channelFactory(NioDomainSocketChannel::new)
            .handler(PluginSockets.preparing(this::prepare))
            .connect(UnixDomainSocketAddress.of(socket));
    connecting = made;
    var unused =
        made.addListener(
            done -> {
              if (done.isSuccess()) {
                connected(made);
              } else if (connecting == made) {
                connecting = null;
                settle(false);
              }
            });
    return made;
  }

  private void connected(ChannelFuture made) {
    connections++;
    if (!closed && made.channel().isActive()) {
      settle(true);
    }
    var unused =
        made.channel()
            .closeFuture()
            .addListener(
                gone -> {
                  connections--;
                  if (connecting == made) {
                    lost();
                  } else if (!up) {
                    settle(false);
                  }
                });
  }

  /**
   * Handles the loss of the connection: the plugin has ended, or another process or socket has
   * replaced it.
   */
  private void lost() {
    connecting = null;
    lost = true;
    if (used || System.nanoTime() - lastAttempt >= TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS)) {
      var unused = connect();
    } else {
      // If the plugin ends each connection immediately, the next attempt follows after a pause.
      settle(false);
    }
  }

  /** Updates the reachability after an attempt, and notifies {@link Presence} about changes. */
  private void settle(boolean reached) {
    if (closed) {
      return;
    }
    boolean before = up;
    up = reached;
    if (up && !before) {
      presence.here();
    } else if (before && !up) {
      presence.gone(!lost);
    }
    if (lost || (!up && connections == 0 && callersAreOld)) {
      breaks++;
      lost = false;
      callersAreOld = false;
      presence.broke(() -> breaks--);
    }
    callersAreOld |= up;
    if (!up) {
      if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
        presence.socketRemoved();
      }
      lookLater();
    }
  }

  /**
   * Opens a new connection for further calls, because the plugin accepts no more calls on this
   * connection.
   */
  private void retire(Channel channel) {
    ChannelFuture known = connecting;
    if (known != null && known.channel() == channel) {
      connecting = null;
      look(() -> {});
    }
  }

  /** Stops or resumes reading from the plugin. */
  public void reading(boolean value) {
    reads = value;
    ChannelFuture known = connecting;
    if (known != null) {
      known.channel().config().setAutoRead(value);
    }
    if (value) {
      look(() -> {});
    }
  }

  public void close() {
    closed = true;
    up = false;
    ChannelFuture known = connecting;
    connecting = null;
    if (known != null) {
      var unused = known.channel().close();
    }
  }

  private String why(String cause) {
    String shown = SafeText.quote(socket.toString());
    if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
      return "there is no socket " + shown;
    }
    return "nothing can be reached at " + shown + ": " + SafeText.escape(cause);
  }

  private void prepare(Channel channel) {
    channel.config().setAutoRead(reads);
    channel
        .pipeline()
        .addLast(
            Http2FrameCodecBuilder.forClient()
                .initialSettings(
                    Http2Settings.defaultSettings()
                        .pushEnabled(false)
                        .initialWindowSize(FIRST_WINDOW)
                        .maxHeaderListSize(HEADERS_LIMIT))
                .encoderEnforceMaxConcurrentStreams(true)
                .gracefulShutdownTimeoutMillis(0)
                .decoderEnforceMaxRstFramesPerWindow(0, 1)
                .encoderEnforceMaxRstFramesPerWindow(0, 1)
                .build(),
            // A gRPC server does not open streams, so such streams are closed.
            new Http2MultiplexHandler(PluginSockets.preparing(stream -> stream.close())),
            new Trouble());
  }

  /**
   * Last handler of the pipeline. Handles a GOAWAY frame, and closes the connection on any error,
   * for example if the plugin does not support HTTP/2.
   */
  private final class Trouble extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object frame) {
      if (frame instanceof Http2GoAwayFrame) {
        retire(context.channel());
      }
      ReferenceCountUtil.release(frame);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      PluginSockets.breakOff(context.channel());
    }
  }

  /** The stream of one call to the plugin and back. */
  public static final class Way extends ChannelInboundHandlerAdapter {

    /** HTTP/2 error code for a stream that cannot continue. */
    private static final long INTERNAL_ERROR = 2;

    private final PluginReply.Collector answering;
    private final List<Object> waiting = new ArrayList<>();
    private @Nullable Channel channel;
    private boolean ended;

    private Way(PluginReply.Collector answering) {
      this.answering = answering;
    }

    public void headers(Http2Headers headers, boolean last) {
      write(new DefaultHttp2HeadersFrame(headers, last));
    }

    /** Sends bytes of messages, and takes ownership of them. */
    public void data(ByteBuf data, boolean last) {
      write(new DefaultHttp2DataFrame(data, last));
    }

    private void write(Object frame) {
      if (ended) {
        ReferenceCountUtil.release(frame);
      } else if (channel == null) {
        waiting.add(frame);
      } else {
        var unused = channel.write(frame);
      }
    }

    public void flush() {
      if (channel != null) {
        channel.flush();
      }
    }

    /**
     * Cancels the call, unless it has ended. The collector receives no further events of this call.
     */
    public void cancel(long errorCode) {
      ended = true;
      forget();
      if (channel != null && channel.isOpen()) {
        var unused = channel.writeAndFlush(new DefaultHttp2ResetFrame(errorCode));
      }
    }

    /**
     * Stops or resumes reading the answer, so that the plugin does not send faster than the caller
     * reads.
     */
    public void reading(boolean reads) {
      if (channel != null) {
        channel.config().setAutoRead(reads);
      }
    }

    private void forget() {
      waiting.forEach(ReferenceCountUtil::release);
      waiting.clear();
    }

    private void fail(String why) {
      if (!ended) {
        ended = true;
        forget();
        answering.absent(why);
      }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      if (ended) {
        context.close();
      }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      if (ended) {
        context.close();
        return;
      }
      Channel opened = context.channel();
      channel = opened;
      waiting.forEach(frame -> opened.write(frame));
      waiting.clear();
      opened.flush();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object frame) {
      try {
        if (ended) {
          return;
        }
        if (frame instanceof Http2HeadersFrame headers) {
          ended = headers.isEndStream();
          answering.headers(headers.headers(), headers.isEndStream());
        } else if (frame instanceof Http2DataFrame data) {
          ended = data.isEndStream();
          answering.data(data.content(), data.isEndStream());
        }
      } finally {
        ReferenceCountUtil.release(frame);
      }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (!ended && event instanceof Http2ResetFrame reset) {
        ended = true;
        answering.reset(reset.errorCode());
      } else if (!ended && event instanceof Http2GoAwayFrame) {
        // The plugin states that it did not process this call.
        ended = true;
        answering.absent("the plugin accepts no more calls on this connection");
        context.close();
      }
      ReferenceCountUtil.release(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      if (ended) {
        return;
      }
      ended = true;
      if (context.channel().parent().isActive()) {
        answering.reset(INTERNAL_ERROR);
      } else {
        answering.lost();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}
