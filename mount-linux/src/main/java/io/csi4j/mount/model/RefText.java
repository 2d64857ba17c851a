package io.csi4j.mount.model;

import io.csi4j.mount.internal.text.PrintableText;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The form of a reference in a file: {@code unique:ID:BOOT:PATH} or {@code
 * reusable:ID:MAJOR.MINOR:ROOT:BOOT:PATH}, with every byte outside letters, digits, {@code /._-}
 * written as {@code %HH}.
 */
final class RefText {

  private static final String UNIQUE = "unique";
  private static final String REUSABLE = "reusable";

  private RefText() {}

  /** The reference as one line. */
  static String write(MountRef ref) {
    String tail =
        ":"
            + escaped(ref.bootId().getBytes(StandardCharsets.UTF_8))
            + ":"
            + escaped(ref.path().bytes());
    if (ref.identity() instanceof MountIdentity.Reusable reusable) {
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
    return UNIQUE + ":" + ((MountIdentity.Unique) ref.identity()).id() + tail;
  }

  /** The reference that this line was written from. */
  static MountRef read(String text) {
    String[] parts = text.split(":", -1);
    try {
      if (parts[0].equals(UNIQUE) && parts.length == 4) {
        return ref(new MountIdentity.Unique(Long.parseLong(parts[1])), parts);
      }
      if (parts[0].equals(REUSABLE) && parts.length == 6) {
        String[] device = parts[2].split("\\.", -1);
        if (device.length == 2) {
          return ref(
              new MountIdentity.Reusable(
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

  private static MountRef ref(MountIdentity identity, String[] parts) {
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
}
