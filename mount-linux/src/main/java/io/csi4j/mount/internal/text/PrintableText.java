package io.csi4j.mount.internal.text;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Makes bytes and text of unknown origin printable in one line of a message. */
public final class PrintableText {

  /** Maximum number of characters of one text. */
  private static final int LIMIT = 4096;

  private static final HexFormat HEX = HexFormat.of();

  private PrintableText() {}

  /** Returns the bytes as UTF-8; invalid and unprintable bytes are escaped. */
  public static String escape(byte[] bytes) {
    if (isPlain(bytes)) {
      return new String(bytes, StandardCharsets.US_ASCII);
    }
    StringBuilder out = new StringBuilder(bytes.length + 16);
    CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer chars = CharBuffer.allocate(bytes.length + 2);
    while (true) {
      CoderResult result = decoder.decode(in, chars, true);
      chars.flip();
      append(out, chars);
      chars.clear();
      if (!result.isError()) {
        return cut(out);
      }
      for (int i = 0; i < result.length(); i++) {
        out.append("\\x").append(HEX.toHexDigits(in.get()));
      }
      decoder.reset();
    }
  }

  /** Returns the text; unprintable characters are escaped. */
  public static String escape(String text) {
    StringBuilder out = new StringBuilder(text.length() + 16);
    append(out, text);
    return cut(out);
  }

  private static boolean isPlain(byte[] bytes) {
    if (bytes.length > LIMIT) {
      return false;
    }
    for (byte b : bytes) {
      if (b < 0x20 || b == 0x7f || b == '\\') {
        return false;
      }
    }
    return true;
  }

  private static void append(StringBuilder out, CharSequence text) {
    text.codePoints().forEach(c -> append(out, c));
  }

  private static void append(StringBuilder out, int c) {
    switch (c) {
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      case '\\' -> out.append("\\\\");
      default -> {
        if (isPrintable(c)) {
          out.appendCodePoint(c);
        } else if (c <= 0xFFFF) {
          out.append("\\u").append(HEX.toHexDigits((char) c));
        } else {
          out.append("\\U").append(HEX.toHexDigits(c, 6));
        }
      }
    }
  }

  private static boolean isPrintable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }

  private static String cut(StringBuilder out) {
    if (out.length() > LIMIT) {
      int length = out.length();
      out.setLength(LIMIT);
      out.append("… (").append(length).append(" characters in all)");
    }
    return out.toString();
  }
}
