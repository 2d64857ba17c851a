package io.csi4j.client.internal.transport;

import io.csi4j.client.model.CsiConnectException.Reason;
import io.csi4j.client.model.PeerCredentials;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.ChannelDuplexHandler;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelPromise;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The first handler of one transport: lets gRPC have the socket only if the right user listens on
 * it, and remembers enough to explain a transport that comes to nothing.
 *
 * <p>gRPC writes nothing before it hears that the channel is active, and it hears that from here.
 */
public final class PeerGate extends ChannelDuplexHandler {

  private static final int KEPT = 16;
  private static final int FRAME_HEADER = 9;

  private final UnixSockets.NewSocket socket;
  private final OptionalInt requiredUid;
  private final AtomicLong generation;
  private final Runnable onEnd;

  private volatile PeerCredentials peer = PeerCredentials.unknown();
  private volatile boolean connected;
  private volatile boolean refused;
  private volatile boolean ended;
  private volatile byte[] head = {};

  /**
   * A gate that nothing has come through yet.
   *
   * @param generation is counted up when the socket is connected
   * @param onEnd is told when nothing more comes from here
   */
  public PeerGate(
      UnixSockets.NewSocket socket,
      OptionalInt requiredUid,
      AtomicLong generation,
      Runnable onEnd) {
    this.socket = socket;
    this.requiredUid = requiredUid;
    this.generation = generation;
    this.onEnd = onEnd;
  }

  /**
   * The address that gRPC connects to. It makes a URI of an address, and not every path survives
   * that; so it gets this one, and the path is put in its place here.
   */
  public static final class Destination extends SocketAddress {
    private static final long serialVersionUID = 1L;

    @Override
    public String toString() {
      return "plugin";
    }
  }

  public PeerCredentials peer() {
    return peer;
  }

  /** Whether nothing more comes from here. */
  public boolean ended() {
    return ended;
  }

  /** Whether the socket could not even be connected. */
  public boolean neverConnected() {
    return ended && !connected;
  }

  /**
   * Returns the trouble with the process that listens, as far as it is known yet; null if there is
   * none.
   */
  @Nullable ConnectProblem problem() {
    if (refused) {
      return wrongPeer();
    }
    byte[] seen = head;
    if (seen.length > 0 && !beginsLikeHttp2(seen)) {
      return notGrpc(seen);
    }
    if (!connected) {
      return null;
    }
    return new ConnectProblem(
        Reason.NO_ANSWER,
        ended
            ? "whoever listens accepts the connection and closes it again"
            : "whoever listens accepts the connection and stays silent",
        "Look at the plugin's log; it may hang, or not be a plugin.");
  }

  /** Whether {@link #problem} can still change for this transport. */
  public boolean undecided() {
    return !refused && !ended && head.length < FRAME_HEADER;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    // A plugin that greets and hangs up at once makes our own greeting fail. That must not close
    // the
    // socket before theirs is read.
    context.channel().config().setAutoClose(false);
  }

  @Override
  public void close(ChannelHandlerContext context, ChannelPromise promise) {
    if (connected && !refused && head.length == 0) {
      head = unread();
    }
    var unused = context.close(promise);
  }

  @Override
  public void connect(
      ChannelHandlerContext context,
      SocketAddress destination,
      @Nullable SocketAddress local,
      ChannelPromise promise) {
    var unused = context.connect(socket.address(), promise);
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    connected = true;
    try {
      peer = socket.peer().ask();
    } catch (IOException e) {
      peer = PeerCredentials.unknown();
    }
    generation.incrementAndGet();
    if (requiredUid.isPresent() && !peer.uid().equals(requiredUid)) {
      refused = true;
      var unused = context.close();
    } else {
      context.fireChannelActive();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    ended = true;
    context.fireChannelInactive();
  }

  @Override
  public void channelUnregistered(ChannelHandlerContext context) {
    ended = true;
    context.fireChannelUnregistered();
    onEnd.run();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    context.channel().config().setAutoClose(true);
    int missing = KEPT - head.length;
    if (missing > 0 && message instanceof ByteBuf bytes) {
      int from = head.length;
      byte[] more = Arrays.copyOf(head, from + Math.min(missing, bytes.readableBytes()));
      bytes.getBytes(bytes.readerIndex(), more, from, more.length - from);
      head = more;
    }
    context.fireChannelRead(message);
  }

  private byte[] unread() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(KEPT);
    try {
      byte[] found = new byte[Math.max(0, socket.rest().read(buffer))];
      buffer.get(0, found);
      return found;
    } catch (IOException e) {
      return new byte[0];
    }
  }

  /** Whether a server that speaks HTTP/2 may begin like this: with a SETTINGS frame. */
  public static boolean beginsLikeHttp2(byte[] head) {
    int known = Math.min(head.length, FRAME_HEADER);
    for (int i = 0; i < known; i++) {
      boolean fits =
          switch (i) {
            // The length is below 2^16, the type is 4, the stream is 0.
            case 0, 6, 7, 8 -> head[i] == 0;
            case 3 -> head[i] == 4;
            case 5 -> (head[i] & 0x7F) == 0;
            default -> true;
          };
      if (!fits) {
        return false;
      }
    }
    return true;
  }

  private ConnectProblem notGrpc(byte[] seen) {
    return new ConnectProblem(
        Reason.NOT_GRPC,
        "whoever listens does not speak gRPC; its first bytes are "
            + HexFormat.ofDelimiter(" ").formatHex(seen),
        "Check that this is the socket of a CSI plugin, and not of something else.");
  }

  private ConnectProblem wrongPeer() {
    String listens =
        peer.uid().isPresent() ? "user " + peer.uid().getAsInt() : "a user whom we cannot tell";
    String process = peer.pid().isPresent() ? " (process " + peer.pid().getAsInt() + ")" : "";
    String required = requiredUid.isPresent() ? "" + requiredUid.getAsInt() : "none";
    return new ConnectProblem(
        Reason.WRONG_PEER,
        listens + process + " listens on the socket, but user " + required + " is required",
        "Find out who replaced the plugin, or correct the required user in the options.");
  }
}
