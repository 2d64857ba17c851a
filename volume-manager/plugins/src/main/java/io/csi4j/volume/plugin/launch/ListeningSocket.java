package io.csi4j.volume.plugin.launch;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Tells whether a process listens at a socket; a seam for tests of what cannot be arranged. */
@FunctionalInterface
interface ListeningSocket {

  /** Asks the kernel, by connecting and sending nothing. Waits for no answer. */
  ListeningSocket KERNEL = ListeningSocket::ask;

  /** Whether a process listens, or that cannot be ruled out. */
  boolean isListening(Path socket);

  private static boolean ask(Path socket) {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.configureBlocking(false);
      channel.connect(UnixDomainSocketAddress.of(socket));
      return true;
    } catch (ConnectException refused) {
      return false;
    } catch (IOException unclear) {
      // No permission, or another kind of socket.
      return true;
    }
  }
}
