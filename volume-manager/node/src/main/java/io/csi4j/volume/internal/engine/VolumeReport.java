package io.csi4j.volume.internal.engine;

import io.csi4j.client.model.CsiException;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.lifecycle.Result;
import io.csi4j.volume.internal.lifecycle.Step;
import io.csi4j.volume.internal.lifecycle.Turn.Notice;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.path.Finding;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Failures;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.VolumeEvent;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Builds and sends the messages about one volume to callers and listeners. The instance methods
 * that track unfinished operations are used only in the mailbox of the volume.
 */
final class VolumeReport {

  private static final int PLUGINS = 3;
  private static final int REQUESTS = 5;

  private final VolumeIdentity identity;
  private final EngineParts parts;

  /**
   * The uses with an operation that an earlier run of the manager did not finish. Most volumes have
   * none, and share an empty map.
   */
  private Map<VolumeUse, PathStatus> unfinished = Map.of();

  /** The faults that the plugin reported for the volume after the last call failed, as text. */
  private String said = "";

  VolumeReport(VolumeIdentity identity, EngineParts parts) {
    this.identity = identity;
    this.parts = parts;
  }

  /** Returns the subject of an operation. */
  static Subject subject(
      VolumeLayout layout, String doing, VolumeIdentity identity, Optional<VolumeUse> usage) {
    Subject subject = Subject.of(doing, identity);
    return usage
        .map(key -> subject.by(key).at(layout.target(identity, key)))
        .orElseGet(() -> subject.at(layout.staging(identity)));
  }

  /** Returns a refusal with only a code and a reason. */
  static VolumeException refused(OperatorCode code, Subject subject, String seen) {
    return new VolumeException(Outcome.REFUSED, Messages.of(code, subject, seen), null, null);
  }

  /** Returns why the engine must not call a plugin now; empty if calls are allowed. */
  static Optional<Failure> barred(NodePlugin plugin) {
    return plugin.barred().map(VolumeReport::down);
  }

  /** Returns the failure for a plugin that is not available. */
  static Failure down(PluginAnswer.Down down) {
    return new Failure(down.code(), down.text(), down.cause().map(Throwable.class::cast));
  }

  /** Reports a notice to listeners. */
  void tell(Notice notice) {
    notice(message(notice));
  }

  /** Returns the message for people. */
  OperatorMessage message(Notice notice) {
    Subject subject = subject(parts.layout(), "looking after", identity, notice.usage());
    return Messages.of(notice.code(), subject, notice.seen());
  }

  /** Reports a finding about directories. */
  void tell(Finding finding) {
    Subject subject = Subject.of("preparing the directories of", identity).at(finding.path());
    notice(Messages.of(finding.code(), subject, finding.text()));
  }

  /** Reports a call that takes long. The message depends on whether the call was sent already. */
  void slow(Step.Call call, boolean isSent) {
    tell(
        new Notice(
            OperatorCode.RPC_SLOW,
            call.verb().operation().rpcName()
                + (isSent
                    ? " has not been answered yet"
                    : " has not been sent yet: it waits for its turn, its secrets or a connection"
                        + " to the plugin"),
            call.usage()));
  }

  /** Reports a call that has reached its time limit without an answer. */
  void stuck(Step.Call call) {
    tell(
        new Notice(
            OperatorCode.RPC_STUCK,
            call.verb().operation().rpcName() + " was not answered in time",
            call.usage()));
  }

  private void notice(OperatorMessage message) {
    parts.events().accept(new VolumeEvent.Noticed(message));
  }

  // ---- operations that an earlier start did not finish

  /** Takes over a volume that was found at the start. */
  void restore(VolumeRecord found) {
    Map<VolumeUse, PathStatus> begun = new HashMap<>(unfinished);
    found
        .targets()
        .values()
        .forEach(
            use -> {
              boolean isBegun = use.path().pending().isPresent() || use.path().evidence().isEmpty();
              if (use.path().is(PathStatus.GOING)
                  || (use.path().is(PathStatus.IN_DOUBT) && isBegun)) {
                begun.put(use.usage(), use.path().status());
              }
            });
    if (!found.staging().is(PathStatus.NONE)) {
      found.leaving().ifPresent(use -> begun.put(use, PathStatus.GOING));
    }
    if (!begun.isEmpty()) {
      unfinished = begun;
    }
  }

  /**
   * Notes that a mount starts. A later release of the use is then a new release, not the
   * continuation of an unfinished one.
   */
  void mounting(VolumeUse usage) {
    goesOn(usage, PathStatus.IN_DOUBT, OperatorCode.RESUMED);
    if (!unfinished.isEmpty()) {
      unfinished.remove(usage);
    }
  }

  /** Notes that a release starts. */
  void releasing(VolumeUse usage) {
    goesOn(usage, PathStatus.GOING, OperatorCode.RELEASE_RESUMED);
  }

  /** Notes that a release has succeeded. */
  void released(VolumeUse usage) {
    goesOn(usage, PathStatus.IN_DOUBT, OperatorCode.ROLLED_BACK);
  }

  private void goesOn(VolumeUse usage, PathStatus found, OperatorCode code) {
    if (!unfinished.isEmpty() && unfinished.remove(usage, found)) {
      tell(
          new Notice(
              code,
              found == PathStatus.GOING
                  ? "its release was pending at the start"
                  : "it was uncertain at the start",
              Optional.of(usage)));
    }
  }

  // ---- the failures of operations

  /**
   * Returns the exception that a caller receives instead of a result; empty if the operation
   * succeeded.
   *
   * @param usage the use that failed; empty for the staging
   */
  Optional<VolumeException> failure(Operation operation, Result result, Optional<VolumeUse> usage) {
    return result instanceof Failure failure
        ? Optional.of(exception(operation, usage, failure))
        : Optional.empty();
  }

  /**
   * Returns the exception for a failure. If earlier steps could not be undone, the reason is added
   * as a suppressed exception.
   */
  private VolumeException exception(
      Operation operation, Optional<VolumeUse> usage, Failure failure) {
    VolumeException failed =
        exception(operation, failure, subject(operation, usage, failure.code()), said);
    Subject subject = subject(parts.layout(), "undoing the mount of", identity, usage);
    failure
        .undoing()
        .map(second -> exception(operation, second.as(failure.outcome()), subject, ""))
        .ifPresent(failed::addSuppressed);
    return failed;
  }

  /** Ends an operation that did not start. */
  void refuse(Operation operation, OperatorCode code, String seen) {
    end(operation, Failure.of(code, seen).as(Outcome.REFUSED));
  }

  /** Ends an operation in which an unexpected exception was thrown. */
  void broke(Operation operation, Throwable thrown) {
    end(operation, broken(thrown).as(Outcome.IN_PROGRESS));
  }

  /** Returns the failure for work in which an unexpected exception was thrown. */
  static Failure broken(Throwable thrown) {
    return Failure.of(
        OperatorCode.STEP_FAILED, "it ended with " + thrown.getClass().getSimpleName(), thrown);
  }

  /**
   * Ends an operation with a failure. If creating the exception fails, ends the operation with that
   * second exception.
   */
  private void end(Operation operation, Failure failure) {
    Throwable end;
    try {
      end =
          exception(operation, failure, subject(operation, operation.usage(), failure.code()), "");
    } catch (RuntimeException | Error unmade) {
      Failures.rethrowEnd(unmade);
      end = unmade;
    }
    operation.end().completeExceptionally(end);
  }

  /**
   * Notes the faults that the plugin reported after the last call failed; empty if it reported no
   * faults.
   */
  void said(String faults) {
    said = faults;
  }

  private static VolumeException exception(
      Operation operation, Failure failure, Subject subject, String said) {
    // For this code, the reason contains a command for the operator, and must not be replaced by
    // the plugin's answer.
    boolean isAnswer = failure.code() != OperatorCode.CLEANUP_NEEDS_HELP;
    OperatorMessage message =
        failure.cause().orElse(null) instanceof CsiException answer && isAnswer
            ? Messages.answered(failure.code(), subject, answer.failure())
            : Messages.of(failure.code(), subject, failure.seen());
    return new VolumeException(
        failure.outcome(),
        said.isEmpty() ? message : message.withSeen("the plugin reports about the volume: " + said),
        operation.id(),
        failure.cause().orElse(null));
  }

  private Subject subject(Operation operation, Optional<VolumeUse> usage, OperatorCode code) {
    String doing =
        switch (operation.kind()) {
          case MOUNT -> "mounting";
          case UNMOUNT -> "unmounting";
          case EXPAND -> "expanding";
          case STATS -> "reading the statistics of";
          case CLEAN_UP -> "cleaning up";
          case REPAIR -> "repairing the dead mounts of";
          case REFRESH -> "refreshing";
        };
    return isBeforeAnything(code)
        ? usage
            .map(key -> Subject.of(doing, identity).by(key))
            .orElseGet(() -> Subject.of(doing, identity))
        : subject(parts.layout(), doing, identity, usage);
  }

  /**
   * Returns whether the code means that nothing was done for the request. A path of the manager
   * would not help the reader of such a message.
   */
  static boolean isBeforeAnything(OperatorCode code) {
    int family = code.number() / 100;
    return family == PLUGINS || family == REQUESTS;
  }
}
