package io.csi4j.volume.internal.claims;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.csi4j.volume.model.VolumeKey;
import java.io.ByteArrayOutputStream;

/**
 * The name of a volume's claim in a store that sorts names by their bytes: {@code NAMESPACE 1F ID}.
 *
 * <p>They sort as the volumes do, which compare their names as UTF-16. So each half of a surrogate
 * pair is written by itself, as CESU-8 does; and what stands between the two names sorts before all
 * that a name may hold.
 */
public final class SortedName {

  private static final char BETWEEN = '\u001f';

  private SortedName() {}

  /** The name of the claim of a volume. */
  public static byte[] of(VolumeKey volume) {
    String text = volume.namespace().value() + BETWEEN + volume.id();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < text.length(); i++) {
      write(text.charAt(i), out);
    }
    return out.toByteArray();
  }

  /** Returns what the seal of the claim with this name is bound to. */
  static String about(byte[] name) {
    return "claim/" + new String(name, ISO_8859_1);
  }

  private static void write(char c, ByteArrayOutputStream out) {
    if (c < 0x80) {
      out.write(c);
    } else if (c < 0x800) {
      out.write(0xc0 | (c >> 6));
      out.write(0x80 | (c & 0x3f));
    } else {
      out.write(0xe0 | (c >> 12));
      out.write(0x80 | ((c >> 6) & 0x3f));
      out.write(0x80 | (c & 0x3f));
    }
  }
}
