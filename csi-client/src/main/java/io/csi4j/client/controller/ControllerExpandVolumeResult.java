package io.csi4j.client.controller;

import io.csi4j.client.internal.values.ControllerResults;
import java.util.OptionalLong;

/** A volume grown on the storage side. */
public sealed interface ControllerExpandVolumeResult
    permits ControllerResults.ControllerExpandVolumeResultValue {

  /** Its size now; nothing if the plugin does not say. */
  OptionalLong capacityBytes();

  /** Whether NodeExpandVolume is owed wherever it is used next. */
  boolean nodeExpansionRequired();
}
