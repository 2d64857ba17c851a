package io.csi4j.client.controller;

import io.csi4j.client.model.PublishContext;

/**
 * A volume attached to a node.
 *
 * @since 1.0
 */
public interface ControllerPublishVolumeResult {

  /** Returns the context that the node calls of this volume on this node have to carry. */
  PublishContext publishContext();
}
