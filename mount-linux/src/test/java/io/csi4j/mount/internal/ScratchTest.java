package io.csi4j.mount.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.internal.kernel.Spares;
import org.junit.jupiter.api.Test;

class ScratchTest {

  @Test
  void memoryThatIsTakenIsNobodyElsesUntilItIsGivenBack() {
    Spares<Scratch> spares = new Spares<>(Scratch::new);
    Scratch first = spares.take();
    Scratch second = spares.take();
    assertThat(second).isNotSameAs(first);

    spares.giveBack(first);
    assertThat(spares.take()).isSameAs(first);
    assertThat(spares.take()).isNotSameAs(first);
  }

  @Test
  void whatIsWrittenIsReadFromTheSamePlace() {
    Scratch scratch = new Scratch();
    scratch.put(Scratch.SIZE - 3, new byte[] {1, 2, 3});
    byte[] read = {9, 9, 9, 9};
    scratch.get(Scratch.SIZE - 3, read, 3);
    assertThat(read).containsExactly(1, 2, 3, 9);
    assertThat(scratch.at(Scratch.SIZE) - scratch.at(0)).isEqualTo(Scratch.SIZE);
  }
}
