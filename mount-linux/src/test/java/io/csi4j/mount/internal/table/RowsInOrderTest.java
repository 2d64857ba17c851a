package io.csi4j.mount.internal.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.DeviceId;
import io.csi4j.mount.KernelText;
import io.csi4j.mount.MountIdentity;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowsInOrderTest {

  private static final DeviceId DEVICE = new DeviceId(0, 1);
  private static final KernelText ROOT = KernelText.of("/");

  @ParameterizedTest
  @ValueSource(ints = {1, 31, 32, 33, 1000})
  void everyParentThatCameBeforeIsKnownHoweverManyThereAre(int parents) {
    Random random = new Random(7);
    int mounts = 1000;
    RowsInOrder names =
        new RowsInOrder(LongStream.range(0, mounts).map(row -> 5_000_000_000L + row).toArray());

    for (int row = 0; row < mounts; row++) {
      assertThat(names.identity(row, textId(row), DEVICE, ROOT))
          .isEqualTo(new MountIdentity.Unique(5_000_000_000L + row));
      int parent = random.nextInt(Math.min(row + 1, parents));
      assertThat(names.uniqueParent(textId(parent)))
          .isEqualTo(OptionalLong.of(5_000_000_000L + parent));
      assertThat(names.uniqueParent(textId(row + 1))).isEqualTo(OptionalLong.empty());
    }
  }

  /** Text ids are given again, so they are in no order. */
  private static int textId(int row) {
    return (row * 7919 + 13) % 100_003;
  }
}
