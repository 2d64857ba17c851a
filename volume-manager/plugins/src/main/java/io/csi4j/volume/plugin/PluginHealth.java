package io.csi4j.volume.plugin;

import java.time.Instant;
import java.util.Objects;

/**
 * How an instance of a plugin is.
 *
 * @param state how it is
 * @param reason why
 * @param text why, as a clause for people; never a secret
 * @param since since when
 * @since 1.0
 */
public record PluginHealth(State state, Reason reason, Text text, Instant since) {

  /** How an instance can be. */
  public enum State {
    /** The plugin was started, or is remembered from an earlier run, and has not been ready yet. */
    STARTING,
    /** The plugin answers and is ready. */
    READY,
    /** The plugin was ready, and is not any more; or it did not become ready in time. */
    UNHEALTHY,
    /** The plugin was stopped, or has left. */
    GONE
  }

  /** Why it is so. */
  public enum Reason {
    /** The plugin was not asked yet. */
    NOT_ASKED,
    /** The plugin said that it is ready. */
    ANSWERED,
    /** There is no socket. */
    NO_SOCKET,
    /** There is a socket without a listener. */
    NOBODY_LISTENS,
    /** This process may not use the socket, or the wrong one listens on it. */
    DENIED,
    /** The plugin does not answer in time. */
    SILENT,
    /** The plugin answers, and says that it is not ready. */
    NOT_READY,
    /** The plugin answers with an error. */
    ERROR,
    /** The plugin is not the one that was meant, or says something of itself that cannot be. */
    REFUSED,
    /** The plugin was stopped. */
    STOPPED
  }

  /**
   * Why, for people.
   *
   * @param value a clause without a full stop
   */
  public record Text(String value) {
    @Override
    public String toString() {
      return value;
    }
  }

  /** Checks that all parts are there. */
  public PluginHealth {
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(text, "text");
    Objects.requireNonNull(since, "since");
  }

  /** Whether volumes may be mounted with it. */
  public boolean isReady() {
    return state == State.READY;
  }
}
