package io.csi4j.volume.claim;

/**
 * Somebody who is told what happens to claims. Events come on the thread that made them, under no
 * lock; one that throws harms nobody, and one that is slow makes its callers slow.
 */
@FunctionalInterface
public interface ClaimListener {

  /** Told of one event. */
  void on(ClaimEvent event);

  /** Nobody who listens. */
  static ClaimListener none() {
    return event -> {};
  }
}
