package io.csi4j.volume.sim;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One history, written down: the choices that are made, after which the first one is always taken,
 * and the seed of everything that is random but no choice, such as the length of pauses.
 */
record Script(long seed, IntList choices) {

  /** Numbers that compare by value. */
  static final class IntList {
    private final int[] values;

    private IntList(int[] values) {
      this.values = values;
    }

    static IntList of(int... values) {
      return new IntList(values.clone());
    }

    int size() {
      return values.length;
    }

    int get(int at) {
      return at < values.length ? values[at] : 0;
    }

    int[] toArray() {
      return values.clone();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof IntList that && Arrays.equals(values, that.values);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(values);
    }

    @Override
    public String toString() {
      return IntStream.of(values).mapToObj(Integer::toString).collect(Collectors.joining(","));
    }
  }

  static Script of(long seed, int... choices) {
    return new Script(seed, IntList.of(choices));
  }

  /** The same without the zeros at the end, which change nothing. */
  Script trimmed() {
    int[] all = choices.toArray();
    int length = all.length;
    while (length > 0 && all[length - 1] == 0) {
      length--;
    }
    return of(seed, Arrays.copyOf(all, length));
  }

  /** How many choices are not the first one. */
  long deviations() {
    return IntStream.of(choices.toArray()).filter(choice -> choice != 0).count();
  }

  @Override
  public String toString() {
    return seed + ":" + choices;
  }

  /** What {@link #toString} wrote. */
  static Script parse(String text) {
    int colon = text.indexOf(':');
    String list = text.substring(colon + 1);
    return of(
        Long.parseLong(text.substring(0, colon)),
        list.isEmpty()
            ? new int[0]
            : Arrays.stream(list.split(",", -1)).mapToInt(Integer::parseInt).toArray());
  }
}
