package io.csi4j.client.scripted;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.csi4j.client.internal.text.SafeText;
import java.net.URLEncoder;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How a secret looks in the words of a program that repeats it. */
public enum Disguise {
  PLAIN,
  /** The first half, as in a text that was cut off there; has to end the text. */
  CUT,
  URL_FORM,
  URL_PATH,
  URL_LOWER_CASE,
  BASE64,
  BASE64_URL,
  BASE64_UNPADDED,
  BASE64_AFTER_ONE_OCTET,
  BASE64_AFTER_TWO_OCTETS,
  JSON,
  JSON_ASCII,
  SHELL_CLOSED_QUOTE,
  SHELL_MIXED_QUOTES,
  SHELL_BACKSLASHES,
  GO,
  GO_ASCII,
  GO_IN_JSON,
  HEX,
  HEX_UPPER_CASE,
  HEX_WITH_COLONS,
  URL_TWICE,
  BASE64_TWICE,
  BASE64_OF_JSON,
  HTML,
  GO_BYTES,
  JAVA_BYTES;

  private static final int TELLING = 10;

  /** The secret in this form. */
  public String of(String secret) {
    byte[] bytes = secret.getBytes(UTF_8);
    return switch (this) {
      case PLAIN -> secret;
      case CUT ->
          secret.substring(0, secret.offsetByCodePoints(0, length(secret) - length(secret) / 2));
      case URL_FORM -> URLEncoder.encode(secret, UTF_8);
      case URL_PATH -> URLEncoder.encode(secret, UTF_8).replace("+", "%20");
      case URL_LOWER_CASE ->
          each(
              secret,
              c ->
                  plain(c)
                      ? text(c)
                      : hex(text(c)).replaceAll("..", "%$0").toLowerCase(Locale.ROOT));
      case BASE64 -> Base64.getEncoder().encodeToString(bytes);
      case BASE64_URL -> Base64.getUrlEncoder().encodeToString(bytes);
      case BASE64_UNPADDED -> Base64.getEncoder().withoutPadding().encodeToString(bytes);
      case BASE64_AFTER_ONE_OCTET -> after(":", secret);
      case BASE64_AFTER_TWO_OCTETS -> after("u:", secret);
      case JSON -> each(secret, c -> json(c, false));
      case JSON_ASCII -> each(secret, c -> json(c, true));
      case SHELL_CLOSED_QUOTE -> secret.replace("'", "'\\''");
      case SHELL_MIXED_QUOTES -> secret.replace("'", "'\"'\"'");
      case SHELL_BACKSLASHES -> each(secret, c -> plain(c) || c > 127 ? text(c) : "\\" + text(c));
      case GO -> each(secret, c -> go(c, false));
      case GO_ASCII -> each(secret, c -> go(c, true));
      case GO_IN_JSON -> JSON.of(GO.of(secret));
      case HEX -> hex(secret);
      case HEX_UPPER_CASE -> hex(secret).toUpperCase(Locale.ROOT);
      case HEX_WITH_COLONS -> HexFormat.ofDelimiter(":").formatHex(bytes);
      case URL_TWICE -> URL_FORM.of(URL_FORM.of(secret));
      case BASE64_TWICE -> BASE64.of(BASE64.of(secret));
      case BASE64_OF_JSON -> BASE64.of(JSON_ASCII.of(secret));
      case HTML -> each(secret, c -> plain(c) ? text(c) : "&#" + c + ";");
      case GO_BYTES -> Arrays.toString(unsigned(bytes)).replace(",", "");
      case JAVA_BYTES -> Arrays.toString(bytes);
    };
  }

  /** What gives the secret away in this form, wherever it stands, in whichever case. */
  List<String> needles(String secret) {
    String form = of(secret);
    int octets = secret.getBytes(UTF_8).length;
    return switch (this) {
      case PLAIN -> printedToo(form, secret.substring(secret.length() - TELLING));
      case CUT -> printedToo(secret.substring(0, TELLING));
      case BASE64, BASE64_URL, BASE64_UNPADDED -> List.of(form.substring(0, octets * 8 / 6));
      case BASE64_AFTER_ONE_OCTET -> List.of(form.substring(2, (octets + 1) * 8 / 6));
      case BASE64_AFTER_TWO_OCTETS -> List.of(form.substring(3, (octets + 2) * 8 / 6));
      case BASE64_TWICE, BASE64_OF_JSON -> List.of(form.substring(0, form.length() - 8));
      default -> printedToo(form);
    };
  }

  private static List<String> printedToo(String... forms) {
    return Arrays.stream(forms)
        .flatMap(form -> Stream.of(form, SafeText.escape(form, 1 << 16)))
        .distinct()
        .toList();
  }

  private static int[] unsigned(byte[] bytes) {
    int[] all = new int[bytes.length];
    Arrays.setAll(all, i -> bytes[i] & 0xFF);
    return all;
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  private static String each(String text, IntFunction<String> form) {
    return text.codePoints().mapToObj(form).collect(Collectors.joining());
  }

  private static String text(int c) {
    return Character.toString(c);
  }

  private static boolean plain(int c) {
    return c < 0x80 && Character.isLetterOrDigit(c);
  }

  private static String hex(String text) {
    return HexFormat.of().formatHex(text.getBytes(UTF_8));
  }

  private static String after(String octets, String secret) {
    return Base64.getEncoder().encodeToString((octets + secret).getBytes(UTF_8));
  }

  private static String json(int c, boolean ascii) {
    if (c == '"' || c == '\\') {
      return "\\" + text(c);
    } else if (c == '\t') {
      return "\\t";
    } else if (c < 0x20 || "<>&".indexOf(c) >= 0 || (ascii && c > 0x7E)) {
      return text(c)
          .chars()
          .mapToObj(unit -> String.format("\\u%04x", unit))
          .collect(Collectors.joining());
    }
    return text(c);
  }

  private static String go(int c, boolean ascii) {
    if (c == '"' || c == '\\') {
      return "\\" + text(c);
    } else if (c == '\t') {
      return "\\t";
    } else if (ascii && c > 0x7E) {
      return String.format(c > 0xFFFF ? "\\U%08x" : "\\u%04x", c);
    }
    return text(c);
  }
}
