package io.csi4j.mount.internal.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountRef;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowsInOrderTest {

  private static final DeviceId DEVICE = new DeviceId(0, 1);
  private static final KernelText ROOT = KernelText.of("/");

  @ParameterizedTest
  @ValueSource(ints = {1, 31, 32, 33, 1000})
  void everyParentInTheTableIsKnownHoweverManyThereAre(int parents) {
    Random random = new Random(7);
    int mounts = 1000;
    List<Integer> parentOf = new ArrayList<>();
    StringBuilder table = new StringBuilder();
    for (int place = 0; place < mounts; place++) {
      parentOf.add(random.nextInt(parents));
      table.append(row(textId(place), textId(parentOf.get(place))));
    }

    RowNames names = names(table.toString(), mounts, id -> OptionalLong.of(1));

    for (int place = 0; place < mounts; place++) {
      assertThat(names.identity(place, textId(place), DEVICE, ROOT)).isEqualTo(unique(place));
      assertThat(names.uniqueParent(place)).hasValue(unique(parentOf.get(place)).id());
    }
  }

  @Test
  void theKernelIsAskedForAParentThatIsNotInTheTable() {
    RowNames names =
        names(
            row(5, 4) + row(6, 5) + row(7, 3),
            3,
            id -> id == unique(0).id() ? OptionalLong.of(99) : OptionalLong.empty());

    assertThat(names.uniqueParent(0)).hasValue(99);
    assertThat(names.uniqueParent(1)).hasValue(unique(0).id());
    assertThat(names.uniqueParent(2)).isEmpty();
  }

  @Test
  void aRowWithoutSenseKeepsItsNumber() {
    RowNames names =
        names(row(5, 5) + "0 garbage\n" + row(6, 5) + row(7, 0), 4, id -> OptionalLong.of(99));

    assertThat(names.identity(2, 6, DEVICE, ROOT)).isEqualTo(unique(2));
    assertThat(names.uniqueParent(2)).hasValue(unique(0).id());
    assertThat(names.uniqueParent(3)).as("nothing is on a row without sense").hasValue(99);
  }

  private static RowNames names(String table, int rows, LongFunction<OptionalLong> elsewhere) {
    ScannedRows scanned = Pieces.scan(table.getBytes(StandardCharsets.UTF_8), most -> most);
    return new RowsInOrder(
        scanned, LongStream.range(0, rows).map(place -> unique(place).id()).toArray(), elsewhere);
  }

  private static MountRef.Identity.Unique unique(long place) {
    return new MountRef.Identity.Unique(5_000_000_000L + place);
  }

  private static String row(int id, int parent) {
    return id + " " + parent + " 0:1 / /m rw - tmpfs x rw\n";
  }

  /** Text ids are given again, so they are in no order. */
  private static int textId(int row) {
    return (row * 7919 + 13) % 100_003;
  }
}
