package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;

/**
 * The plugin's assessment whether a volume is fully usable. For display: no repair should be
 * started automatically because of it.
 *
 * @param abnormal whether the volume has a problem
 * @param message the description by the plugin, escaped and cut to 1 KiB
 * @since 1.0
 */
@Experimental
public record VolumeCondition(boolean abnormal, String message) {

  /** Makes the message safe to print. */
  public VolumeCondition {
    message = SafeText.escape(message);
  }

  /** Returns the condition that reports a problem, of two conditions of one volume. */
  public VolumeCondition worseOf(VolumeCondition other) {
    return abnormal || !other.abnormal ? this : other;
  }
}
