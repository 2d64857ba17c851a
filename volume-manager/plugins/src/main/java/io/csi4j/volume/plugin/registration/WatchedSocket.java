package io.csi4j.volume.plugin.registration;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.registration.RegistrationWatch.Announcement;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The state of one socket. Used by one task at a time. */
final class WatchedSocket {

  /** The file name of the socket. */
  final String name;

  /** The path of the socket. */
  final CsiEndpoint endpoint;

  /** The identity of the socket file, as last seen. */
  String identity;

  /**
   * The identity of the socket file when the registrar was last contacted, or when its answer was
   * processed.
   */
  String asked = "";

  /** Whether a conversation is running. */
  boolean talking;

  /** The time at which the socket was first missing. */
  OptionalLong missing = OptionalLong.empty();

  /** The number of consecutive failures. */
  int failures;

  /** The last message about the socket, so that each message is reported only once. */
  String said = "";

  /** The timer of the next question. */
  Scheduler.@Nullable Timer retry;

  /** The plugin that is registered through this socket. */
  @Nullable Registered registered;

  /**
   * The registration made through a socket.
   *
   * @param identity the identity of the file
   * @param announcement the announcement
   * @param registration the registration
   * @param handle deregisters it
   */
  record Registered(
      String identity,
      Announcement announcement,
      PluginRegistration registration,
      AutoCloseable handle) {

    /** Returns whether {@code other} is the same plugin, with another instance or socket. */
    boolean claims(PluginRegistration other) {
      return registration.id().equals(other.id())
          && !registration.binding().endpoint().equals(other.binding().endpoint());
    }

    /**
     * Returns whether {@code other} is the same instance of the same plugin, so that one
     * registration replaces the other.
     */
    boolean sameInstance(PluginRegistration other) {
      return registration.id().equals(other.id())
          && registration.instance().equals(other.instance());
    }
  }

  WatchedSocket(Path path, String identity) {
    this.name = String.valueOf(path.getFileName());
    this.endpoint = CsiEndpoint.of(path);
    this.identity = identity;
  }

  /**
   * Records that the socket is a new file. Messages about the earlier file are not repeated for the
   * new file, because a refused registrar ends and is restarted again and again.
   */
  void madeAnew(String now) {
    identity = now;
    failures = 0;
    stopWaiting();
  }

  /** Cancels the next question. */
  void stopWaiting() {
    Scheduler.Timer timer = retry;
    if (timer != null) {
      timer.cancel();
    }
    retry = null;
  }
}
