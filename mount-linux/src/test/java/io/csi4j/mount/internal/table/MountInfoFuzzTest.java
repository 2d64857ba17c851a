package io.csi4j.mount.internal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.csi4j.mount.internal.text.PrintableText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The corpus of {@link MountInfoFuzz} and mutations of it. A longer campaign, with a new seed:
 *
 * <pre>
 * mvn -pl mount-linux test -Dtest=MountInfoFuzzTest -Dcsi4j.fuzz.inputs=10000000 -Dcsi4j.fuzz.seed=7
 * </pre>
 *
 * <p>What it finds is to be added to the corpus.
 */
class MountInfoFuzzTest {

  private static final Path CORPUS =
      Path.of(
          System.getProperty("csi4j.root", ".."),
          "mount-linux/src/test/resources/mountinfo-corpus");
  private static final int INPUTS = Integer.getInteger("csi4j.fuzz.inputs", 5_000);
  private static final long SEED = Long.getLong("csi4j.fuzz.seed", 1);

  /** What rows are made of, for mutations that random bytes would seldom hit. */
  private static final List<String> WORDS =
      List.of(
          " ",
          "\n",
          " - ",
          "-",
          "  ",
          "\\040",
          "\\",
          "\\134040",
          "\\0",
          "\\000",
          "/",
          "//",
          "/.",
          "/..",
          ":",
          ",",
          "#",
          "\\043",
          "shared:",
          "master:2147483648",
          "propagate_from:1",
          "unbindable",
          "4294967296",
          "-1",
          "0:0",
          "rw",
          "ro",
          "//deleted",
          "\r",
          "\0",
          "\u00a0");

  static Stream<Path> corpus() throws IOException {
    try (Stream<Path> files = Files.list(CORPUS)) {
      return files.sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("corpus")
  void theCorpusIsReadAsItShould(Path input) throws IOException {
    MountInfoFuzz.fuzzerTestOneInput(Files.readAllBytes(input));
  }

  @Test
  void theCorpusIsThere() throws IOException {
    assertThat(corpus()).hasSizeGreaterThanOrEqualTo(15);
  }

  @Test
  void realTablesOfTheCorpusAreReadWhole() throws IOException {
    for (Path input : corpus().filter(path -> !path.toString().contains("garbage")).toList()) {
      TableRows rows = MountInfoParser.parse(Files.readAllBytes(input), "boot");
      assertThat(rows.skipped()).as(input.toString()).isZero();
      assertThat(rows.records()).as(input.toString()).isNotEmpty();
    }
  }

  @Test
  void mutationsOfTheCorpusAreReadAsTheyShould() throws IOException {
    List<byte[]> inputs = corpus().map(MountInfoFuzzTest::bytes).toList();
    Random random = new Random(SEED);
    for (int i = 0; i < INPUTS; i++) {
      byte[] input = mutate(inputs.get(random.nextInt(inputs.size())), inputs, random);
      try {
        MountInfoFuzz.fuzzerTestOneInput(input);
      } catch (RuntimeException | Error e) {
        fail("Input " + i + " of seed " + SEED + ": " + PrintableText.escape(input), e);
      }
    }
  }

  @Test
  void randomBytesAreReadAsTheyShould() {
    Random random = new Random(SEED);
    for (int i = 0; i < INPUTS / 10; i++) {
      byte[] input = new byte[random.nextInt(200)];
      random.nextBytes(input);
      MountInfoFuzz.fuzzerTestOneInput(input);
    }
  }

  /** One to four rows of an input, changed at a few places. */
  private static byte[] mutate(byte[] input, List<byte[]> others, Random random) {
    byte[] bytes = somewhere(input, 700, random);
    for (int changes = random.nextInt(6); changes >= 0; changes--) {
      int at = random.nextInt(bytes.length + 1);
      bytes =
          switch (random.nextInt(6)) {
            case 0 -> replace(bytes, at, 0, word(random));
            case 1 -> replace(bytes, at, random.nextInt(12), new byte[0]);
            case 2 -> replace(bytes, at, 1, new byte[] {(byte) random.nextInt(256)});
            case 3 -> replace(bytes, at, random.nextInt(8), word(random));
            case 4 ->
                replace(
                    bytes, at, 0, somewhere(others.get(random.nextInt(others.size())), 60, random));
            default -> replace(bytes, at, 0, somewhere(bytes, 20, random));
          };
    }
    return bytes;
  }

  private static byte[] word(Random random) {
    return WORDS.get(random.nextInt(WORDS.size())).getBytes(StandardCharsets.ISO_8859_1);
  }

  private static byte[] somewhere(byte[] bytes, int length, Random random) {
    int from = random.nextInt(Math.max(1, bytes.length - length));
    return replace(bytes, from, Math.min(length, bytes.length - from), null);
  }

  /** The bytes with others in place of some, or those alone if there are none to put there. */
  private static byte[] replace(byte[] bytes, int at, int length, byte[] by) {
    int cut = Math.min(length, bytes.length - at);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    if (by == null) {
      out.write(bytes, at, cut);
    } else {
      out.write(bytes, 0, at);
      out.writeBytes(by);
      out.write(bytes, at + cut, bytes.length - at - cut);
    }
    return out.toByteArray();
  }

  private static byte[] bytes(Path path) {
    try {
      return Files.readAllBytes(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
