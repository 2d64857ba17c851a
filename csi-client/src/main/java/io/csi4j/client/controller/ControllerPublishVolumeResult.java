package io.csi4j.client.controller;

import io.csi4j.client.PublishContext;
import io.csi4j.client.internal.values.ControllerResults;

/** A volume attached to a node. */
public sealed interface ControllerPublishVolumeResult
    permits ControllerResults.ControllerPublishVolumeResultValue {

  /** What the node calls of this volume on this node have to carry. */
  PublishContext publishContext();
}
