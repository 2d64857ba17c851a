package io.csi4j.volume.internal.text;

import io.csi4j.volume.model.VolumeKey;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Names of directories and records: 26 lower-case letters and digits, 130 bits of a hash. */
public final class HashedName {

  private static final String DIGITS = "abcdefghijklmnopqrstuvwxyz234567";
  private static final int LENGTH = 26;

  /**
   * A cache of recent names, each at the index given by the hash of its texts: an operation on a
   * volume computes the same few names dozens of times. Threads may miss each other's entries.
   */
  private static final @Nullable Known[] LATELY = new Known[512];

  /** A computed name with its texts. */
  private static final class Known {
    final String[] parts;
    final String name;

    Known(String[] parts, String name) {
      this.parts = parts;
      this.name = name;
    }
  }

  private HashedName() {}

  /** Returns the name for these texts, none of which may contain a NUL; their order matters. */
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

  /** Returns the name of a volume of a storage system, which is unique for each key of the host. */
  public static String inCatalog(VolumeKey volume) {
    return of("catalog", volume.namespace().value(), volume.id());
  }

  /** Whether the text can be such a name. */
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
