package io.csi4j.mount.internal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.KernelFeatures;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountRecord;
import java.io.ByteArrayInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Cases T of the mount facts: reading the text, on kernels that lose rows and on those that do not.
 */
class MountInfoReaderTest {

  private static final String FIRST = "1 0 0:1 / / rw - t a rw\n";
  private static final String SECOND = "2 1 0:2 / /b rw - t b rw\n";
  private static final String THIRD = "3 1 0:3 / /c rw - t c rw\n";

  private final Kernel steady = kernel(true);
  private final Kernel unsteady = kernel(false);

  @Test
  void aKernelThatLosesNoRowsIsReadOnce() {
    Tables tables = new Tables(FIRST + SECOND);

    assertThat(new MountInfoReader(steady, tables).read().records()).hasSize(2);
    assertThat(tables.left).isEmpty();
  }

  @Test
  void aKernelThatLosesRowsIsReadUntilTwoReadingsAgree() {
    Tables tables = new Tables(FIRST, FIRST + SECOND, FIRST + THIRD, FIRST + THIRD);

    assertThat(new MountInfoReader(unsteady, tables).read().records())
        .extracting(MountRecord::id)
        .containsExactly(1, 3);
    assertThat(tables.left).isEmpty();
  }

  @Test
  void aTableThatNeverStandsStillIsGivenUpAfterTenReadings() {
    Tables tables =
        new Tables(FIRST, SECOND, FIRST, SECOND, FIRST, SECOND, FIRST, SECOND, FIRST, SECOND);
    MountInfoReader reader = new MountInfoReader(unsteady, tables);

    assertThatThrownBy(reader::read)
        .isInstanceOfSatisfying(
            MountException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NO_MOUNT_TABLE))
        .hasMessageStartingWith(
            "Reading the table of mounts failed: it changed during each of 10 readings");
    assertThat(tables.left).isEmpty();
  }

  @Test
  void aMountIsFoundByItsNumberWithoutReadingOn() {
    List<Integer> reads = new ArrayList<>();
    MountInfoReader reader =
        new MountInfoReader(
            steady,
            () ->
                new ByteArrayInputStream(bytes(FIRST + SECOND + "garbage\n" + THIRD)) {
                  @Override
                  public synchronized int read(byte[] out, int from, int most) {
                    int read = super.read(out, from, 30);
                    reads.add(read);
                    return read;
                  }
                });

    assertThat(find(reader, 2)).map(MountRecord::id).contains(2);
    assertThat(reads).hasSize(2);
    assertThat(find(reader, 4)).isEmpty();
    assertThat(reader.find(Set.of(1, 3, 4)).keySet()).containsExactlyInAnyOrder(1, 3);
  }

  @Test
  void aMountIsFoundByItsNumberOnAKernelThatLosesRowsToo() {
    assertThat(find(new MountInfoReader(unsteady, new Tables(FIRST, SECOND, SECOND)), 2))
        .map(MountRecord::id)
        .contains(2);
    assertThat(find(new MountInfoReader(unsteady, new Tables(FIRST, SECOND, SECOND)), 1)).isEmpty();
  }

  @Test
  void ofTwoRowsWithOneNumberTheLastIsKept() {
    String again = "2 1 0:2 / /b rw - t another rw\n";

    assertThat(
            new MountInfoReader(steady, new Tables(FIRST + SECOND + THIRD + again))
                .read()
                .records())
        .extracting(mount -> mount.id() + " " + mount.source())
        .containsExactly("1 a", "3 c", "2 another");
  }

  @Test
  void aNumberInTwoRowsHidesNoOtherMount() {
    MountInfoReader reader =
        new MountInfoReader(
            steady,
            () ->
                new ByteArrayInputStream(bytes(SECOND + SECOND + THIRD)) {
                  @Override
                  public synchronized int read(byte[] out, int from, int most) {
                    return super.read(out, from, SECOND.length());
                  }
                });

    assertThat(reader.find(Set.of(2, 3)).keySet()).containsExactlyInAnyOrder(2, 3);
  }

  @Test
  void aTableThatIsNotThereIsTold() {
    assertThatThrownBy(() -> new MountInfoReader(steady, new Tables()).read())
        .isInstanceOfSatisfying(
            MountException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NO_MOUNT_TABLE))
        .hasMessage(
            "Reading the table of mounts failed: /proc/self/mountinfo (No such file or directory)."
                + " Mount /proc where this process sees it (mount -t proc proc /proc), and check "
                + "that nothing hides its files.");
  }

  /** Gives one text after the other. */
  private static Optional<MountRecord> find(MountInfoReader reader, int id) {
    return Optional.ofNullable(reader.find(Set.of(id)).get(id));
  }

  private static final class Tables implements MountInfoReader.Table {

    private final Deque<String> left;

    Tables(String... texts) {
      left = new ArrayDeque<>(List.of(texts));
    }

    @Override
    public InputStream open() throws IOException {
      if (left.isEmpty()) {
        throw new FileNotFoundException("/proc/self/mountinfo (No such file or directory)");
      }
      return new ByteArrayInputStream(bytes(left.remove()));
    }
  }

  /** A kernel of which only this is known: whether it has the calls of 5.8. */
  private static Kernel kernel(boolean isSteady) {
    Syscalls calls =
        (Syscalls)
            Proxy.newProxyInstance(
                Syscalls.class.getClassLoader(),
                new Class<?>[] {Syscalls.class},
                (proxy, method, arguments) -> {
                  if (isSteady && method.getName().equals("statx")) {
                    Struct.u64(
                        (byte[]) arguments[4],
                        Abi.STATX_AT_ATTRIBUTES_MASK,
                        Abi.STATX_ATTR_MOUNT_ROOT);
                    return 0;
                  }
                  return -Abi.ENOSYS;
                });
    KernelFeatures features = KernelFeatures.probe(calls);
    assertThat(features.has(Feature.STATX_MOUNT_ROOT)).isEqualTo(isSteady);
    return new Kernel(calls, features, "boot", "5.4.0");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
