package io.csi4j.client.internal.redaction;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.fuzz.Choices;
import io.csi4j.fuzz.Finding;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Texts of failures: with any secrets, of any length, in each other and in each of their encoded
 * forms, no secret is in the text that is shown; the text is one line of bounded length.
 */
public final class ScrubberFuzz {

  private static final int MOST_SECRETS = 4;

  /** A form of fewer octets stands in other words by chance, and is looked for as a word only. */
  private static final int LEAST_ENCODED = 3;

  private ScrubberFuzz() {}

  /** Reads the bytes as secrets, and as texts around their forms. */
  public static void fuzzerTestOneInput(byte[] input) {
    Choices choices = new Choices(input);
    List<String> secrets = new ArrayList<>();
    for (int count = 1 + choices.of(MOST_SECRETS); count > 0; count--) {
      boolean inside = choices.of(4) == 3 && !secrets.isEmpty();
      String secret = choices.text(24);
      secrets.add(inside ? secrets.get(0) + secret : secret);
    }
    List<Form> forms = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    for (int count = choices.of(4); count > 0; count--) {
      text.append(choices.text(16)).append(' ');
      Form form = form(secrets.get(choices.of(secrets.size())), choices.of(9));
      forms.add(form);
      text.append(form.text()).append(' ');
    }
    text.append(choices.restAsText());
    String out = Scrubber.scrub(text.toString(), secrets);
    Finding.unlessOneLine(out);
    Finding.unless(
        SafeText.utf8Length(out) <= SafeText.FOREIGN_TEXT_LIMIT, () -> "too long: " + out.length());
    boolean isShownAsItIs =
        SafeText.escape(text.toString(), Integer.MAX_VALUE).equals(text.toString())
            && !out.contains("characters in all");
    // Where nothing is escaped or cut, nothing but the marks is new.
    if (isShownAsItIs) {
      for (String shown : out.split(Scrubber.MARK, -1)) {
        for (String secret : secrets) {
          Finding.unless(
              secret.isEmpty() || !shown.contains(secret), () -> "'" + secret + "' in " + out);
        }
        for (Form form : forms) {
          Finding.unless(!form.standsIn(shown), () -> "'" + form.text() + "' in " + out);
        }
      }
    }
  }

  /**
   * A secret as it may be written.
   *
   * @param isWord whether it tells the secret only where it is a word of its own
   */
  private record Form(String text, boolean isWord) {

    /** Whether it is in a piece of text, the ends of which do not end a word. */
    boolean standsIn(String piece) {
      if (text.isEmpty() || !piece.contains(text)) {
        return false;
      }
      if (!isWord) {
        return true;
      }
      String around = "[^A-Za-z0-9+/_-]";
      return Pattern.compile(around + Pattern.quote(text) + around).matcher(piece).find();
    }
  }

  /** A form of the secret that stands for a secret of that length. */
  private static Form form(String secret, int which) {
    byte[] octets = secret.getBytes(UTF_8);
    if (octets.length < LEAST_ENCODED) {
      return switch (which) {
        case 1 -> new Form(HexFormat.of().formatHex(octets), true);
        case 2 -> new Form(HexFormat.of().withUpperCase().formatHex(octets), true);
        case 3 -> new Form(Base64.getEncoder().encodeToString(octets), true);
        case 4 -> new Form(Base64.getUrlEncoder().withoutPadding().encodeToString(octets), true);
        case 5 -> new Form(URLEncoder.encode(secret, UTF_8), false);
        default -> new Form(secret, false);
      };
    }
    String text =
        switch (which) {
          case 1 -> HexFormat.of().formatHex(octets);
          case 2 -> HexFormat.of().withUpperCase().formatHex(octets);
          case 3 -> Base64.getEncoder().encodeToString(octets);
          case 4 -> Base64.getUrlEncoder().encodeToString(("x" + secret).getBytes(UTF_8));
          case 5 ->
              Base64.getEncoder().withoutPadding().encodeToString((secret + "yz").getBytes(UTF_8));
          case 6 -> URLEncoder.encode(secret, UTF_8);
          case 7 -> URLEncoder.encode(URLEncoder.encode(secret, UTF_8), UTF_8);
          case 8 -> "%" + HexFormat.ofDelimiter("%").withUpperCase().formatHex(octets);
          default -> secret;
        };
    return new Form(text, false);
  }
}
