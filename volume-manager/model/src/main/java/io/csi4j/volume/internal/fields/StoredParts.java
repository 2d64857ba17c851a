package io.csi4j.volume.internal.fields;

import com.google.protobuf.Timestamp;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.volume.internal.fields.proto.PartsProto;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.VolumeKey;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Converts parts of records between values and messages. Contexts and mount flags are confidential:
 * this class writes them to the stored state, but never to a message for people.
 */
public final class StoredParts {

  private static final int SECOND = 1_000_000_000;

  private StoredParts() {}

  // ---- times

  public static Timestamp time(Instant time) {
    return Timestamp.newBuilder()
        .setSeconds(time.getEpochSecond())
        .setNanos(time.getNano())
        .build();
  }

  public static Instant time(Timestamp in) throws MalformedRecordException {
    try {
      return Instant.ofEpochSecond(in.getSeconds(), nanos(in.getNanos()));
    } catch (DateTimeException | ArithmeticException e) {
      throw new MalformedRecordException("A time is beyond all times.");
    }
  }

  public static com.google.protobuf.Duration duration(Duration time) {
    return com.google.protobuf.Duration.newBuilder()
        .setSeconds(time.getSeconds())
        .setNanos(time.getNano())
        .build();
  }

  public static Duration duration(com.google.protobuf.Duration in) throws MalformedRecordException {
    return Duration.ofSeconds(in.getSeconds(), nanos(in.getNanos()));
  }

  private static int nanos(int nanos) throws MalformedRecordException {
    if (nanos < 0 || nanos >= SECOND) {
      throw new MalformedRecordException("A time has too many nanoseconds.");
    }
    return nanos;
  }

  // ---- volumes and their use

  public static PartsProto.VolumeKey key(VolumeKey volume) {
    return PartsProto.VolumeKey.newBuilder()
        .setNamespace(volume.namespace().value())
        .setId(volume.id())
        .build();
  }

  public static VolumeKey key(PartsProto.VolumeKey in) {
    return VolumeKey.of(Namespace.of(in.getNamespace()), in.getId());
  }

  public static PartsProto.MountOptions options(MountOptions options) {
    PartsProto.MountOptions.Builder out =
        PartsProto.MountOptions.newBuilder()
            .setFsType(options.fsType().orElse(""))
            .setGroup(options.volumeMountGroup().orElse(""));
    options.flags().ifPresent(flags -> out.setFlags(flags(flags)));
    return out.build();
  }

  private static PartsProto.Flags flags(MountFlags flags) {
    PartsProto.Flags.Builder out = PartsProto.Flags.newBuilder();
    flags.reveal().forEach(flag -> out.addFlag(PartsProto.Flag.newBuilder().setText(flag)));
    return out.build();
  }

  public static MountOptions options(PartsProto.MountOptions in) {
    List<String> flags =
        in.getFlags().getFlagList().stream().map(PartsProto.Flag::getText).toList();
    return new MountOptions(
        Optional.of(in.getFsType()),
        in.hasFlags() ? Optional.of(MountFlags.of(flags)) : Optional.empty(),
        Optional.of(in.getGroup()));
  }

  public static PartsProto.Capability capability(VolumeCapability each) {
    PartsProto.Capability.Builder out =
        PartsProto.Capability.newBuilder()
            .setMode(FieldWriter.number(each.accessMode()))
            .setBlock(each.isBlock());
    each.mountOptions().ifPresent(options -> out.setOptions(options(options)));
    return out.build();
  }

  public static VolumeCapability capability(PartsProto.Capability in)
      throws MalformedRecordException {
    AccessMode mode = FieldReader.accessMode(in.getMode());
    if (in.getBlock() == in.hasOptions()) {
      throw new MalformedRecordException("Mount options must be present exactly for a filesystem.");
    }
    return in.getBlock()
        ? VolumeCapability.block(mode)
        : VolumeCapability.mount(mode, options(in.getOptions()));
  }

  public static PartsProto.Range range(CapacityRange range) {
    return PartsProto.Range.newBuilder()
        .setRequired(range.requiredBytes().orElse(0))
        .setLimit(range.limitBytes().orElse(0))
        .build();
  }

  public static CapacityRange range(PartsProto.Range in) throws MalformedRecordException {
    return RecordBytes.checked(
        "capacity", () -> new CapacityRange(size(in.getRequired()), size(in.getLimit())));
  }

  /** Returns a size; empty if it is stored as 0. */
  public static OptionalLong size(long bytes) throws MalformedRecordException {
    if (bytes < 0) {
      throw new MalformedRecordException("A size is too large.");
    }
    return bytes == 0 ? OptionalLong.empty() : OptionalLong.of(bytes);
  }

  public static List<PartsProto.Place> places(Collection<Topology> places) {
    return places.stream()
        .map(
            place -> PartsProto.Place.newBuilder().addAllSegment(entries(place.segments())).build())
        .toList();
  }

  public static List<Topology> places(List<PartsProto.Place> in) throws MalformedRecordException {
    List<Topology> places = new ArrayList<>();
    for (PartsProto.Place place : in) {
      places.add(Topology.of(entries(place.getSegmentList())));
    }
    return places;
  }

  // ---- contexts, and other maps

  /** Returns the entries of a map in the order of their keys. */
  public static List<PartsProto.Entry> entries(Map<String, String> entries) {
    return new TreeMap<>(entries)
        .entrySet().stream()
            .map(
                entry ->
                    PartsProto.Entry.newBuilder()
                        .setKey(entry.getKey())
                        .setValue(entry.getValue())
                        .build())
            .toList();
  }

  public static SortedMap<String, String> entries(List<PartsProto.Entry> in)
      throws MalformedRecordException {
    return entries(in, "The keys of a map are not sorted.");
  }

  private static SortedMap<String, String> entries(List<PartsProto.Entry> in, String otherwise)
      throws MalformedRecordException {
    SortedMap<String, String> entries = new TreeMap<>();
    for (PartsProto.Entry entry : in) {
      RecordBytes.add(entries, entry.getKey(), entry.getValue(), otherwise);
    }
    return entries;
  }

  public static List<PartsProto.Entry> entries(VolumeContext context) {
    return entries(context.reveal());
  }

  public static VolumeContext volumeContext(List<PartsProto.Entry> in)
      throws MalformedRecordException {
    return VolumeContext.of(entries(in, "A context is not sorted, or has a key twice."));
  }

  /** Returns the entries of secrets. The caller encrypts them before they are stored or sent. */
  public static List<PartsProto.Entry> entries(Secrets secrets) {
    return entries(secrets.reveal());
  }

  public static Secrets secrets(List<PartsProto.Entry> in) throws MalformedRecordException {
    return Secrets.of(entries(in, "The secrets are not sorted, or have a key twice."));
  }

  /**
   * Returns the entries of a publish context. Rejects text that is not valid Unicode, because it
   * would change when it is stored.
   */
  public static List<PartsProto.Entry> entries(PublishContext context) {
    Map<String, String> entries = context.reveal();
    entries.forEach(
        (key, value) -> {
          if (!StandardCharsets.UTF_8.newEncoder().canEncode(key + '\n' + value)) {
            throw new IllegalArgumentException(
                "An entry of the publish context is not valid Unicode, and would change when it "
                    + "is stored. Pass it as the plugin returned it.");
          }
        });
    return entries(entries);
  }

  public static PublishContext publishContext(List<PartsProto.Entry> in)
      throws MalformedRecordException {
    return PublishContext.of(entries(in, "The publish context is not sorted, or has a key twice."));
  }
}
