package io.csi4j.volume.workload;

import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.workload.WorkloadVolumes.RequestedVolume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Collects the findings of checks, in the order in which they are added. */
final class PreflightFindings {

  private final List<OperatorMessage> obstacles = new ArrayList<>();
  private final List<OperatorMessage> remarks = new ArrayList<>();

  /** Adds an obstacle. */
  void obstacle(OperatorCode code, Subject subject, String seen) {
    obstacle(Messages.of(code, subject, seen));
  }

  /** Adds an obstacle with a next step that is more specific than the next step of its code. */
  void obstacle(OperatorCode code, Subject subject, String seen, String next) {
    obstacle(Messages.of(code, subject, seen, new OperatorMessage.Part(next)));
  }

  /** Adds an obstacle. */
  void obstacle(OperatorMessage message) {
    obstacles.add(message);
  }

  /** Adds a remark about a possible problem. */
  void remark(OperatorCode code, Subject subject, String seen) {
    remarks.add(Messages.of(code, subject, seen));
  }

  /** Returns the obstacles. */
  public List<OperatorMessage> obstacles() {
    return List.copyOf(obstacles);
  }

  /** Returns the remarks about possible problems. */
  public List<OperatorMessage> remarks() {
    return List.copyOf(remarks);
  }

  /** Returns the subject of findings about a requested volume. */
  static Subject about(RequestedVolume volume) {
    String request = "checking the request " + quoted(volume.alias());
    if (volume.found().isEmpty()) {
      return Subject.of(request + " of workload " + quoted(volume.workload()));
    }
    return new Subject(
        request + " for",
        volume.csi().map(csi -> new VolumeIdentity(csi.volume().plugin(), csi.volume().id())),
        volume.usage(),
        Optional.empty());
  }

  /** Returns the subject of findings about a task. */
  static Subject about(WorkloadVolumes wanted, TaskName task) {
    return Subject.of(
        "checking task " + quoted(task) + " of workload " + quoted(wanted.workload()));
  }

  /** Returns a name in quotes, with unprintable characters escaped. */
  static String quoted(Object name) {
    return "'" + ForeignText.of(name.toString()) + "'";
  }

  /**
   * Returns an exception for the first of several reasons, with all other reasons as suppressed
   * exceptions.
   */
  static VolumeException refusal(List<OperatorMessage> reasons) {
    VolumeException first = refusal(reasons.get(0));
    reasons.stream().skip(1).forEach(each -> first.addSuppressed(refusal(each)));
    return first;
  }

  private static VolumeException refusal(OperatorMessage reason) {
    return new VolumeException(Outcome.REFUSED, reason, null, null);
  }
}
