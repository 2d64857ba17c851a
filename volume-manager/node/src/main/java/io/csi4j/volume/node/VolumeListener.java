package io.csi4j.volume.node;

/**
 * A listener who is told what happens. Events come in order, one at a time, on a thread that does
 * nothing else meanwhile; a listener that throws or blocks harms no volume. When too many wait, the
 * oldest are dropped and counted, failures last.
 */
@FunctionalInterface
public interface VolumeListener {

  /** Told of one event. */
  void on(VolumeEvent event);
}
