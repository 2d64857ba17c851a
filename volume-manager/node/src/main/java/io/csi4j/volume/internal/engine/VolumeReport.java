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
 * The messages to callers and listeners about one volume. What an earlier start did not finish is
 * used in the mailbox of the volume only.
 */
final class VolumeReport {

  private static final int PLUGINS = 3;
  private static final int REQUESTS = 5;

  private final VolumeIdentity identity;
  private final EngineParts parts;

  /**
   * The uses whose operation an earlier start did not finish; shared while it is empty, as it is
   * for most volumes.
   */
  private Map<VolumeUse, PathStatus> unfinished = Map.of();

  /** The faults that the plugin has told of the volume when its last call failed, in words. */
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

  /** A refusal that needs no more than its code and what was seen. */
  static VolumeException refused(OperatorCode code, Subject subject, String seen) {
    return new VolumeException(Outcome.REFUSED, Messages.of(code, subject, seen), null, null);
  }

  /** Why a plugin gets no calls now, if it gets none. */
  static Optional<Failure> barred(NodePlugin plugin) {
    return plugin.barred().map(VolumeReport::down);
  }

  /** How a plugin is told of that is not there. */
  static Failure down(PluginAnswer.Down down) {
    return new Failure(down.code(), down.text(), down.cause().map(Throwable.class::cast));
  }

  /** Tells of something that came up. */
  void tell(Notice notice) {
    notice(message(notice));
  }

  /** Returns the message for people. */
  OperatorMessage message(Notice notice) {
    Subject subject = subject(parts.layout(), "looking after", identity, notice.usage());
    return Messages.of(notice.code(), subject, notice.seen());
  }

  /** Tells of something about directories. */
  void tell(Finding finding) {
    Subject subject = Subject.of("preparing the directories of", identity).at(finding.path());
    notice(Messages.of(finding.code(), subject, finding.text()));
  }

  /** Tells of a call that takes long: only a call that was sent can be answered. */
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

  /** Tells of a call that was given up when its time was over. */
  void stuck(Step.Call call) {
    tell(
        new Notice(
            OperatorCode.RPC_STUCK,
            call.verb().operation().rpcName() + " was not answered in its time",
            call.usage()));
  }

  private void notice(OperatorMessage message) {
    parts.events().accept(new VolumeEvent.Noticed(message));
  }

  // ---- operations that an earlier start did not finish

  /** Remembers what was found at the start. */
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

  /** A mount begins; a release that comes after it goes on from nothing. */
  void mounting(VolumeUse usage) {
    goesOn(usage, PathStatus.IN_DOUBT, OperatorCode.RESUMED);
    if (!unfinished.isEmpty()) {
      unfinished.remove(usage);
    }
  }

  /** A release begins. */
  void releasing(VolumeUse usage) {
    goesOn(usage, PathStatus.GOING, OperatorCode.RELEASE_RESUMED);
  }

  /** A release has ended well. */
  void released(VolumeUse usage) {
    goesOn(usage, PathStatus.IN_DOUBT, OperatorCode.ROLLED_BACK);
  }

  private void goesOn(VolumeUse usage, PathStatus found, OperatorCode code) {
    if (!unfinished.isEmpty() && unfinished.remove(usage, found)) {
      tell(
          new Notice(
              code,
              found == PathStatus.GOING
                  ? "it was being given up at the start"
                  : "it was in doubt at the start",
              Optional.of(usage)));
    }
  }

  // ---- the failures of operations

  /**
   * Returns the failure that a caller gets in place of its result, if it gets one.
   *
   * @param usage the use that the failure is about, or else the staging
   */
  Optional<VolumeException> failure(Operation operation, Result result, Optional<VolumeUse> usage) {
    return result instanceof Failure failure
        ? Optional.of(exception(operation, usage, failure))
        : Optional.empty();
  }

  /** A failure, and beside it why what had been done could not be undone. */
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

  /** Ends an operation that was not begun. */
  void refuse(Operation operation, OperatorCode code, String seen) {
    end(operation, Failure.of(code, seen).as(Outcome.REFUSED));
  }

  /** Ends an operation in which something was thrown that should not be. */
  void broke(Operation operation, Throwable thrown) {
    end(operation, broken(thrown).as(Outcome.IN_PROGRESS));
  }

  /** Returns the failure of work in which something was thrown that should not be. */
  static Failure broken(Throwable thrown) {
    return Failure.of(
        OperatorCode.STEP_FAILED, "it ended with " + thrown.getClass().getSimpleName(), thrown);
  }

  /** Ends an operation in any case, be it with what has kept its failure from being made. */
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

  /** The plugin has told these faults when the last call failed; none if empty. */
  void said(String faults) {
    said = faults;
  }

  private static VolumeException exception(
      Operation operation, Failure failure, Subject subject, String said) {
    // What a person may type is in what was seen, not in the plugin's answer.
    boolean isAnswer = failure.code() != OperatorCode.CLEANUP_NEEDS_HELP;
    OperatorMessage message =
        failure.cause().orElse(null) instanceof CsiException answer && isAnswer
            ? Messages.answered(failure.code(), subject, answer.failure())
            : Messages.of(failure.code(), subject, failure.seen());
    return new VolumeException(
        failure.outcome(),
        said.isEmpty() ? message : message.withSeen("the plugin says of the volume: " + said),
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
          case REPAIR -> "making anew what is dead of";
          case REFRESH -> "refreshing";
        };
    return isBeforeAnything(code)
        ? usage
            .map(key -> Subject.of(doing, identity).by(key))
            .orElseGet(() -> Subject.of(doing, identity))
        : subject(parts.layout(), doing, identity, usage);
  }

  /** Whether nothing was done, so that a path of the manager would tell the reader nothing. */
  static boolean isBeforeAnything(OperatorCode code) {
    int family = code.number() / 100;
    return family == PLUGINS || family == REQUESTS;
  }
}
