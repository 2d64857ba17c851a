package io.csi4j.testkit.internal.report;

import io.csi4j.client.internal.text.SafeText;

/** Texts as they stand in HTML. */
final class Html {

  private Html() {}

  /** A text of any origin: nothing in it is markup. */
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
