package io.csi4j.testkit.internal.json;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a JSON text: objects become maps in the order of the text, arrays become lists, numbers
 * become {@link BigDecimal}, and null becomes the constant {@link #NULL}.
 *
 * <p>The testkit does not use gson: its error messages repeat parts of the text, which may be
 * secrets, and it accepts duplicate names.
 */
public final class JsonReader {

  /** The JSON value {@code null}. */
  public static final Object NULL =
      new Object() {
        @Override
        public String toString() {
          return "null";
        }
      };

  private static final int DEEPEST = 64;

  private static final String A_VALUE =
      "a value (text in double quotes, a number, true, false, null, {…} or […])";
  private static final String A_NAME = "a name in double quotes";
  private static final String FOUR_DIGITS = "a code of four hexadecimal digits behind \\u";
  private static final String A_NUMBER =
      "a number such as -1.5e3, with at most 31 digits before the point, 30 behind it and 3 in the"
          + " exponent";

  private final String text;
  private int at;

  private JsonReader(String text) {
    this.text = text;
  }

  /**
   * Returns the value of the text.
   *
   * @throws IllegalArgumentException at the first mistake; the message names the position of the
   *     mistake, and never repeats parts of the text
   */
  public static Object read(String text) {
    JsonReader reader = new JsonReader(text);
    Object value = reader.value(0);
    reader.skipBlanks();
    if (reader.at < text.length()) {
      throw reader.expected("the end of the text");
    }
    return value;
  }

  /** Returns the JSON object that the text contains; any other value is a mistake. */
  @SuppressWarnings("unchecked")
  public static Map<String, Object> object(String text) {
    if (read(text) instanceof Map<?, ?> map) {
      return (Map<String, Object>) map;
    }
    throw new IllegalArgumentException(
        "The text is JSON, but not an object. Write {\"field\": value}.");
  }

  private Object value(int depth) {
    if (depth > DEEPEST) {
      throw mistake(
          "values are nested more than %s levels deep, which is the limit".formatted(DEEPEST));
    }
    skipBlanks();
    return switch (peek(A_VALUE)) {
      case '{' -> object(depth);
      case '[' -> array(depth);
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", NULL);
      default -> number();
    };
  }

  private Map<String, Object> object(int depth) {
    Map<String, Object> fields = new LinkedHashMap<>();
    at++;
    if (next('}')) {
      return fields;
    }
    do {
      skipBlanks();
      if (peek(A_NAME) != '"') {
        throw expected(A_NAME);
      }
      int from = at;
      String name = string();
      expect(':');
      if (fields.put(name, value(depth + 1)) != null) {
        at = from;
        throw mistake("an object has a name twice; each name is accepted once");
      }
    } while (next(','));
    expect('}');
    return Collections.unmodifiableMap(fields);
  }

  private List<Object> array(int depth) {
    List<Object> elements = new ArrayList<>();
    at++;
    if (next(']')) {
      return elements;
    }
    do {
      elements.add(value(depth + 1));
    } while (next(','));
    expect(']');
    return Collections.unmodifiableList(elements);
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    at++;
    while (peek("a closing double quote") != '"') {
      char c = text.charAt(at);
      if (c < 0x20) {
        throw mistake("there is a control character; write it as an escape such as \\n or \\u0001");
      }
      at++;
      out.append(c == '\\' ? escaped() : c);
    }
    at++;
    return out.toString();
  }

  private char escaped() {
    String known = "an escape of JSON (\\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u and four digits)";
    char c = peek(known);
    at++;
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        int code = 0;
        for (int i = 0; i < 4; i++) {
          int digit = Character.digit(peek(FOUR_DIGITS), 16);
          if (digit < 0) {
            throw expected(FOUR_DIGITS);
          }
          code = code * 16 + digit;
          at++;
        }
        yield (char) code;
      }
      default -> {
        at--;
        throw expected(known);
      }
    };
  }

  private Object word(String word, Object value) {
    if (!text.startsWith(word, at)) {
      throw expected(A_VALUE);
    }
    at += word.length();
    return value;
  }

  private BigDecimal number() {
    int from = at;
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String digits = text.substring(from, at);
    // Computing with a number of a thousand digits, or with an exponent of nine digits, would be
    // too expensive.
    if (!digits.matches("-?(0|[1-9]\\d{0,30})(\\.\\d{1,30})?([eE][+-]?\\d{1,3})?")) {
      at = from;
      throw expected(digits.isEmpty() ? A_VALUE : A_NUMBER);
    }
    return new BigDecimal(digits);
  }

  private boolean next(char sign) {
    skipBlanks();
    if (at < text.length() && text.charAt(at) == sign) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(char sign) {
    if (!next(sign)) {
      throw expected(sign == ':' ? "':'" : "',' or '" + sign + "'");
    }
  }

  /**
   * Returns the next character. If the text ends, throws an exception that names the expected text.
   */
  private char peek(String wanted) {
    if (at >= text.length()) {
      throw expected(wanted);
    }
    return text.charAt(at);
  }

  private void skipBlanks() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private IllegalArgumentException expected(String wanted) {
    return at < text.length()
        ? mistake(wanted + " is expected")
        : new IllegalArgumentException(
            "The text is not valid JSON: it ends after character %s, where %s is expected."
                .formatted(text.length(), wanted));
  }

  private IllegalArgumentException mistake(String what) {
    return new IllegalArgumentException(
        "The text is not valid JSON: at character " + (at + 1) + " " + what + ".");
  }
}
