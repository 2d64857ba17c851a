package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;

/**
 * The plugin's assessment of whether a volume is fully usable. Meant for display only: a host
 * should not start a repair automatically because of it.
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

  /** Returns the worse of two conditions of one volume: the one that reports a problem. */
  public VolumeCondition worseOf(VolumeCondition other) {
    return abnormal || !other.abnormal ? this : other;
  }
}
