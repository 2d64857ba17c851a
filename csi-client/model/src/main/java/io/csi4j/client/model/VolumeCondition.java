package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;

/**
 * Whether a volume is fully usable, in the plugin's judgement. For people: nothing should be
 * repaired automatically on the strength of it.
 *
 * @param abnormal whether something is wrong with it
 * @param message what, in the plugin's words: escaped and cut to 1 KiB
 * @since 1.0
 */
@Experimental
public record VolumeCondition(boolean abnormal, String message) {

  /** Makes the message fit to print. */
  public VolumeCondition {
    message = SafeText.escape(message);
  }

  /** Of two judgements of one volume, the one that says that something is wrong. */
  public VolumeCondition worseOf(VolumeCondition other) {
    return abnormal || !other.abnormal ? this : other;
  }
}
