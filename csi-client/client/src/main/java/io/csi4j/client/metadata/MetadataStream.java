package io.csi4j.client.metadata;

import io.csi4j.client.model.Experimental;
import java.util.Iterator;

/**
 * A running stream of block metadata, read batch by batch by one thread.
 *
 * <p>The next batch is requested from the plugin only when the reader needs it, so memory stays
 * bounded. If the stream breaks, it resumes where it stopped. The call's policy limits how often it
 * resumes without progress. The metadata is complete only when {@link #hasNext()} returns false; a
 * failure throws an exception.
 *
 * @since 1.0
 */
@Experimental
public interface MetadataStream extends Iterator<BlockMetadataBatch>, AutoCloseable {

  /** Waits for the next batch, and returns false if there is none. */
  @Override
  boolean hasNext();

  /** Returns the next batch. */
  @Override
  BlockMetadataBatch next();

  /**
   * The offset of the first byte that {@link #next} has not returned yet. A later request can
   * continue at this offset.
   */
  long resumeOffset();

  /** Ends the call if it is still running. Closing again has no effect. */
  @Override
  void close();
}
