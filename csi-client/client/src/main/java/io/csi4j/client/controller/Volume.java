package io.csi4j.client.controller;

import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A volume as its plugin knows it.
 *
 * @since 1.0
 */
public interface Volume {

  /** Its id, for all later calls. */
  VolumeId id();

  /** Its size; nothing if the plugin does not know. */
  OptionalLong capacityBytes();

  /** Opaque properties that the plugin wants back with most calls. */
  VolumeContext context();

  /** Returns the source that it started as a copy of; nothing if it started empty. */
  Optional<VolumeContentSource> contentSource();

  /** From where it can be reached: from any one of these, or from anywhere if empty. */
  List<Topology> accessibleTopology();
}
