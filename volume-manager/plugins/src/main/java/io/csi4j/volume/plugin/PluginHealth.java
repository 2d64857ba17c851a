package io.csi4j.volume.plugin;

import java.time.Instant;
import java.util.Objects;

/**
 * The health of an instance of a plugin.
 *
 * @param state the state
 * @param reason the kind of reason
 * @param text the reason, as a clause for people; never a secret
 * @param since the time at which this state began
 * @since 1.0
 */
public record PluginHealth(State state, Reason reason, Text text, Instant since) {

  /** The states of an instance. */
  public enum State {
    /** The plugin was started, or is remembered from an earlier run, and has not been ready yet. */
    STARTING,
    /** The plugin answers and is ready. */
    READY,
    /** The plugin was ready but no longer is, or it did not become ready in time. */
    UNHEALTHY,
    /** The plugin was stopped or deregistered. */
    GONE
  }

  /** The kinds of reasons for a state. */
  public enum Reason {
    /** The plugin was not asked yet. */
    NOT_ASKED,
    /** The plugin reported that it is ready. */
    ANSWERED,
    /** The socket does not exist. */
    NO_SOCKET,
    /** The socket exists, but has no listener. */
    NOBODY_LISTENS,
    /** This process may not use the socket, or the wrong user listens on it. */
    DENIED,
    /** The plugin does not answer in time. */
    SILENT,
    /** The plugin answers that it is not ready. */
    NOT_READY,
    /** The plugin answers with an error. */
    ERROR,
    /** Another plugin answers than expected, or the plugin describes itself with invalid values. */
    REFUSED,
    /** The plugin was stopped. */
    STOPPED
  }

  /**
   * The reason, for people.
   *
   * @param value a clause without a full stop
   */
  public record Text(String value) {
    @Override
    public String toString() {
      return value;
    }
  }

  /** Checks that all parts are present. */
  public PluginHealth {
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(text, "text");
    Objects.requireNonNull(since, "since");
  }

  /** Returns whether volumes may be mounted with the plugin. */
  public boolean isReady() {
    return state == State.READY;
  }
}
