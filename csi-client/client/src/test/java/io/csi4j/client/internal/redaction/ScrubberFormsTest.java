package io.csi4j.client.internal.redaction;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which form of a value is taken out, to the character, and what looks like one and stays. */
class ScrubberFormsTest {

  private static final String GONE = Scrubber.MARK;

  private static String scrub(String value, String text) {
    return Scrubber.scrub(text, List.of(value));
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
  }

  static Stream<Arguments> formsThatAreTakenOut() {
    return Stream.of(
        // Escapes by number, of eight and of six digits.
        Arguments.of("key🔑lock", "key\\U0001F511lock!", GONE + "!"),
        Arguments.of("key🔑lock", "key\\U01F511lock!", GONE + "!"),
        // Entities, by name and by number, also of an ampersand that is one again.
        Arguments.of("say\"it'", "say&quot;it&apos;!", GONE + "!"),
        Arguments.of("say\"it'", "say&#34;it&#x27;!", GONE + "!"),
        Arguments.of("say\"it'", "say&#x0000022;it'!", GONE + "!"),
        Arguments.of("say\"it'", "say&" + "amp;".repeat(4) + "quot;it'!", GONE + "!"),
        // As many backslashes as there may be.
        Arguments.of("pass\"word1", "pass" + "\\".repeat(4 * 64 + 3) + "\"word1!", GONE + "!"),
        // Cut in the middle of a character.
        Arguments.of("passwordé", "password\\303\\", GONE),
        Arguments.of("passwordé", "password%C3", GONE),
        Arguments.of("password🔑", "password\\ud83d", GONE),
        Arguments.of("password&", "password%" + "a".repeat(18), GONE),
        // In base64, with its digits escaped, and with the digits that say a part of the value.
        Arguments.of(">>>???", "Pj4\\u002bPz8/", GONE),
        Arguments.of(">>>???", "Pj4+Pz8\\/", GONE),
        Arguments.of("abcdef", "KYWJjZGVm.", GONE + "."),
        Arguments.of("abc", "KYWJj.", "K" + GONE + "."),
        Arguments.of("abcd", "YWJjZA==.", GONE + "."),
        Arguments.of("abcdef", "FiY2RlZg", GONE),
        Arguments.of("abcdef", "GFiY2RlZg", GONE),
        Arguments.of("abcdef", "!FiY2RlZg", "!" + GONE),
        // In base64 of base64, that begins in the middle of a longer text.
        Arguments.of("topsecretvalue", "ab" + base64(base64("topsecretvalue")), GONE),
        Arguments.of("topsecret", base64(base64(base64("topsecret"))), GONE),
        // Three octets are enough to be found inside a word.
        Arguments.of("abc", "z616263z", "z" + GONE + "z"),
        Arguments.of("Tr1x", "[84   114, 49 120]", "[" + GONE + "]"));
  }

  /** What one program has quoted is quoted by another in another way. */
  static Stream<Arguments> quotedTwiceInDifferentWays() {
    String it = "it's-my-secret";
    String pass = "pass\"word-1234";
    String horse = "correct horse battery";
    String encoded = base64(horse);
    return Stream.of(
        Arguments.of("JSON of a shell's", it, "'it'\\\\''s-my-secret'"),
        Arguments.of("JSON of Python's", it, "'it'\\\"'\\\"'s-my-secret'"),
        Arguments.of("HTML of JSON", pass, "pass\\&#34;word-1234"),
        Arguments.of("Go's JSON of HTML", pass, "pass\\u0026#34;word-1234"),
        Arguments.of("a URL of JSON", pass, "pass%5C%22word-1234"),
        Arguments.of("a URL of HTML", pass, "pass%26quot%3Bword-1234"),
        Arguments.of("a URL of a shell's", it, "it%27%5C%27%27s-my-secret"),
        Arguments.of("HTML of a URL of JSON", pass, "pass%5C&#37;22word-1234"),
        Arguments.of("JSON in base64 in a URL", "ab~\"cdefgh", "YWJ%2BXCJjZGVmZ2g%3D"),
        Arguments.of("JSON in base64 in JSON", "ab?\"cdefgh", "YWI\\/XCJjZGVmZ2g="),
        Arguments.of("JSON in base64 in Go's JSON", "ab~\"cdefgh", "YWJ\\u002bXCJjZGVmZ2g="),
        Arguments.of(
            "base64 in YAML", horse, encoded.substring(0, 12) + "\n    " + encoded.substring(12)),
        Arguments.of(
            "base64 in lines in a URL",
            horse,
            encoded.substring(0, 12) + "%0A" + encoded.substring(12)),
        Arguments.of(
            "base64 in lines, in JSON twice",
            horse,
            encoded.substring(0, 12) + "\\\\n" + encoded.substring(12)),
        Arguments.of(
            "base64 twice in lines",
            horse,
            base64(encoded).substring(0, 20) + "\n" + base64(encoded).substring(20)),
        Arguments.of(
            "octets on lines",
            "hunter2",
            "104,\n    117,\n    110,\n    116,\n    101,\n    114,\n    50"),
        Arguments.of("bash", "key\u001block", "key\\Elock"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("quotedTwiceInDifferentWays")
  void aValueThatWasQuotedTwiceIsTakenOut(String how, String value, String text) {
    String left = scrub(value, "it says <" + text + ">, again");
    assertThat(left).as(how).startsWith("it says <").endsWith(">, again").contains(GONE);
    assertThat(left.replaceAll("[<>', =]|%3D", "")).as(how).isEqualTo("itsaysredactedagain");
  }

  static Stream<Arguments> textsThatStay() {
    return Stream.of(
        Arguments.of("say\"it'", "say&apos;it&quot;!"),
        Arguments.of("say\"it'", "say&lt;it&gt;!"),
        Arguments.of("say\"it'", "say&#33;it'!"),
        Arguments.of("say\"it'", "say\"it&#x21;!"),
        Arguments.of("say\"it'", "say&#x00000022;it'!"),
        Arguments.of("say\"it'", "say&" + "amp;".repeat(5) + "quot;it'!"),
        Arguments.of("pass\"word1", "pass" + "\\".repeat(4 * 65) + "\"word1!"),
        Arguments.of("password&", "password%" + "a".repeat(21)),
        Arguments.of("secret\0key", "secret\\uzzzzkey"),
        Arguments.of("secret\0", "secret\\u00"),
        Arguments.of(">>>???", "Pj4\\/Pz8/"),
        Arguments.of(">>>???", "Pj4+Pz8\\u002b"),
        Arguments.of("aaaaaa", "YWFh"),
        Arguments.of("ab", "+YWI"),
        Arguments.of("ab", "YWIx"),
        Arguments.of("topsecret", base64(base64(base64(base64("topsecret"))))),
        Arguments.of("Tr1x", "084 114 49 120"),
        Arguments.of("Tr1x", "84 114 49 1200"),
        Arguments.of("Tr1x", "84    114 49 120"));
  }

  @ParameterizedTest
  @MethodSource("formsThatAreTakenOut")
  void itIsTakenOut(String value, String text, String left) {
    assertThat(scrub(value, text)).isEqualTo(left);
  }

  @ParameterizedTest
  @MethodSource("textsThatStay")
  void itStays(String value, String text) {
    assertThat(scrub(value, text)).isEqualTo(text);
  }

  @Test
  void aValueThatIsAsLongAsTheTextThatIsLookedAtIsTakenOut() {
    String value = "s3cr3t! ".repeat(2048);
    assertThat(scrub(value, value)).isEqualTo(GONE);
  }
}
