package io.csi4j.volume.claim;

/**
 * A listener who is told what happens to claims. Events come on the thread that made them, under no
 * lock; one that throws does no harm, and one that is slow makes its callers slow.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface ClaimListener {

  /** Told of one event. */
  void on(ClaimEvent event);

  /** Returns a listener that ignores all. */
  static ClaimListener none() {
    return event -> {};
  }
}
