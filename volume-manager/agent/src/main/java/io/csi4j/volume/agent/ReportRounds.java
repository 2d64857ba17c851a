package io.csi4j.volume.agent;

import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.OperationEnd;
import io.csi4j.volume.internal.time.Turns;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.node.NodeOrders;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Reports and their orders, one after the other. Calls during a report share the next one. So with
 * a silent control plane each waits for at most two deadlines, whatever the number of callers
 * before it.
 */
final class ReportRounds {

  private final NodeName node;
  private final Supplier<NodeOrders> round;
  private final Turns<NodeName> turns = new Turns<>();

  /** The end of the round that has not begun yet. */
  private final AtomicReference<CompletableFuture<NodeOrders>> next =
      new AtomicReference<>(new CompletableFuture<>());

  /**
   * Makes the rounds of a node.
   *
   * @param round reports once, and returns the orders
   */
  ReportRounds(NodeName node, Supplier<NodeOrders> round) {
    this.node = node;
    this.round = round;
  }

  /**
   * Returns the orders for a report that begins after this call.
   *
   * @throws VolumeException {@link OperatorCode#CLAIM_UNCONFIRMED} if the thread is interrupted
   *     while it waits; or as the report failed
   */
  NodeOrders orders() {
    CompletableFuture<NodeOrders> end = next.get();
    Subject subject = Subject.of("reporting for node '" + node + "'");
    CompletableFuture<Turns.Turn> turn = turns.take(node);
    try {
      var unused = CompletableFuture.anyOf(end, turn).handle((either, failed) -> either).get();
      if (!end.isDone()) {
        begin(end);
      }
      return OperationEnd.await(end, Duration.ZERO, subject);
    } catch (InterruptedException | ExecutionException e) {
      Thread.currentThread().interrupt();
      throw new VolumeException(
          VolumeException.Outcome.REFUSED,
          Messages.of(
              OperatorCode.CLAIM_UNCONFIRMED, subject, "the waiting thread was interrupted"),
          null,
          e);
    } finally {
      if (!turn.cancel(false)) {
        turn.join().end();
      }
    }
  }

  /** Runs a round when the one before it has ended. */
  private void begin(CompletableFuture<NodeOrders> end) {
    next.compareAndSet(end, new CompletableFuture<>());
    try {
      end.complete(round.get());
    } catch (RuntimeException | Error failed) {
      if (Thread.currentThread().isInterrupted()) {
        // The interrupt concerns only this caller: the next one repeats the round.
        throw failed;
      }
      end.completeExceptionally(failed);
    }
  }
}
