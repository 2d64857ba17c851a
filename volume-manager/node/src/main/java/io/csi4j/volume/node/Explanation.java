package io.csi4j.volume.node;

import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * An explanation of a volume or a workload: its running work, its obstacles and the actions to
 * take. Programs read the record components; people read the {@link #lines}.
 *
 * <pre>{@code
 * Explanation why = manager.explain(VolumeKey.of("db-1"));
 * why.volumes().stream()
 *     .flatMap(volume -> volume.trouble().stream())
 *     .forEach(trouble -> alert(trouble.message().code(), trouble.since()));
 * }</pre>
 *
 * @param subject the volume or the workload
 * @param volumes the volumes that the subject refers to; for a workload, the volumes that it uses
 * @since 1.0
 */
public record Explanation(String subject, List<Explained> volumes) {

  /** Maximum number of waiting workloads that {@link #lines} names. */
  private static final int NAMED = 5;

  /** Maximum number of uses of a volume that {@link #lines} lists. */
  private static final int LISTED = 20;

  /** Copies the list. */
  public Explanation {
    volumes = List.copyOf(volumes);
  }

  /**
   * The explanation of one volume.
   *
   * @param identity the volume
   * @param status the status on record, if the manager has a record of the volume
   * @param work the running work on the volume, if there is any
   * @param trouble the present obstacle, if there is one
   */
  public record Explained(
      VolumeIdentity identity,
      Optional<VolumeStatus> status,
      Optional<Work> work,
      Optional<Trouble> trouble) {}

  /**
   * The work on one volume.
   *
   * @param operation the operation
   * @param usage the use of the operation; empty for a volume without uses
   * @param step the present step, as a phrase such as {@code waiting for the plugin to stage it}
   * @param since the time since the operation started
   * @param attempt the number of attempts at the present call so far
   * @param attempts the maximum number of attempts within this operation
   * @param answer the last answer of the plugin, if it was a failure
   * @param nextTry the time until the next attempt, if the operation waits for one
   * @param waiting the uses whose operations wait for this one, in order
   */
  public record Work(
      VolumeEvent.Operation operation,
      Optional<VolumeUse> usage,
      String step,
      Duration since,
      int attempt,
      int attempts,
      Optional<String> answer,
      Optional<Duration> nextTry,
      List<VolumeUse> waiting) {

    /** Copies the list. */
    public Work {
      waiting = List.copyOf(waiting);
    }
  }

  /**
   * An obstacle and the action to take.
   *
   * @param message the message for an operator
   * @param since the time since the obstacle appeared, if that is known
   */
  public record Trouble(OperatorMessage message, Optional<Duration> since) {}

  /** Returns the explanation as lines for people. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    volumes.forEach(volume -> describe(volume, lines));
    if (lines.isEmpty()) {
      lines.add("this node has no record of it, and does nothing for it");
    }
    return List.copyOf(lines);
  }

  /** Returns the lines as one text. */
  @Override
  public String toString() {
    return lines().stream()
        .map(line -> "\n  " + line)
        .collect(Collectors.joining("", ForeignText.of(subject), ""));
  }

  private static void describe(Explained volume, List<String> lines) {
    lines.addAll(
        volume
            .status()
            .map(status -> status.lines(LISTED))
            .orElse(List.of(volume.identity() + ": nothing is on record yet")));
    volume.status().map(VolumeStatus::health).stream()
        .flatMap(health -> health.findings().stream())
        .limit(LISTED)
        .map(finding -> "health: " + finding.text())
        .forEach(lines::add);
    volume.work().ifPresent(work -> describe(work, lines));
    volume
        .trouble()
        .ifPresent(
            trouble ->
                lines.add(
                    "trouble: "
                        + trouble.message().line()
                        + trouble.since().map(time -> " (for " + span(time) + ")").orElse("")));
    if (volume.work().isEmpty() && volume.trouble().isEmpty()) {
      lines.add("nothing is being done, and nothing stands in the way");
    }
  }

  private static void describe(Work work, List<String> lines) {
    lines.add(
        "now: "
            + phrase(work.operation())
            + work.usage().map(usage -> " for " + usage.phrase()).orElse("")
            + ": "
            + ForeignText.of(work.step())
            + " for "
            + span(work.since())
            + (work.attempt() > 1 ? ", attempt " + work.attempt() + " of " + work.attempts() : "")
            + work.nextTry().map(in -> ", next try in " + span(in)).orElse(""));
    work.answer().ifPresent(text -> lines.add("last answer: " + ForeignText.clause(text)));
    List<VolumeUse> waiting = work.waiting();
    if (!waiting.isEmpty()) {
      lines.add(
          "waiting for it: "
              + waiting.stream()
                  .limit(NAMED)
                  .map(VolumeUse::phrase)
                  .collect(Collectors.joining(", "))
              + (waiting.size() > NAMED ? " and " + (waiting.size() - NAMED) + " more" : ""));
    }
  }

  private static String phrase(VolumeEvent.Operation operation) {
    return switch (operation) {
      case MOUNT -> "mounting";
      case UNMOUNT -> "releasing";
      case EXPAND -> "expanding";
      case STATS -> "reading how full it is";
      case CLEAN_UP -> "cleaning up";
      case REPAIR -> "repairing dead mounts";
      case REFRESH -> "refreshing";
    };
  }

  /** Formats a duration for people: {@code 340 ms}, {@code 12 s}, {@code 3 min 20 s}. */
  static String span(Duration time) {
    if (time.toSeconds() < 1) {
      return time.toMillis() + " ms";
    }
    if (time.toMinutes() < 1) {
      return time.toSeconds() + " s";
    }
    return time.toHours() < 1
        ? time.toMinutes() + " min " + time.toSecondsPart() + " s"
        : time.toHours() + " h " + time.toMinutesPart() + " min";
  }
}
