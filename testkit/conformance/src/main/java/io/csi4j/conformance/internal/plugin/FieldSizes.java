package io.csi4j.conformance.internal.plugin;

import io.csi4j.client.internal.text.SafeText;
import java.util.Map;

/** The sizes that the spec has for fields: well-known plugins exceed them, so this is advice. */
final class FieldSizes {

  private static final int TEXT = 128;
  private static final int MAP = 4 << 10;

  private FieldSizes() {}

  static void advise(Trial t, String field, String text) {
    int bytes = SafeText.utf8Length(text);
    if (bytes > TEXT) {
      t.advise(field + " has " + bytes + " bytes, more than the " + TEXT + " of the spec.");
    }
  }

  static void advise(Trial t, String field, Map<String, String> map) {
    int bytes =
        map.entrySet().stream()
            .mapToInt(
                each -> SafeText.utf8Length(each.getKey()) + SafeText.utf8Length(each.getValue()))
            .sum();
    if (bytes > MAP) {
      t.advise(field + " has " + bytes + " bytes, more than the " + MAP + " of the spec.");
    }
  }
}
