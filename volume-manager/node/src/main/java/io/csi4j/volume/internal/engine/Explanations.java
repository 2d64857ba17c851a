package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.Explanation;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.node.VolumeStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Says what is being done with volumes, what stands in the way, and what to do. */
public final class Explanations {

  /** So many waiting workloads are named. */
  private static final int NAMED = 5;

  /** So many uses of a volume are listed. */
  private static final int LISTED = 20;

  private Explanations() {}

  /**
   * One volume.
   *
   * @param identity which
   * @param status what is on record of it, if anything is
   * @param activity what is going on, if anything is
   * @param trouble what stands in the way, if anything does
   * @param troubledFor how long it has stood there, if that is known
   */
  public record Known(
      VolumeIdentity identity,
      Optional<VolumeStatus> status,
      Optional<Activity> activity,
      Optional<OperatorMessage> trouble,
      Optional<Duration> troubledFor) {}

  /** What there is to say of these volumes to whoever asked about the subject. */
  public static Explanation of(String subject, List<Known> known) {
    List<String> lines = new ArrayList<>();
    known.forEach(volume -> describe(volume, lines));
    if (lines.isEmpty()) {
      lines.add("nothing of it is on record on this node, and nothing is being done for it");
    }
    return new Explanation(ForeignText.of(subject), lines);
  }

  private static void describe(Known volume, List<String> lines) {
    lines.add(
        volume.identity()
            + ": "
            + volume.status().map(Explanations::stand).orElse("nothing is on record yet"));
    List<VolumeStatus.Use> uses = volume.status().map(VolumeStatus::uses).orElse(List.of());
    uses.stream().limit(LISTED).map(Explanations::stand).forEach(lines::add);
    if (uses.size() > LISTED) {
      lines.add("and " + (uses.size() - LISTED) + " more");
    }
    volume
        .status()
        .filter(status -> !status.leaving().isEmpty())
        .ifPresent(status -> lines.add("no workload has it any more; what is left is given back"));
    volume.activity().ifPresent(activity -> describe(activity, lines));
    String since = volume.troubledFor().map(time -> " (for " + span(time) + ")").orElse("");
    volume.trouble().ifPresent(trouble -> lines.add("trouble: " + trouble.line() + since));
    if (volume.activity().isEmpty() && volume.trouble().isEmpty()) {
      lines.add("nothing is being done, and nothing stands in the way");
    }
  }

  private static String stand(VolumeStatus status) {
    return (status.block() ? "raw block device, " : "filesystem, ")
        + staging(status.staging())
        + ", used by "
        + counted(status.uses().size(), "workload");
  }

  private static String stand(VolumeStatus.Use use) {
    return owner(use.key())
        + ": "
        + published(use.status())
        + (use.readOnly() ? ", read-only, at " : ", at ")
        + ForeignText.of(use.path().toString());
  }

  private static void describe(Activity activity, List<String> lines) {
    lines.add(
        "now: "
            + phrase(activity.operation())
            + activity.usage().map(usage -> " for " + owner(usage)).orElse("")
            + ": "
            + ForeignText.of(activity.step())
            + " for "
            + span(activity.since())
            + (activity.attempt() > 1 ? ", attempt " + activity.attempt() : "")
            + activity.again().map(in -> ", next try in " + span(in)).orElse(""));
    activity.answer().ifPresent(text -> lines.add("last answer: " + ForeignText.clause(text)));
    List<UsageKey> waiting = activity.waiting();
    if (!waiting.isEmpty()) {
      lines.add(
          "waiting for it: "
              + waiting.stream()
                  .limit(NAMED)
                  .map(Explanations::owner)
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
      case REPAIR -> "making anew what is dead";
    };
  }

  private static String staging(PathStatus status) {
    return switch (status) {
      case NONE -> "not staged";
      case IN_DOUBT -> "perhaps staged";
      case PRESENT -> "staged";
      case GOING -> "being unstaged";
      case DEAD -> "staged, and dead: what served it has ended";
    };
  }

  private static String published(PathStatus status) {
    return switch (status) {
      case NONE -> "not published";
      case IN_DOUBT -> "perhaps published";
      case PRESENT -> "published";
      case GOING -> "being unpublished";
      case DEAD -> "published, and dead: what served it has ended, and every use of it fails";
    };
  }

  private static String owner(UsageKey usage) {
    return "workload '"
        + ForeignText.of(usage.workload().value())
        + "' ("
        + ForeignText.of(usage.volume().toString())
        + ")";
  }

  private static String counted(int count, String what) {
    return (count == 0 ? "no" : count) + " " + what + (count == 1 ? "" : "s");
  }

  /** A length of time for people: {@code 340 ms}, {@code 12 s}, {@code 3 min 20 s}. */
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
