package io.csi4j.volume.internal.claims;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.VolumeKey;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Optional;

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

  /** Returns the volume whose claim has this name; nothing if it is no such name. */
  static Optional<VolumeKey> volume(byte[] name) {
    String text = text(name);
    int between = text.indexOf(BETWEEN);
    if (between < 0) {
      return Optional.empty();
    }
    try {
      VolumeKey volume =
          VolumeKey.of(Namespace.of(text.substring(0, between)), text.substring(between + 1));
      return Arrays.equals(of(volume), name) ? Optional.of(volume) : Optional.empty();
    } catch (IllegalArgumentException none) {
      return Optional.empty();
    }
  }

  /** Returns the characters of a name, or something else for bytes that are no name. */
  private static String text(byte[] name) {
    StringBuilder text = new StringBuilder(name.length);
    for (int at = 0; at < name.length; ) {
      int first = name[at++] & 0xff;
      int more = first < 0x80 ? 0 : first < 0xe0 ? 1 : 2;
      int c = more == 0 ? first : first & (0x3f >> more);
      for (int i = 0; i < more && at < name.length; i++) {
        c = (c << 6) | (name[at++] & 0x3f);
      }
      text.append((char) c);
    }
    return text.toString();
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
