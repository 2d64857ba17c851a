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
 * The first handler of a transport. Passes the socket to gRPC only if the required user listens on
 * it, and remembers facts that explain a failed transport.
 *
 * <p>gRPC writes nothing before this handler reports that the channel is active.
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
   * Creates a gate for a socket that is not connected yet.
   *
   * @param generation is incremented when the socket is connected
   * @param onEnd is called when this gate no longer passes any data
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
   * The address that gRPC connects to. gRPC converts an address into a URI, but some paths cannot
   * be part of a URI. So gRPC receives this address, and the handler replaces it with the path of
   * the socket.
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

  /** Returns whether this gate no longer passes any data. */
  public boolean ended() {
    return ended;
  }

  /** Returns whether connecting the socket itself failed. */
  public boolean neverConnected() {
    return ended && !connected;
  }

  /** Returns the known problem with the listening process; null if there is none. */
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
            ? "the listener accepts the connection and closes it again"
            : "the listener accepts the connection and stays silent",
        "Look at the plugin's log; it may hang, or may not be a plugin.");
  }

  /** Returns whether {@link #problem} can still change for this transport. */
  public boolean undecided() {
    return !refused && !ended && head.length < FRAME_HEADER;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    // If a plugin sends its preface and closes the socket immediately, the client fails to write
    // its own preface. This failure must not close the socket before the plugin's bytes are read.
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

  /**
   * Returns whether these bytes may be the beginning of a SETTINGS frame, which an HTTP/2 server
   * sends first.
   */
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
        "the listener does not speak gRPC; its first bytes are "
            + HexFormat.ofDelimiter(" ").formatHex(seen),
        "Check that this is the socket of a CSI plugin.");
  }

  private ConnectProblem wrongPeer() {
    String listens = peer.uid().isPresent() ? "user " + peer.uid().getAsInt() : "an unknown user";
    String process = peer.pid().isPresent() ? " (process " + peer.pid().getAsInt() + ")" : "";
    String required = requiredUid.isPresent() ? "" + requiredUid.getAsInt() : "none";
    return new ConnectProblem(
        Reason.WRONG_PEER,
        listens + process + " listens on the socket, but user " + required + " is required",
        "Find out what replaced the plugin, or correct the required user in the options.");
  }
}
