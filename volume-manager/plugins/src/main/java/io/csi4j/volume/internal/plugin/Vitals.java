package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.internal.text.TimeText;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginHealth.Text;
import java.time.Instant;
import java.util.Optional;

/**
 * The health of a plugin, and the counters that determine when it changes. This class only makes
 * decisions; it does not call the plugin.
 *
 * @param health the health
 * @param failures the number of consecutive failed probes, while the plugin counts as ready
 * @param answers the number of consecutive good answers, while the plugin counts as unhealthy
 * @param last the last trouble; empty if there was none
 * @param told the message for an operator about this health, if an operator needs one
 */
public record Vitals(
    PluginHealth health,
    int failures,
    int answers,
    Optional<PluginTrouble> last,
    Optional<Told> told) {

  /**
   * The message for an operator.
   *
   * @param code the code
   * @param seen the observation, as a clause
   */
  public record Told(OperatorCode code, String seen) {}

  /** The events that may change the health. */
  public sealed interface Input {

    /** The plugin answered that it is ready. */
    record Good() implements Input {}

    /**
     * The plugin did not answer that it is ready.
     *
     * @param trouble the reason
     */
    record Bad(PluginTrouble trouble) implements Input {}

    /** The time to become ready is over. */
    record Overdue() implements Input {}

    /** The host has restarted the plugin. */
    record Restarted() implements Input {}

    /** The host has stopped the plugin. */
    record Stopped() implements Input {}
  }

  /** Returns the health of a plugin that was not asked yet. */
  public static Vitals starting(Instant now) {
    return at(
        new PluginHealth(
            State.STARTING, Reason.NOT_ASKED, new Text("its health was not checked yet"), now),
        Optional.empty(),
        Optional.empty());
  }

  /** Returns the health with both counters at zero. */
  private static Vitals at(PluginHealth health, Optional<PluginTrouble> last, Optional<Told> told) {
    return new Vitals(health, 0, 0, last, told);
  }

  /** Returns the health after an event, with the limits of the configuration. */
  public Vitals after(Input input, PluginConfig config, Instant now) {
    if (health.state() == State.GONE) {
      return this;
    } else if (input instanceof Input.Good) {
      return good(config, now);
    } else if (input instanceof Input.Bad bad) {
      return bad(bad.trouble(), config, now);
    } else if (input instanceof Input.Overdue) {
      return health.state() == State.STARTING ? overdue(config, now) : this;
    } else if (input instanceof Input.Restarted) {
      return starting(now);
    }
    return at(
        new PluginHealth(State.GONE, Reason.STOPPED, new Text("it was stopped"), now),
        last,
        Optional.of(new Told(OperatorCode.PLUGIN_STOPPED, "the host has stopped it")));
  }

  private Vitals good(PluginConfig config, Instant now) {
    if (health.state() == State.READY) {
      return at(health, Optional.empty(), Optional.empty());
    }
    int enough = health.state() == State.STARTING ? 1 : config.answersToReady();
    if (answers + 1 < enough) {
      return new Vitals(health, 0, answers + 1, Optional.empty(), told);
    }
    return at(
        new PluginHealth(State.READY, Reason.ANSWERED, new Text("it says that it is ready"), now),
        Optional.empty(),
        Optional.empty());
  }

  private Vitals bad(PluginTrouble trouble, PluginConfig config, Instant now) {
    return switch (health.state()) {
      case STARTING -> still(trouble, isExpected(trouble) ? Optional.empty() : told(trouble));
      case READY -> failed(trouble, config, now);
      case UNHEALTHY -> still(trouble, trouble.reason() == health.reason() ? told : told(trouble));
      case GONE -> this;
    };
  }

  private Vitals failed(PluginTrouble trouble, PluginConfig config, Instant now) {
    int count = failures + 1;
    if (!trouble.isCertain() && count < config.failuresToUnhealthy()) {
      return new Vitals(health, count, 0, Optional.of(trouble), Optional.empty());
    }
    Optional<Told> worth =
        trouble.isCertain()
            ? told(trouble)
            : Optional.of(
                new Told(
                    OperatorCode.PLUGIN_UNHEALTHY,
                    (count == 1 ? "a probe" : count + " probes in a row")
                        + " failed: "
                        + trouble.text()));
    return at(
        new PluginHealth(State.UNHEALTHY, trouble.reason(), trouble.text(), now),
        Optional.of(trouble),
        worth);
  }

  private Vitals overdue(PluginConfig config, Instant now) {
    Told late =
        new Told(
            OperatorCode.PLUGIN_START_TIMEOUT,
            "it was not ready "
                + TimeText.of(config.healthTimeout())
                + " after its start: "
                + health.text());
    return at(
        new PluginHealth(State.UNHEALTHY, health.reason(), health.text(), now),
        last,
        Optional.of(late));
  }

  private Vitals still(PluginTrouble trouble, Optional<Told> worth) {
    return at(
        new PluginHealth(health.state(), trouble.reason(), trouble.text(), health.since()),
        Optional.of(trouble),
        worth);
  }

  private static Optional<Told> told(PluginTrouble trouble) {
    return Optional.of(new Told(trouble.code(), trouble.text().value()));
  }

  /** Returns whether every plugin normally has this trouble while it starts. */
  private static boolean isExpected(PluginTrouble trouble) {
    return switch (trouble.reason()) {
      case NO_SOCKET, NOBODY_LISTENS, SILENT, NOT_READY -> true;
      default -> false;
    };
  }

  /** Returns whether the plugin is healthy, and the last question was answered without trouble. */
  public boolean isSettled() {
    return health.isReady() && failures == 0;
  }
}
