package io.csi4j.volume.internal.fields;

import static java.nio.charset.StandardCharsets.US_ASCII;

import org.jspecify.annotations.Nullable;

/**
 * The texts that were read last. One that is read again is the same object: thousands of records
 * name the same plugin, boot and type of filesystem, and one record names its use several times.
 *
 * <p>It forgets; then there is one object more. Safe for many threads, which may not see what the
 * others keep.
 */
final class RecentTexts {

  private static final int PLACES = 256;

  /** Long ones are neither short to compare nor likely to come again. */
  private static final int LONGEST = 128;

  private final @Nullable String[] places = new @Nullable String[PLACES];

  /** The text in these bytes, all of which are ASCII. */
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
