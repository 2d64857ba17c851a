package io.csi4j.volume.catalog;

import io.csi4j.client.controller.VolumeContentSource;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.AccessType;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.internal.fields.FieldReader;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.SensitiveFields;
import io.csi4j.volume.model.PluginId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * The form of what was asked for of a volume, in the way of {@code RecordCodec}.
 *
 * <pre>
 * spec        1 plugin  2 capability...  3 range  4 required place...  5 preferred place...
 *             6 parameter...  7 mutable parameter...  8 options  9 reference of secrets
 *             10 snapshot  11 volume  12 ephemeral
 * capability  1 mode  2 block  3 options
 * options     1 filesystem  2 flags  3 group
 * range       1 required  2 limit
 * place       1 segment...
 * </pre>
 */
final class SpecCodec {

  private SpecCodec() {}

  // ---- writing

  static FieldWriter encode(VolumeSpec spec) {
    FieldWriter out = new FieldWriter().text(1, spec.plugin().value());
    spec.capabilities().forEach(each -> out.part(2, capability(each)));
    spec.capacity().ifPresent(range -> out.part(3, encode(range)));
    spec.topologies()
        .ifPresent(
            places -> {
              places(out, 4, places.required());
              places(out, 5, places.preferred());
            });
    SensitiveFields.entries(out, 6, spec.parameters());
    SensitiveFields.entries(out, 7, spec.mutableParameters());
    out.part(8, options(spec.mountOptions()));
    spec.secrets().ifPresent(reference -> out.text(9, reference.value()));
    spec.source()
        .ifPresent(
            source -> {
              if (source instanceof VolumeContentSource.FromSnapshot from) {
                out.text(10, from.snapshotId().value());
              } else if (source instanceof VolumeContentSource.FromVolume from) {
                out.text(11, from.volumeId().value());
              }
            });
    return out.flag(12, spec.ephemeral());
  }

  static FieldWriter encode(CapacityRange range) {
    return new FieldWriter()
        .number(1, range.requiredBytes().orElse(0))
        .number(2, range.limitBytes().orElse(0));
  }

  static void places(FieldWriter out, int field, Collection<Topology> places) {
    for (Topology place : places) {
      FieldWriter part = new FieldWriter();
      SensitiveFields.entries(part, 1, place.segments());
      out.part(field, part);
    }
  }

  private static FieldWriter capability(VolumeCapability each) {
    FieldWriter out =
        new FieldWriter()
            .number(1, FieldWriter.number(each.accessMode()))
            .flag(2, each.accessType() instanceof AccessType.Block);
    each.mountOptions().ifPresent(options -> out.part(3, options(options)));
    return out;
  }

  private static FieldWriter options(MountOptions options) {
    FieldWriter out = new FieldWriter().text(1, options.fsType().orElse(""));
    options.flags().ifPresent(flags -> SensitiveFields.flags(out, 2, flags));
    return out.text(3, options.volumeMountGroup().orElse(""));
  }

  // ---- reading

  static VolumeSpec decode(FieldReader in) throws MalformedRecordException {
    String plugin = in.text(1);
    Set<VolumeCapability> capabilities = new LinkedHashSet<>();
    for (Optional<FieldReader> part = in.part(2); part.isPresent(); part = in.part(2)) {
      if (!capabilities.add(capability(part.get()))) {
        throw new MalformedRecordException("A way of use is there twice.");
      }
    }
    Optional<CapacityRange> capacity = range(in, 3);
    List<Topology> required = places(in, 4);
    List<Topology> preferred = places(in, 5);
    Map<String, String> parameters = SensitiveFields.entries(in, 6);
    Map<String, String> mutable = SensitiveFields.entries(in, 7);
    MountOptions options = options(in.required(8));
    String secrets = in.text(9);
    String snapshot = in.text(10);
    String original = in.text(11);
    boolean ephemeral = in.flag(12);
    in.end();
    if (!snapshot.isEmpty() && !original.isEmpty()) {
      throw new MalformedRecordException("The volume has two sources.");
    }
    return FieldReader.checked(
        "volume",
        () ->
            new VolumeSpec(
                PluginId.of(plugin),
                capabilities,
                capacity,
                required.isEmpty() && preferred.isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                        new RequestedTopologies(new LinkedHashSet<>(required), preferred)),
                new TreeMap<>(parameters),
                new TreeMap<>(mutable),
                options,
                Optional.of(secrets).filter(text -> !text.isEmpty()).map(SecretsReference::of),
                source(snapshot, original),
                ephemeral));
  }

  private static Optional<VolumeContentSource> source(String snapshot, String original) {
    if (!snapshot.isEmpty()) {
      return Optional.of(VolumeContentSource.of(SnapshotId.of(snapshot)));
    }
    return original.isEmpty()
        ? Optional.empty()
        : Optional.of(VolumeContentSource.of(VolumeId.of(original)));
  }

  static Optional<CapacityRange> range(FieldReader in, int field) throws MalformedRecordException {
    Optional<FieldReader> there = in.part(field);
    if (there.isEmpty()) {
      return Optional.empty();
    }
    OptionalLong required = size(there.get(), 1);
    OptionalLong limit = size(there.get(), 2);
    there.get().end();
    return Optional.of(FieldReader.checked("capacity", () -> new CapacityRange(required, limit)));
  }

  static OptionalLong size(FieldReader in, int field) throws MalformedRecordException {
    long bytes = in.number(field);
    if (bytes < 0) {
      throw new MalformedRecordException("A size is too large.");
    }
    return bytes == 0 ? OptionalLong.empty() : OptionalLong.of(bytes);
  }

  static List<Topology> places(FieldReader in, int field) throws MalformedRecordException {
    List<Topology> places = new ArrayList<>();
    for (Optional<FieldReader> part = in.part(field); part.isPresent(); part = in.part(field)) {
      places.add(Topology.of(SensitiveFields.entries(part.get(), 1)));
      part.get().end();
    }
    return places;
  }

  private static VolumeCapability capability(FieldReader in) throws MalformedRecordException {
    AccessMode mode = FieldReader.accessMode(in.number(1));
    boolean isBlock = in.flag(2);
    Optional<FieldReader> options = in.part(3);
    VolumeCapability known =
        isBlock
            ? VolumeCapability.block(mode)
            : VolumeCapability.mount(
                mode, options.isPresent() ? options(options.get()) : MountOptions.none());
    in.end();
    if (isBlock == options.isPresent()) {
      throw new MalformedRecordException("Mount options are there exactly for a filesystem.");
    }
    return known;
  }

  private static MountOptions options(FieldReader in) throws MalformedRecordException {
    String type = in.text(1);
    Optional<MountFlags> flags = SensitiveFields.flags(in, 2);
    String group = in.text(3);
    in.end();
    return new MountOptions(Optional.of(type), flags, Optional.of(group));
  }
}
