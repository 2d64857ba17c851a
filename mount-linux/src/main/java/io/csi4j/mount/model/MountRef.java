package io.csi4j.mount.model;

import io.csi4j.mount.internal.text.PrintableText;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * A reference to one mount at one path, which can be stored in a file and checked later with {@link
 * io.csi4j.mount.MountTable#check}.
 *
 * @param path the mount point when the reference was taken
 * @param bootId the id of the boot; no mount outlives a boot
 * @param identity the identity that distinguishes it from other mounts of this boot
 * @since 1.0
 */
public record MountRef(MountPath path, String bootId, Identity identity) {

  private static final String UNIQUE = "unique";
  private static final String REUSABLE = "reusable";

  /**
   * Parses the output of {@link #encode}.
   *
   * @throws IllegalArgumentException for anything else, with the reason
   */
  public static MountRef parse(String text) {
    String[] parts = text.split(":", -1);
    try {
      if (parts[0].equals(UNIQUE) && parts.length == 4) {
        return ref(new Identity.Unique(Long.parseLong(parts[1])), parts);
      }
      if (parts[0].equals(REUSABLE) && parts.length == 6) {
        String[] device = parts[2].split("\\.", -1);
        if (device.length == 2) {
          return ref(
              new Identity.Reusable(
                  Integer.parseInt(parts[1]),
                  new DeviceId(Integer.parseInt(device[0]), Integer.parseInt(device[1])),
                  KernelText.ofBytes(bytes(parts[3]))),
              parts);
        }
      }
    } catch (IllegalArgumentException malformed) {
      throw new IllegalArgumentException(message(text), malformed);
    }
    throw new IllegalArgumentException(message(text));
  }

  /**
   * Returns the reference as one line of ASCII without blanks at its ends: {@code
   * unique:ID:BOOT:PATH} or {@code reusable:ID:MAJOR.MINOR:ROOT:BOOT:PATH}, with every byte outside
   * letters, digits, {@code /._-} written as {@code %HH}.
   */
  public String encode() {
    String tail =
        ":" + escaped(bootId.getBytes(StandardCharsets.UTF_8)) + ":" + escaped(path.bytes());
    if (identity instanceof Identity.Reusable reusable) {
      return REUSABLE
          + ":"
          + reusable.id()
          + ":"
          + reusable.device().major()
          + "."
          + reusable.device().minor()
          + ":"
          + escaped(reusable.root().bytes())
          + tail;
    }
    return UNIQUE + ":" + ((Identity.Unique) identity).id() + tail;
  }

  /** Returns the reference for people: {@code mount 123 at /path}. */
  @Override
  public String toString() {
    return identity + " at " + path;
  }

  private static MountRef ref(Identity identity, String[] parts) {
    return new MountRef(
        MountPath.ofBytes(bytes(parts[parts.length - 1])),
        new String(bytes(parts[parts.length - 2]), StandardCharsets.UTF_8),
        identity);
  }

  private static String message(String text) {
    return "'"
        + PrintableText.escape(text)
        + "' is not a reference to a mount. Use what MountRef.encode() wrote.";
  }

  private static String escaped(byte[] bytes) {
    StringBuilder out = new StringBuilder(bytes.length);
    for (byte b : bytes) {
      if (isPlain(b)) {
        out.append((char) b);
      } else {
        out.append(String.format("%%%02x", b));
      }
    }
    return out.toString();
  }

  private static boolean isPlain(byte b) {
    return (b >= 'a' && b <= 'z')
        || (b >= 'A' && b <= 'Z')
        || (b >= '0' && b <= '9')
        || b == '/'
        || b == '.'
        || b == '_'
        || b == '-';
  }

  private static byte[] bytes(String escaped) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(escaped.length());
    for (int i = 0; i < escaped.length(); i++) {
      char c = escaped.charAt(i);
      if (c == '%' && i + 2 < escaped.length()) {
        out.write(16 * digit(escaped.charAt(i + 1)) + digit(escaped.charAt(i + 2)));
        i += 2;
      } else if (c < 0x80 && isPlain((byte) c)) {
        out.write(c);
      } else {
        throw new IllegalArgumentException("unexpected character");
      }
    }
    return out.toByteArray();
  }

  private static int digit(char c) {
    int digit = c < 0x80 ? Character.digit(c, 16) : -1;
    if (digit < 0) {
      throw new IllegalArgumentException("no hexadecimal digit");
    }
    return digit;
  }

  /**
   * The identity of a mount, which distinguishes it from all others.
   *
   * <p>An implementation outside this library creates one of the records below.
   *
   * @since 1.0
   */
  public sealed interface Identity {

    /**
     * The number that the kernel gives to one mount only, until the next boot (Linux 6.8 and
     * newer).
     *
     * @param id the number
     */
    record Unique(long id) implements Identity {
      @Override
      public String toString() {
        return "mount " + id;
      }
    }

    /**
     * The identity on older kernels: a number that another mount may get later, so the identity
     * also contains what is mounted.
     *
     * @param id the number
     * @param device the device of the filesystem
     * @param root the mounted directory or file of the filesystem
     */
    record Reusable(int id, DeviceId device, KernelText root) implements Identity {

      /** Removes the kernel's mark of a deleted root: it is the same mount before and after. */
      public Reusable {
        root = root.withoutDeletedMark();
      }

      @Override
      public String toString() {
        return "mount " + id + " of " + root + " on device " + device;
      }
    }
  }

  /**
   * The present state of the mount of a {@link MountRef}.
   *
   * @since 1.0
   */
  public sealed interface Check {

    /** The mount is at its path. Another mount may be on top of it. */
    record Present() implements Check {}

    /** The mount is gone, and no other mount is at its path. */
    record Gone() implements Check {}

    /**
     * The mount is gone, and another mount is at its path.
     *
     * @param by the other mount
     */
    record Replaced(MountRef by) implements Check {}

    /**
     * The mount exists at another path.
     *
     * @param to the mount at its present path
     */
    record Moved(MountRef to) implements Check {}
  }
}
