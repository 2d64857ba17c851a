package io.csi4j.client.internal.redaction;

import io.csi4j.client.internal.text.SafeText;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeSet;

/** The text form of records that carry text of unknown origin: one printable line. */
public final class RecordText {

  private static final int LIMIT = 4096;

  private RecordText() {}

  /**
   * Returns the record in the form of {@code Record.toString}, escaped, each component cut to 4
   * KiB. Maps show only their keys: the values belong to the plugin, and may be secret.
   */
  public static String of(Record record) {
    String name = record.getClass().getSimpleName();
    String shown = name.endsWith("Value") ? name.substring(0, name.length() - 5) : name;
    StringJoiner out = new StringJoiner(", ", shown + "[", "]");
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      try {
        Method accessor = component.getAccessor();
        // The records that implement the API are not exported.
        accessor.setAccessible(true);
        Object value = accessor.invoke(record);
        if (value instanceof Map<?, ?> map) {
          value = new TreeSet<>(map.keySet());
        }
        out.add(component.getName() + "=" + SafeText.escape(String.valueOf(value), LIMIT));
      } catch (ReflectiveOperationException impossible) {
        throw new LinkageError(record.getClass().getName(), impossible);
      }
    }
    return out.toString();
  }
}
