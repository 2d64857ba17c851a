package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.internal.claims.SortedName;
import io.csi4j.volume.model.VolumeKey;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The names of the keys in etcd: {@code PREFIX store} for the mark of the store, and {@code PREFIX
 * claims/} with a {@link SortedName} for claims.
 */
final class KeySpace {

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
    out.writeBytes(SortedName.of(volume));
    return out.toByteArray();
  }

  /** The name of a claim, of its key. */
  byte[] name(byte[] key) {
    return Arrays.copyOfRange(key, first.length, key.length);
  }

  /** The first key that may stand behind that of the claim with this name. */
  byte[] after(byte[] name) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(first);
    out.writeBytes(name);
    out.write(0);
    return out.toByteArray();
  }
}
