package io.csi4j.mount.internal.table;

import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A small cache of what texts mean, for texts that many rows have in common. It forgets freely and
 * never grows.
 *
 * @param <T> what they mean
 */
final class SharedTexts<T> {

  private static final int SLOTS = 256;

  /** Longer ones are kept only until the next one comes. */
  private static final int LONGEST = 512;

  /** A slot is chosen by the length and this many bytes from the end, where paths differ. */
  private static final int HASHED = 12;

  private static final class Known<T> {
    final byte[] text;
    final T meaning;

    Known(byte[] text, T meaning) {
      this.text = text;
      this.meaning = meaning;
    }

    boolean is(byte[] bytes, int from, int to) {
      return Arrays.equals(text, 0, text.length, bytes, from, to);
    }
  }

  private final Function<byte[], T> reader;

  private final @Nullable Known<T>[] slots;
  private @Nullable Known<T> last;

  /** A cache in front of this. */
  @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type has to be made so
  SharedTexts(Function<byte[], T> reader) {
    this.reader = reader;
    this.slots = new Known[SLOTS];
  }

  /** Returns the meaning of these bytes. */
  T get(byte[] bytes, int from, int to) {
    Known<T> known = last;
    if (known == null || !known.is(bytes, from, to)) {
      known = find(bytes, from, to);
      last = known;
    }
    return known.meaning;
  }

  private Known<T> find(byte[] bytes, int from, int to) {
    int hash = to - from;
    for (int i = Math.max(from, to - HASHED); i < to; i++) {
      hash = hash * 31 + bytes[i];
    }
    int slot = (hash ^ hash >>> 8 ^ hash >>> 16) & (SLOTS - 1);
    Known<T> known = slots[slot];
    if (known == null || !known.is(bytes, from, to)) {
      byte[] text = Arrays.copyOfRange(bytes, from, to);
      known = new Known<>(text, reader.apply(text));
      if (text.length <= LONGEST) {
        slots[slot] = known;
      }
    }
    return known;
  }
}
