package io.csi4j.volume.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** An identity file names its volume, or is known to be damaged. */
class IdentityFileTest {

  private static final VolumeIdentity IDENTITY =
      new VolumeIdentity(PluginId.of("hostpath.csi"), VolumeId.of("vol 1/\u00e9%\n"));

  private static final String CONTENT =
      """
      csi4j volume 1
      plugin hostpath.csi
      handle vol%201/%C3%A9%25%0A
      check 6b058e1a
      """;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void theFirstFormatIsReadAndWrittenLikeThisForEver() {
    assertThat(new String(IdentityFile.content(IDENTITY), StandardCharsets.UTF_8))
        .isEqualTo(CONTENT);
    assertThat(IdentityFile.read(bytes(CONTENT))).contains(IDENTITY);
  }

  @Test
  void everyIdThatCanBeComesBackAsItWas() {
    for (String hostile : VolumeLayoutTest.HOSTILE) {
      VolumeIdentity identity = new VolumeIdentity(PluginId.of("p"), VolumeId.of(hostile));
      byte[] content = IdentityFile.content(identity);

      assertThat(IdentityFile.read(content)).contains(identity);
      assertThat(content).hasSizeLessThan(IdentityFile.LIMIT);
      assertThat(new String(content, StandardCharsets.UTF_8)).matches("[\\x20-\\x7e\n]*");
      assertThat(new String(content, StandardCharsets.UTF_8).split("\n", -1)).hasSize(5);
    }
  }

  @Test
  void cutOffAnywhereOrWithAnyBitFlippedItNamesNobody() {
    byte[] whole = bytes(CONTENT);
    for (int bit = 0; bit < whole.length * 8; bit++) {
      byte[] flipped = whole.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      assertThat(IdentityFile.read(flipped)).as("bit %d", bit).isEmpty();
      assertThat(IdentityFile.read(Arrays.copyOf(whole, bit / 8))).as("cut %d", bit / 8).isEmpty();
    }
  }

  @Test
  void randomBytesNameNobodyAndNeverThrow() {
    Random random = new Random(6);
    byte[] whole = bytes(CONTENT);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = Arrays.copyOf(whole, random.nextInt(whole.length + 20));
      for (int changes = 1 + random.nextInt(5); changes > 0 && bytes.length > 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) "%%0Ap\n \u00ff".charAt(random.nextInt(8));
      }
      assertThat(Arrays.equals(bytes, whole)).isEqualTo(IdentityFile.read(bytes).isPresent());
    }
  }

  @Test
  void aLaterFormatIsToldFromDamage() {
    assertThat(IdentityFile.isOfAnotherFormat(bytes("csi4j volume 2\nanything"))).isTrue();
    assertThat(IdentityFile.isOfAnotherFormat(bytes("csi4j volume 1\nanything"))).isFalse();
    assertThat(IdentityFile.isOfAnotherFormat(bytes("something else"))).isFalse();
    assertThat(IdentityFile.isOfAnotherFormat(new byte[0])).isFalse();
  }
}
