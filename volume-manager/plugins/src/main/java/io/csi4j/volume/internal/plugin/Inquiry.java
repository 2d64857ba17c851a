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
 * The questions to one instance: whether it is ready, and, where another process may be there than
 * before, what it is and can do. One round of them at a time, each with an end. Belongs to the
 * turns of its supervision, but for the fingerprint.
 */
final class Inquiry {

  /** Questions about itself that follow a probe. */
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

  /** When it was asked last what it is and can do. */
  private long portrayed;

  private @Nullable PluginName name;
  private @Nullable Round round;
  private volatile @Nullable PluginFingerprint fingerprint;

  /** One probe, and the questions that may follow. */
  private static final class Round {
    private long deadline;
    private boolean isOverdue;

    Round(long deadline) {
      this.deadline = deadline;
    }
  }

  /**
   * Nothing is asked yet.
   *
   * @param turns takes a turn
   * @param found told, in a turn, what came of a round, or of one that has no end
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

  /** The fingerprint counts no more: it is asked for in the next round. */
  void doubt() {
    isStale = true;
  }

  /** When the round that goes on has lasted too long; nothing if none goes on. */
  OptionalLong deadline() {
    Round open = round;
    return open == null ? OptionalLong.empty() : OptionalLong.of(open.deadline);
  }

  /** Whether there is another socket than at the last question, or none any more. */
  boolean isAnotherSocket() {
    return !prober.socket().equals(socket);
  }

  /** Begins a round; none goes on. */
  void begin() {
    socket = prober.socket();
    Round begun = new Round(clock.nanos() + config.probeLimit().toNanos());
    prober.probe(pulse -> turns.accept(() -> pulsed(begun, pulse)));
    round = begun;
  }

  /** The round that goes on has lasted too long; no other is begun before it has ended. */
  void overdue() {
    Round open = round;
    if (open != null) {
      open.isOverdue = true;
      open.deadline = clock.nanos() + config.startInterval().toNanos();
      found.accept(Optional.of(PluginTrouble.silent(config.probeLimit())));
    }
  }

  /** Waits for no answer any more. */
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
   * Whether its node may have another limit or place by now; how a node is can move while it runs.
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
      // What was told is of one process in part, and of another one in part.
      begin();
    } else {
      end(asked, judge(portrait));
    }
  }

  /** Ends a round. One that was given up tells only whether the plugin is there again. */
  private void end(Round asked, Optional<PluginTrouble> trouble) {
    round = null;
    if (trouble.isEmpty() || !asked.isOverdue) {
      found.accept(trouble);
    }
  }

  // ---- what it says of itself

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

  /** Some questions failed: what the same process has said before still holds. */
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
                "it calls itself '" + told + "', and the plugin was '" + wanted + "'"));
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

  /** Whether the answers may be of another process than the one that is there now. */
  private boolean isAnother(String seen) {
    return seen.isEmpty() || !seen.equals(process) || !socket.equals(readAt);
  }
}
