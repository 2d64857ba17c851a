package io.csi4j.mount.model;

import io.csi4j.mount.internal.text.PrintableText;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * One mount at one path, in a form that can be kept in a file and asked about later with {@link
 * io.csi4j.mount.MountTable#check}.
 *
 * @param path where it was mounted when the reference was taken
 * @param bootId which boot of the machine; no mount outlives it
 * @param identity what tells it from other mounts of this boot
 * @since 1.0
 */
public record MountRef(MountPath path, String bootId, Identity identity) {

  private static final String UNIQUE = "unique";
  private static final String REUSABLE = "reusable";

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws IllegalArgumentException for anything else, saying what is wrong with it
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
   * The reference as one line of ASCII without blanks at its ends: {@code unique:ID:BOOT:PATH} or
   * {@code reusable:ID:MAJOR.MINOR:ROOT:BOOT:PATH}, with every byte outside letters, digits, {@code
   * /._-} written as {@code %HH}.
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

  /** The reference for people: {@code mount 123 at /path}. */
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
        + "' is no reference to a mount. Use what MountRef.encode() wrote.";
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
   * The identity of a mount, which tells it from all others.
   *
   * <p>An implementation outside this library makes one by the records inside.
   *
   * @since 1.0
   */
  public sealed interface Identity {

    /**
     * The number that the kernel gives to one mount only, until it is booted again (Linux 6.8 and
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
     * The identity on older kernels: a number that the next mount may get, so that it says little
     * without what is mounted.
     *
     * @param id the number
     * @param device the device of the filesystem
     * @param root which directory or file of the filesystem is mounted
     */
    record Reusable(int id, DeviceId device, KernelText root) implements Identity {

      /** Leaves out the kernel's mark of a deleted root: it is the same mount before and after. */
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
   * The fate of a mount that a {@link MountRef} was taken of.
   *
   * @since 1.0
   */
  public sealed interface Check {

    /** The mount is where it was. Something may be mounted on top of it. */
    record Present() implements Check {}

    /** The mount is not there any more, nor is another mount at its path. */
    record Gone() implements Check {}

    /**
     * The mount is not there any more, and another mount is at its path.
     *
     * @param by the other one
     */
    record Replaced(MountRef by) implements Check {}

    /**
     * The mount is there, at another path.
     *
     * @param to where it is now
     */
    record Moved(MountRef to) implements Check {}
  }
}
