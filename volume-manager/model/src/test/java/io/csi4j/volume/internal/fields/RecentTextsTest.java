package io.csi4j.volume.internal.fields;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class RecentTextsTest {

  private final RecentTexts texts = new RecentTexts();

  private String read(String text) {
    byte[] bytes = ("<" + text + ">").getBytes(US_ASCII);
    return texts.text(bytes, 1, text.length());
  }

  @Test
  void aTextThatIsReadAgainIsTheSameObject() {
    String first = read("fake.csi4j.example");

    assertThat(first).isEqualTo("fake.csi4j.example");
    assertThat(read("fake.csi4j.example")).isSameAs(first);
  }

  @Test
  void aLongTextIsReadAnew() {
    String first = read("x".repeat(128));
    String longer = read("x".repeat(129));

    assertThat(read("x".repeat(128))).isSameAs(first);
    assertThat(read("x".repeat(129))).isEqualTo(longer).isNotSameAs(longer);
  }

  /** So many that each place is taken many times. */
  @Test
  void eachTextIsItselfWhateverWasReadBefore() {
    Random random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      int length = random.nextInt(4);
      String text =
          random
              .ints(length, 'a', 'e')
              .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
              .toString();

      assertThat(read(text)).isEqualTo(text);
    }
  }
}
