package io.csi4j.volume.state;

/**
 * Where a write is when it returns.
 *
 * @since 1.0
 */
public enum Stored {
  /** On the medium: it survives a power cut. */
  DURABLE,
  /** Written, and on the medium with the next write that waits for it. */
  DEFERRED,
  /** In memory: it survives nothing, and is written as soon as the medium lets it. */
  REMEMBERED
}
