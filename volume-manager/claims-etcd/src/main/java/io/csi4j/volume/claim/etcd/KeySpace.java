package io.csi4j.volume.claim.etcd;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.csi4j.volume.model.VolumeKey;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The names of the keys in etcd: {@code PREFIX store} for the mark of the store, and {@code PREFIX
 * claims/ NAMESPACE 1F ID} for claims.
 *
 * <p>They sort as the volumes do, which compare their names as UTF-16. So each half of a surrogate
 * pair is written by itself, as CESU-8 does; and what stands between the two names sorts before all
 * that a name may hold.
 */
final class KeySpace {

  private static final char BETWEEN = '\u001f';

  private final byte[] mark;
  private final byte[] first;
  private final byte[] end;

  KeySpace(EtcdPrefix prefix) {
    mark = (prefix + "store").getBytes(StandardCharsets.UTF_8);
    first = (prefix + "claims/").getBytes(StandardCharsets.UTF_8);
    // The character behind the slash: the end is the first name that is not below.
    end = (prefix + "claims0").getBytes(StandardCharsets.UTF_8);
  }

  /** Of the mark of the store. */
  byte[] mark() {
    return mark.clone();
  }

  /** Where claims begin. */
  byte[] first() {
    return first.clone();
  }

  /** Behind all claims. */
  byte[] end() {
    return end.clone();
  }

  /** Of the claim of a volume. */
  byte[] of(VolumeKey volume) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(first);
    write(volume.namespace().value() + BETWEEN + volume.id(), out);
    return out.toByteArray();
  }

  /** Returns the key of a claim below the prefix, for a seal to be bound to. */
  String about(byte[] key) {
    return "claim/" + new String(key, first.length, key.length - first.length, ISO_8859_1);
  }

  /** The first name that may stand behind that of a volume. */
  byte[] after(VolumeKey volume) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(of(volume));
    out.write(0);
    return out.toByteArray();
  }

  private static void write(String text, ByteArrayOutputStream out) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
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
}
