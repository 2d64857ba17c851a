package io.csi4j.client.metadata;

import io.csi4j.client.model.Experimental;
import java.util.Iterator;

/**
 * A running stream of block metadata, read batch by batch by one thread.
 *
 * <p>The plugin is asked for the next batch only when it is wanted, so memory stays bounded. If the
 * stream breaks, it is taken up again where it stopped, as often as the call's policy allows
 * without progress. {@link #hasNext()} returning false is the only sign that the metadata is
 * complete; failures are thrown.
 *
 * @since 1.0
 */
@Experimental
public interface MetadataStream extends Iterator<BlockMetadataBatch>, AutoCloseable {

  /** Whether there is another batch; waits for it. */
  @Override
  boolean hasNext();

  /** The next batch. */
  @Override
  BlockMetadataBatch next();

  /** The first byte that {@link #next} has not returned yet: where a later request would go on. */
  long resumeOffset();

  /** Ends the call if it is still running. Doing it twice is harmless. */
  @Override
  void close();
}
