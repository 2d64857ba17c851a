package io.csi4j.testkit.internal.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonReaderTest {

  private static final String VALUE =
      "a value (text in double quotes, a number, true, false, null, {…} or […]) is expected.";

  /** A {@code VALUE} in the message stands for the values that JSON has. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`{\"ready\": ` | it ends after character 10, where VALUE",
        "`` | it ends after character 0, where VALUE",
        "{\"a\" | it ends after character 4, where ':' is expected.",
        "{\"a | it ends after character 3, where a closing double quote is expected.",
        "{\"a\": 1 | it ends after character 7, where ',' or '}' is expected.",
        "[1 | it ends after character 2, where ',' or ']' is expected.",
        "`{\"a\": 1,` | it ends after character 8, where a name in double quotes is expected.",
        "{\"a\": yes} | at character 7 VALUE",
        "{a: 1} | at character 2 a name in double quotes is expected.",
        "{\"a\" 1} | at character 6 ':' is expected.",
        "{\"a\": 1 2} | at character 9 ',' or '}' is expected.",
        "{} {} | at character 4 the end of the text is expected.",
        "{\"a\": 01} | at character 7 a number such as -1.5e3, with at most 31 digits before the"
            + " point, 30 behind it and 3 in the exponent is expected.",
        "{\"a\": 1, \"a\": 2} | at character 10 an object has a name twice; each name is accepted"
            + " once.",
        "[\"\\x\"] | at character 4 an escape of JSON (\\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u and"
            + " four digits) is expected.",
        "[\"\\u12z4\"] | at character 7 a code of four hexadecimal digits behind \\u is expected.",
        "`[\"\t\"]` | at character 3 there is a control character; write it as an escape such as"
            + " \\n"
            + " or \\u0001."
      })
  void aMistakeIsReportedWithItsPlaceAndWithWhatIsAccepted(String text, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JsonReader.read(text))
        .withMessage("The text is not valid JSON: " + message.replace("VALUE", VALUE));
  }

  @ParameterizedTest
  @CsvSource({"64, false", "65, true"})
  void valuesAreAcceptedToADepth(int depth, boolean refused) {
    String text = "[".repeat(depth + 1) + "]".repeat(depth + 1);
    if (refused) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> JsonReader.read(text))
          .withMessage(
              "The text is not valid JSON: at character 66 values are nested more than 64 levels"
                  + " deep, which is the limit.");
    } else {
      assertThat(JsonReader.read(text).toString()).isEqualTo(text);
    }
  }
}
