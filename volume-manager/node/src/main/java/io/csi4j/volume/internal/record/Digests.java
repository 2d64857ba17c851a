package io.csi4j.volume.internal.record;

import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.volume.model.VolumeIdentity;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Computes digests of mount flags and contexts, which must not be stored or shown because they may
 * contain secrets. Digests of one volume can be compared; digests of different volumes cannot.
 */
public final class Digests {

  private static final Set<String> LIMITS =
      Set.of("ro", "nosuid", "nodev", "noexec", "nosymfollow");

  /** The digest of a context without entries. */
  public static final String OF_NOTHING = "-";

  /** Prefix of the digest of a context that the plugin received but that may not be in effect. */
  private static final String IN_DOUBT = "?";

  private Digests() {}

  /** Returns the digest to record while it is not known whether this context is in effect. */
  public static String inDoubt(String digest) {
    return IN_DOUBT + digest;
  }

  /** Returns whether this is the digest of a context that is certainly in effect. */
  public static boolean isInForce(String digest) {
    return !digest.isEmpty() && !digest.startsWith(IN_DOUBT);
  }

  /** Returns whether a context is the last context that the plugin received, as far as is known. */
  public static boolean isLastGiven(String known, String digest) {
    return known.isEmpty() || known.equals(digest) || known.equals(inDoubt(digest));
  }

  /** Returns the digest of a list of flags. Lists in another order have another digest. */
  static String of(VolumeIdentity identity, MountFlags flags) {
    MessageDigest digest = begun(identity);
    flags.reveal().forEach(flag -> add(digest, flag));
    return end(digest);
  }

  /** Returns the flags that restrict a mount and that are visible in the kernel's mount table. */
  public static Set<String> limits(MountFlags flags) {
    return LIMITS.stream().filter(flags.reveal()::contains).collect(Collectors.toSet());
  }

  /** Returns the digest of the volume's own context. */
  public static String of(VolumeIdentity identity, VolumeContext context) {
    return of(identity, context.reveal());
  }

  /** Returns the digest of the context that attaching a volume returned. */
  static String of(VolumeIdentity identity, PublishContext context) {
    return of(identity, context.reveal());
  }

  /** Returns the digest of the entries of a context. Their order does not matter. */
  private static String of(VolumeIdentity identity, Map<String, String> entries) {
    if (entries.isEmpty()) {
      return OF_NOTHING;
    }
    MessageDigest digest = begun(identity);
    new TreeMap<>(entries)
        .forEach(
            (key, value) -> {
              add(digest, key);
              add(digest, value);
            });
    return end(digest);
  }

  private static MessageDigest begun(VolumeIdentity identity) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      add(digest, identity.plugin().value());
      add(digest, identity.handle().value());
      return digest;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256.", e);
    }
  }

  private static String end(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest(), 0, 16);
  }

  /**
   * Adds a text after its length. The length separates the texts, because a text may contain any
   * character.
   */
  private static void add(MessageDigest digest, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
    digest.update(bytes);
  }
}
