package io.csi4j.volume.plugin.registration;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.registration.RegistrationWatch.Announcement;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The knowledge of one socket. Touched by one task at a time. */
final class WatchedSocket {

  /** Its file name. */
  final String name;

  /** Where it is. */
  final CsiEndpoint endpoint;

  /** Which file it is, as last seen. */
  String identity;

  /** Which file it was when it was asked last, or when its answer was judged. */
  String asked = "";

  /** Whether it is talked to. */
  boolean talking;

  /** Since when it is gone. */
  OptionalLong missing = OptionalLong.empty();

  /** How often in a row it gave no answer. */
  int failures;

  /** The last message about it, so that each is told once. */
  String said = "";

  /** When it is asked again. */
  Scheduler.@Nullable Timer retry;

  /** The plugin that it has registered. */
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

    /** Whether this is the same plugin at another place. */
    boolean claims(PluginRegistration other) {
      return registration.id().equals(other.id())
          && !registration.binding().endpoint().equals(other.binding().endpoint());
    }

    /** Whether this is the same plugin in the same instance, so that one replaces the other. */
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
   * The socket is another file now. Messages about the one before are not told again: a registrar
   * that is refused ends, and is started again and again.
   */
  void madeAnew(String now) {
    identity = now;
    failures = 0;
    stopWaiting();
  }

  /** Takes back that it is to be asked again. */
  void stopWaiting() {
    Scheduler.Timer timer = retry;
    if (timer != null) {
      timer.cancel();
    }
    retry = null;
  }
}
