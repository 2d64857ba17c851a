package io.csi4j.client.internal.mapping;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeCapability.AccessType;
import io.csi4j.client.model.VolumeCondition;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Converts the values shared by many messages to and from protobuf. */
public final class ValueMapping {

  private ValueMapping() {}

  /** Converts a capability of a request. An access mode or type that is not set stays unset. */
  public static io.csi4j.client.internal.proto.VolumeCapability toProto(
      VolumeCapability capability) {
    var out =
        io.csi4j.client.internal.proto.VolumeCapability.newBuilder()
            .setAccessMode(
                io.csi4j.client.internal.proto.VolumeCapability.AccessMode.newBuilder()
                    .setMode(toProto(capability.accessMode())));
    if (capability.accessType() instanceof AccessType.Mount mount) {
      out.setMount(toProto(mount.options()));
    } else if (capability.accessType() instanceof AccessType.Block) {
      out.setBlock(
          io.csi4j.client.internal.proto.VolumeCapability.BlockVolume.getDefaultInstance());
    }
    return out.build();
  }

  /** Converts a list of capabilities. */
  public static List<io.csi4j.client.internal.proto.VolumeCapability> toProto(
      List<VolumeCapability> capabilities) {
    return capabilities.stream().map(ValueMapping::toProto).toList();
  }

  /** Converts a capability of an answer. */
  public static VolumeCapability fromProto(
      io.csi4j.client.internal.proto.VolumeCapability capability) {
    AccessType type =
        switch (capability.getAccessTypeCase()) {
          case BLOCK -> new AccessType.Block();
          case MOUNT -> new AccessType.Mount(fromProto(capability.getMount()));
          case ACCESSTYPE_NOT_SET -> new AccessType.Unspecified();
        };
    return new VolumeCapability(fromProto(capability.getAccessMode().getMode()), type);
  }

  private static io.csi4j.client.internal.proto.VolumeCapability.MountVolume toProto(
      MountOptions options) {
    var out =
        io.csi4j.client.internal.proto.VolumeCapability.MountVolume.newBuilder()
            .setFsType(options.fsType().orElse(""))
            .setVolumeMountGroup(options.volumeMountGroup().orElse(""));
    options.flags().map(MountFlags::reveal).ifPresent(out::addAllMountFlags);
    return out.build();
  }

  /**
   * The wire format cannot distinguish an empty list of flags from absent flags, so both are read
   * as absent.
   */
  private static MountOptions fromProto(
      io.csi4j.client.internal.proto.VolumeCapability.MountVolume mount) {
    return new MountOptions(
        Optional.of(mount.getFsType()),
        Optional.of(MountFlags.of(mount.getMountFlagsList())).filter(flags -> !flags.isEmpty()),
        Optional.of(mount.getVolumeMountGroup()));
  }

  private static io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode toProto(
      AccessMode mode) {
    return switch (mode) {
      case UNSPECIFIED, UNRECOGNIZED ->
          io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode.UNKNOWN;
      case SINGLE_NODE_WRITER ->
          io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode.SINGLE_NODE_WRITER;
      case SINGLE_NODE_READER_ONLY ->
          io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode.SINGLE_NODE_READER_ONLY;
      case MULTI_NODE_READER_ONLY ->
          io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode.MULTI_NODE_READER_ONLY;
      case MULTI_NODE_SINGLE_WRITER ->
          io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode.MULTI_NODE_SINGLE_WRITER;
      case MULTI_NODE_MULTI_WRITER ->
          io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode.MULTI_NODE_MULTI_WRITER;
      case SINGLE_NODE_SINGLE_WRITER ->
          io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode.SINGLE_NODE_SINGLE_WRITER;
      case SINGLE_NODE_MULTI_WRITER ->
          io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode.SINGLE_NODE_MULTI_WRITER;
    };
  }

  /** Converts the access mode of an answer. */
  public static AccessMode fromProto(
      io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode mode) {
    return switch (mode) {
      case UNKNOWN -> AccessMode.UNSPECIFIED;
      case SINGLE_NODE_WRITER -> AccessMode.SINGLE_NODE_WRITER;
      case SINGLE_NODE_READER_ONLY -> AccessMode.SINGLE_NODE_READER_ONLY;
      case MULTI_NODE_READER_ONLY -> AccessMode.MULTI_NODE_READER_ONLY;
      case MULTI_NODE_SINGLE_WRITER -> AccessMode.MULTI_NODE_SINGLE_WRITER;
      case MULTI_NODE_MULTI_WRITER -> AccessMode.MULTI_NODE_MULTI_WRITER;
      case SINGLE_NODE_SINGLE_WRITER -> AccessMode.SINGLE_NODE_SINGLE_WRITER;
      case SINGLE_NODE_MULTI_WRITER -> AccessMode.SINGLE_NODE_MULTI_WRITER;
      case UNRECOGNIZED -> AccessMode.UNRECOGNIZED;
    };
  }

  /** Converts a range. In the message, zero means that a bound is not set. */
  public static io.csi4j.client.internal.proto.CapacityRange toProto(CapacityRange range) {
    return io.csi4j.client.internal.proto.CapacityRange.newBuilder()
        .setRequiredBytes(range.requiredBytes().orElse(0))
        .setLimitBytes(range.limitBytes().orElse(0))
        .build();
  }

  /** Converts the range of a request; returns empty if no bound is set. */
  public static Optional<CapacityRange> fromProto(
      io.csi4j.client.internal.proto.CapacityRange range) {
    OptionalLong required = unlessZero(range.getRequiredBytes());
    OptionalLong limit = unlessZero(range.getLimitBytes());
    return required.isEmpty() && limit.isEmpty()
        ? Optional.empty()
        : Optional.of(new CapacityRange(required, limit));
  }

  /** Returns the number; empty for zero, which means that the value is not set. */
  public static OptionalLong unlessZero(long value) {
    return value == 0 ? OptionalLong.empty() : OptionalLong.of(value);
  }

  /** Converts a place. */
  public static io.csi4j.client.internal.proto.Topology toProto(Topology topology) {
    return io.csi4j.client.internal.proto.Topology.newBuilder()
        .putAllSegments(topology.segments())
        .build();
  }

  /** Converts a place. */
  public static Topology fromProto(io.csi4j.client.internal.proto.Topology topology) {
    return new Topology(topology.getSegmentsMap());
  }

  /** Converts the places from which a volume must be accessible. */
  public static io.csi4j.client.internal.proto.TopologyRequirement toProto(
      TopologyRequirement requirement) {
    var out = io.csi4j.client.internal.proto.TopologyRequirement.newBuilder();
    requirement.requisite().forEach(place -> out.addRequisite(toProto(place)));
    requirement.preferred().forEach(place -> out.addPreferred(toProto(place)));
    return out.build();
  }

  /** Converts the source that a new volume is a copy of. */
  public static io.csi4j.client.internal.proto.VolumeContentSource toProto(
      VolumeContentSource source) {
    var out = io.csi4j.client.internal.proto.VolumeContentSource.newBuilder();
    if (source instanceof VolumeContentSource.FromSnapshot from) {
      out.getSnapshotBuilder().setSnapshotId(from.snapshotId().value());
    } else if (source instanceof VolumeContentSource.FromVolume from) {
      out.getVolumeBuilder().setVolumeId(from.volumeId().value());
    }
    return out.build();
  }

  /**
   * Converts the source that a volume was created from; empty if the volume was created without
   * data. The caller has already checked the id of the source.
   */
  public static Optional<VolumeContentSource> fromProto(
      io.csi4j.client.internal.proto.VolumeContentSource source) {
    return switch (source.getTypeCase()) {
      case SNAPSHOT ->
          Optional.of(VolumeContentSource.of(SnapshotId.of(source.getSnapshot().getSnapshotId())));
      case VOLUME ->
          Optional.of(VolumeContentSource.of(VolumeId.of(source.getVolume().getVolumeId())));
      case TYPE_NOT_SET -> Optional.empty();
    };
  }

  /** Converts the condition of a volume. */
  public static VolumeCondition fromProto(
      io.csi4j.client.internal.proto.VolumeCondition condition, AnswerFindings findings) {
    return new VolumeCondition(condition.getAbnormal(), findings.scrub(condition.getMessage()));
  }
}
