package io.csi4j.client.controller;

import io.csi4j.client.model.PublishContext;

/** A volume attached to a node. */
public interface ControllerPublishVolumeResult {

  /** What the node calls of this volume on this node have to carry. */
  PublishContext publishContext();
}
