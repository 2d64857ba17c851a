package io.csi4j.client.controller;

import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A volume as reported by its plugin.
 *
 * @since 1.0
 */
public interface Volume {

  /** The id, used in all later calls. */
  VolumeId id();

  /** The size in bytes; empty if the plugin does not report it. */
  OptionalLong capacityBytes();

  /** Opaque properties that must be passed to most later calls. */
  VolumeContext context();

  /** Returns the source that the volume was created from; empty if it was created without data. */
  Optional<VolumeContentSource> contentSource();

  /** The places from which the volume is accessible; empty if it is accessible from everywhere. */
  List<Topology> accessibleTopology();
}
