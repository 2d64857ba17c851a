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
 * Builds and sends the messages to callers and listeners about one volume. The operations that an
 * earlier start did not finish are used in the mailbox of the volume only.
 */
final class VolumeReport {

  private static final int PLUGINS = 3;
  private static final int REQUESTS = 5;

  private final VolumeIdentity identity;
  private final EngineParts parts;

  /**
   * The uses with an operation that an earlier start did not finish; shared while it is empty, as
   * it is for most volumes.
   */
  private Map<VolumeUse, PathStatus> unfinished = Map.of();

  /** The faults of the volume that the plugin reported when its last call failed, as text. */
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

  /** Returns a refusal with a code and its reason only. */
  static VolumeException refused(OperatorCode code, Subject subject, String seen) {
    return new VolumeException(Outcome.REFUSED, Messages.of(code, subject, seen), null, null);
  }

  /** Returns why a plugin gets no calls now, if it gets none. */
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

  /** Reports a call that takes long. Only a call that was sent can be answered. */
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

  /** Reports a call that was given up at its time limit. */
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

  /** Notes that a mount starts; a later release of the use no longer continues an earlier one. */
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
   * Returns the failure that a caller gets instead of a result, if any.
   *
   * @param usage the use that failed; empty for the staging
   */
  Optional<VolumeException> failure(Operation operation, Result result, Optional<VolumeUse> usage) {
    return result instanceof Failure failure
        ? Optional.of(exception(operation, usage, failure))
        : Optional.empty();
  }

  /**
   * Returns the exception for a failure, and with it the reason why earlier steps could not be
   * undone.
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

  /** Ends an operation in any case, even if creating the failure fails. */
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

  /** Notes the faults that the plugin reported when the last call failed; none if empty. */
  void said(String faults) {
    said = faults;
  }

  private static VolumeException exception(
      Operation operation, Failure failure, Subject subject, String said) {
    // The command for an operator is in the reason, not in the plugin's answer.
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
   * Returns whether the code means that nothing was done, so that a path of the manager would not
   * help the reader.
   */
  static boolean isBeforeAnything(OperatorCode code) {
    int family = code.number() / 100;
    return family == PLUGINS || family == REQUESTS;
  }
}
