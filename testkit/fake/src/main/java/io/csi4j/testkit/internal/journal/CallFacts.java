package io.csi4j.testkit.internal.journal;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeCapability.AccessType;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.journal.PathFact;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the volume, the capability and the paths from a request. The request may be invalid. */
public final class CallFacts {

  private static final List<String> PATHS =
      List.of("target_path", "staging_target_path", "volume_path");

  private CallFacts() {}

  /**
   * Returns the volume that the request concerns: the volume with the id in the request, or the
   * source of a new object.
   */
  public static Optional<VolumeId> volume(Message request) {
    if (request instanceof CreateVolumeRequest create) {
      return id(create.getVolumeContentSource().getVolume().getVolumeId());
    }
    if (request instanceof CreateVolumeGroupSnapshotRequest group) {
      return group.getSourceVolumeIdsCount() == 1
          ? id(group.getSourceVolumeIds(0))
          : Optional.empty();
    }
    return id(text(request, "volume_id")).or(() -> id(text(request, "source_volume_id")));
  }

  public static Map<String, PathFact> paths(Message request, boolean visible) {
    Map<String, PathFact> facts = new TreeMap<>();
    for (String field : PATHS) {
      String path = text(request, field);
      if (!path.isEmpty()) {
        facts.put(field, visible ? look(path) : PathFact.UNKNOWN);
      }
    }
    return facts;
  }

  /**
   * Returns the volume capability of the request, if it is valid. If the request has a list of
   * capabilities, returns the first.
   */
  public static Optional<VolumeCapability> capability(Message request) {
    FieldDescriptor one = field(request, "volume_capability");
    if (one != null) {
      return request.hasField(one) ? lawful(request.getField(one)) : Optional.empty();
    }
    FieldDescriptor many = field(request, "volume_capabilities");
    return many == null || request.getRepeatedFieldCount(many) == 0
        ? Optional.empty()
        : lawful(request.getRepeatedField(many, 0));
  }

  private static Optional<VolumeCapability> lawful(Object value) {
    io.csi4j.client.internal.proto.VolumeCapability capability =
        (io.csi4j.client.internal.proto.VolumeCapability) value;
    try {
      AccessMode mode = AccessMode.valueOf(capability.getAccessMode().getMode().name());
      if (!mode.isStated()) {
        return Optional.empty();
      }
      if (capability.hasBlock()) {
        return Optional.of(new VolumeCapability(mode, new AccessType.Block()));
      }
      if (!capability.hasMount()) {
        return Optional.empty();
      }
      return Optional.of(VolumeCapability.mount(mode, options(capability.getMount())));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static MountOptions options(
      io.csi4j.client.internal.proto.VolumeCapability.MountVolume mount) {
    MountOptions options = MountOptions.none().withFsType(mount.getFsType());
    if (mount.getMountFlagsCount() > 0) {
      options = options.withFlags(MountFlags.of(mount.getMountFlagsList()));
    }
    return options.withVolumeMountGroup(mount.getVolumeMountGroup());
  }

  private static PathFact look(String text) {
    try {
      Path path = Path.of(text);
      if (!path.isAbsolute()) {
        return PathFact.UNKNOWN;
      }
      try {
        return attributes(path).isDirectory() ? PathFact.DIRECTORY : PathFact.OTHER;
      } catch (NoSuchFileException e) {
        Path parent = path.getParent();
        return parent != null && Files.exists(parent) ? PathFact.MISSING : PathFact.PARENT_MISSING;
      }
    } catch (InvalidPathException | IOException e) {
      return PathFact.UNKNOWN;
    }
  }

  private static BasicFileAttributes attributes(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }

  private static String text(Message message, String name) {
    FieldDescriptor field = field(message, name);
    return field == null ? "" : (String) message.getField(field);
  }

  private static @Nullable FieldDescriptor field(Message message, String name) {
    return message.getDescriptorForType().findFieldByName(name);
  }

  private static Optional<VolumeId> id(String text) {
    try {
      return Optional.of(VolumeId.of(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
