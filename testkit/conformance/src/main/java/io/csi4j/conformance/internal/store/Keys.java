package io.csi4j.conformance.internal.store;

import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Keys for the checks. */
final class Keys {

  static final RecordKey DB = key("db");

  private Keys() {}

  static RecordKey key(String id) {
    return RecordKey.of(Space.CLAIMS, VolumeKey.of(id));
  }

  static RecordKey key(String namespace, String id) {
    return RecordKey.of(Space.CLAIMS, VolumeKey.of(Namespace.of(namespace), id));
  }

  static RecordKey in(Space space) {
    return new RecordKey(space, DB.name());
  }

  static List<RecordKey> keys(int count) {
    return IntStream.range(0, count).mapToObj(i -> key("v-%04d".formatted(i))).toList();
  }

  /**
   * Returns keys with similar names, which a store confuses if it does not compare every character.
   */
  static List<RecordKey> trickyKeys() {
    return Stream.of(
            key("a", "b"),
            key("a", "b/c"),
            key("a/b", "c"),
            key("a/", "b"),
            key("a", "/b"),
            key("A", "b"),
            key("a", "B"),
            key("a", "b "),
            key(" a", "b"),
            key("a", "b*"),
            key("a", "b%2Fc"),
            key("a%2Fb", "c"),
            key("a", ".."),
            key("..", "a"),
            key("a", "b\\"),
            key("a", "b\u200b"),
            key("a", "\u00e9"),
            key("a", "e\u0301"),
            key("a", "\uffee"),
            key("a", "\ud834\udd1e"),
            key("a", "'; drop table claims; --"),
            key("a!", "b"),
            key("a.b", "c"),
            key("ab", "c"),
            key("a b", "x"),
            key("a-b", "x/y"),
            key("aa", " "),
            key("\ufffd", "x"),
            key("\ud834\udd1e", "x"),
            key("\ud834\udd1e", "\ud83d\ude00"))
        .sorted()
        .toList();
  }
}
