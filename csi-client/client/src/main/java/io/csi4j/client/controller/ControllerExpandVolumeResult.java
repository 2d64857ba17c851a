package io.csi4j.client.controller;

import java.util.OptionalLong;

/**
 * A volume grown on the storage side.
 *
 * @since 1.0
 */
public interface ControllerExpandVolumeResult {

  /** Its size now; nothing if the plugin does not say. */
  OptionalLong capacityBytes();

  /** Whether NodeExpandVolume is owed wherever it is used next. */
  boolean nodeExpansionRequired();
}
