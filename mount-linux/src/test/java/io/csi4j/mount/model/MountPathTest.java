package io.csi4j.mount.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** That a path has one form, and none that could lead elsewhere. */
class MountPathTest {

  @ParameterizedTest
  @CsvSource({
    "/, /",
    "///, /",
    "/a, /a",
    "/a/, /a",
    "//a///b//, /a/b",
    "/.a, /.a",
    "/..a/b.., /..a/b..",
    "/.../a, /.../a"
  })
  void slashesThatMeanNothingAreDropped(String text, String path) {
    assertThat(MountPath.of(text).bytes()).isEqualTo(path.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aSystemCallTakesItWithANulAtItsEnd() {
    MountPath path = MountPath.of("/a/é");
    byte[] terminated = "/a/é\0".getBytes(StandardCharsets.UTF_8);
    ByteBuffer buffer = ByteBuffer.allocate(16).put((byte) 'x');
    path.terminatedInto(buffer);

    assertThat(path.terminated()).isEqualTo(terminated);
    assertThat(Arrays.copyOf(buffer.array(), buffer.position()))
        .isEqualTo("x/a/é\0".getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> path.terminatedInto(ByteBuffer.allocate(terminated.length - 1)))
        .isInstanceOf(BufferOverflowException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"t", "", "a/b", "./a"})
  void aRelativePathIsRefused(String text) {
    assertThatThrownBy(() -> MountPath.of(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("The path '" + text + "' is not absolute. Write it from the root directory.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/t/.", "/t/child/..", "/..", "/.", "/./a", "/a/../b", "/a/.//"})
  void aPartThatLeadsElsewhereIsRefused(String text) {
    assertThatThrownBy(() -> MountPath.of(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "The path '"
                + text
                + "' has a part '.' or '..', and following it could lead elsewhere. Resolve it.");
  }

  @Test
  void aNulIsRefusedAndShownEscaped() {
    assertThatThrownBy(() -> MountPath.of("/a\0b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("The path '/a\\u0000b' holds a NUL. Cut it off.");
  }

  @Test
  void aPathMayHave4095BytesAndNoMore() {
    String longest = "/" + "a".repeat(4094);

    assertThat(MountPath.of(longest + "/").bytes()).hasSize(4095);
    assertThatThrownBy(() -> MountPath.of(longest + "a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("is longer than 4095 bytes. Use a shorter one.");
  }

  @Test
  void aPathBelowIsJoined() {
    assertThat(MountPath.of("/a").resolve("b/c/")).isEqualTo(MountPath.of("/a/b/c"));
    assertThat(MountPath.ROOT.resolve("b")).isEqualTo(MountPath.of("/b"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/b", "..", "b/../../c", "."})
  void whatIsNoPathBelowIsRefused(String relative) {
    assertThatThrownBy(() -> MountPath.of("/a").resolve(relative))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aPathIsWithinAnotherAtWholePartsOnly() {
    MountPath vol = MountPath.of("/vol");

    assertThat(MountPath.of("/vol/a").isWithin(vol)).isTrue();
    assertThat(vol.isWithin(vol)).isTrue();
    assertThat(vol.isWithin(MountPath.ROOT)).isTrue();
    assertThat(MountPath.of("/vol-2").isWithin(vol)).isFalse();
    assertThat(MountPath.ROOT.isWithin(vol)).isFalse();
  }

  @Test
  void theRootDirectoryIsItsOwnParentAndHasNoName() {
    assertThat(MountPath.ROOT.parent()).isEqualTo(MountPath.ROOT);
    assertThat(MountPath.ROOT.name()).isEmpty();
    assertThat(MountPath.ROOT.isRoot()).isTrue();
    assertThat(MountPath.of("/a").parent()).isEqualTo(MountPath.ROOT);
  }

  @Test
  void thePathOfTheJdkIsReadByItsText() {
    assertThat(MountPath.of(Path.of("/a/b"))).isEqualTo(MountPath.of("/a/b"));
    assertThat(MountPath.of("/a/b").toPath()).isEqualTo(Path.of("/a/b"));
  }

  @Test
  void bytesThatAreNoTextAreKeptAndShownEscaped() {
    byte[] bytes = {'/', (byte) 0xff, '\n', 'a'};
    MountPath path = MountPath.ofBytes(bytes);
    bytes[3] = 'b';

    assertThat(path.bytes()).containsExactly('/', 0xff, '\n', 'a');
    path.bytes()[1] = 'x';
    assertThat(path.bytes()).containsExactly('/', 0xff, '\n', 'a');
    assertThat(path).hasToString("/\\xff\\na");
  }

  @Test
  void pathsAreInTheOrderOfTheirBytes() {
    MountPath high = MountPath.ofBytes(new byte[] {'/', (byte) 0xff});

    assertThat(high).isGreaterThan(MountPath.of("/a"));
    assertThat(MountPath.of("/a")).isLessThan(MountPath.of("/a/b"));
  }

  @Test
  void anyAcceptedPathHasOneFormAndItsPartsMakeItAgain() {
    Random random = new Random(42);
    byte[] alphabet = {'/', '/', '.', '.', 'a', ' ', '\n', '\\', (byte) 0xc3, (byte) 0xff};
    int accepted = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[1 + random.nextInt(12)];
      bytes[0] = '/';
      for (int at = 1; at < bytes.length; at++) {
        bytes[at] = alphabet[random.nextInt(alphabet.length)];
      }
      String text = new String(bytes, StandardCharsets.ISO_8859_1);
      boolean leadsElsewhere = (text + "/").contains("/./") || (text + "/").contains("/../");
      MountPath path;
      try {
        path = MountPath.ofBytes(bytes);
      } catch (IllegalArgumentException e) {
        assertThat(leadsElsewhere).as(text).isTrue();
        continue;
      }
      accepted++;
      assertThat(leadsElsewhere).as(text).isFalse();
      String clean = text.replaceAll("/+", "/");
      clean = clean.length() > 1 && clean.endsWith("/") ? clean.replaceAll("/$", "") : clean;
      assertThat(path.bytes()).isEqualTo(clean.getBytes(StandardCharsets.ISO_8859_1));
      assertThat(MountPath.ofBytes(path.bytes())).isEqualTo(path).hasSameHashCodeAs(path);
      assertThat(path.isWithin(path.parent())).isTrue();
      byte[] parent = path.parent().bytes();
      String joined =
          new String(parent, StandardCharsets.ISO_8859_1)
              + (parent.length == 1 ? "" : "/")
              + new String(path.name(), StandardCharsets.ISO_8859_1);
      assertThat(joined).isEqualTo(clean);
    }
    assertThat(accepted).isGreaterThan(1_000);
  }
}
