package io.csi4j.volume.internal.engine;

import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.node.VolumeStats;
import io.csi4j.volume.internal.engine.Operation.Wish;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.lifecycle.Result;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.node.PathStatus;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The calls about one target, expanding and statistics: what they need, and what follows. Pure
 * decisions.
 */
final class TargetCalls {

  private TargetCalls() {}

  /** Why a use cannot be asked about, if it cannot. */
  static Optional<Failure> refusal(Optional<TargetRecord> use) {
    return use.filter(there -> there.path().is(PathStatus.PRESENT)).isPresent()
        ? Optional.empty()
        : Optional.of(
            Failure.of(
                OperatorCode.NOT_MOUNTED,
                use.map(there -> "it is " + there.path().status()).orElse("there is no such use")));
  }

  /** Why a plugin is not asked, if it is not. */
  static Optional<Failure> refusal(Wish wish, PluginAnswer.Up up) {
    boolean isExpand = wish instanceof Wish.Expand;
    return (isExpand ? up.offersExpand() : up.offersStats())
        ? Optional.empty()
        : Optional.of(
            Failure.of(
                OperatorCode.NOT_OFFERED,
                "the node service of the plugin does not offer "
                    + (isExpand
                        ? "EXPAND_VOLUME; what its controller has made larger needs no node then"
                        : "GET_VOLUME_STATS")));
  }

  /** Returns the value for the caller, if the plugin gave it. */
  static Optional<Object> value(Wish wish, Answer answer) {
    if (!(answer instanceof Answer.Ok ok)) {
      return Optional.empty();
    }
    return wish instanceof Wish.Stats
        ? ok.value().filter(VolumeStats.class::isInstance)
        : Optional.of(
            ok.value()
                .filter(Long.class::isInstance)
                .map(bytes -> OptionalLong.of((Long) bytes))
                .orElse(OptionalLong.empty()));
  }

  /** Returns the end of an operation whose answer has no value. */
  static Result end(Wish wish, Answer answer) {
    Failure failure = failure(answer);
    boolean mayHaveGrown =
        wish instanceof Wish.Expand
            && answer instanceof Answer.Failed failed
            && failed.code() != StatusCode.DATA_LOSS
            && failed.cause().filter(it -> it.outcome() == Outcome.UNCERTAIN).isPresent();
    return mayHaveGrown ? new Result.Unfinished(failure) : new Result.Refused(failure);
  }

  /** Returns the failure of an answer without a value. */
  private static Failure failure(Answer answer) {
    return answer instanceof Answer.Failed failed
        ? new Failure(
            OperatorCode.CALL_FAILED,
            "the call ended with " + failed.code() + ": " + failed.text(),
            failed.cause().map(Throwable.class::cast))
        : Failure.of(OperatorCode.CALL_FAILED, "the call ended without statistics");
  }
}
