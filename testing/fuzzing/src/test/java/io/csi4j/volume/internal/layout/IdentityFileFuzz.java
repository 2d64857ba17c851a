package io.csi4j.volume.internal.layout;

import io.csi4j.fuzz.Choices;
import io.csi4j.fuzz.Finding;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * Identity files: bytes name nobody, or are the only content for the volume that they name. An odd
 * first byte makes the check fit, so that what is behind it is reached.
 */
public final class IdentityFileFuzz {

  private static final byte[] CHECK = "\ncheck ".getBytes(StandardCharsets.US_ASCII);

  private IdentityFileFuzz() {}

  /** Reads the bytes as an identity file. */
  public static void fuzzerTestOneInput(byte[] input) {
    Choices choices = new Choices(input);
    boolean fits = choices.of(2) == 1;
    byte[] content = fits ? withCheck(choices.rest()) : choices.rest();
    IdentityFile.read(content)
        .ifPresent(
            identity -> {
              Finding.unless(
                  Arrays.equals(IdentityFile.content(identity), content),
                  () -> "the volume has other content");
              Finding.unless(content.length <= IdentityFile.LIMIT, () -> "too long to be read");
              Finding.unless(
                  !IdentityFile.isOfAnotherFormat(content), () -> "read, and of another format");
            });
  }

  private static byte[] withCheck(byte[] lines) {
    byte[] checked = Arrays.copyOf(lines, lines.length + CHECK.length);
    System.arraycopy(CHECK, 0, checked, lines.length, CHECK.length);
    CRC32C crc = new CRC32C();
    crc.update(checked);
    byte[] sum =
        (HexFormat.of().toHexDigits((int) crc.getValue()) + "\n")
            .getBytes(StandardCharsets.US_ASCII);
    byte[] content = Arrays.copyOf(checked, checked.length + sum.length);
    System.arraycopy(sum, 0, content, checked.length, sum.length);
    return content;
  }
}
