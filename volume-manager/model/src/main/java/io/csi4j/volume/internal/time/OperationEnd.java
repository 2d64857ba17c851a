package io.csi4j.volume.internal.time;

import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for the end of an operation on a volume, on behalf of a blocking caller. */
public final class OperationEnd {

  private OperationEnd() {}

  /**
   * Waits for the end of an operation, and returns its result. An interrupt ends the wait but not
   * the operation, and the thread stays interrupted.
   *
   * @param patience the maximum time to wait
   * @param subject the operation as the subject of messages
   * @throws VolumeException if the operation failed, with the stack trace of the waiting caller;
   *     with {@link Outcome#IN_PROGRESS} if the operation has not ended
   */
  public static <T> T await(CompletableFuture<T> operation, Duration patience, Subject subject) {
    try {
      return operation.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new VolumeException(
          Outcome.IN_PROGRESS,
          Messages.of(
              OperatorCode.IN_PROGRESS,
              subject,
              "it has not ended within " + patience.toSeconds() + " s"),
          null,
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new VolumeException(
          Outcome.IN_PROGRESS,
          Messages.of(OperatorCode.CANCELLED, subject, "the waiting thread was interrupted"),
          null,
          e);
    } catch (ExecutionException e) {
      throw thrown(Unwrapped.of(e.getCause() == null ? e : e.getCause()));
    }
  }

  /**
   * Returns the failure of an operation as an exception with the stack trace of the waiting caller.
   */
  private static RuntimeException thrown(Throwable failure) {
    if (failure instanceof VolumeException known) {
      VolumeException here =
          new VolumeException(
              known.outcome(),
              known.operatorMessage(),
              known.operation().orElse(null),
              known.getCause());
      for (Throwable suppressed : known.getSuppressed()) {
        here.addSuppressed(suppressed);
      }
      return here;
    }
    return failure instanceof RuntimeException other
        ? other
        : new IllegalStateException("An operation ended unexpectedly.", failure);
  }
}
