package io.csi4j.volume.internal.fields;

import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.VolumeContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Fields that hold what a plugin wants back later, and that must not be seen: contexts and mount
 * flags. They are written into a state, and shown nowhere.
 */
public final class SensitiveFields {

  private SensitiveFields() {}

  /** Writes each entry of a context as a part. */
  public static void context(FieldWriter out, int field, VolumeContext context) {
    entries(out, field, context.reveal());
  }

  public static VolumeContext context(FieldReader in, int field) throws MalformedRecordException {
    return VolumeContext.of(entries(in, field));
  }

  /** Writes flags as one part, which is there also when it has none. */
  public static void flags(FieldWriter out, int field, MountFlags flags) {
    FieldWriter all = new FieldWriter();
    flags.reveal().forEach(flag -> all.part(1, new FieldWriter().text(1, flag)));
    out.part(field, all);
  }

  public static Optional<MountFlags> flags(FieldReader in, int field)
      throws MalformedRecordException {
    Optional<FieldReader> there = in.part(field);
    if (there.isEmpty()) {
      return Optional.empty();
    }
    FieldReader all = there.get();
    List<String> flags = new ArrayList<>();
    for (Optional<FieldReader> part = all.part(1); part.isPresent(); part = all.part(1)) {
      flags.add(part.get().text(1));
      part.get().end();
    }
    all.end();
    return Optional.of(MountFlags.of(flags));
  }

  /** Writes entries in the order of their keys. */
  public static void entries(FieldWriter out, int field, Map<String, String> entries) {
    new TreeMap<>(entries)
        .forEach((key, value) -> out.part(field, new FieldWriter().text(1, key).text(2, value)));
  }

  public static Map<String, String> entries(FieldReader in, int field)
      throws MalformedRecordException {
    TreeMap<String, String> entries = new TreeMap<>();
    for (Optional<FieldReader> part = in.part(field); part.isPresent(); part = in.part(field)) {
      String key = part.get().text(1);
      String value = part.get().text(2);
      part.get().end();
      if (!entries.isEmpty() && entries.lastKey().compareTo(key) >= 0) {
        throw new MalformedRecordException("The keys of a map are not in order.");
      }
      entries.put(key, value);
    }
    return entries;
  }
}
