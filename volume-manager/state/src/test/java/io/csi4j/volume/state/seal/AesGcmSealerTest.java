package io.csi4j.volume.state.seal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What AES-GCM makes of bytes, and where its keys come from. */
class AesGcmSealerTest {

  private static final byte[] NOTE = "chap-password".getBytes(US_ASCII);
  private static final String KEY = "MDEyMzQ1Njc4OWFiY2RlZg==";

  @TempDir Path directory;

  private static AesGcmSealer.Keys keys() {
    return AesGcmSealer.Keys.of("k1", "0123456789abcdef".getBytes(US_ASCII));
  }

  private Path file(String text, String mode) throws IOException {
    Path file = Files.writeString(directory.resolve("keys"), text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  private static String failure(Runnable work) {
    try {
      work.run();
    } catch (SealException e) {
      return String.valueOf(e.getMessage());
    }
    throw new AssertionError("It did not fail.");
  }

  @Test
  void whatWasSealedOpensAboutTheSameThingOnly() {
    Sealer sealer = AesGcmSealer.of(keys());
    byte[] sealed = sealer.seal(NOTE, "CLAIM/a");

    assertThat(sealer.open(sealed, "CLAIM/a")).isEqualTo(NOTE);
    assertThat(failure(() -> sealer.open(sealed, "CLAIM/b"))).startsWith("its seal is broken");
  }

  @Test
  void noBitOfItCanBeChanged() {
    Sealer sealer = AesGcmSealer.of(keys());
    byte[] sealed = sealer.seal(NOTE, "x");
    for (int bit = 0; bit < 8 * sealed.length; bit++) {
      byte[] changed = sealed.clone();
      changed[bit / 8] ^= (byte) (1 << (bit % 8));

      assertThat(failure(() -> sealer.open(changed, "x")))
          .matches("(?s)its seal is broken.*|it is sealed with the key '.*', which.*");
    }
    for (int length = 0; length < sealed.length; length++) {
      byte[] cut = Arrays.copyOf(sealed, length);

      assertThat(failure(() -> sealer.open(cut, "x"))).startsWith("its seal is broken");
    }
  }

  @Test
  void keysChangeWithoutARestartWhereTheyAreAskedFor() {
    AtomicReference<AesGcmSealer.Keys> now = new AtomicReference<>(keys());
    Sealer sealer = AesGcmSealer.asking(now::get);
    byte[] before = sealer.seal(NOTE, "x");
    now.set(
        AesGcmSealer.Keys.of("k2", new byte[32])
            .withFormer("k1", "0123456789abcdef".getBytes(US_ASCII)));

    assertThat(sealer.isCurrent(before)).isFalse();
    assertThat(sealer.open(before, "x")).isEqualTo(NOTE);
    assertThat(sealer.isCurrent(sealer.seal(NOTE, "x"))).isTrue();
  }

  @Test
  void aHostThatDoesNotGiveItsKeysIsNamedWithoutWhatItSays() {
    Sealer sealer =
        AesGcmSealer.asking(
            () -> {
              throw new IllegalStateException(KEY);
            });

    assertThat(failure(() -> sealer.seal(NOTE, "x")))
        .isEqualTo(
            "the host did not provide its sealing keys (java.lang.IllegalStateException). Check "
                + "why it does not provide them.");
  }

  @Test
  void theFirstKeyOfAFileSealsAndTheOthersOpen() throws IOException {
    byte[] old = AesGcmSealer.of(keys()).seal(NOTE, "x");
    Path file =
        file(
            "# since May\nk2 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\nk1 " + KEY + "\n",
            "rw-------");

    Sealer sealer = AesGcmSealer.fromFile(file);

    assertThat(sealer.open(old, "x")).isEqualTo(NOTE);
    assertThat(sealer.isCurrent(old)).isFalse();
    assertThat(AesGcmSealer.Keys.fromFile(file)).hasToString("Keys[current=k2, all=[k1, k2]]");
    assertThat(sealer.toString()).doesNotContain(KEY);
  }

  @Test
  void aFileThatIsTooLargeToHoldKeysIsRefusedBeforeItIsRead() throws IOException {
    Path file = file("", "rw-------");
    try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
      large.setLength(20L << 30);
    }

    assertThat(failure(() -> AesGcmSealer.Keys.fromFile(file)))
        .isEqualTo(
            "Reading the sealing keys in '"
                + file
                + "' failed: it has 21474836480 bytes, but a key file may have at"
                + " most 1048576. Name the file with the keys.");
  }

  @Test
  void aFileThatOthersMayReadIsRefused() throws IOException {
    Path file = file("k1 " + KEY, "rw-r-----");

    assertThat(failure(() -> AesGcmSealer.Keys.fromFile(file)))
        .isEqualTo(
            "Reading the sealing keys in '"
                + file
                + "' failed: other users may read or write it. Set its mode to 0600.");
  }

  @Test
  void aLinkIsNoFileOfKeys() throws IOException {
    Path link = Files.createSymbolicLink(directory.resolve("link"), file("k1 " + KEY, "rw-------"));

    assertThat(failure(() -> AesGcmSealer.Keys.fromFile(link))).endsWith("Name the file itself.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "k1",
        "k1 !!",
        "k1 AAAA",
        "k/1 " + KEY,
        "k1 " + KEY + " more",
        "a " + KEY + "\na " + KEY
      })
  void aLineThatIsNoneIsCountedAndNotQuoted(String text) throws IOException {
    Path file = file("# keys\n" + text, "rw-------");

    assertThat(failure(() -> AesGcmSealer.Keys.fromFile(file)))
        .contains(text.startsWith("a ") ? "line 3 is not an id" : "line 2 is not an id")
        .doesNotContain(KEY, "AAAA", "!!");
  }

  @Test
  void aFileWithoutAKeyAndOneThatIsMissingAreRefused() throws IOException {
    Path empty = file("# none\n", "rw-------");

    assertThat(failure(() -> AesGcmSealer.Keys.fromFile(empty))).endsWith("Add one.");
    assertThatExceptionOfType(SealException.class)
        .isThrownBy(() -> AesGcmSealer.Keys.fromFile(directory.resolve("nowhere")))
        .withMessageContaining("it is missing or not readable");
  }

  @Test
  void keysOfOtherSizesAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AesGcmSealer.Keys.of("k1", new byte[24]))
        .withMessage("The sealing key 'k1' has 24 bytes. Give one of 16 or 32.");
  }
}
