package io.csi4j.volume.internal.fields;

import io.csi4j.client.model.PublishContext;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The form of a publish context: the only one in which it is written down. Entries stand in the
 * order of their keys, as {@code 1 key 2 value}.
 */
public final class ContextFields {

  private ContextFields() {}

  /** Adds the entries to a part, each as this field. */
  public static void encode(PublishContext context, int field, FieldWriter out) {
    new TreeMap<>(context.reveal())
        .forEach(
            (key, value) ->
                out.part(field, new FieldWriter().text(1, unicode(key)).text(2, unicode(value))));
  }

  private static String unicode(String text) {
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new IllegalArgumentException(
          "An entry of the publish context is not valid Unicode, and would not come back as it is."
              + " Give it as the plugin gave it.");
    }
    return text;
  }

  /** The entries that stand as this field. */
  public static PublishContext decode(FieldReader in, int field) throws MalformedRecordException {
    Map<String, String> entries = new LinkedHashMap<>();
    String last = null;
    for (Optional<FieldReader> part = in.part(field); part.isPresent(); part = in.part(field)) {
      FieldReader entry = part.get();
      String key = entry.text(1);
      entries.put(key, entry.text(2));
      entry.end();
      if (last != null && last.compareTo(key) >= 0) {
        throw new MalformedRecordException(
            "The publish context is not in order, or has a key twice.");
      }
      last = key;
    }
    return PublishContext.of(entries);
  }
}
