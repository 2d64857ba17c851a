package io.csi4j.client.model;

import java.time.Duration;
import java.util.Optional;

/**
 * A listener for the attempts of calls, for tolerated deviations from the spec, and for lost and
 * restored connections.
 *
 * <p>Every {@link #onStart} is followed by exactly one {@link #onEnd} with the same {@code callId}
 * and attempt. The events of one call are reported in order, one at a time; events of different
 * calls may be reported in parallel. If a listener throws an exception, the client logs it and
 * continues. A call waits until its listeners return, so listeners must be quick. The start of a
 * first attempt is reported on the thread of the caller; all other events are reported on callback
 * threads.
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
   * Reports a new call. Called on the thread of the caller, before the first attempt, which may
   * begin on another thread.
   */
  default void onAsked(Asked event) {}

  /** Reports the beginning of an attempt. */
  default void onStart(Started event) {}

  /** Reports the end of an attempt. */
  default void onEnd(Ended event) {}

  /** Reports a tolerated deviation from the spec in a request or an answer. */
  default void onWarning(Warning event) {}

  /**
   * Reports a connection to the plugin: the first connection, and each new connection after a loss.
   * The client reconnects only when a call is made.
   */
  default void onConnected(Connected event) {}

  /**
   * Reports the loss of the connection: the plugin has ended or has asked the client to disconnect,
   * or the connection was cut off. Not called when the host closes the connection.
   */
  default void onLost(Lost event) {}

  /**
   * The event of a new call.
   *
   * @param callId the number shared by all attempts of the call
   * @param operation the call
   */
  record Asked(long callId, CsiOperation operation) {}

  /**
   * The beginning of one attempt.
   *
   * @param callId the number of the call on its connection, shared by all its attempts
   * @param operation the call
   * @param plugin the name of the plugin, if it is known
   * @param endpoint the endpoint of the plugin
   * @param attempt the number of the attempt, beginning with 1
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
   * @param started the beginning of the attempt
   * @param code its status
   * @param outcome whether the plugin may have done the work, if the attempt failed
   * @param elapsed its duration
   */
  record Ended(Started started, StatusCode code, Optional<Outcome> outcome, Duration elapsed) {}

  /**
   * The event of a tolerated deviation from the spec.
   *
   * @param operation the call in which the deviation occurred
   * @param plugin the name of the plugin, if it is known
   * @param endpoint the endpoint of the plugin
   * @param violation the deviation
   */
  record Warning(
      CsiOperation operation,
      Optional<PluginName> plugin,
      CsiEndpoint endpoint,
      Violation violation) {}

  /**
   * The event of a new connection. These events are reported in order, one at a time.
   *
   * @param plugin the name of the plugin, if it is known
   * @param endpoint the endpoint of the plugin
   * @param peer the process that serves the connection, as far as the kernel reports it
   */
  record Connected(Optional<PluginName> plugin, CsiEndpoint endpoint, PeerCredentials peer) {}

  /**
   * The event of a lost connection.
   *
   * @param plugin the name of the plugin, if it is known
   * @param endpoint the endpoint of the plugin
   */
  record Lost(Optional<PluginName> plugin, CsiEndpoint endpoint) {}
}
