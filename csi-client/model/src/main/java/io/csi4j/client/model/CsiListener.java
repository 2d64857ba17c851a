package io.csi4j.client.model;

import java.time.Duration;
import java.util.Optional;

/**
 * A listener who is told of every attempt that goes over the wire, of oddities in requests and
 * answers that were let pass all the same, and of connections that were lost and made again.
 *
 * <p>Every {@link #onStart} is followed by exactly one {@link #onEnd} with the same {@code callId}
 * and attempt. For one call the events come in order and never two at a time; different calls may
 * be told in parallel. What a listener throws is logged and goes no further. The call waits for its
 * listeners: be quick. The start of a first attempt is told on the thread of the caller, all else
 * on callback threads.
 *
 * <pre>{@code
 * CsiListener listener =
 *     new CsiListener() {
 *       @Override
 *       public void onLost(Lost event) {
 *         log.accept(event.endpoint() + " is gone");
 *       }
 *
 *       @Override
 *       public void onConnected(Connected event) {
 *         log.accept(event.endpoint() + " is served by " + event.peer());
 *       }
 *     };
 * ConnectOptions options = ConnectOptions.builder().listener(listener).build();
 * }</pre>
 *
 * @since 1.0
 */
public interface CsiListener {

  /**
   * A call is asked for. This is told on the thread of its caller, before the first attempt, which
   * may begin on another thread.
   */
  default void onAsked(Asked event) {}

  /** An attempt begins. */
  default void onStart(Started event) {}

  /** An attempt has ended. */
  default void onEnd(Ended event) {}

  /** Something in an answer, or in a request, is not as the spec wants it, but was let pass. */
  default void onWarning(Warning event) {}

  /**
   * A connection to the plugin is there: the first one, and each that follows a lost one. The next
   * call makes it; nothing connects by itself.
   */
  default void onConnected(Connected event) {}

  /**
   * The connection to the plugin was lost: its process has ended, it asked to be left, or it was
   * cut off. Not told when the host closes it.
   */
  default void onLost(Lost event) {}

  /**
   * A call that was asked for.
   *
   * @param callId that of all its attempts
   * @param operation the call
   */
  record Asked(long callId, CsiOperation operation) {}

  /**
   * The beginning of one attempt.
   *
   * @param callId tells calls on one connection apart; all attempts of a call share it
   * @param operation the call
   * @param plugin the plugin, where its name is known
   * @param endpoint where it listens
   * @param attempt 1 for the first
   */
  record Started(
      long callId,
      CsiOperation operation,
      Optional<PluginName> plugin,
      CsiEndpoint endpoint,
      int attempt) {}

  /**
   * The end of one attempt.
   *
   * @param started how it began
   * @param code the status it ended with
   * @param outcome what it left behind, if it failed
   * @param elapsed how long it took
   */
  record Ended(Started started, StatusCode code, Optional<Outcome> outcome, Duration elapsed) {}

  /**
   * An oddity that was let pass.
   *
   * @param operation the call it happened in
   * @param plugin the plugin, where its name is known
   * @param endpoint where it listens
   * @param violation what is odd
   */
  record Warning(
      CsiOperation operation,
      Optional<PluginName> plugin,
      CsiEndpoint endpoint,
      Violation violation) {}

  /**
   * A connection that was made. These events come in order, and never two at a time.
   *
   * @param plugin the plugin, where its name is known
   * @param endpoint where it listens
   * @param peer the process at the other end, as far as the kernel tells it
   */
  record Connected(Optional<PluginName> plugin, CsiEndpoint endpoint, PeerCredentials peer) {}

  /**
   * A connection that was lost.
   *
   * @param plugin the plugin, where its name is known
   * @param endpoint where it listened
   */
  record Lost(Optional<PluginName> plugin, CsiEndpoint endpoint) {}
}
