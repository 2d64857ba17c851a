package io.csi4j.client.internal.redaction;

import io.csi4j.client.internal.text.SafeText;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeSet;

/** Converts records that contain text of unknown origin into one printable line. */
public final class RecordText {

  private static final int LIMIT = 4096;

  private RecordText() {}

  /**
   * Returns the record in the format of {@code Record.toString}, escaped, with each component cut
   * to 4 KiB. Of a map, only the keys are shown, because the plugin's values may be secret.
   */
  public static String of(Record record) {
    String name = record.getClass().getSimpleName();
    String shown = name.endsWith("Value") ? name.substring(0, name.length() - 5) : name;
    StringJoiner out = new StringJoiner(", ", shown + "[", "]");
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      try {
        Method accessor = component.getAccessor();
        // The records that implement the API are not exported, so their accessors are not
        // accessible.
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
