package io.csi4j.volume.state;

/**
 * Is told what happens to a store.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface StateListener {

  /**
   * Something happened. Called on the thread that used the store, after the store let go of its
   * lock, so it may use the store. What it throws is logged and changes nothing.
   */
  void onEvent(StateEvent event);
}
