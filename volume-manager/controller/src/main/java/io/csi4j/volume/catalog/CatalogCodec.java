package io.csi4j.volume.catalog;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry.Cut;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.internal.fields.FieldReader;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.SensitiveFields;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateValue;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The form of volumes of a storage system, in the way of {@code RecordCodec}.
 *
 * <pre>
 * record  1 format  2 namespace  3 volume  4 spec  5 name  6 state  7 there  8 grows to  9 id
 *         10 cut...  11 older modes  12... newer fields
 * cut     1 name  2 parameter...  3 volume...
 * volume  1 namespace  2 volume
 * there   1 id  2 registered  3 provider  4 context...  5 place...  6 size  7 owed to the node
 * </pre>
 *
 * What a newer version has added to a record is passed over, and lost with the next write. A new
 * field in a part needs a new format.
 */
final class CatalogCodec {

  private static final int FORMAT = 1;

  private static final int CREATING = 1;
  private static final int PRESENT = 2;
  private static final int GROWING = 3;
  private static final int DELETING = 4;

  private CatalogCodec() {}

  /**
   * The bytes of a record.
   *
   * @throws io.csi4j.volume.state.StateException when they are too many
   */
  public static StateValue encode(CatalogEntry record) {
    FieldWriter out =
        new FieldWriter()
            .number(1, FORMAT)
            .text(2, record.key().namespace().value())
            .text(3, record.key().id())
            .part(4, SpecCodec.encode(record.spec()))
            .text(5, record.name().map(CreationName::value).orElse(""));
    State state = record.state();
    if (state instanceof State.Creating) {
      out.number(6, CREATING);
    } else if (state instanceof State.Present there) {
      out.number(6, PRESENT).part(7, there(there.volume()));
    } else if (state instanceof State.Growing growing) {
      out.number(6, GROWING)
          .part(7, there(growing.volume()))
          .part(8, SpecCodec.encode(growing.to()));
    } else if (state instanceof State.Deleting going) {
      out.number(6, DELETING);
      going.before().ifPresent(volume -> out.part(7, there(volume)));
      out.text(9, going.id().map(VolumeId::value).orElse(""));
    }
    record.cuts().forEach(cut -> out.part(10, cut(cut)));
    out.flag(11, record.olderModes());
    return StateValue.of(out.bytes());
  }

  private static FieldWriter cut(Cut cut) {
    FieldWriter out = new FieldWriter().text(1, cut.name());
    SensitiveFields.entries(out, 2, cut.parameters());
    cut.group()
        .forEach(
            key ->
                out.part(3, new FieldWriter().text(1, key.namespace().value()).text(2, key.id())));
    return out;
  }

  private static FieldWriter there(CatalogVolume volume) {
    FieldWriter out =
        new FieldWriter()
            .text(1, volume.id().value())
            .flag(2, volume.origin() == CatalogVolume.Origin.REGISTERED)
            .text(3, volume.provider().map(PluginName::value).orElse(""));
    SensitiveFields.context(out, 4, volume.context());
    SpecCodec.places(out, 5, volume.topologies());
    out.number(6, volume.capacityBytes().orElse(0));
    volume.owedToNode().ifPresent(range -> out.part(7, SpecCodec.encode(range)));
    return out;
  }

  /** The record in these bytes. */
  public static CatalogEntry decode(StateValue value) throws MalformedRecordException {
    FieldReader in = new FieldReader(value.bytes());
    in.format(1);
    String namespace = in.text(2);
    String id = in.text(3);
    VolumeKey key = FieldReader.checked("key", () -> VolumeKey.of(Namespace.of(namespace), id));
    VolumeSpec spec = SpecCodec.decode(in.required(4));
    String name = in.text(5);
    long number = in.number(6);
    Optional<FieldReader> part = in.part(7);
    Optional<CatalogVolume> there =
        part.isEmpty() ? Optional.empty() : Optional.of(there(key, spec, part.get()));
    Optional<CapacityRange> to = SpecCodec.range(in, 8);
    String handle = in.text(9);
    List<Cut> cuts = new ArrayList<>();
    for (Optional<FieldReader> cut = in.part(10); cut.isPresent(); cut = in.part(10)) {
      cuts.add(cut(cut.get()));
    }
    boolean olderModes = in.flag(11);
    in.rest(11);
    State state = state(number, there, to, handle);
    return FieldReader.checked(
        "volume",
        () ->
            new CatalogEntry(
                key,
                spec,
                Optional.of(name).filter(text -> !text.isEmpty()).map(CreationName::new),
                state,
                cuts,
                olderModes));
  }

  private static Cut cut(FieldReader in) throws MalformedRecordException {
    String name = in.text(1);
    Map<String, String> parameters = SensitiveFields.entries(in, 2);
    SortedSet<VolumeKey> group = new TreeSet<>();
    for (Optional<FieldReader> part = in.part(3); part.isPresent(); part = in.part(3)) {
      String namespace = part.get().text(1);
      String id = part.get().text(2);
      part.get().end();
      group.add(FieldReader.checked("key", () -> VolumeKey.of(Namespace.of(namespace), id)));
    }
    in.end();
    return new Cut(name, new TreeMap<>(parameters), group);
  }

  private static State state(
      long number, Optional<CatalogVolume> there, Optional<CapacityRange> to, String handle)
      throws MalformedRecordException {
    if (number == CREATING && there.isEmpty()) {
      return new State.Creating();
    } else if (number == PRESENT && there.isPresent()) {
      return new State.Present(there.get());
    } else if (number == GROWING && there.isPresent() && to.isPresent()) {
      return new State.Growing(there.get(), to.get());
    } else if (number == DELETING) {
      return new State.Deleting(
          handle.isEmpty()
              ? Optional.empty()
              : Optional.of(FieldReader.checked("id", () -> VolumeId.of(handle))),
          there);
    }
    throw new MalformedRecordException("The state of the volume is none.");
  }

  private static CatalogVolume there(VolumeKey key, VolumeSpec spec, FieldReader in)
      throws MalformedRecordException {
    String id = in.text(1);
    boolean isRegistered = in.flag(2);
    String provider = in.text(3);
    VolumeContext context = SensitiveFields.context(in, 4);
    List<Topology> places = SpecCodec.places(in, 5);
    OptionalLong bytes = SpecCodec.size(in, 6);
    Optional<CapacityRange> owed = SpecCodec.range(in, 7);
    in.end();
    return FieldReader.checked(
        "volume",
        () ->
            new CatalogVolume(
                key,
                spec,
                isRegistered ? CatalogVolume.Origin.REGISTERED : CatalogVolume.Origin.CREATED,
                VolumeId.of(id),
                Optional.of(provider).filter(text -> !text.isEmpty()).map(PluginName::of),
                context,
                new LinkedHashSet<>(places),
                bytes,
                owed));
  }
}
