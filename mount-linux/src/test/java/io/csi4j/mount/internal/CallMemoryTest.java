package io.csi4j.mount.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.internal.kernel.Spares;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.model.MountPath;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CallMemoryTest {

  private static final long ADDRESS = 0x7f00_0000_1000L;

  private final List<CallMemory> over = new ArrayList<>();

  @Test
  void memoryThatIsTakenIsNobodyElsesUntilItIsGivenBack() {
    Spares<CallMemory> spares = new Spares<>(this::memory);
    CallMemory first = spares.take();
    CallMemory second = spares.take();
    assertThat(second).isNotSameAs(first);

    spares.giveBack(first);
    assertThat(spares.take()).isSameAs(first);
    assertThat(spares.take()).isNotSameAs(first);
  }

  @Test
  void whatIsAddedLiesAtAnAddressOfItsOwnAlignedForNumbers() {
    CallMemory memory = memory();

    assertThat(memory.with(new byte[] {1, 2, 3})).isEqualTo(ADDRESS);
    assertThat(memory.with(MountPath.of("/volumes"))).isEqualTo(ADDRESS + 8);
    assertThat(memory.room(24)).isEqualTo(ADDRESS + 24);
    assertThat(memory.with(new byte[] {9})).isEqualTo(ADDRESS + 48);

    byte[] read = {7, 7, 7, 7};
    memory.get(ADDRESS, read, 3);
    assertThat(read).containsExactly(1, 2, 3, 7);
    byte[] path = new byte[9];
    memory.get(ADDRESS + 8, path, 9);
    assertThat(path).containsExactly('/', 'v', 'o', 'l', 'u', 'm', 'e', 's', 0);
  }

  @Test
  void numbersAreReadInTheOrderOfTheMachine() {
    CallMemory memory = memory();
    byte[] two = new byte[16];
    Struct.u64(two, 0, 0x1122_3344_5566_7788L);
    Struct.u64(two, 8, -2);
    long at = memory.with(two);

    assertThat(memory.u64(at)).isEqualTo(0x1122_3344_5566_7788L);
    assertThat(memory.u32(at + 8)).isEqualTo(-2);
    long[] numbers = {5, 5, 5};
    memory.get(at, numbers, 2);
    assertThat(numbers).containsExactly(0x1122_3344_5566_7788L, -2, 5);
  }

  @Test
  void memoryOfACallThatIsOverIsEmptyAndItsOwnersAgain() {
    CallMemory memory = memory();
    memory.room(CallMemory.SIZE);

    memory.close();

    assertThat(over).containsExactly(memory);
    assertThat(memory.room(CallMemory.SIZE)).isEqualTo(ADDRESS);
  }

  @Test
  void sixPartsOfAnySizeFitWhereTheirSumIsSaidToFit() {
    int sum = CallMemory.SIZE - 48;
    assertThat(CallMemory.fits(sum)).isTrue();
    assertThat(CallMemory.fits(sum + 1)).isFalse();
    CallMemory memory = memory();

    for (int part = 0; part < 5; part++) {
      memory.with(new byte[1]);
    }
    assertThat(memory.room(sum - 5)).isEqualTo(ADDRESS + 40);
  }

  private CallMemory memory() {
    return new CallMemory(ByteBuffer.allocateDirect(CallMemory.SIZE), ADDRESS, over::add);
  }
}
