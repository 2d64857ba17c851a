package io.csi4j.mount.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That a reference survives in a file, and nothing else is taken for one. */
class MountRefTest {

  private static final MountRef UNIQUE =
      new MountRef(MountPath.of("/a b"), "boot-1", new MountRef.Identity.Unique(4_294_967_297L));
  private static final MountRef REUSABLE =
      new MountRef(
          MountPath.of("/v"),
          "boot-1",
          new MountRef.Identity.Reusable(74, new DeviceId(8, 1), KernelText.of("/x:y")));

  @Test
  void aReferenceIsOneLineOfAscii() {
    assertThat(UNIQUE.encode()).isEqualTo("unique:4294967297:boot-1:/a%20b");
    assertThat(REUSABLE.encode()).isEqualTo("reusable:74:8.1:/x%3ay:boot-1:/v");
  }

  @Test
  void aReferenceIsTheSameAfterWhatIsMountedWasDeleted() {
    MountRef.Identity deleted =
        new MountRef.Identity.Reusable(74, new DeviceId(8, 1), KernelText.of("/x:y//deleted"));

    assertThat(deleted).isEqualTo(REUSABLE.identity());
    assertThat(MountRef.parse("reusable:74:8.1:/x%3ay//deleted:boot-1:/v")).isEqualTo(REUSABLE);
  }

  @Test
  void aReferenceIsReadAsItWasWritten() {
    assertThat(MountRef.parse(UNIQUE.encode())).isEqualTo(UNIQUE);
    assertThat(MountRef.parse(REUSABLE.encode())).isEqualTo(REUSABLE);
  }

  @Test
  void aReferenceIsShownToPeople() {
    assertThat(UNIQUE).hasToString("mount 4294967297 at /a b");
    assertThat(REUSABLE).hasToString("mount 74 of /x:y on device 8:1 at /v");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "unique",
        "unique:1:boot",
        "unique:1:boot:/a:",
        "unique:x:boot:/a",
        "unique:1:boot:a",
        "unique:1:boot:/a/..",
        "unique:1:boot:/a b",
        "unique:1:boot:/a%2",
        "unique:1:boot:/a%zz",
        "unique:1:boot:/a%+f",
        "unique:1:boot:/a%00",
        "unique:1:boot:/\u00fc",
        "Unique:1:boot:/a",
        "reusable:1:8.1:/:boot",
        "reusable:1:8:/:boot:/a",
        "reusable:1:8.1.2:/:boot:/a",
        "reusable:1:-8.1:/:boot:/a",
        "reusable:99999999999:8.1:/:boot:/a",
        "path:1:boot:/a"
      })
  void anythingElseIsRefused(String text) {
    assertThatThrownBy(() -> MountRef.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("'")
        .hasMessageEndingWith("' is not a reference to a mount. Use what MountRef.encode() wrote.");
  }

  @Test
  void anyReferenceSurvives() {
    Random random = new Random(42);
    for (int i = 0; i < 5_000; i++) {
      MountRef ref = random(random);

      String line = ref.encode();

      assertThat(line).matches("[\\x21-\\x7e]+");
      assertThat(MountRef.parse(line)).isEqualTo(ref);
    }
  }

  @Test
  void aDamagedLineIsRefusedOrMeansOneThing() {
    Random random = new Random(43);
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      StringBuilder line = new StringBuilder(random(random).encode());
      line.setCharAt(random.nextInt(line.length()), (char) (0x20 + random.nextInt(0x60)));
      try {
        MountRef read = MountRef.parse(line.toString());
        assertThat(MountRef.parse(read.encode())).isEqualTo(read);
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageEndingWith("Use what MountRef.encode() wrote.");
        refused++;
      }
    }
    assertThat(refused).isBetween(1_000, 19_000);
  }

  private static MountRef random(Random random) {
    MountPath path = MountPath.ROOT;
    int depth = random.nextInt(4);
    for (int i = 0; i < depth; i++) {
      byte[] name = bytes(random, 1 + random.nextInt(8), '/');
      name[0] = 'n';
      byte[] parent = path.isRoot() ? new byte[0] : path.bytes();
      byte[] joined = java.util.Arrays.copyOf(parent, parent.length + 1 + name.length);
      joined[parent.length] = '/';
      System.arraycopy(name, 0, joined, parent.length + 1, name.length);
      path = MountPath.ofBytes(joined);
    }
    MountRef.Identity identity =
        random.nextBoolean()
            ? new MountRef.Identity.Unique(random.nextLong())
            : new MountRef.Identity.Reusable(
                random.nextInt(1 << 20),
                new DeviceId(random.nextInt(4096), random.nextInt(1 << 20)),
                KernelText.ofBytes(bytes(random, random.nextInt(12), 0)));
    return new MountRef(path, "boot-" + random.nextInt(9) + "\u00fc: %", identity);
  }

  /** Bytes without NUL and without this one. */
  private static byte[] bytes(Random random, int length, int but) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    for (int i = 0; i < length; i++) {
      if (bytes[i] == 0 || bytes[i] == but) {
        bytes[i] = '%';
      }
    }
    return bytes;
  }
}
