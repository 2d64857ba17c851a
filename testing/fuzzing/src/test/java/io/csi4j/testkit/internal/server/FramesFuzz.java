package io.csi4j.testkit.internal.server;

import io.csi4j.fuzz.Finding;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The messages in the body of a call: none, or those of which the body is made; and the text of a
 * status, which comes back when it was packed.
 */
public final class FramesFuzz {

  private FramesFuzz() {}

  /** Reads the bytes as a body, and as the text of a status. */
  public static void fuzzerTestOneInput(byte[] input) {
    Optional<List<byte[]>> messages = Framing.messages(input);
    messages.ifPresent(
        all -> {
          ByteArrayOutputStream again = new ByteArrayOutputStream();
          for (byte[] message : all) {
            var packed = Framing.packed(message);
            byte[] bytes = new byte[packed.readableBytes()];
            packed.readBytes(bytes);
            again.writeBytes(bytes);
          }
          boolean isPlain = Arrays.equals(again.toByteArray(), input);
          Finding.unless(
              isPlain || isCompressed(input), () -> "other bytes than those of its messages");
        });
    String text = new String(input, StandardCharsets.UTF_8);
    Finding.unless(
        Framing.percentDecoded(Framing.percentEncoded(text)).equals(text),
        () -> "another text: " + text);
    Finding.unless(
        Framing.percentDecoded(text).length() <= text.length(),
        () -> "longer than it was: " + text);
  }

  /** Whether a mark of compression can be in it. */
  private static boolean isCompressed(byte[] input) {
    for (byte b : input) {
      if (b == 0x1f) {
        return true;
      }
    }
    return false;
  }
}
