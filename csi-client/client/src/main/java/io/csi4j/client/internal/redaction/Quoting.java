package io.csi4j.client.internal.redaction;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.BiFunction;

/** A method by which programs quote text, and the code that undoes it. */
enum Quoting {

  /** Escapes of JSON, Go, C, YAML and shells: a backslash and the characters after it. */
  BACKSLASHES {
    @Override
    int undo(String text, int at, StringBuilder out) {
      if (text.charAt(at) != '\\' || at + 1 == text.length()) {
        return at;
      }
      int end = character(text, at, Octet::afterBackslash, out);
      if (end > at) {
        return end;
      }
      char kind = text.charAt(at + 1);
      int letter = "abtnvfreE".indexOf(kind);
      if (letter >= 0) {
        out.append("\7\b\t\n\13\f\r\33\33".charAt(letter));
        return at + 2;
      }
      int digits = kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
      int code = digits == 0 ? -1 : number(text, at + 2, digits, 16);
      if (Character.isValidCodePoint(code)) {
        out.appendCodePoint(code);
        return at + 2 + digits;
      }
      out.append(kind);
      return at + 2;
    }
  },

  /** Entities of HTML and XML. */
  ENTITIES {
    @Override
    int undo(String text, int at, StringBuilder out) {
      int end = text.charAt(at) == '&' ? text.indexOf(';', at) : -1;
      int code = end < 0 || end - at > LONGEST_ENTITY ? -1 : entity(text.substring(at + 1, end));
      if (!Character.isValidCodePoint(code)) {
        return at;
      }
      out.appendCodePoint(code);
      return end + 1;
    }
  },

  /** Percent-encoded bytes of a URL. */
  PERCENT {
    @Override
    int undo(String text, int at, StringBuilder out) {
      return character(text, at, Octet::afterPercent, out);
    }
  },

  /** Inserted line breaks, with the spaces at the beginning of the next line. */
  LINES {
    @Override
    int undo(String text, int at, StringBuilder out) {
      int end = at;
      while (end < text.length() && "\r\n".indexOf(text.charAt(end)) >= 0) {
        end++;
      }
      while (end > at && end < text.length() && " \t".indexOf(text.charAt(end)) >= 0) {
        end++;
      }
      return end;
    }
  };

  /** The character that replaces bytes that are not valid UTF-8. */
  static final char NO_CHARACTER = '\ufffd';

  /** Maximum length of an entity, without the ampersand. */
  private static final int LONGEST_ENTITY = 10;

  /**
   * Appends the unquoted text of the quoting at position {@code at}, and returns where the quoting
   * ends. Returns {@code at} if there is no quoting.
   */
  abstract int undo(String text, int at, StringBuilder out);

  /** Returns the text before it was quoted; empty if it contains no quoting of this kind. */
  Optional<Undone> undone(String text) {
    StringBuilder out = new StringBuilder(text.length());
    int[] from = new int[text.length()];
    int[] to = new int[text.length()];
    boolean isChanged = false;
    for (int at = 0; at < text.length(); ) {
      int length = out.length();
      int end = undo(text, at, out);
      isChanged |= end > at;
      if (end == at) {
        out.append(text.charAt(at));
        end++;
      }
      Arrays.fill(from, length, out.length(), at);
      Arrays.fill(to, length, out.length(), end);
      at = end;
    }
    return isChanged ? Optional.of(new Undone(out.toString(), from, to)) : Optional.empty();
  }

  /**
   * A text after one quoting was undone, with the position of each character in the quoted text.
   */
  static final class Undone {
    final String text;
    private final int[] from;
    private final int[] to;

    private Undone(String text, int[] from, int[] to) {
      this.text = text;
      this.from = from;
      this.to = to;
    }

    /** Returns where the character at {@code at} begins in the quoted text. */
    int begin(int at) {
      return from[at];
    }

    /** Returns where the character before {@code at} ends in the quoted text. */
    int end(int at) {
      return to[at - 1];
    }
  }

  /** Returns the character of an entity, by the text between ampersand and semicolon; or -1. */
  static int entity(String name) {
    if (name.startsWith("#x") || name.startsWith("#X")) {
      return number(name, 2, name.length() - 2, 16);
    }
    if (name.startsWith("#")) {
      return number(name, 1, name.length() - 1, 10);
    }
    return switch (name) {
      case "amp" -> '&';
      case "lt" -> '<';
      case "gt" -> '>';
      case "quot" -> '"';
      case "apos" -> '\'';
      default -> -1;
    };
  }

  /** Returns the number with exactly this many digits, or -1. */
  static int number(String text, int from, int digits, int radix) {
    if (digits < 1 || from + digits > text.length()) {
      return -1;
    }
    int number = 0;
    for (int i = from; i < from + digits; i++) {
      int digit = text.charAt(i) < 128 ? Character.digit(text.charAt(i), radix) : -1;
      if (digit < 0) {
        return -1;
      }
      number = number * radix + digit;
    }
    return number;
  }

  /**
   * One byte of a text.
   *
   * @param value the byte; -1 if there is none
   * @param end where the next byte begins
   */
  private record Octet(int value, int end) {

    private static final Octet NONE = new Octet(-1, -1);

    static Octet afterPercent(String text, int at) {
      int value = at < text.length() && text.charAt(at) == '%' ? number(text, at + 1, 2, 16) : -1;
      return value < 0 ? NONE : new Octet(value, at + 3);
    }

    static Octet afterBackslash(String text, int at) {
      if (at + 1 >= text.length() || text.charAt(at) != '\\') {
        return NONE;
      }
      int hex = text.charAt(at + 1) == 'x' ? number(text, at + 2, 2, 16) : -1;
      if (hex >= 0) {
        return new Octet(hex, at + 4);
      }
      for (int digits = 3; digits > 0; digits--) {
        int octal = number(text, at + 1, digits, 8);
        if (octal >= 0 && octal < 256) {
          return new Octet(octal, at + 1 + digits);
        }
      }
      return NONE;
    }
  }

  /**
   * Appends the character that begins at a position, or a replacement if its bytes are incomplete.
   */
  private static int character(
      String text, int from, BiFunction<String, Integer, Octet> octet, StringBuilder out) {
    Octet first = octet.apply(text, from);
    if (first.value < 0) {
      return from;
    }
    int more = first.value < 0xC0 ? 0 : first.value < 0xE0 ? 1 : first.value < 0xF0 ? 2 : 3;
    byte[] octets = new byte[1 + more];
    octets[0] = (byte) first.value;
    int end = first.end;
    for (int i = 1; i <= more; i++) {
      Octet next = octet.apply(text, end);
      if ((next.value & ~0x3F) != 0x80) {
        out.append(NO_CHARACTER);
        return first.end;
      }
      octets[i] = (byte) next.value;
      end = next.end;
    }
    out.append(new String(octets, UTF_8));
    return end;
  }
}
