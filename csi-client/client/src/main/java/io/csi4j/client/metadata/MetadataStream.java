package io.csi4j.client.metadata;

import io.csi4j.client.model.Experimental;
import java.util.Iterator;

/**
 * A running stream of block metadata, read batch by batch by one thread.
 *
 * <p>The next batch is requested from the plugin only when the reader needs it, so memory stays
 * bounded. If the stream breaks, it resumes where it stopped, as often without progress as the
 * call's policy allows. {@link #hasNext()} returning false is the only sign that the metadata is
 * complete; failures are thrown.
 *
 * @since 1.0
 */
@Experimental
public interface MetadataStream extends Iterator<BlockMetadataBatch>, AutoCloseable {

  /** Returns whether there is another batch; waits for it. */
  @Override
  boolean hasNext();

  /** Returns the next batch. */
  @Override
  BlockMetadataBatch next();

  /** The first byte that {@link #next} has not returned yet: a later request continues there. */
  long resumeOffset();

  /** Ends the call if it is still running. Closing again has no effect. */
  @Override
  void close();
}
