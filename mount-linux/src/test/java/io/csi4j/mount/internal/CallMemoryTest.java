package io.csi4j.mount.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.internal.kernel.Spares;
import org.junit.jupiter.api.Test;

class CallMemoryTest {

  @Test
  void memoryThatIsTakenIsNobodyElsesUntilItIsGivenBack() {
    Spares<CallMemory> spares = new Spares<>(CallMemory::new);
    CallMemory first = spares.take();
    CallMemory second = spares.take();
    assertThat(second).isNotSameAs(first);

    spares.giveBack(first);
    assertThat(spares.take()).isSameAs(first);
    assertThat(spares.take()).isNotSameAs(first);
  }

  @Test
  void whatIsWrittenIsReadFromTheSamePlace() {
    CallMemory scratch = new CallMemory();
    scratch.put(CallMemory.SIZE - 3, new byte[] {1, 2, 3});
    byte[] read = {9, 9, 9, 9};
    scratch.get(CallMemory.SIZE - 3, read, 3);
    assertThat(read).containsExactly(1, 2, 3, 9);
    assertThat(scratch.at(CallMemory.SIZE) - scratch.at(0)).isEqualTo(CallMemory.SIZE);
  }
}
