package io.csi4j.volume.internal.fields;

import static java.nio.charset.StandardCharsets.US_ASCII;

import org.jspecify.annotations.Nullable;

/**
 * A cache of recently read texts, which saves memory: a text that is read again is usually the same
 * object. Thousands of records contain the same plugin, boot id and filesystem type, and one record
 * contains its use several times.
 *
 * <p>The cache may lose a text; then the next read creates a new object. Thread-safe, although a
 * thread may miss the entries of other threads.
 */
final class RecentTexts {

  private static final int PLACES = 256;

  /**
   * Maximum length of a cached text. Longer texts are expensive to compare and unlikely to recur.
   */
  private static final int LONGEST = 128;

  private final @Nullable String[] places = new @Nullable String[PLACES];

  /** Returns the text in these bytes, which must be ASCII. */
  String text(byte[] bytes, int from, int length) {
    if (length > LONGEST) {
      return new String(bytes, from, length, US_ASCII);
    }
    int hash = length;
    for (int i = from; i < from + length; i++) {
      hash = 31 * hash + bytes[i];
    }
    int place = (hash ^ hash >>> 8 ^ hash >>> 16) & PLACES - 1;
    String recent = places[place];
    if (recent != null && isSame(recent, bytes, from, length)) {
      return recent;
    }
    String text = new String(bytes, from, length, US_ASCII);
    places[place] = text;
    return text;
  }

  private static boolean isSame(String text, byte[] bytes, int from, int length) {
    if (text.length() != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (text.charAt(i) != bytes[from + i]) {
        return false;
      }
    }
    return true;
  }
}
