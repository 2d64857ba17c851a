package io.csi4j.volume.internal.layout;

import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Content of the identity file, which names the volume that a directory belongs to. The file has
 * four readable lines.
 *
 * <pre>
 * csi4j volume 1
 * plugin hostpath.csi.example
 * handle vol-1
 * check 1c2d3e4f
 * </pre>
 *
 * Names and handles are encoded as UTF-8. Each byte is written as it is if it is a printable ASCII
 * character other than a space or a percent sign. Any other byte is written as a percent sign and
 * two hexadecimal digits. The check is the CRC32C of the preceding text. Each identity has exactly
 * one valid content.
 */
final class IdentityFile {

  /**
   * Maximum size of the content. Names and handles have a few thousand bytes at most, and the
   * encoding of a byte takes up to three bytes.
   */
  static final int LIMIT = 64 * 1024;

  private static final String BEGIN = "csi4j volume ";
  private static final String FORMAT = "1";

  private IdentityFile() {}

  /** Returns the content for a volume. */
  static byte[] content(VolumeIdentity identity) {
    String lines =
        BEGIN
            + FORMAT
            + "\nplugin "
            + escaped(identity.plugin().value())
            + "\nhandle "
            + escaped(identity.handle().value())
            + "\ncheck ";
    byte[] checked = lines.getBytes(StandardCharsets.US_ASCII);
    CRC32C crc = new CRC32C();
    crc.update(checked);
    String check = HexFormat.of().toHexDigits((int) crc.getValue()) + "\n";
    return (lines + check).getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns the volume that this content names; empty if the content is not valid. */
  static Optional<VolumeIdentity> read(byte[] content) {
    String[] lines = new String(content, StandardCharsets.ISO_8859_1).split("\n", -1);
    if (lines.length < 3 || !lines[1].startsWith("plugin ") || !lines[2].startsWith("handle ")) {
      return Optional.empty();
    }
    try {
      VolumeIdentity identity =
          new VolumeIdentity(
              PluginId.of(unescaped(lines[1].substring(7))),
              VolumeId.of(unescaped(lines[2].substring(7))));
      // The comparison with the expected content also checks the format and the checksum.
      return Arrays.equals(content(identity), content) ? Optional.of(identity) : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** Returns whether the file has another format, so a newer version may have written it. */
  static boolean isOfAnotherFormat(byte[] content) {
    String text = new String(content, StandardCharsets.ISO_8859_1);
    return text.startsWith(BEGIN) && !text.startsWith(BEGIN + FORMAT + "\n");
  }

  private static String escaped(String text) {
    StringBuilder out = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      if (b > ' ' && b < 0x7f && b != '%') {
        out.append((char) b);
      } else {
        out.append('%').append(HexFormat.of().withUpperCase().toHexDigits(b));
      }
    }
    return out.toString();
  }

  private static String unescaped(String text) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '%' && at + 2 < text.length()) {
        out.write(HexFormat.fromHexDigits(text, at + 1, at + 3));
        at += 2;
      } else {
        out.write(c);
      }
    }
    return out.toString(StandardCharsets.UTF_8);
  }
}
