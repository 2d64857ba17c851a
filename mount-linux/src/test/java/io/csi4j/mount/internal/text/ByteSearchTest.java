package io.csi4j.mount.internal.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.csi4j.mount.model.MountPath;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSearchTest {

  private static final byte[] BYTES =
      "//..\\\0-0a\u0001\u00ae\u00af".getBytes(StandardCharsets.ISO_8859_1);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/mnt",
        "/var/lib/kubelet/pods/6d5f/volumes/kubernetes.io~csi/pvc-1/mount",
        "/a.b/c..d/e.../f",
        "/tmp/über"
      })
  void theUsualPathsAreOrdinary(String path) {
    byte[] bytes = path.getBytes(StandardCharsets.UTF_8);

    assertThat(ByteSearch.isOrdinaryPath(bytes, 0, bytes.length)).isTrue();
  }

  @Test
  void anOrdinaryPathIsValidAndHasNoEscapes() {
    Random random = new Random(20_251_121);
    int ordinary = 0;
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = new byte[1 + random.nextInt(40)];
      Arrays.fill(bytes, (byte) 'x');
      for (int changes = random.nextInt(4); changes >= 0; changes--) {
        bytes[random.nextInt(bytes.length)] = BYTES[random.nextInt(BYTES.length)];
      }
      int from = random.nextInt(bytes.length);
      bytes[from] = '/';
      if (ByteSearch.isOrdinaryPath(bytes, from, bytes.length)) {
        ordinary++;
        byte[] path = Arrays.copyOfRange(bytes, from, bytes.length);
        assertThat(path).doesNotContain('\\');
        assertThatCode(() -> MountPath.ofBytes(path))
            .as(Arrays.toString(path))
            .doesNotThrowAnyException();
      }
    }
    assertThat(ordinary).isGreaterThan(10_000);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 9, 4095, 4096})
  void aPathMayBeAsLongAsAnyThatASystemCallTakes(int length) {
    byte[] bytes = new byte[length + 16];
    Arrays.fill(bytes, (byte) 'x');
    bytes[3] = '/';

    assertThat(ByteSearch.isOrdinaryPath(bytes, 3, 3 + length)).isEqualTo(length <= 4095);
    assertThat(ByteSearch.isOrdinaryPath(bytes, 2, 3 + length)).as("not absolute").isFalse();
    assertThat(ByteSearch.isOrdinaryPath(bytes, 3, 3)).as("empty").isFalse();
  }

  @Test
  void thePlacesAfterTheFirstOnesAreFound() {
    Random random = new Random(20_251_122);
    for (int i = 0; i < 100_000; i++) {
      byte[] bytes = new byte[random.nextInt(60)];
      for (int at = 0; at < bytes.length; at++) {
        bytes[at] = " !\u001f\u00a0a ".getBytes(StandardCharsets.ISO_8859_1)[random.nextInt(6)];
      }
      int from = random.nextInt(bytes.length + 1);
      int to = from + random.nextInt(bytes.length - from + 1);
      int count = 1 + random.nextInt(12);
      int[] expected = new int[14];
      int found = 0;
      for (int at = from; at < to && found < count; at++) {
        if (bytes[at] == ' ') {
          expected[1 + found++] = at + 1;
        }
      }

      int[] out = new int[14];
      int lacking = ByteSearch.placesAfter((byte) ' ', bytes, from, to, out, 1, count);

      assertThat(lacking).isEqualTo(count - found);
      assertThat(out).isEqualTo(expected);
    }
  }
}
