package io.csi4j.volume.internal.record;

import io.csi4j.client.model.MountFlags;
import io.csi4j.volume.model.VolumeIdentity;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** All that is ever known of mount flags, which must not be written down or shown. */
final class FlagFacts {

  private FlagFacts() {}

  /** Whether they ask for a mount that is only read. */
  static boolean areReadOnly(MountFlags flags) {
    return flags.reveal().contains("ro");
  }

  /**
   * Tells two lists of flags of one volume apart; their order counts. Says nothing of whether two
   * volumes have the same.
   */
  static String digest(VolumeIdentity identity, MountFlags flags) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      add(digest, identity.plugin().value());
      add(digest, identity.handle().value());
      for (String flag : flags.reveal()) {
        add(digest, flag);
      }
      return HexFormat.of().formatHex(digest.digest(), 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256.", e);
    }
  }

  /** With its length before it, as a flag may hold anything. */
  private static void add(MessageDigest digest, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
    digest.update(bytes);
  }
}
