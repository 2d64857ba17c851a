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

/** The values that many messages share, to and from protobuf. */
public final class ValueMapping {

  private ValueMapping() {}

  /** A capability for a request. An access mode or type that is not stated becomes unset. */
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

  /** A list of them. */
  public static List<io.csi4j.client.internal.proto.VolumeCapability> toProto(
      List<VolumeCapability> capabilities) {
    return capabilities.stream().map(ValueMapping::toProto).toList();
  }

  /** A capability out of an answer. */
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

  /** The wire cannot tell an empty list of flags from none; it is read as none. */
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

  /** How many nodes may use a volume, out of an answer. */
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

  /** A range; zero on the wire stands for a bound that is not stated. */
  public static io.csi4j.client.internal.proto.CapacityRange toProto(CapacityRange range) {
    return io.csi4j.client.internal.proto.CapacityRange.newBuilder()
        .setRequiredBytes(range.requiredBytes().orElse(0))
        .setLimitBytes(range.limitBytes().orElse(0))
        .build();
  }

  /** The range of a request of ours; nothing if no bound is stated. */
  public static Optional<CapacityRange> fromProto(
      io.csi4j.client.internal.proto.CapacityRange range) {
    OptionalLong required = unlessZero(range.getRequiredBytes());
    OptionalLong limit = unlessZero(range.getLimitBytes());
    return required.isEmpty() && limit.isEmpty()
        ? Optional.empty()
        : Optional.of(new CapacityRange(required, limit));
  }

  /** A number, unless it is the zero that stands for nothing. */
  public static OptionalLong unlessZero(long value) {
    return value == 0 ? OptionalLong.empty() : OptionalLong.of(value);
  }

  /** A place. */
  public static io.csi4j.client.internal.proto.Topology toProto(Topology topology) {
    return io.csi4j.client.internal.proto.Topology.newBuilder()
        .putAllSegments(topology.segments())
        .build();
  }

  /** A place. */
  public static Topology fromProto(io.csi4j.client.internal.proto.Topology topology) {
    return new Topology(topology.getSegmentsMap());
  }

  /** From where a volume has to be reachable. */
  public static io.csi4j.client.internal.proto.TopologyRequirement toProto(
      TopologyRequirement requirement) {
    var out = io.csi4j.client.internal.proto.TopologyRequirement.newBuilder();
    requirement.requisite().forEach(place -> out.addRequisite(toProto(place)));
    requirement.preferred().forEach(place -> out.addPreferred(toProto(place)));
    return out.build();
  }

  /** Returns the source that a volume is to start as a copy of. */
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
   * Returns the source that a volume started as a copy of; its id has been checked. Nothing if it
   * started empty.
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

  /** How a volume is. */
  public static VolumeCondition fromProto(
      io.csi4j.client.internal.proto.VolumeCondition condition, AnswerFindings findings) {
    return new VolumeCondition(condition.getAbnormal(), findings.scrub(condition.getMessage()));
  }
}
