package io.csi4j.volume.internal.text;

import io.csi4j.volume.model.VolumeKey;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Names of directories and records that are computed from other texts. A name has 26 lower-case
 * letters and digits, which encode 130 bits of a hash.
 */
public final class HashedName {

  private static final String DIGITS = "abcdefghijklmnopqrstuvwxyz234567";
  private static final int LENGTH = 26;

  /**
   * A cache of recently computed names, because an operation on a volume computes the same few
   * names dozens of times. The index of a name is the hash of its texts. A thread may miss the
   * entries of other threads.
   */
  private static final @Nullable Known[] LATELY = new Known[512];

  /** A computed name, with the texts that it was computed from. */
  private static final class Known {
    final String[] parts;
    final String name;

    Known(String[] parts, String name) {
      this.parts = parts;
      this.name = name;
    }
  }

  private HashedName() {}

  /** Returns the name for these texts in this order. No text may contain a NUL. */
  public static String of(String... parts) {
    int place = Arrays.hashCode(parts) & (LATELY.length - 1);
    Known known = LATELY[place];
    if (known == null || !Arrays.equals(known.parts, parts)) {
      known = new Known(parts.clone(), made(parts));
      LATELY[place] = known;
    }
    return known.name;
  }

  private static String made(String... parts) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (String part : parts) {
        digest.update(part.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0);
      }
      return base32(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256.", e);
    }
  }

  /** Returns the name of a volume in the storage system. It is unique for each key of the host. */
  public static String inCatalog(VolumeKey volume) {
    return of("catalog", volume.namespace().value(), volume.id());
  }

  /** Whether the text has the form of a hashed name. */
  public static boolean isName(String text) {
    return text.length() == LENGTH && text.chars().allMatch(c -> DIGITS.indexOf(c) >= 0);
  }

  private static String base32(byte[] hash) {
    StringBuilder name = new StringBuilder(LENGTH);
    int bits = 0;
    int held = 0;
    for (int at = 0; name.length() < LENGTH; ) {
      if (held < 5) {
        bits = (bits << 8) | (hash[at++] & 0xff);
        held += 8;
      }
      held -= 5;
      name.append(DIGITS.charAt((bits >>> held) & 31));
    }
    return name.toString();
  }
}
