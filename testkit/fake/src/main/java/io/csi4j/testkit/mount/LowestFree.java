package io.csi4j.testkit.mount;

import java.util.BitSet;

/** Numbers given out as the kernel does: always the lowest that is free. */
final class LowestFree {

  private final int first;
  private final BitSet taken = new BitSet();

  LowestFree(int first) {
    this.first = first;
  }

  int take() {
    int number = taken.nextClearBit(first);
    taken.set(number);
    return number;
  }

  void free(int number) {
    taken.clear(number);
  }
}
