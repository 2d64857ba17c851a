package io.csi4j.volume.claim.spi;

import io.csi4j.volume.model.ReasonText;
import java.time.Duration;
import java.util.Optional;

/**
 * A watch on the writes to a store, as they come. A watcher that is too slow is told that it has
 * missed some.
 *
 * @since 1.0
 */
public interface ClaimWatch extends AutoCloseable {

  /** Something that was seen. */
  sealed interface Change {

    /**
     * A claim was written.
     *
     * @param now the claim; newer ones of the same key may have been written since
     */
    record Written(Versioned now) implements Change {}

    /**
     * Some writes were missed: who follows has to scan again.
     *
     * @param because why, as a clause for people
     */
    record Missed(ReasonText because) implements Change {}
  }

  /**
   * The next thing that was seen.
   *
   * @param wait how long to wait for it
   * @return nothing if there was none in that time, or the watch is closed
   * @throws InterruptedException if the waiting thread is interrupted; nothing is lost by that
   */
  Optional<Change> next(Duration wait) throws InterruptedException;

  /** Ends it. */
  @Override
  void close();
}
