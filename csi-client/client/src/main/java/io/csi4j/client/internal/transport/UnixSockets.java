package io.csi4j.client.internal.transport;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.ConnectOptions.Transport;
import io.csi4j.client.model.CsiConnectException.Reason;
import io.csi4j.client.model.PeerCredentials;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.IoHandlerFactory;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.jspecify.annotations.Nullable;

/**
 * An implementation of UNIX domain sockets for netty. Native code is loaded only when {@link
 * #choose} selects epoll.
 */
public sealed interface UnixSockets {

  /** Returns the implementation that the options request. */
  static UnixSockets choose(ConnectOptions options, Path path) throws Unavailable {
    Transport asked = options.transport();
    if (asked != Transport.JDK && Epoll.isAvailable()) {
      return new EpollSockets(path);
    }
    if (asked == Transport.EPOLL) {
      throw new Unavailable(Epoll.unavailabilityCause());
    }
    return new JdkSockets(path, options.requiredPeerUid());
  }

  /** Returns the problem to report when no socket can be created at all. */
  static ConnectProblem unusable(Exception cause) {
    return new ConnectProblem(
        Reason.NO_TRANSPORT,
        "no socket can be created: " + SafeText.escape(cause.toString()),
        "Look at the limits of this process, first the limit of open files.");
  }

  Transport transport();

  /** Maximum size in bytes of a path that fits into a socket address. */
  int longestPath();

  IoHandlerFactory handler();

  /** Creates a socket that is not connected yet. */
  NewSocket open();

  /**
   * A channel with its address, and with functions that netty does not offer in the same form for
   * all channels.
   *
   * @param channel not connected yet
   * @param address the address to connect to
   * @param peer returns the process that listens on the socket of a connected channel
   * @param rest reads the unread bytes of a connected channel; must be called on the channel's
   *     thread
   */
  record NewSocket(Channel channel, SocketAddress address, PeerQuestion peer, RawRead rest) {}

  /**
   * Reads into a direct buffer without waiting. Returns the number of bytes; zero or less if there
   * are none.
   */
  @FunctionalInterface
  interface RawRead {
    int read(ByteBuffer direct) throws IOException;
  }

  /** Asks the kernel which process listens on a connected socket. */
  @FunctionalInterface
  interface PeerQuestion {
    PeerCredentials ask() throws IOException;
  }

  /** Thrown when the requested implementation is not available on this machine. */
  final class Unavailable extends Exception {
    private static final long serialVersionUID = 1L;

    Unavailable(@Nullable Throwable cause) {
      super(cause == null ? "" : String.valueOf(cause.getMessage()), cause);
    }

    ConnectProblem problem() {
      StringBuilder why = new StringBuilder();
      for (Throwable each = getCause(); each != null; each = each.getCause()) {
        why.append(why.isEmpty() ? ": " : ", because of ").append(SafeText.escape("" + each));
      }
      return new ConnectProblem(
          Reason.NO_TRANSPORT,
          "epoll was requested, but does not load on this machine" + why,
          "Use the transport AUTO or JDK.");
    }
  }

  /** Sockets through epoll. */
  record EpollSockets(Path path) implements UnixSockets {
    @Override
    public Transport transport() {
      return Transport.EPOLL;
    }

    @Override
    public int longestPath() {
      return 107;
    }

    @Override
    public IoHandlerFactory handler() {
      return EpollIoHandler.newFactory();
    }

    @Override
    public NewSocket open() {
      EpollDomainSocketChannel channel = new EpollDomainSocketChannel();
      return new NewSocket(
          channel,
          new DomainSocketAddress(path.toString()),
          () -> {
            var peer = channel.peerCredentials();
            return new PeerCredentials(OptionalInt.of(peer.pid()), OptionalInt.of(peer.uid()));
          },
          buffer -> channel.fd().read(buffer, 0, buffer.capacity()));
    }
  }

  /** Sockets of the JDK. */
  record JdkSockets(Path path, OptionalInt requiredUid) implements UnixSockets {
    @Override
    public Transport transport() {
      return Transport.JDK;
    }

    @Override
    public int longestPath() {
      return 106;
    }

    @Override
    public IoHandlerFactory handler() {
      return NioIoHandler.newFactory();
    }

    @Override
    public NewSocket open() {
      try {
        SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX);
        return new NewSocket(
            new NioDomainSocketChannel(socket),
            UnixDomainSocketAddress.of(path),
            () -> peerOf(socket),
            socket::read);
      } catch (IOException e) {
        throw Status.UNAVAILABLE.withDescription(unusable(e).why()).asRuntimeException();
      }
    }

    private PeerCredentials peerOf(SocketChannel socket) throws IOException {
      if (!socket.supportedOptions().contains(ExtendedSocketOptions.SO_PEERCRED)) {
        return PeerCredentials.unknown();
      }
      UnixDomainPrincipal peer = socket.getOption(ExtendedSocketOptions.SO_PEERCRED);
      return new PeerCredentials(OptionalInt.empty(), uidOf(peer.user()));
    }

    /**
     * Returns the uid of a user; the JDK reports only the user's name. The user's name is compared
     * with the name of the required user, and with the names of owners of files whose uid is also
     * readable. Empty if no name is equal.
     */
    private OptionalInt uidOf(UserPrincipal user) {
      if (requiredUid.isPresent() && user.equals(userOf(requiredUid.getAsInt()))) {
        return requiredUid;
      }
      for (Path each : List.of(path, Path.of("/proc/self/status"), Path.of("/"))) {
        try {
          Map<String, Object> facts = Files.readAttributes(each, "unix:uid,owner");
          if (user.equals(facts.get("owner")) && facts.get("uid") instanceof Integer uid) {
            return OptionalInt.of(uid);
          }
        } catch (IOException e) {
          // The attributes of this file cannot be read, so the file does not identify the user.
        }
      }
      return OptionalInt.empty();
    }

    private @Nullable UserPrincipal userOf(int uid) {
      try {
        return path.getFileSystem()
            .getUserPrincipalLookupService()
            .lookupPrincipalByName(Integer.toString(uid));
      } catch (IOException e) {
        return null;
      }
    }
  }
}
