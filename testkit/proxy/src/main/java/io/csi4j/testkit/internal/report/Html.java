package io.csi4j.testkit.internal.report;

import io.csi4j.client.internal.text.SafeText;
import java.util.Arrays;
import java.util.Locale;

/** Builds HTML piece by piece. */
final class Html {

  private final StringBuilder out = new StringBuilder();

  /**
   * Appends markup.
   *
   * @param markup markup with a placeholder, such as {@code %s}, for each of the parts
   * @param parts texts of any origin, which are escaped, numbers, and other HTML
   */
  Html add(String markup, Object... parts) {
    Object[] shown =
        Arrays.stream(parts).map(part -> part instanceof String text ? text(text) : part).toArray();
    out.append(String.format(Locale.ROOT, markup, shown));
    return this;
  }

  /** Returns markup that is part of the program. */
  static Html raw(String markup) {
    Html html = new Html();
    html.out.append(markup);
    return html;
  }

  @Override
  public String toString() {
    return out.toString();
  }

  /** Escapes a text of any origin. */
  static String text(String value) {
    String safe = SafeText.escape(value);
    StringBuilder out = new StringBuilder(safe.length());
    for (int i = 0; i < safe.length(); i++) {
      char c = safe.charAt(i);
      switch (c) {
        case '&' -> out.append("&amp;");
        case '<' -> out.append("&lt;");
        case '>' -> out.append("&gt;");
        case '"' -> out.append("&quot;");
        case '\'' -> out.append("&#39;");
        default -> out.append(c);
      }
    }
    return out.toString();
  }
}
