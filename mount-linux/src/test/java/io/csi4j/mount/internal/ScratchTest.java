package io.csi4j.mount.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ScratchTest {

  @Test
  void memoryThatIsTakenIsNobodyElsesUntilItIsGivenBack() {
    Scratch.Pool pool = new Scratch.Pool();
    Scratch first = pool.take();
    Scratch second = pool.take();
    assertThat(second).isNotSameAs(first);

    pool.giveBack(first);
    assertThat(pool.take()).isSameAs(first);
    assertThat(pool.take()).isNotSameAs(first);
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
