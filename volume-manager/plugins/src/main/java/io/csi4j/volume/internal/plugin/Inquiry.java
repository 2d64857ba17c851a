package io.csi4j.volume.internal.plugin;

import io.csi4j.client.model.PluginName;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginRole;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The questions to one instance: whether it is ready and, if its process may have changed, its
 * identity and capabilities. Runs one round of questions at a time, and each round has a time
 * limit. All methods except {@link #fingerprint} are called only in the turns of the instance's
 * supervision.
 */
final class Inquiry {

  /** Maximum number of questions about the capabilities after a probe. */
  private static final int QUESTIONS = 6;

  private static final int MOST_NONSENSE = 64;

  private final PluginConfig config;
  private final Clock clock;
  private final Prober prober;
  private final Standing standing;
  private final Consumer<Runnable> turns;
  private final Consumer<Optional<PluginTrouble>> found;

  private final Set<String> nonsense = new HashSet<>();
  private String socket = "";
  private boolean isStale = true;
  private String process = "";
  private String readAt = "";

  /** The time at which the instance was last asked for its capabilities. */
  private long portrayed;

  private @Nullable PluginName name;
  private @Nullable Round round;
  private volatile @Nullable PluginFingerprint fingerprint;

  /** One probe, and the questions that may follow it. */
  private static final class Round {
    private long deadline;
    private boolean isOverdue;

    Round(long deadline) {
      this.deadline = deadline;
    }
  }

  /**
   * Creates an object without a running round.
   *
   * @param turns runs work as a turn
   * @param found receives, in a turn, the result of a round, or of a round that has timed out
   */
  Inquiry(
      PluginConfig config,
      Clock clock,
      Prober prober,
      Standing standing,
      Consumer<Runnable> turns,
      Consumer<Optional<PluginTrouble>> found) {
    this.config = config;
    this.clock = clock;
    this.prober = prober;
    this.standing = standing;
    this.turns = turns;
    this.found = found;
    name = config.connectOptions().requiredName().orElse(null);
  }

  /** Returns the last fingerprint. */
  Optional<PluginFingerprint> fingerprint() {
    return Optional.ofNullable(fingerprint);
  }

  /** Marks the fingerprint as outdated, so that the next round asks for it again. */
  void doubt() {
    isStale = true;
  }

  /** Returns the deadline of the running round; empty if none is running. */
  OptionalLong deadline() {
    Round open = round;
    return open == null ? OptionalLong.empty() : OptionalLong.of(open.deadline);
  }

  /** Returns whether the socket has changed or disappeared since the last question. */
  boolean isAnotherSocket() {
    return !prober.socket().equals(socket);
  }

  /** Starts a round. No round may be running. */
  void begin() {
    socket = prober.socket();
    Round begun = new Round(clock.nanos() + config.probeLimit().toNanos());
    prober.probe(pulse -> turns.accept(() -> pulsed(begun, pulse)));
    round = begun;
  }

  /**
   * Ends the running round at its deadline. The next round starts only after the answers of this
   * round have arrived.
   */
  void overdue() {
    Round open = round;
    if (open != null) {
      open.isOverdue = true;
      open.deadline = clock.nanos() + config.startInterval().toNanos();
      found.accept(Optional.of(PluginTrouble.silent(config.probeLimit())));
    }
  }

  /** Ignores all further answers. */
  void abandon() {
    round = null;
  }

  private void pulsed(Round asked, Prober.Pulse pulse) {
    if (asked != round) {
      return;
    }
    if (pulse.trouble().isPresent()) {
      end(asked, pulse.trouble());
    } else if (isStale || isAnother(pulse.process()) || isOutdated()) {
      portrayed = clock.nanos();
      asked.deadline = clock.nanos() + config.probeLimit().multipliedBy(QUESTIONS).toNanos();
      prober.portray(portrait -> turns.accept(() -> portrayed(asked, pulse, portrait)));
    } else {
      end(asked, Optional.empty());
    }
  }

  /**
   * Returns whether the volume limit or the topology of the node may have changed. Both can change
   * while the plugin runs.
   */
  private boolean isOutdated() {
    Duration holds = config.infoInterval();
    return config.roles().contains(PluginRole.NODE)
        && !holds.isZero()
        && clock.nanos() - portrayed >= holds.toNanos();
  }

  private void portrayed(Round asked, Prober.Pulse pulse, Prober.Portrait portrait) {
    if (asked != round) {
      return;
    }
    portrait.nonsense().stream()
        .filter(text -> nonsense.size() < MOST_NONSENSE && nonsense.add(text))
        .forEach(text -> standing.notice(OperatorCode.PLUGIN_SAYS_NONSENSE, text));
    if (!portrait.process().equals(pulse.process()) || isAnotherSocket()) {
      // The answers came from two different processes, so they are requested again.
      begin();
    } else {
      end(asked, judge(portrait));
    }
  }

  /**
   * Ends a round. A round that has already timed out only shows whether the plugin is available
   * again.
   */
  private void end(Round asked, Optional<PluginTrouble> trouble) {
    round = null;
    if (trouble.isEmpty() || !asked.isOverdue) {
      found.accept(trouble);
    }
  }

  // ---- its answers

  private Optional<PluginTrouble> judge(Prober.Portrait portrait) {
    Optional<PluginTrouble> refusal = wrongName(portrait);
    if (refusal.isPresent()) {
      return refusal;
    }
    if (portrait.whole().isEmpty()) {
      return partly(portrait);
    }
    PluginFingerprint told = portrait.whole().get();
    refusal = standing.take(told);
    if (refusal.isEmpty()) {
      accept(told, portrait.process());
    }
    return refusal;
  }

  /**
   * Handles a round in which some questions failed. Earlier answers of the same process remain
   * valid.
   */
  private Optional<PluginTrouble> partly(Prober.Portrait portrait) {
    if (fingerprint == null || isAnother(portrait.process())) {
      return portrait.trouble();
    }
    portrait
        .trouble()
        .ifPresent(
            trouble -> standing.notice(OperatorCode.CAPABILITIES_UNKNOWN, trouble.text().value()));
    return Optional.empty();
  }

  private Optional<PluginTrouble> wrongName(Prober.Portrait portrait) {
    PluginName told = portrait.name().orElse(null);
    PluginName wanted = name == null ? standing.knownName().orElse(null) : name;
    return told == null || wanted == null || told.equals(wanted)
        ? Optional.empty()
        : Optional.of(
            PluginTrouble.of(
                Reason.REFUSED,
                OperatorCode.PLUGIN_NAME_CHANGED,
                "it reports the name '" + told + "', but the plugin was '" + wanted + "'"));
  }

  private void accept(PluginFingerprint told, String seen) {
    PluginFingerprint before = fingerprint;
    boolean isAnotherProcess = !seen.isEmpty() && !process.isEmpty() && !seen.equals(process);
    if (before != null && (isAnotherProcess || !before.version().equals(told.version()))) {
      standing.replaced();
    }
    name = told.name();
    fingerprint = told;
    process = seen;
    readAt = socket;
    isStale = false;
  }

  /** Returns whether the answers may come from another process than the current process. */
  private boolean isAnother(String seen) {
    return seen.isEmpty() || !seen.equals(process) || !socket.equals(readAt);
  }
}
