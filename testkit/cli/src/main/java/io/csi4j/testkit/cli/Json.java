package io.csi4j.testkit.cli;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A JSON object on one line, built field by field. Fields without a value are omitted. */
final class Json {

  private final StringBuilder fields = new StringBuilder();

  /**
   * Adds a field with a value of any kind. A value that is null or an empty {@code Optional} is
   * omitted.
   */
  Json with(String name, @Nullable Object value) {
    Object given = value instanceof Optional<?> optional ? optional.orElse(null) : value;
    return given == null ? this : raw(name, value(given));
  }

  /** Adds a field with a list of objects. */
  <T> Json list(String name, Collection<T> values, Function<? super T, Json> made) {
    return with(name, values.stream().map(made).toList());
  }

  /** Adds a field whose value is already JSON. */
  Json raw(String name, String json) {
    fields.append(fields.isEmpty() ? "" : ",").append(quote(name)).append(':').append(json);
    return this;
  }

  @Override
  public String toString() {
    return "{" + fields + "}";
  }

  private static String value(Object value) {
    if (value instanceof Number || value instanceof Boolean || value instanceof Json) {
      return value.toString();
    }
    if (value instanceof Collection<?> list) {
      return list.stream().map(Json::value).collect(Collectors.joining(",", "[", "]"));
    }
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> quote(String.valueOf(entry.getKey())) + ":" + value(entry.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
    }
    return quote(value.toString());
  }

  /** Returns the JSON with one field per line. */
  static String indented(String json) {
    StringBuilder out = new StringBuilder();
    String line = "\n";
    boolean inText = false;
    for (int i = 0; i < json.length(); i++) {
      char c = json.charAt(i);
      char next = i + 1 < json.length() ? json.charAt(i + 1) : 0;
      if (inText) {
        out.append(c);
        if (c == '\\') {
          out.append(next);
          i++;
        } else {
          inText = c != '"';
        }
      } else if ((c == '{' && next == '}') || (c == '[' && next == ']')) {
        out.append(c).append(next);
        i++;
      } else if (c == '{' || c == '[') {
        line += "  ";
        out.append(c).append(line);
      } else if (c == '}' || c == ']') {
        line = line.substring(0, line.length() - 2);
        out.append(line).append(c);
      } else if (c == ',') {
        out.append(c).append(line);
      } else {
        inText = c == '"';
        out.append(c).append(c == ':' ? " " : "");
      }
    }
    return out.toString();
  }

  /**
   * Returns a JSON string with only ASCII characters, so that it is the same in every terminal
   * encoding.
   */
  static String quote(String text) {
    StringBuilder out = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c >= 0x20 && c < 0x7F) {
        out.append(c);
      } else {
        out.append("\\u").append(Character.forDigit(c >> 12, 16));
        out.append(Character.forDigit(c >> 8 & 15, 16));
        out.append(Character.forDigit(c >> 4 & 15, 16)).append(Character.forDigit(c & 15, 16));
      }
    }
    return out.append('"').toString();
  }
}
