package io.csi4j.client.internal.redaction;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.scripted.RandomMessages;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScrubberTest {

  private static final String SECRET = "p4ß w'rd\"/+%\\😀";

  private static String scrub(String text, String... values) {
    return Scrubber.scrub(text, List.of(values));
  }

  /** The ways in which programs print a text, each written down independently of the scrubber. */
  private static Map<String, String> encodings(String value) {
    byte[] bytes = value.getBytes(UTF_8);
    Map<String, String> forms = new LinkedHashMap<>();
    forms.put("plain", value);
    String form = URLEncoder.encode(value, UTF_8);
    forms.put("form", form);
    forms.put("url", form.replace("+", "%20"));
    forms.put("url lower", lowerEscapes(form).replace("+", "%20"));
    forms.put("url all", "%" + HexFormat.ofDelimiter("%").withUpperCase().formatHex(bytes));
    forms.put("json", json(value, false));
    forms.put("json ascii", json(value, true));
    forms.put("json in json", json(json(value, true), false));
    forms.put("json in json in json", json(json(json(value, false), false), false));
    forms.put("single quoted", "'" + value.replace("'", "'\\''") + "'");
    forms.put("single quoted, python", "'" + value.replace("'", "'\"'\"'") + "'");
    forms.put("yaml", "'" + value.replace("'", "''") + "'");
    forms.put("double quoted", "\"" + value.replaceAll("[\\\\\"$`]", "\\\\$0") + "\"");
    forms.put("backslashes", value.replaceAll("[^A-Za-z0-9]", "\\\\$0"));
    forms.put("go", go(value, false));
    forms.put("go ascii", go(value, true));
    forms.put("octal", octal(bytes));
    forms.put("hex", HexFormat.of().formatHex(bytes));
    forms.put("hex upper", HexFormat.of().withUpperCase().formatHex(bytes));
    forms.put("escaped", SafeText.escape(value, 1 << 20));
    String url = form.replace("+", "%20");
    forms.put("url twice", URLEncoder.encode(url, UTF_8));
    forms.put("url three times", URLEncoder.encode(URLEncoder.encode(url, UTF_8), UTF_8));
    forms.put("form twice", URLEncoder.encode(form, UTF_8));
    forms.put("html", html(value, false));
    forms.put("html in html", html(html(value, false), false));
    forms.put("html numbers", html(value, true));
    forms.put("go bytes", octets(bytes, "%d", " "));
    forms.put("json bytes", octets(bytes, "%d", ","));
    forms.put("python bytes", octets(bytes, "%d", ", "));
    forms.put("java bytes", Arrays.toString(bytes));
    forms.put("c bytes", octets(bytes, "0x%02x", ", "));
    forms.put("go hex bytes", octets(bytes, "0x%x", ", "));
    forms.put("hex with colons", octets(bytes, "%02X", ":"));
    forms.put("hex with spaces", octets(bytes, "%02x", " "));
    for (String inner : List.of(value, json(value, false), json(value, true), "u:" + value)) {
      String once = Base64.getEncoder().encodeToString(inner.getBytes(UTF_8));
      String name = " of " + inner.length();
      forms.put("base64 of json" + name, once);
      for (String before : List.of("", "x", "xy")) {
        forms.put(
            "base64 twice" + name + before,
            Base64.getEncoder().encodeToString((before + once).getBytes(UTF_8)));
      }
    }
    forms.put(
        "url base64 twice",
        Base64.getUrlEncoder()
            .encodeToString(Base64.getUrlEncoder().encodeToString(bytes).getBytes(UTF_8)));
    for (int before = 0; before < 3; before++) {
      for (int after = 0; after < 3; after++) {
        String around = "x".repeat(before) + value + "y".repeat(after);
        byte[] octets = around.getBytes(UTF_8);
        String name = " " + before + " " + after;
        forms.put("base64" + name, Base64.getEncoder().encodeToString(octets));
        forms.put("bare" + name, Base64.getEncoder().withoutPadding().encodeToString(octets));
        forms.put("url64" + name, Base64.getUrlEncoder().encodeToString(octets));
        forms.put(
            "bare url64" + name, Base64.getUrlEncoder().withoutPadding().encodeToString(octets));
        forms.put(
            "lines" + name, Base64.getMimeEncoder(16, new byte[] {'\n'}).encodeToString(octets));
        forms.put(
            "base64 in url" + name,
            URLEncoder.encode(Base64.getEncoder().encodeToString(octets), UTF_8));
      }
    }
    return forms;
  }

  private static String octets(byte[] bytes, String form, String between) {
    List<String> all = new ArrayList<>();
    for (byte octet : bytes) {
      all.add(String.format(form, octet & 0xFF));
    }
    return "[" + String.join(between, all) + "]";
  }

  private static String html(String value, boolean numbers) {
    StringBuilder out = new StringBuilder();
    value
        .codePoints()
        .forEach(
            c -> {
              String name =
                  switch (c) {
                    case '&' -> "amp";
                    case '<' -> "lt";
                    case '>' -> "gt";
                    case '"' -> "#34";
                    case '\'' -> "#39";
                    default -> "";
                  };
              if (numbers && !(c < 0x80 && Character.isLetterOrDigit(c))) {
                out.append("&#x").append(Integer.toHexString(c)).append(';');
              } else if (name.isEmpty()) {
                out.appendCodePoint(c);
              } else {
                out.append('&').append(name).append(';');
              }
            });
    return out.toString();
  }

  private static String lowerEscapes(String url) {
    return java.util.regex.Pattern.compile("%[0-9A-F]{2}")
        .matcher(url)
        .replaceAll(match -> match.group().toLowerCase(Locale.ROOT));
  }

  private static String json(String value, boolean ascii) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\t' -> out.append("\\t");
        case '\r' -> out.append("\\r");
        case '/' -> out.append(ascii ? "\\/" : "/");
        default -> {
          if (c < 0x20 || (ascii && (c > 0x7E || "<>&".indexOf(c) >= 0))) {
            out.append(String.format(ascii ? "\\u%04x" : "\\u%04X", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    return out.toString();
  }

  /** As Go's %q and %+q. */
  private static String go(String value, boolean ascii) {
    StringBuilder out = new StringBuilder("\"");
    value
        .codePoints()
        .forEach(
            c -> {
              if (c == '"' || c == '\\') {
                out.append('\\').appendCodePoint(c);
              } else if (c >= 7 && c <= 13) {
                out.append('\\').append("abtnvfr".charAt(c - 7));
              } else if (c < 0x20 || c == 0x7F) {
                out.append(String.format("\\x%02x", c));
              } else if (c > 0xFFFF && ascii) {
                out.append(String.format("\\U%08x", c));
              } else if (c > 0x7F && (ascii || c == 0x85 || c == 0x202e || c == 0x2028)) {
                out.append(String.format("\\u%04x", c));
              } else {
                out.appendCodePoint(c);
              }
            });
    return out.append('"').toString();
  }

  private static String octal(byte[] bytes) {
    StringBuilder out = new StringBuilder();
    for (byte b : bytes) {
      out.append(String.format("\\%03o", b & 0xFF));
    }
    return out.toString();
  }

  @Test
  void everyFormOfAValueIsReplaced() {
    encodings(SECRET)
        .forEach(
            (name, form) -> {
              String out = scrub("cannot log in with " + form + ", sorry", SECRET);
              assertThat(out)
                  .as(name)
                  .matches(
                      "cannot log in with ['\"]?([A-Za-z0-9+/_%-]{0,8})?\\[?<redacted>.{0,12}, sorry");
            });
  }

  @Test
  void plainTextKeepsWhatStandsAround() {
    assertThat(scrub("mount -o user=x,password=hunter2,ro: exit status 32", "hunter2"))
        .isEqualTo("mount -o user=x,password=<redacted>,ro: exit status 32");
    assertThat(scrub("nothing here", "hunter2")).isEqualTo("nothing here");
    assertThat(scrub("", "hunter2")).isEmpty();
    assertThat(scrub("hunter2hunter2", "hunter2")).isEqualTo("<redacted>");
    assertThat(scrub("a\nb\u202e", "hunter2")).isEqualTo("a\\nb\\u202e");
  }

  @Test
  void valuesThatOverlapLeaveNothingBehind() {
    assertThat(scrub("x abcdefghijkl y", "abcdefgh", "efghijkl")).isEqualTo("x <redacted> y");
    assertThat(scrub("x secret-longer y", "secret", "secret-longer")).isEqualTo("x <redacted> y");
    assertThat(scrub("x secret-longer y", "secret-longer", "secret")).isEqualTo("x <redacted> y");
    assertThat(scrub("ababababab!", "ababab")).isEqualTo("<redacted>!");
  }

  @Test
  void everyValueOfOneCharacterIsTakenOut() {
    for (int c = 0; c <= 0xFFFF; c += c < 0x100 ? 1 : 97) {
      String value = Character.toString(c);
      assertThat(scrub("\t" + value + "\t", value, "hunter2"))
          .as("U+%04X", c)
          .isEqualTo(c == '\t' ? "<redacted>" : "\\t<redacted>\\t");
    }
    assertThat(scrub("\t😀\t", "😀")).isEqualTo("\\t<redacted>\\t");
    assertThat(scrub("key x1y", "1", "hunter2")).isEqualTo("key x<redacted>y");
  }

  @Test
  void anEmptyValueIsNowhere() {
    assertThat(scrub("key hunter2", "", "hunter2")).isEqualTo("key <redacted>");
  }

  @Test
  void encodedFormsOfShortValuesAreTakenOutWhereTheyAreWholeWords() {
    assertThat(scrub("61, [97], YQ==, 'YQ', %61, \\x61", "a"))
        .isEqualTo("<redacted>, [<redacted>], <redacted>, '<redacted>', <redacted>, <redacted>");
    assertThat(scrub("6162, [97 98], YWI=, %61b, \\u0061\\u0062", "ab"))
        .isEqualTo("<redacted>, [<redacted>], <redacted>, <redacted>, <redacted>");
    String inside = Base64.getEncoder().encodeToString("user:a, more".getBytes(UTF_8));
    assertThat(scrub("Basic " + inside, "a")).isEqualTo("B<redacted>sic <redacted>");
  }

  @Test
  void wordsThatHoldAnEncodedShortValueByChanceStay() {
    String text = "volume csi-6162-YWIx-0123456789 at /run/YQ/97612 fell off: 1970";
    assertThat(scrub(text, "ab", "Q\n", "z")).isEqualTo(text);
  }

  @Test
  void base64OfAnEscapedShortValueIsTakenOut() {
    for (String value : List.of("a\tb", "ab\"c", "fleyl~\t", "p\\q/r")) {
      String escaped = json(value, false);
      assertThat(escaped.length()).isBetween(4, 8);
      for (Base64.Encoder encoder :
          List.of(Base64.getEncoder(), Base64.getUrlEncoder().withoutPadding())) {
        String encoded = encoder.encodeToString(escaped.getBytes(UTF_8));
        assertThat(scrub("key <" + encoded + ">", value)).as(encoded).isEqualTo("key <<redacted>>");
      }
    }
  }

  @Test
  void shortValuesAreTakenOutOfTextInBase64WhateverIsAroundIt() {
    for (String text :
        List.of(
            "/run/dXNlcjphYiwgbW9yZQ==", // after other digits
            "dXNlcjphYiwgbW9yIMM=", // cut in a character
            "dXNlcjphYiwg6XTp", // in Latin-1
            "dXNlcjphYgo=")) { // with a line end
      assertThat(scrub("key <" + text + ">", "ab")).as(text).isEqualTo("key <<redacted>>");
    }
  }

  @Test
  void aTextThatIsShownElsewhereIsNeitherCutNorEscaped() {
    UnaryOperator<String> whole = Scrubber.whole(List.of("hunter2"));
    String before = "\"a line\"\n".repeat(1000);
    assertThat(whole.apply(before + "hunter2!")).isEqualTo(before + "<redacted>!");
    assertThat(whole.apply(before)).isEqualTo(before);
    assertThat(whole.apply(" ".repeat(20_000) + "hunter2"))
        .isEqualTo(" ".repeat(16 << 10) + "… (20007 characters in all)");
    assertThat(Scrubber.whole(List.of()).apply(before.repeat(10))).isEqualTo(before.repeat(10));
  }

  @Test
  void wordsThatAreNoTextInBase64StayBesideValuesOfOneCharacter() {
    String text = "volumeMountGroup of writeUInt64NoTag is no path";
    assertThat(scrub(text, "2", "c", "+", "7")).isEqualTo(text);
  }

  @Test
  void escapesMayBeMixed() {
    assertThat(scrub("key=a%62c+%64ef\\u0067", "abc defg")).isEqualTo("key=<redacted>");
  }

  @Test
  void aValueCutAtTheEndOfTheTextIsReplaced() {
    String secret = "correct horse battery staple";
    for (int length = 8; length < secret.length(); length++) {
      assertThat(scrub("key " + secret.substring(0, length), secret)).isEqualTo("key <redacted>");
    }
    assertThat(scrub("key correct", secret)).isEqualTo("key correct");
    assertThat(scrub("key correct horses", secret)).isEqualTo("key correct horses");
    assertThat(scrub("key 'correct horse...'", secret)).isEqualTo("key '<redacted>");
    String url = URLEncoder.encode("correct/horse/battery", UTF_8);
    for (int length = 10; length <= url.length(); length++) {
      assertThat(scrub("key " + url.substring(0, length), "correct/horse/battery"))
          .isEqualTo("key <redacted>");
    }
    String base64 = Base64.getEncoder().encodeToString(("x" + secret).getBytes(UTF_8));
    for (int length = 10; length < base64.length(); length++) {
      assertThat(scrub("key " + base64.substring(0, length), secret))
          .matches("key [A-Za-z0-9+/]?<redacted>");
    }
  }

  @Test
  void aCutOfTheResultLeavesNoPartOfAValue() {
    String secret = "correct horse battery staple";
    for (int before = 930; before < 1030; before++) {
      String out = scrub("x".repeat(before) + secret + "y".repeat(2000), secret);
      assertThat(out).doesNotContain("corr");
      assertThat(SafeText.utf8Length(out)).isLessThanOrEqualTo(1024);
    }
  }

  @Test
  void hugeTextsAndValuesAreHandled() {
    String huge = "0123456789abcdef".repeat(1 << 16);
    assertThat(scrub("key " + huge, huge)).isEqualTo("key <redacted>");
    assertThat(scrub(huge + "hunter2", "hunter2"))
        .startsWith("0123456789")
        .doesNotContain("hunter2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "\\", "%", "'", "A", "+"})
  void textsMadeToTakeLongAreWithheldOrAnswered(String unit) {
    List<String> values = new ArrayList<>();
    for (int i = 0; i < 512; i++) {
      values.add(unit.repeat(2000) + i);
    }
    String out = Scrubber.scrub(unit.repeat(1 << 20), values);
    assertThat(SafeText.utf8Length(out)).isLessThanOrEqualTo(1024);
  }

  @Test
  void aTextThatTakesTooLongIsWithheldAsAWhole() {
    assertThat(scrub("key " + "\\".repeat(1 << 16), "\\".repeat(1 << 16))).isEqualTo("<redacted>");
  }

  @Test
  void aTextWithBase64ThatTakesTooLongIsWithheldAsAWhole() {
    String inner = Base64.getEncoder().encodeToString("\\".repeat(9000).getBytes(UTF_8));
    assertThat(scrub("key " + inner, "\\".repeat(1 << 16))).isEqualTo("<redacted>");
  }

  @Test
  void ordinaryTextWithManyValuesIsNotWithheld() {
    Random random = new Random(2);
    List<String> values =
        IntStream.range(0, 512).mapToObj(i -> RandomMessages.nasty(random, 6, 200, false)).toList();
    String text = "rpc error: code = Internal desc = exit status 32 \\\"100%\\\" + 'x'; ";
    assertThat(Scrubber.scrub(text.repeat(200), values)).startsWith(text + text);
  }

  @Test
  void noFormOfARandomValueRemains() {
    noFormRemains(new Random(1), 10);
  }

  @Tag("campaign")
  @Test
  void noFormOfAnyOfManyRandomValuesRemains() {
    noFormRemains(new Random(10), 200);
  }

  private static void noFormRemains(Random random, int values) {
    for (int round = 0; round < values; round++) {
      String secret = RandomMessages.nasty(random, 3, random.nextBoolean() ? 12 : 64, false);
      Map<String, String> forms = encodings(secret);
      List<String> known = new ArrayList<>(List.of(secret, "another-secret", "zzzzzzz"));
      Collections.shuffle(known, random);
      forms.forEach(
          (name, form) -> {
            String before = "…".repeat(random.nextInt(30)) + " <";
            String out = Scrubber.scrub(before + form + "> and so on", known);
            assertThat(out).as("%s of %s", name, secret).contains(Scrubber.MARK);
            forms.forEach(
                (other, text) ->
                    assertThat(out).as("%s in %s of %s", other, name, secret).doesNotContain(text));
            assertThat(out).doesNotContainPattern("[\\p{Cntrl}\\p{Zl}\\p{Zp}\\p{Cf}\\p{Cs}]");
            assertThat(SafeText.utf8Length(out)).isLessThanOrEqualTo(1024);
          });
    }
  }

  @Test
  void randomTextsNeverThrow() {
    Random random = new Random(9);
    for (int round = 0; round < 500; round++) {
      List<String> values =
          IntStream.range(0, 5).mapToObj(i -> RandomMessages.nasty(random, 6, 20, true)).toList();
      String out = Scrubber.scrub(RandomMessages.nasty(random, 0, 3000, true), values);
      assertThat(SafeText.utf8Length(out)).isLessThanOrEqualTo(1024);
    }
  }
}
